"""An action in the words of the language: as traces and views print it; ``grammar`` reads it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never, get_args

from computer_agent.models.steps.cursor import ORDINALS, ROLES
from computer_agent.models.steps.words import HIDDEN, quoted
from computer_api import actions
from computer_api.geometry import Box, Pixel
from computer_api.keys import keys_text
from computer_api.targets import AnchoredTarget, ElementTarget, IconTarget, PictureTarget, Side, TextTarget

if TYPE_CHECKING:
    from computer_api.actions import Action
    from computer_api.targets import Relation, Target


def shown(action: Action) -> str:
    """The action as a person may see it: as ``written``, a secret as dots."""
    if isinstance(action, actions.TypeText | actions.AnswerPrompt | actions.Browse) and action.secret:
        action = replace(action, text=HIDDEN)
    return written(action)


def written(action: Action) -> str:
    """The action as a step; ``parse_steps`` reads it back. Secrets are in it: see ``shown``."""
    match action:
        case (
            actions.Click()
            | actions.Tick()
            | actions.Move()
            | actions.Drag()
            | actions.Scroll()
            | actions.MouseDown()
            | actions.MouseUp()
        ):
            return _pointer(action)
        case actions.TypeText() | actions.Choose():
            return _filled(action)
        case actions.PressKeys() | actions.HoldKeys() | actions.KeyDown() | actions.KeyUp():
            return _pressed(action)
        case (
            actions.Wait()
            | actions.Look()
            | actions.Zoom()
            | actions.Expect()
            | actions.ExpectValue()
            | actions.ExpectTicked()
            | actions.ExpectClipboard()
            | actions.ExpectFile()
            | actions.ExpectProcess()
            | actions.ExpectHttp()
        ):
            return _watched(action)
        case actions.OpenApp() | actions.FocusWindow() | actions.CloseWindow():
            return _window(action)
        case actions.ArrangeWindow() | actions.PlaceWindow() | actions.WaitForWindow():
            return _arranged(action)
        case actions.ClipboardSet() | actions.ClipboardGet():
            return _clipboard(action)
        case (
            actions.RunCode()
            | actions.AnswerPrompt()
            | actions.Browse()
            | actions.Notify()
            | actions.AskModel()
        ):
            return _terminal(action)
        case _:
            assert_never(action)


_EXPECT_SECONDS = actions.Expect(target=Pixel(0, 0)).seconds
_WINDOW_SECONDS = actions.WaitForWindow(title="").seconds
_Expected = (
    actions.ExpectValue
    | actions.ExpectTicked
    | actions.ExpectClipboard
    | actions.ExpectFile
    | actions.ExpectProcess
    | actions.ExpectHttp
)
_Pointer = (
    actions.Click
    | actions.Tick
    | actions.Move
    | actions.Drag
    | actions.Scroll
    | actions.MouseDown
    | actions.MouseUp
)


def _pointer(action: _Pointer) -> str:
    match action:
        case actions.Click():
            return _click(action)
        case actions.Tick(target=target, ticked=ticked):
            return f"{'tick' if ticked else 'untick'} {_target(target, 'tick')}"
        case actions.Move(target=target):
            return f"move to {_target(target)}"
        case actions.Drag(start=start, end=end, via=via, button=button, keys=keys):
            with_button = "" if button == "left" else f" with the {button} button"
            way = "".join(f" via {_target(place)}" for place in via)
            return f"drag {_target(start)}{way} to {_target(end)}{with_button}{_holding(keys)}"
        case actions.Scroll():
            return _scroll(action)
        case actions.MouseDown(button=button):
            return "mouse down" + ("" if button == "left" else f" {button}")
        case actions.MouseUp(button=button):
            return "mouse up" + ("" if button == "left" else f" {button}")
        case _:
            assert_never(action)


def _filled(action: actions.TypeText | actions.Choose) -> str:
    match action:
        case actions.TypeText(text=text, into=into, secret=secret):
            place = "" if into is None else f" into {_target(into, 'field')}"
            return f"type {'secret ' if secret else ''}{quoted(text)}{place}"
        case actions.Choose(option=option, target=target):
            return f"choose {quoted(option)} from {_target(target, 'field')}"
        case _:
            assert_never(action)


def _watched(action: actions.Wait | actions.Look | actions.Zoom | actions.Expect | _Expected) -> str:
    match action:
        case actions.Wait(seconds=seconds):
            return f"wait {_seconds(seconds)}"
        case actions.Look():
            return "look"
        case actions.Zoom(left=left, top=top, right=right, bottom=bottom):
            return f"zoom {left},{top} to {right},{bottom}"
        case actions.Expect(target=target, gone=gone, seconds=seconds):
            what = f"no {_target(target).removeprefix('the ')}" if gone else _target(target)
            return f"expect {what}{_within(seconds)}"
        case (
            actions.ExpectValue()
            | actions.ExpectTicked()
            | actions.ExpectClipboard()
            | actions.ExpectFile()
            | actions.ExpectProcess()
            | actions.ExpectHttp()
        ):
            return _expected(action) + _within(action.seconds)
        case _:
            assert_never(action)


def _expected(action: _Expected) -> str:
    match action:
        case actions.ExpectValue(target=target, value=value, part=part):
            return f"expect {_target(target, 'field')} to {'contain' if part else 'hold'} {quoted(value)}"
        case actions.ExpectTicked(target=target, ticked=ticked):
            return f"expect {_target(target, 'tick')} to be {'ticked' if ticked else 'unticked'}"
        case actions.ExpectClipboard(text=text, part=part, selection=selection):
            what = "selection" if selection == "primary" else "clipboard"
            return f"expect the {what} to {'contain' if part else 'hold'} {quoted(text)}"
        case actions.ExpectFile(path=path, holds=holds, gone=gone):
            what = f"no file {quoted(path)}" if gone else f"the file {quoted(path)}"
            return f"expect {what}" + ("" if holds is None else f" to hold {quoted(holds)}")
        case actions.ExpectProcess(name=name, gone=gone):
            return f"expect {'no' if gone else 'the'} program {quoted(name)}"
        case actions.ExpectHttp(url=url, status=status, holds=holds):
            with_text = "" if holds is None else f" with {quoted(holds)}"
            return f"expect the address {quoted(url)} to answer {status}{with_text}"
        case _:
            assert_never(action)


def _within(seconds: float) -> str:
    return "" if seconds == _EXPECT_SECONDS else f" within {_seconds(seconds)}"


def _window(action: actions.OpenApp | actions.FocusWindow | actions.CloseWindow) -> str:
    match action:
        case actions.OpenApp(program=program, arguments=arguments):
            return f"open {quoted(program)}" + _with(arguments)
        case actions.FocusWindow(title=title):
            return f"switch to {quoted(title)}"
        case actions.CloseWindow(title=title):
            return f"close window {quoted(title)}"
        case _:
            assert_never(action)


def _arranged(action: actions.ArrangeWindow | actions.PlaceWindow | actions.WaitForWindow) -> str:
    match action:
        case actions.ArrangeWindow(title=title, how=how):
            return f"{how} window {quoted(title)}"
        case actions.WaitForWindow(title=title, gone=gone, seconds=seconds):
            within = "" if seconds == _WINDOW_SECONDS else f" within {_seconds(seconds)}"
            return f"wait for {'no ' if gone else ''}window {quoted(title)}{within}"
        case actions.PlaceWindow(title=title, left=left, top=top, width=width, height=height):
            given = {"left": left, "top": top, "width": width, "height": height}
            words = " ".join(f"{name} {value}" for name, value in given.items() if value is not None)
            return f"place window {quoted(title)} at {words}"
        case _:
            assert_never(action)


def _clipboard(action: actions.ClipboardSet | actions.ClipboardGet) -> str:
    place = "the clipboard" if action.selection == "clipboard" else "the selection"
    match action:
        case actions.ClipboardGet(kind=kind):
            return f"read {place}" if kind == "text" else f"read {kind} from {place}"
        case actions.ClipboardSet(text=text, html=html, image=image):
            forms = [
                ("text", text if text or not (html or image) else None),
                ("html", html),
                ("image", image),
            ]
            said = " and ".join(f"{form} {quoted(value)}" for form, value in forms if value is not None)
            return f"copy {said} to {place}"
        case _:
            assert_never(action)


def _pressed(action: actions.PressKeys | actions.HoldKeys | actions.KeyDown | actions.KeyUp) -> str:
    match action:
        case actions.PressKeys(keys=keys, times=times):
            return f"press {_keys(keys)}" + ("" if times == 1 else f" {times} times")
        case actions.HoldKeys(keys=keys, seconds=seconds):
            return f"hold {_keys(keys)} for {_seconds(seconds)}"
        case actions.KeyDown(keys=keys):
            return f"key down {_keys(keys)}"
        case actions.KeyUp(keys=keys):
            return f"key up {_keys(keys)}"
        case _:
            assert_never(action)


_COUNTS = {1: "", 2: "double ", 3: "triple "}


def _click(click: actions.Click) -> str:
    button = "" if click.button == "left" else f"{click.button} "
    where = "" if click.target is None else f" {_target(click.target)}"
    times = "" if click.count in _COUNTS else f" {click.count} times"
    return f"{_COUNTS.get(click.count, '')}{button}click{where}{times}{_holding(click.keys)}"


def _scroll(scroll: actions.Scroll) -> str:
    ways = []
    if scroll.down or not scroll.right:
        ways.append(f"{'up' if scroll.down < 0 else 'down'} {abs(scroll.down)}")
    if scroll.right:
        ways.append(f"{'left' if scroll.right < 0 else 'right'} {abs(scroll.right)}")
    unit = "" if scroll.unit == "notches" else " pixels"
    over = "" if scroll.target is None else f" over {_target(scroll.target)}"
    return f"scroll {' '.join(ways)}{unit}{over}{_holding(scroll.keys)}"


def _with(arguments: tuple[str, ...]) -> str:
    return " with " + " ".join(quoted(argument) for argument in arguments) if arguments else ""


def _holding(keys: tuple[str, ...]) -> str:
    return f" holding {_keys(keys)}" if keys else ""


def _keys(keys: tuple[str, ...]) -> str:
    """Bare where no sign in it means something to the language."""
    text = keys_text(keys)
    return text if re.fullmatch(r"[A-Za-z0-9_+/]+", text) else quoted(text)


def _seconds(seconds: float) -> str:
    number = int(seconds) if seconds == int(seconds) else seconds
    return "1 second" if number == 1 else f"{number} seconds"


def _target(target: Target, plain: str = "text") -> str:
    """The target; a bare quoted text is of the ``plain`` kind."""
    match target:
        case Pixel(x, y):
            return f"{x},{y}"
        case TextTarget(text=text, nth=nth, exact=exact):
            words = _counted("text", plain, text, nth) + (" exactly" if exact else "")
        case IconTarget(meaning=meaning, nth=nth):
            words = _counted("icon", plain, meaning, nth)
        case PictureTarget(path=path, nth=nth):
            words = _counted("picture", plain, path, nth)
        case ElementTarget(name=name, role=role, nth=nth, where=where):
            kind = role if role in ROLES else "element"
            of_kind = "" if role is None or role in ROLES else f" of kind {quoted(role)}"
            by_place = not name and bool(where)
            words = _counted(kind, plain, None if by_place else name, nth) + of_kind
        case AnchoredTarget():
            return _target(target.in_words, plain)
        case _:
            assert_never(target)
    return words + "".join(map(_related, target.where)) + _in(target.window)


def _related(relation: Relation) -> str:
    """`` right of "Name"``, `` in the dialog "Save changes"``; in brackets what would be taken for the rest."""
    match relation.side, relation.target:
        case "in", ElementTarget(name=title, role="dialog", nth=None, window=None, where=()):
            return f" in the dialog {quoted(title)}" if title else " in the dialog"
        case side, Box(left, top, width, height):
            return f" {_SIDES[side]} the area {left},{top} {width}x{height}"
        case side, Pixel() as pixel:
            return f" {_SIDES[side]} {_target(pixel)}"
        case side, target:
            words = _target(target)
            target = target.in_words if isinstance(target, AnchoredTarget) else target
            nested = target.where or target.window is not None
            return f" {_SIDES[side]} ( {words} )" if nested else f" {_SIDES[side]} {words}"


_SIDES: dict[Side, str] = {side: side for side in get_args(Side)} | {"in": "inside"}


def _counted(kind: str, plain: str, name: str | None, nth: int | None) -> str:
    """``"Save"``, ``the button "Save"``, ``the second button "Save"``, ``the button "Save" number 12``; no name."""
    in_words = nth is not None and 1 <= nth <= len(ORDINALS)
    ordinal = f"{ORDINALS[nth - 1]} " if nth is not None and in_words else ""
    number = "" if nth is None or in_words else f" number {nth}"
    if name is None:
        return f"the {ordinal}{kind}{number}"
    the = f"the {ordinal}{'' if kind == plain else kind + ' '}" if ordinal or kind != plain else ""
    return f"{the}{quoted(name)}{number}"


def _in(window: str | None) -> str:
    return "" if window is None else f" in window {quoted(window)}"


def _browsed(action: actions.Browse) -> str:
    """``browser open "example.org" in a new tab``, ``browser fill "3" with secret "…"``."""
    words = f"browser {action.what.replace('_', ' ')}"
    if action.where:
        words += f" {quoted(action.where)}"
    if action.text or action.secret:
        words += f" with {'secret ' if action.secret else ''}{quoted(action.text)}"
    if action.folder:
        words += f" into {quoted(action.folder)}"
    return words + (" in a new tab" if action.new_tab else "")


def _said(action: actions.Notify | actions.AskModel) -> str:
    """``notify "Done" titled "oi"``, ``ask model "What is on it?" about "a.png" and "b.png"``."""
    if isinstance(action, actions.Notify):
        titled = "" if action.title == _TITLE else f" titled {quoted(action.title)}"
        return f"notify {quoted(action.text)}{titled}"
    about = " and ".join(map(quoted, action.pictures))
    return f"ask model {quoted(action.text)}{f' about {about}' if about else ''}"


_TITLE = actions.Notify(text="").title
_NO_LANGUAGES = ("then", "secret", "password")  # words that mean something wherever they stand


_Terminal = actions.RunCode | actions.AnswerPrompt | actions.Browse | actions.Notify | actions.AskModel


def _terminal(action: _Terminal) -> str:
    match action:
        case actions.Notify() | actions.AskModel():
            return _said(action)
        case actions.Browse():
            return _browsed(action)
        case actions.RunCode():
            return _code(action)
        case actions.AnswerPrompt(text=text, secret=secret):
            return f"answer {'secret ' if secret else ''}{quoted(text)}"


def _code(run: actions.RunCode) -> str:
    """On one line, or between lines of more backquotes than the code itself has in a row."""
    language, code = run.language, run.code
    plain = re.fullmatch(r"[A-Za-z][\w+#-]*", language) and language.casefold() not in _NO_LANGUAGES
    if "\n" not in code or "\r" in code or not plain or run.outside:
        outside = " outside the sandbox" if run.outside else ""
        return f"run {language if plain else quoted(language)} {quoted(code)}{outside}"
    longest = max((len(ticks) for ticks in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"
