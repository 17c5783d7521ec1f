"""The tools that a model is offered, and their calls as actions: ``computer``, ``run_code`` and ``finish``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, assert_never, get_args

from computer_agent.models.dialects.arguments import RELATIONS, Arguments, BadCall
from computer_api.actions import (
    AnswerPrompt,
    Arrangement,
    ArrangeWindow,
    AskModel,
    Browse,
    BrowserVerb,
    Button,
    Choose,
    Click,
    ClipboardGet,
    ClipboardSet,
    ClipKind,
    CloseWindow,
    Drag,
    Expect,
    ExpectClipboard,
    ExpectFile,
    ExpectHttp,
    ExpectProcess,
    ExpectTicked,
    ExpectValue,
    FocusWindow,
    HoldKeys,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Notify,
    OpenApp,
    PlaceWindow,
    PressKeys,
    RunCode,
    Scroll,
    ScrollUnit,
    Selection,
    Tick,
    TypeText,
    Wait,
    WaitForWindow,
    Zoom,
)
from computer_api.errors import ComputerError
from computer_api.geometry import Box, Pixel
from computer_api.keys import keys_text, parse_keys
from computer_api.targets import AnchoredTarget, ElementTarget, IconTarget, PictureTarget, TextTarget, within

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_agent.step import Answer
    from computer_api.actions import Action
    from computer_api.targets import Relation, Target

T = TypeVar("T")

# Order and wording are part of the cached prefix of every request: they never depend on anything.
_FIELDS: dict[str, tuple[str, str]] = {
    "x": (
        "integer",
        "Column of the place, in pixels of the newest screenshot. Wins over target, label and icon.",
    ),
    "y": ("integer", "Row of the place, in pixels of the newest screenshot."),
    "target": ("string", "Instead of x and y: text that is visible on the screen."),
    "label": (
        "string",
        "Instead of x and y: the label of a control, as a person reads it. For type: the field.",
    ),
    "role": (
        "string",
        "With label, the kind of control: field, button, tick, menu, list. Without a label, beside near or the like.",
    ),
    "icon": ("string", "Instead of x and y: what a control without words means, such as save or close."),
    "nth": (
        "integer",
        "Which one, counted from the top left, 1 first, if target, label or icon fits several.",
    ),
    "picture": ("string", "Instead of x and y: the file of a picture of it."),
    "window": ("string", "Only in the window whose title holds this."),
    "near": ("string", "Visible text in the same row as the target, or close to it."),
    "right_of": ("string", "Visible text that the target is right of; so left_of, above and below."),
    "left_of": ("string", "As right_of."),
    "above": ("string", "As right_of."),
    "below": ("string", "As right_of."),
    "within": (
        "string",
        "The name of the window, dialog or group that the target is in; dialog for the open one.",
    ),
    "to_x": ("integer", "drag: column of the end. zoom: the right edge."),
    "to_y": ("integer", "drag: row of the end. zoom: the bottom edge."),
    "to_target": ("string", "drag, instead of to_x and to_y: visible text to end on."),
    "text": ("string", "type, clipboard_set: the text. A newline presses Return."),
    "secret": ("boolean", "type: true for passwords; they are not recorded."),
    "option": ("string", "choose: the entry of the drop-down."),
    "keys": (
        "string",
        "press_keys, hold_keys, key_down, key_up: such as ctrl+s or Return. click, drag, scroll: held meanwhile.",
    ),
    "times": ("integer", "press_keys: how often."),
    "button": ("string", "click, drag, mouse_down, mouse_up: left, middle, right, back or forward."),
    "count": ("integer", "click: how many clicks."),
    "path": ("places", "drag: places [x, y] to move over on the way."),
    "down": ("integer", "scroll: wheel notches down, negative for up."),
    "right": ("integer", "scroll: wheel notches to the right, negative for left."),
    "unit": ("string", "scroll: notches or pixels."),
    "seconds": ("number", "wait, hold_keys: how long. expect, wait_for_window: at most how long."),
    "app": ("string", "open_app: a command, the name that menus show, or a file."),
    "arguments": ("array", "open_app: its arguments."),
    "title": ("string", "focus_, close_, arrange_, place_, wait_for_window: its title, or its program."),
    "how": ("string", "arrange_window: raise, maximize, minimize or restore."),
    "width": (
        "integer",
        "place_window: in pixels of the screenshot, as are height, x and y (its left top corner).",
    ),
    "height": ("integer", "place_window."),
    "gone": ("boolean", "expect, wait_for_window: true to wait until it is gone."),
    "value": ("string", "expect: what the field that label names shall hold."),
    "part": ("boolean", "expect, with value or clipboard: true if a part is enough."),
    "state": ("string", "expect: ticked or unticked, of the tick box that label names."),
    "file": ("string", "expect: the path of a file, with ~ and *."),
    "program": ("string", "expect: a program that runs, by its name."),
    "url": ("string", "expect: a web address that answers."),
    "status": ("integer", "expect, with url: the status, 200 if not said."),
    "holds": ("string", "expect, with file or url: a text that is in it."),
    "clipboard": ("string", "expect: what the clipboard holds."),
    "kind": ("string", "clipboard_get: text, html or image."),
    "html": ("string", "clipboard_set: an HTML form of it."),
    "image": ("string", "clipboard_set: the file of a picture, instead of text."),
    "selection": ("string", "clipboard_get, clipboard_set: clipboard or primary (what is selected)."),
}


def _click(a: Arguments, **fixed: Any) -> Action:  # noqa: ANN401 - button and count, checked where it is called
    button, count = _button(a), a.whole("count", "clicks", "num_clicks", default=1)
    found = {"button": button, "count": count} | fixed
    return Click(
        target=a.target("text"), keys=_keys(a, "keys", "modifiers", "modifier", required=False), **found
    )


def _tick(a: Arguments, *, ticked: bool) -> Action:
    return Tick(target=_needed(a, a.target("text", role="tick")), ticked=ticked)


def _move(a: Arguments) -> Action:
    return Move(target=_needed(a, a.target("text")))


def _drag(a: Arguments) -> Action:
    path: list[Target] = list(a.path("path", "via"))
    start, end = a.target(), a.end_target()
    if start is None and path:  # OpenAI's drag is a path and nothing else
        start = path.pop(0)
    if end is None and path:
        end = path.pop()
    if end is None:
        raise BadCall('The action "drag" needs its end: "to_x" and "to_y", or "to_target".')
    keys = _keys(a, "keys", "modifiers", required=False)
    return Drag(start=_needed(a, start), end=end, via=tuple(path), button=_button(a), keys=keys)


def _scroll(a: Arguments) -> Action:
    down, right = a.whole("down", default=0), a.whole("right", default=0)
    unit = _one_of(a, "unit", get_args(ScrollUnit), "notches")
    if a.has("scroll_x", "scroll_y"):  # OpenAI's, which are pixels
        down, right, unit = a.whole("scroll_y", default=0), a.whole("scroll_x", default=0), "pixels"
    direction = a.text("direction", "scroll_direction", required=False)
    if direction:
        amount = a.whole("amount", "scroll_amount", "clicks", "notches", default=3)
        ways = {"down": (amount, 0), "up": (-amount, 0), "right": (0, amount), "left": (0, -amount)}
        if direction.lower() not in ways:
            raise BadCall(f'The direction "{direction}" is none of up, down, left, right.')
        down, right = ways[direction.lower()]
    if not (down or right):
        raise BadCall('The action "scroll" needs "down" or "right", in wheel notches.')
    keys = _keys(a, "keys", "modifiers", required=False)
    return Scroll(down=down, right=right, target=a.target(), unit=unit, keys=keys)


def _type(a: Arguments) -> Action:
    text, secret = a.text("text", "content", "value"), a.flag("secret")
    return TypeText(text=text, into=a.target(role="field"), secret=secret)


def _choose(a: Arguments) -> Action:
    option = a.text("option", "value", "text")
    return Choose(option=option, target=_needed(a, a.target()))


def _press_keys(a: Arguments) -> Action:
    return PressKeys(
        keys=_keys(a, "keys", "key", "text", "hotkey"), times=a.whole("times", "repeat", default=1)
    )


def _hold_keys(a: Arguments) -> Action:
    return HoldKeys(keys=_keys(a, "keys", "key", "text"), seconds=a.number("seconds", "duration"))


def _key_down(a: Arguments) -> Action:
    return KeyDown(keys=_keys(a, "keys", "key", "text"))


def _key_up(a: Arguments) -> Action:
    return KeyUp(keys=_keys(a, "keys", "key", "text"))


def _mouse_down(a: Arguments) -> Action:
    return MouseDown(button=_button(a))


def _mouse_up(a: Arguments) -> Action:
    return MouseUp(button=_button(a))


def _wait(a: Arguments) -> Action:
    return Wait(seconds=a.number("seconds", "duration", "time", default=1.0))


def _open_app(a: Arguments) -> Action:
    return OpenApp(program=a.text("app", "program", "name", "text"), arguments=a.texts("arguments", "args"))


def _focus_window(a: Arguments) -> Action:
    return FocusWindow(title=a.text("title", "window", "text", "name"))


def _close_window(a: Arguments) -> Action:
    return CloseWindow(title=a.text("title", "window", "text", "name"))


def _arrange_window(a: Arguments) -> Action:
    how = _one_of(a, "how", get_args(Arrangement))
    return ArrangeWindow(title=a.text("title", "window", "text", "name"), how=how)


def _place_window(a: Arguments) -> Action:
    corner = a.pixel()
    width, height = a.whole("width", default=0) or None, a.whole("height", default=0) or None
    if corner is None and width is None and height is None:
        raise BadCall('The action "place_window" needs "x" and "y", or "width", or "height".')
    return PlaceWindow(
        title=a.text("title", "window", "text", "name"),
        left=None if corner is None else corner.x,
        top=None if corner is None else corner.y,
        width=width,
        height=height,
    )


def _wait_for_window(a: Arguments) -> Action:
    gone, seconds = a.flag("gone"), a.number("seconds", "timeout", default=15.0)
    return WaitForWindow(title=a.text("title", "window", "text", "name"), gone=gone, seconds=seconds)


def _clipboard_set(a: Arguments) -> Action:
    html, image = a.text("html", required=False), a.text("image", "file", "path", required=False)
    text = a.text("text", "content", required=not (html or image))
    selection = _one_of(a, "selection", get_args(Selection), "clipboard")
    return ClipboardSet(text=text, html=html or None, image=image or None, selection=selection)


def _clipboard_get(a: Arguments) -> Action:
    kind = _one_of(a, "kind", get_args(ClipKind), "text")
    return ClipboardGet(kind=kind, selection=_one_of(a, "selection", get_args(Selection), "clipboard"))


def _zoom(a: Arguments) -> Action:
    start, end = a.corners()
    return Zoom(left=start.x, top=start.y, right=end.x, bottom=end.y)


def _look(_: Arguments) -> Action:
    return Look()


def _expect(a: Arguments) -> Action:
    seconds = a.number("seconds", "timeout", "within", default=5.0)
    asked = [name for name in _EXPECTED if a.has(name)]
    if len(asked) > 1:
        raise BadCall(f'The action "expect" takes one of {", ".join(asked)} at once.')
    return _EXPECTED[asked[0]](a, seconds) if asked else _expect_seen(a, seconds)


def _expect_seen(a: Arguments, seconds: float) -> Action:
    gone = a.flag("gone")
    if a.has("window") and not a.has("target", "text", "label", "role", "icon", "picture", "x"):
        return WaitForWindow(title=a.text("window"), gone=gone, seconds=seconds)
    return Expect(target=_needed(a, a.target("text")), gone=gone, seconds=seconds)


def _expect_window(a: Arguments, seconds: float) -> Action:
    return WaitForWindow(title=a.text("title"), gone=a.flag("gone"), seconds=seconds)


def _expect_value(a: Arguments, seconds: float) -> Action:
    value, part = a.text("value"), a.flag("part")
    return ExpectValue(
        target=_needed(a, a.target("text", role="field")), value=value, part=part, seconds=seconds
    )


def _expect_state(a: Arguments, seconds: float) -> Action:
    ticked = _one_of(a, "state", ("ticked", "unticked")) == "ticked"
    return ExpectTicked(target=_needed(a, a.target("text", role="tick")), ticked=ticked, seconds=seconds)


def _expect_clipboard(a: Arguments, seconds: float) -> Action:
    text, part = a.text("clipboard"), a.flag("part")
    selection = _one_of(a, "selection", get_args(Selection), "clipboard")
    return ExpectClipboard(text=text, part=part, selection=selection, seconds=seconds)


def _expect_file(a: Arguments, seconds: float) -> Action:
    holds = a.text("holds", "text", required=False) or None
    return ExpectFile(path=a.text("file"), holds=holds, gone=a.flag("gone"), seconds=seconds)


def _expect_program(a: Arguments, seconds: float) -> Action:
    return ExpectProcess(name=a.text("program", "process"), gone=a.flag("gone"), seconds=seconds)


def _expect_url(a: Arguments, seconds: float) -> Action:
    holds, status = a.text("holds", "text", required=False) or None, a.whole("status", default=0) or 200
    return ExpectHttp(url=a.text("url"), status=status, holds=holds, seconds=seconds)


_EXPECTED: dict[str, Callable[[Arguments, float], Action]] = {
    "value": _expect_value,
    "state": _expect_state,
    "clipboard": _expect_clipboard,
    "file": _expect_file,
    "program": _expect_program,
    "process": _expect_program,
    "url": _expect_url,
    "title": _expect_window,
}


_ACTIONS: dict[str, Callable[[Arguments], Action]] = {
    "click": _click,
    "double_click": partial(_click, count=2),
    "triple_click": partial(_click, count=3),
    "right_click": partial(_click, button="right"),
    "middle_click": partial(_click, button="middle"),
    "tick": partial(_tick, ticked=True),
    "untick": partial(_tick, ticked=False),
    "move": _move,
    "drag": _drag,
    "scroll": _scroll,
    "type": _type,
    "choose": _choose,
    "press_keys": _press_keys,
    "hold_keys": _hold_keys,
    "key_down": _key_down,
    "key_up": _key_up,
    "mouse_down": _mouse_down,
    "mouse_up": _mouse_up,
    "wait": _wait,
    "open_app": _open_app,
    "focus_window": _focus_window,
    "close_window": _close_window,
    "arrange_window": _arrange_window,
    "place_window": _place_window,
    "wait_for_window": _wait_for_window,
    "clipboard_set": _clipboard_set,
    "clipboard_get": _clipboard_get,
    "zoom": _zoom,
    "look": _look,
    "expect": _expect,
}
_TOOL_NAMES = "computer, finish, run_code, answer_prompt, browser"
_BROWSER_ALIASES = {
    "navigate": "open",
    "goto": "open",
    "go_to_url": "open",
    "go_back": "back",
    "go_forward": "forward",
    "type": "fill",
    "select": "fill",
    "switch_tab": "tab",
    "list_tabs": "tabs",
}
_BROWSER_FIELDS = {
    "action": ("string", "What to do."),
    "where": (
        "string",
        "open: address. search: words. tab: its number. All others: the number in brackets, or the text.",
    ),
    "text": (
        "string",
        "fill: the text, the option, on or off; a newline at its end presses Return. upload: the path.",
    ),
    "secret": ("boolean", "fill: true for passwords; they are not recorded."),
    "new_tab": ("boolean", "open, search, follow: true for a new tab."),
    "folder": ("string", "download: where the file goes."),
}
_ARRANGED: dict[str, Arrangement] = {
    "raise_window": "raise",
    "maximize_window": "maximize",
    "minimize_window": "minimize",
    "restore_window": "restore",
}
# The same actions, as other tool sets call them.
_ALIASES = {
    "left_click": "click",
    "tap": "click",
    "check": "tick",
    "uncheck": "untick",
    "left_double": "double_click",
    "doubleclick": "double_click",
    "right_single": "right_click",
    "mouse_move": "move",
    "hover": "move",
    "left_click_drag": "drag",
    "drag_and_drop": "drag",
    "type_text": "type",
    "write": "type",
    "input_text": "type",
    "select": "choose",
    "key": "press_keys",
    "keypress": "press_keys",
    "press": "press_keys",
    "press_key": "press_keys",
    "hotkey": "press_keys",
    "hold_key": "hold_keys",
    "left_mouse_down": "mouse_down",
    "left_mouse_up": "mouse_up",
    "sleep": "wait",
    "launch": "open_app",
    "open": "open_app",
    "activate_window": "focus_window",
    "switch_window": "focus_window",
    "move_window": "place_window",
    "resize_window": "place_window",
    "get_clipboard": "clipboard_get",
    "set_clipboard": "clipboard_set",
    "screenshot": "look",
    "take_screenshot": "look",
}
CODE_NAMES = frozenset({"run_code", "execute", "run"})
"""How models call the tool that runs code."""


def _function(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def _property(kind: str, description: str) -> dict[str, Any]:
    match kind:
        case "array":
            return {"type": kind, "description": description, "items": {"type": "string"}}
        case "places":
            place = {"type": "array", "items": {"type": "integer"}}
            return {"type": "array", "description": description, "items": place}
        case _:
            return {"type": kind, "description": description}


_COMPUTER_FIELDS: dict[str, Any] = {
    "action": {"type": "string", "enum": list(_ACTIONS), "description": "What to do."},
    **{name: _property(*field) for name, field in _FIELDS.items()},
}
TOOLS: tuple[dict[str, Any], ...] = (
    _function(
        "computer", "Do one thing with mouse, keyboard, windows or screen.", _COMPUTER_FIELDS, ["action"]
    ),
    _function(
        "finish",
        "End the task: after you saw that it is done, or when it cannot be done. "
        "Beside calls of expect it ends the task only if all that they expect is so.",
        {
            "done": {"type": "boolean", "description": "Whether the task is done; false when you give up."},
            "text": {
                "type": "string",
                "description": "The answer, or what was done, or why it cannot be done.",
            },
        },
        ["done", "text"],
    ),
    _function(
        "run_code",
        "Run code on this computer; variables are kept between calls.",
        {
            "language": {"type": "string", "description": "Such as python, shell or javascript."},
            "code": {"type": "string", "description": "The code."},
            "outside": {
                "type": "boolean",
                "description": "true: without the sandbox, after it denied what the task needs; the person is asked.",
            },
        },
        ["language", "code"],
    ),
    _function(
        "answer_prompt",
        "Type a line for the program that waits for input in the terminal.",
        {
            "text": {"type": "string", "description": "The line, without its end."},
            "secret": {"type": "boolean", "description": "true for passwords; they are not recorded."},
        },
        ["text"],
    ),
    _function(
        "browser",
        "Use a web browser without the screen: pages come as text, with a number at each link, field and button. "
        "more reads on in a long page.",
        {name: _property(*field) for name, field in _BROWSER_FIELDS.items()}
        | {"action": {"type": "string", "enum": list(get_args(BrowserVerb)), "description": "What to do."}},
        ["action"],
    ),
)

CODE_TOOLS = TOOLS[2:]
"""What is left of them without a screen."""


def with_fields(fields: Mapping[str, tuple[str, str]]) -> tuple[dict[str, Any], ...]:
    """The tools, with more fields for ``computer``, after those it has."""
    more = _COMPUTER_FIELDS | {name: _property(*field) for name, field in fields.items()}
    computer = _function("computer", TOOLS[0]["function"]["description"], more, ["action"])
    return (computer, *TOOLS[1:])


def decision_of(name: str, given: Mapping[str, object]) -> Action | Answer:
    """The action that a call asks for, or the answer that it gives. Raises ``BadCall``."""
    if name in CODE_NAMES:
        arguments = Arguments("run_code", given)
        decision: Action | Answer = RunCode(
            language=arguments.text("language", "lang"),
            code=arguments.text("code"),
            outside=arguments.flag("outside"),
        )
    elif name == "answer_prompt":
        arguments = Arguments("answer_prompt", given)
        decision = AnswerPrompt(
            text=arguments.text("text", "answer", required=False), secret=arguments.flag("secret")
        )
    elif name == "browser":
        arguments = Arguments("browser", given)
        decision = _browse(arguments)
    elif name == "finish":
        arguments = Arguments("finish", given)
        decision = _answer(arguments)
    elif (how := _ARRANGED.get(str(given.get("action") if name == "computer" else name))) is not None:
        arguments = Arguments(
            "arrange_window", {"how": how} | {k: v for k, v in given.items() if k != "action"}
        )
        decision = _arrange_window(arguments)
    else:
        verb = _verb(name, given)
        arguments = Arguments(verb, {field: value for field, value in given.items() if field != "action"})
        decision = _ACTIONS[verb](arguments)
    arguments.nothing_left()
    return decision


def call_of(action: Action) -> tuple[str, dict[str, object]]:
    """The call that asks for this action, for a history that another model or a person made."""
    match action:
        case RunCode() | AnswerPrompt() | Browse() | Notify() | AskModel():
            tool, fields = _fields_of(action)
            return tool, _said(fields)
        case _:
            verb, fields = _fields_of(action)
            return "computer", {"action": verb, **_said(fields)}


def _said(fields: Mapping[str, object]) -> dict[str, object]:
    """Without the fields that say nothing."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value is not False and value != []
    }


def _browse(a: Arguments) -> Action:
    asked = a.text("action", "what").strip().lower()
    what = _BROWSER_ALIASES.get(asked, asked)
    for known in get_args(BrowserVerb):
        if what == known:
            return Browse(
                what=known,
                where=a.text("where", "url", "query", "number", "link", "field", "tab", required=False),
                text=a.text("text", "value", required=False),
                secret=a.flag("secret"),
                new_tab=a.flag("new_tab"),
                folder=a.text("folder", required=False),
            )
    raise BadCall(
        f'There is no action "{asked}" of the browser; there are: {", ".join(get_args(BrowserVerb))}.'
    )


def _answer(arguments: Arguments) -> Answer:
    from computer_agent.step import Answer

    if not arguments.has("done", "success"):
        raise BadCall('The tool "finish" needs "done" (true or false) and "text".')
    done = arguments.flag("done", "success")
    return Answer(text=arguments.text("text", "answer", "message", required=False), done=done)


def _verb(name: str, given: Mapping[str, object]) -> str:
    """The action's own name. A model may call an action as if it were a tool."""
    asked = given.get("action") if name == "computer" else name
    if not isinstance(asked, str) or not asked:
        raise BadCall(f'The tool "computer" needs an "action", one of: {", ".join(_ACTIONS)}.')
    verb = asked.strip().lower()
    verb = _ALIASES.get(verb, verb)
    if verb in _ACTIONS:
        return verb
    what = "action" if name == "computer" else "tool"
    known = ", ".join(_ACTIONS) if name == "computer" else _TOOL_NAMES
    raise BadCall(f'There is no {what} "{asked}"; there are: {known}.')


def _needed(arguments: Arguments, target: Target | None) -> Target:
    if target is None:
        raise BadCall(f'The action "{arguments.action}" needs a place: "x" and "y", or "target", or "label".')
    return target


def _button(arguments: Arguments) -> Button:
    return _one_of(arguments, "button", get_args(Button), "left")


def _one_of(arguments: Arguments, name: str, known: tuple[T, ...], usual: str = "") -> T:
    """One of a few words."""
    asked = arguments.text(name, required=not usual).strip().lower() or usual
    for word in known:
        if asked == word:
            return word
    what = "mouse button" if name == "button" else name
    raise BadCall(f'There is no {what} "{asked}"; there are: {", ".join(map(str, known))}.')


def _keys(arguments: Arguments, *names: str, required: bool = True) -> tuple[str, ...]:
    asked = arguments.texts(*names)
    if not asked:
        if required:
            raise BadCall(f'The action "{arguments.action}" needs "keys", such as "ctrl+s".')
        return ()
    try:
        return parse_keys("+".join(asked))
    except ComputerError as unknown:
        raise BadCall(str(unknown)) from unknown


def _fields_of(action: Action) -> tuple[str, dict[str, object]]:  # noqa: C901, PLR0911, PLR0912, PLR0915 - one line an action, closed by assert_never
    match action:
        case Click(target=target, button=button, count=count, keys=keys):
            return "click", {
                **_aim(target),
                "button": _other(button, "left"),
                "count": _other(count, 1),
                **_held(keys),
            }
        case Tick(target=target, ticked=ticked):
            return "tick" if ticked else "untick", _aim(target)
        case Move(target=target):
            return "move", _aim(target)
        case Drag(start=start, end=end, via=via, button=button, keys=keys):
            return "drag", {
                **_aim(start),
                **_aim(end, "to_"),
                "path": [_waypoint(place) for place in via],
                "button": _other(button, "left"),
                **_held(keys),
            }
        case Scroll(down=down, right=right, target=target, unit=unit, keys=keys):
            asked = {"down": down, "right": right, "unit": _other(unit, "notches")}
            return "scroll", {**asked, **_aim(target), **_held(keys)}
        case TypeText(text=text, into=into, secret=secret):
            return "type", {"text": text, **_aim(into), "secret": secret}
        case Choose(option=option, target=target):
            return "choose", {"option": option, **_aim(target)}
        case PressKeys(keys=keys, times=times):
            return "press_keys", {**_held(keys), "times": _other(times, 1)}
        case HoldKeys(keys=keys, seconds=seconds):
            return "hold_keys", {**_held(keys), "seconds": seconds}
        case KeyDown(keys=keys):
            return "key_down", _held(keys)
        case KeyUp(keys=keys):
            return "key_up", _held(keys)
        case MouseDown(button=button):
            return "mouse_down", {"button": button}
        case MouseUp(button=button):
            return "mouse_up", {"button": button}
        case Wait(seconds=seconds):
            return "wait", {"seconds": seconds}
        case Browse():
            return "browser", _browsed_fields(action)
        case Notify(text=text):
            return "run_code", {"language": "python", "code": f"computer.os.notify({text!r})"}
        case AskModel(text=text):
            return "run_code", {"language": "python", "code": f"computer.ai.chat({text!r})"}
        case OpenApp(program=program, arguments=arguments):
            return "open_app", {"app": program, "arguments": list(arguments)}
        case FocusWindow(title=title):
            return "focus_window", {"title": title}
        case CloseWindow(title=title):
            return "close_window", {"title": title}
        case ArrangeWindow(title=title, how=how):
            return "arrange_window", {"title": title, "how": how}
        case PlaceWindow(title=title, left=left, top=top, width=width, height=height):
            return "place_window", {"title": title, "x": left, "y": top, "width": width, "height": height}
        case WaitForWindow(title=title, gone=gone, seconds=seconds):
            return "wait_for_window", {"title": title, "gone": gone, "seconds": seconds}
        case ClipboardSet(text=text, html=html, image=image, selection=selection):
            words = None if text == "" and (html or image) else text
            forms = {"text": words, "html": html, "image": image}
            return "clipboard_set", {**forms, "selection": _other(selection, "clipboard")}
        case ClipboardGet(kind=kind, selection=selection):
            return "clipboard_get", {
                "kind": _other(kind, "text"),
                "selection": _other(selection, "clipboard"),
            }
        case Zoom(left=left, top=top, right=right, bottom=bottom):
            return "zoom", {"x": left, "y": top, "to_x": right, "to_y": bottom}
        case Look():
            return "look", {}
        case RunCode(language=language, code=code, outside=outside):
            return "run_code", {"language": language, "code": code, "outside": outside}
        case AnswerPrompt(text=text, secret=secret):
            return "answer_prompt", {"text": text, "secret": secret}
        case Expect(target=target, gone=gone, seconds=seconds):
            return "expect", {**_aim(target), "gone": gone, "seconds": seconds}
        case (
            ExpectValue() | ExpectTicked() | ExpectClipboard() | ExpectFile() | ExpectProcess() | ExpectHttp()
        ):
            return "expect", {**_expected_fields(action), "seconds": action.seconds}
        case _:
            assert_never(action)


def _browsed_fields(a: Browse) -> dict[str, object]:
    named = {"where": a.where or None, "text": a.text or None, "folder": a.folder or None}
    return {"action": a.what, **named, "secret": a.secret, "new_tab": a.new_tab}


def _expected_fields(
    action: ExpectValue | ExpectTicked | ExpectClipboard | ExpectFile | ExpectProcess | ExpectHttp,
) -> dict[str, object]:
    match action:
        case ExpectValue(target=target, value=value, part=part):
            return {**_aim(target), "value": value, "part": _other(part, False)}  # noqa: FBT003 - a usual value
        case ExpectTicked(target=target, ticked=ticked):
            return {**_aim(target), "state": "ticked" if ticked else "unticked"}
        case ExpectClipboard(text=text, part=part, selection=selection):
            usual = {"part": _other(part, False), "selection": _other(selection, "clipboard")}  # noqa: FBT003
            return {"clipboard": text, **usual}
        case ExpectFile(path=path, holds=holds, gone=gone):
            return {"file": path, "holds": holds, "gone": gone}
        case ExpectProcess(name=name, gone=gone):
            return {"program": name, "gone": gone}
        case ExpectHttp(url=url, status=status, holds=holds):
            return {"url": url, "status": status, "holds": holds}
        case _:
            assert_never(action)


def _aim(target: Target | None, prefix: str = "") -> dict[str, object]:
    """The fields that name a target. A label's missing kind is said, because "type" would take it for a field."""
    match target:
        case None:
            found: dict[str, object] = {}
        case Pixel(x, y):
            found = {"x": x, "y": y}
        case TextTarget(text, nth, window, exact, where):
            found = {"target": text, "nth": nth, "window": window, "exact": exact, **_sides(where)}
        case ElementTarget(name, role, nth, window, where):
            label = None if where and not name else name
            found = {"label": label, "role": role or "any", "nth": nth, "window": window, **_sides(where)}
        case IconTarget(meaning, nth, window, where):
            found = {"icon": meaning, "nth": nth, "window": window, **_sides(where)}
        case PictureTarget(path, nth, window, where):
            found = {"picture": path, "nth": nth, "window": window, **_sides(where)}
        case AnchoredTarget():
            return _aim(target.in_words, prefix)
        case _:
            assert_never(target)
    return {f"{prefix}{name}": value for name, value in found.items()}


def _sides(where: tuple[Relation, ...]) -> dict[str, object]:
    """The fields that say where a target lies: one text each where that says it all, else lists and fields again."""
    found: dict[str, object] = {}
    for name, side in RELATIONS.items():
        seen = [_seen_from(relation) for relation in where if relation.side == side]
        if seen:
            found[name] = seen[0] if len(seen) == 1 else seen
    return found


def _seen_from(relation: Relation) -> object:
    match relation.target:
        case Box(left, top, width, height):
            return {"area": [left, top, width, height]}
        case TextTarget(text, None, None, False, ()) if within(text).target == relation.target:
            return text
        case ElementTarget() if relation == within("dialog"):
            return "dialog"
        case target:
            return {
                name: value
                for name, value in _aim(target).items()
                if value is not None and value is not False
            }


def _waypoint(target: Target) -> object:
    """A place on the way of a drag: a pair of numbers, or what is written there."""
    match target:
        case Pixel(x, y):
            return [x, y]
        case TextTarget(text=name) | ElementTarget(name=name) | IconTarget(meaning=name):
            return name
        case PictureTarget(path=name):
            return name
        case AnchoredTarget():
            return _waypoint(target.in_words)
        case _:
            assert_never(target)


def _held(keys: tuple[str, ...]) -> dict[str, object]:
    return {"keys": keys_text(keys) if keys else None}


def _other(value: object, usual: object) -> object:
    return None if value == usual else value
