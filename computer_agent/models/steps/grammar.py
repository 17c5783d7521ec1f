"""The forms of the language: one small reader for each verb, and the table of verbs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from computer_agent.models.model import BadSteps
from computer_agent.models.steps.cursor import LOOSE, Cursor
from computer_agent.models.steps.expectations import expectation
from computer_agent.models.steps.words import HELP, sentences
from computer_api import actions
from computer_api.keys import UnknownKeyError, parse_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_api.actions import Action, Button
    from computer_api.targets import Target

_NOTCHES = 3  # what "scroll down" turns without a number


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One step of a task: its number from 1, its own words with secrets hidden, and its action."""

    number: int
    words: str
    action: Action


def parse_steps(task: str, values: Mapping[str, str] | None = None) -> tuple[Instruction, ...]:
    """Every step of the task as an action; ``values`` holds what ``$NAME`` stands for.

    Raises ``BadSteps``, pointing at the word, and for a task without steps.
    """
    found = tuple(
        Instruction(
            number=sentence.number, words=sentence.shown, action=_action(Cursor(sentence, values or {}))
        )
        for sentence in sentences(task)
    )
    if not found:
        example = 'click "Save"; type "Ada" into "First name"; press ctrl+s; expect "Saved"'
        raise BadSteps(f"There are no steps. Write some, such as: {example}. {HELP}")
    return found


def shown_task(task: str) -> str:
    """The task, a step a line, with its secrets hidden: what a trace may keep. Raises ``BadSteps``."""
    return "\n".join(sentence.shown for sentence in sentences(task))


def _action(cursor: Cursor) -> Action:
    cursor.skip("please", "then", "now", "and", "just", "finally", "next", ",")
    start = cursor.at
    verb = cursor.take(*_VERBS)
    if verb:
        read, form = _VERBS[verb]
        action = read(cursor)
        cursor.finish(form)
        return action
    click = _click_phrase(cursor)
    if click is None:
        cursor.at = start
        raise cursor.wrong(
            f"a step that begins with {', '.join(_SHOWN_VERBS)}. A free sentence needs a language model",
            (*_VERBS, *_CLICK_WORDS),
        )
    action = _click(cursor, click)
    cursor.finish('click "Save"')
    return action


# Pointer.

_BUTTONS: dict[str, Button] = {
    "left": "left",
    "right": "right",
    "middle": "middle",
    "back": "back",
    "forward": "forward",
}
_CLICKS = {"single": 1, "double": 2, "triple": 3}
_CLICK_WORDS = ("double", "triple", *_BUTTONS)
_CLICK_PHRASE_WORDS = 5


def _click_phrase(cursor: Cursor) -> actions.Click | None:
    """``right click``, ``double-click``, ``ctrl+click``: the click without its target, if one stands here."""
    said = ""
    for _ in range(_CLICK_PHRASE_WORDS):
        word = cursor.peek()
        said += f" {word}"
        cursor.at += 1
        if word.endswith("click"):
            return _qualified(said.removesuffix("click"))
        if not word:
            break
    return None


def _qualified(said: str) -> actions.Click | None:
    """A click with these words before it; ``None`` when one of them is neither button, count nor key."""
    click = actions.Click()
    for word in re.split(r"[-+\s]+", said.strip(" -+")):
        if word in _BUTTONS:
            click = replace(click, button=_BUTTONS[word])
        elif word in _CLICKS:
            click = replace(click, count=_CLICKS[word])
        elif word:
            try:
                click = replace(click, keys=click.keys + parse_keys(word))
            except UnknownKeyError:
                return None
    return click


def _click(cursor: Cursor, click: actions.Click) -> actions.Click:
    if cursor.peek() not in {"with", "while", "holding"} and not _is_count(cursor) and not _is_over(cursor):
        click = replace(click, target=cursor.target())
    while not _is_over(cursor):
        count = cursor.times()
        if count is not None:
            click = replace(click, count=count)
        elif cursor.peek() == "with":
            click = replace(click, button=_with_button(cursor))
        else:
            click = replace(click, keys=click.keys + _holding(cursor))
    return click


def _is_over(cursor: Cursor) -> bool:
    cursor.skip(*LOOSE, "here", "there")
    return cursor.ended


def _is_count(cursor: Cursor) -> bool:
    return cursor.peek(1) in {"times", "time"} or cursor.peek() in {"once", "twice"}


def _plain_click(cursor: Cursor) -> Action:
    return _click(cursor, actions.Click())


def _tick(cursor: Cursor) -> Action:
    return actions.Tick(target=cursor.target("tick"))


def _untick(cursor: Cursor) -> Action:
    return actions.Tick(target=cursor.target("tick"), ticked=False)


def _with_button(cursor: Cursor) -> Button:
    """``with the right button``, if it stands here; else the left one."""
    if not cursor.take("with"):
        return "left"
    cursor.skip("the")
    button = _BUTTONS[cursor.need("a mouse button: left, middle or right", *_BUTTONS)]
    cursor.skip("mouse", "button")
    return button


def _holding(cursor: Cursor) -> tuple[str, ...]:
    cursor.need('a place, "holding ctrl" or the end of the step', "while holding", "holding")
    return cursor.keys()


def _move(cursor: Cursor) -> Action:
    cursor.skip("the", "mouse", "pointer")
    if cursor.peek() == "window" and cursor.quoted(1):
        return _place(cursor)
    return actions.Move(target=cursor.target())


def _drag(cursor: Cursor) -> Action:
    start = cursor.target()
    via: list[Target] = []
    while cursor.take("via", "over", "and via", "and over"):
        via.append(cursor.target())
    cursor.need('to "somewhere"', "to", "onto", "into")
    end = cursor.target()
    button = _with_button(cursor)
    keys = _holding(cursor) if cursor.peek() in {"while", "holding"} else ()
    return actions.Drag(start=start, end=end, via=tuple(via), button=button, keys=keys)


_WHEEL = {"down": (1, 0), "up": (-1, 0), "right": (0, 1), "left": (0, -1)}


def _scroll(cursor: Cursor) -> Action:
    down = right = 0
    direction = cursor.need("down, up, left or right", *_WHEEL)
    while direction:
        notches = cursor.whole()
        down += _WHEEL[direction][0] * (_NOTCHES if notches is None else notches)
        right += _WHEEL[direction][1] * (_NOTCHES if notches is None else notches)
        cursor.skip("notch", "notches", "times", "lines", "and")
        direction = cursor.take(*_WHEEL)
    unit: actions.ScrollUnit = "pixels" if cursor.take("pixels", "pixel", "px") else "notches"
    target = None if _is_over(cursor) or cursor.peek() in {"while", "holding"} else cursor.target()
    keys = () if _is_over(cursor) else _holding(cursor)
    return actions.Scroll(down=down, right=right, target=target, unit=unit, keys=keys)


def _mouse(cursor: Cursor) -> Action:
    cursor.skip("button")
    way = cursor.need("down or up", "down", "up")
    button: Button = _BUTTONS[cursor.take(*_BUTTONS) or "left"]
    if cursor.peek() == "with":
        button = _with_button(cursor)
    return actions.MouseDown(button=button) if way == "down" else actions.MouseUp(button=button)


# Keyboard.


def _type(cursor: Cursor) -> Action:
    text, secret = _typed(cursor)
    into = cursor.target("field") if cursor.take("into", "in", "on") else None
    return actions.TypeText(text=text, into=into, secret=secret)


def _fill(cursor: Cursor) -> Action:
    into = cursor.target("field")
    cursor.need('with "a text"', "with")
    text, secret = _typed(cursor)
    return actions.TypeText(text=text, into=into, secret=secret)


def _typed(cursor: Cursor) -> tuple[str, bool]:
    cursor.skip("in", "the", "a", "text", "value")
    secret = bool(cursor.take("secret", "password"))
    return cursor.text("the text to type"), secret


def _choose(cursor: Cursor) -> Action:
    cursor.skip("the", "option")
    option = cursor.text("the option")
    cursor.need('from "a drop-down"', "from", "in", "of")
    return actions.Choose(option=option, target=cursor.target("field"))


def _press(cursor: Cursor) -> Action:
    keys = cursor.keys()
    times = cursor.times()
    return actions.PressKeys(keys=keys, times=1 if times is None else times)


def _hold(cursor: Cursor) -> Action:
    if cursor.peek(1) not in {"for", ""}:
        cursor.skip("down")
    keys = cursor.keys()
    cursor.need('for 2 seconds; "key down shift" holds a key until "key up shift"', "for")
    return actions.HoldKeys(keys=keys, seconds=cursor.seconds())


def _key_down(cursor: Cursor) -> Action:
    return actions.KeyDown(keys=cursor.keys())


def _key_up(cursor: Cursor) -> Action:
    return actions.KeyUp(keys=cursor.keys())


# Waiting and looking.


def _wait(cursor: Cursor) -> Action:
    if _is_over(cursor):
        return actions.Wait(seconds=1.0)
    until = cursor.take("for", "until")
    article = cursor.peek() in {"no", "the", "a"}
    if until and cursor.peek(article) in _WINDOW:
        return _wait_for_window(cursor)
    if until and not cursor.counting:
        return _expect(cursor)
    return actions.Wait(seconds=cursor.seconds())


def _expect(cursor: Cursor) -> Action:
    article = cursor.peek() in {"no", "the", "a"}
    return _wait_for_window(cursor) if cursor.peek(article) in _WINDOW else expectation(cursor)


def _look(cursor: Cursor) -> Action:
    cursor.skip("at", "the", "screen")
    return actions.Look()


def _zoom(cursor: Cursor) -> Action:
    start = cursor.corner()
    cursor.need("to 200,300", "to")
    end = cursor.corner()
    return actions.Zoom(left=start.x, top=start.y, right=end.x, bottom=end.y)


# Programs, windows, clipboard, code.


def _open(cursor: Cursor) -> Action:
    cursor.skip("the", "app", "program", "application")
    program = cursor.name("the program")
    arguments: list[str] = []
    if cursor.take("with"):
        arguments.append(cursor.text("an argument"))
        while not _is_over(cursor):
            cursor.skip("and")
            arguments.append(cursor.text("an argument"))
    return actions.OpenApp(program=program, arguments=tuple(arguments))


def _focus(cursor: Cursor) -> Action:
    return actions.FocusWindow(title=_title(cursor))


def _close(cursor: Cursor) -> Action:
    return actions.CloseWindow(title=_title(cursor))


def _title(cursor: Cursor) -> str:
    cursor.skip("to", "on", "the", "window")
    title = cursor.name("the window's title")
    cursor.take("window")
    return title


def _arrange(how: actions.Arrangement) -> Callable[[Cursor], Action]:
    return lambda cursor: actions.ArrangeWindow(title=_title(cursor), how=how)


def _place(cursor: Cursor) -> Action:
    """``place window "X" at 10,20``, ``… at left 10 width 300``: at a corner, or by its edges and sizes."""
    title = _title(cursor)
    cursor.skip("to", "at")
    corner = cursor.pixel()
    given = {} if corner is None else {"left": corner.x, "top": corner.y}
    while edge := cursor.take("left", "top", "width", "height"):
        given[edge] = _number(cursor)
    if not given:
        raise cursor.wrong("where: 10,20, or left, top, width and height with numbers", ("left", "top"))
    return actions.PlaceWindow(title=title, **given)


def _resize(cursor: Cursor) -> Action:
    title = _title(cursor)
    cursor.skip("to")
    size = re.fullmatch(r"(\d+)[x×](\d+)", cursor.peek())  # noqa: RUF001 - the sign that people write
    if size is None:
        raise cursor.wrong("a size, such as 800x600")
    cursor.at += 1
    return actions.PlaceWindow(title=title, width=int(size[1]), height=int(size[2]))


def _number(cursor: Cursor) -> int:
    """A whole number, which may lie left of or above the first one."""
    if not re.fullmatch(r"-?\d+", cursor.peek()):
        raise cursor.wrong("a whole number")
    cursor.at += 1
    return int(cursor.words[cursor.at - 1].text)


_WINDOW = ("window", "dialog")


def _wait_for_window(cursor: Cursor) -> Action:
    gone = bool(cursor.take("no"))
    cursor.skip("the", "a")
    cursor.need("window", *_WINDOW)
    title = cursor.name("the window's title")
    gone = bool(cursor.take("to be gone", "is gone", "gone", "to close", "closes")) or gone
    cursor.skip("to appear", "appears", "to open", "opens")
    timed = cursor.take("within", "in", "for") or cursor.counting
    return actions.WaitForWindow(title=title, gone=gone, **({"seconds": cursor.seconds()} if timed else {}))


def _copy(cursor: Cursor) -> Action:
    """``copy "abc"``, ``copy text "abc" and html "<b>abc</b>" to the clipboard``, ``copy image "a.png"``."""
    forms: dict[str, str] = {}
    while True:
        cursor.skip("the")
        form = cursor.take("text", "html", "image", "picture") or "text"
        forms["image" if form == "picture" else form] = cursor.text("the text to copy")
        if not cursor.take("and", "with"):
            break
    selection = _selection(cursor) if cursor.take("to", "on", "onto", "into") else "clipboard"
    return actions.ClipboardSet(**forms, selection=selection)


def _read(cursor: Cursor) -> Action:
    kinds: dict[str, actions.ClipKind] = {
        "text": "text",
        "html": "html",
        "image": "image",
        "picture": "image",
    }
    cursor.skip("the")
    kind = kinds[cursor.take(*kinds) or "text"]
    cursor.skip("from", "on")
    return actions.ClipboardGet(kind=kind, selection=_selection(cursor))


def _selection(cursor: Cursor) -> actions.Selection:
    cursor.skip("the", "primary")
    found = cursor.need("the clipboard, or the selection", "clipboard", "selection")
    return "primary" if found == "selection" else "clipboard"


def _run(cursor: Cursor) -> Action:
    language = cursor.name("a language, such as python or shell")
    cursor.skip("code")
    code = cursor.text("the code")
    outside = bool(cursor.take("outside"))
    if outside:
        cursor.skip("the", "sandbox")
    return actions.RunCode(language=language, code=code, outside=outside)


def _answer(cursor: Cursor) -> Action:
    cursor.skip("the", "program", "prompt", "with")
    text, secret = _typed(cursor)
    return actions.AnswerPrompt(text=text, secret=secret)


def _browse(cursor: Cursor) -> Action:
    """``browser open "example.org" in a new tab``, ``browser fill "Name" with "Ada"``, ``browser close tab "2"``."""
    named = {word.replace("_", " "): word for word in get_args(actions.BrowserVerb)}
    words = sorted(named, key=len, reverse=True)  # "close tab" before "tab"
    said = cursor.need(f"what the browser shall do: {', '.join(named)}", *words)
    known: dict[str, actions.BrowserVerb] = {word: word for word in get_args(actions.BrowserVerb)}
    where = text = folder = ""
    secret = False
    if not cursor.ended and cursor.peek() not in {"with", "into", "in", *LOOSE}:
        where = cursor.name("an address, some words, or a number")
    if cursor.take("with"):
        text, secret = _typed(cursor)
    if cursor.take("into"):
        folder = cursor.name("a folder")
    new_tab = bool(cursor.take("in a new tab"))
    return actions.Browse(
        what=known[named[said]], where=where, text=text, secret=secret, new_tab=new_tab, folder=folder
    )


def _notify(cursor: Cursor) -> Action:
    text = cursor.text("what the person is told")
    title = cursor.text("a title") if cursor.take("titled") else actions.Notify(text="").title
    return actions.Notify(text=text, title=title)


def _ask(cursor: Cursor) -> Action:
    """``ask model "What is on it?" about "a.png" and "b.png"``."""
    cursor.skip("the", "model")
    text = cursor.text("a question")
    pictures = []
    if cursor.take("about"):
        pictures.append(cursor.name("a picture"))
        while cursor.take("and"):
            pictures.append(cursor.name("another picture"))
    return actions.AskModel(text=text, pictures=tuple(pictures))


_VERBS: dict[str, tuple[Callable[[Cursor], Action], str]] = {
    "answer": (_answer, 'answer "yes"'),
    "notify": (_notify, 'notify "All is done"'),
    "ask": (_ask, 'ask model "What is on it?" about "a.png"'),
    "browser": (_browse, 'browser open "example.org"'),
    "click": (_plain_click, 'click "Save"'),
    **dict.fromkeys(("tick", "check"), (_tick, 'tick "Subscribe"')),
    **dict.fromkeys(("untick", "uncheck"), (_untick, 'untick "Subscribe"')),
    **dict.fromkeys(("move", "hover", "point"), (_move, 'move to "Save"')),
    "drag": (_drag, 'drag "a" to "b"'),
    "scroll": (_scroll, 'scroll down 5 over "list"'),
    "mouse": (_mouse, "mouse down or mouse up"),
    **dict.fromkeys(("type", "write", "enter"), (_type, 'type "Ada" into "First name"')),
    "fill": (_fill, 'fill "First name" with "Ada"'),
    **dict.fromkeys(("choose", "select", "pick"), (_choose, 'choose "Green" from "Colour"')),
    "press": (_press, "press ctrl+s 3 times"),
    **dict.fromkeys(("key down", "keydown"), (_key_down, "key down ctrl")),
    **dict.fromkeys(("key up", "keyup", "release"), (_key_up, "key up ctrl")),
    "hold": (_hold, "hold shift for 2 seconds"),
    "wait": (_wait, "wait 2 seconds"),
    "expect": (_expect, 'expect "Saved" within 10 seconds'),
    **dict.fromkeys(("look", "take a screenshot", "screenshot"), (_look, "look")),
    "zoom": (_zoom, "zoom 10,10 to 200,200"),
    **dict.fromkeys(("open", "start", "launch"), (_open, 'open "mousepad" with "notes.txt"')),
    **dict.fromkeys(("switch", "focus", "activate"), (_focus, 'switch to "Mousepad"')),
    "close": (_close, 'close window "Mousepad"'),
    "raise": (_arrange("raise"), 'raise window "Mousepad"'),
    **dict.fromkeys(("maximize", "maximise"), (_arrange("maximize"), 'maximize window "Mousepad"')),
    **dict.fromkeys(("minimize", "minimise"), (_arrange("minimize"), 'minimize window "Mousepad"')),
    **dict.fromkeys(("restore", "unmaximize"), (_arrange("restore"), 'restore window "Mousepad"')),
    "place": (_place, 'place window "Mousepad" at 10,20'),
    "resize": (_resize, 'resize window "Mousepad" to 800x600'),
    "copy": (_copy, 'copy text "abc" to clipboard'),
    **dict.fromkeys(("read", "get"), (_read, "read clipboard")),
    "run": (_run, 'run shell "ls"'),
}
_SHOWN_VERBS = (
    *(
        "click",
        "tick",
        "move",
        "drag",
        "scroll",
        "mouse",
        "type",
        "fill",
        "choose",
        "press",
        "hold",
        "key",
        "wait",
    ),
    *(
        "expect",
        "look",
        "zoom",
        "open",
        "switch",
        "close",
        "maximize",
        "minimize",
        "restore",
        "raise",
        "place",
    ),
    *("resize", "copy", "read", "run"),
)
