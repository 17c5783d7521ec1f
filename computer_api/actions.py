"""Everything a computer can be asked to do: a closed union of frozen values, one class an action.

A new action is added here and to ``Action``; the type checker then names each ``match`` that must learn it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from computer_api.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Button = Literal["left", "middle", "right", "back", "forward"]
Arrangement = Literal["raise", "maximize", "minimize", "restore"]
Selection = Literal["clipboard", "primary"]
ScrollUnit = Literal["notches", "pixels"]
ClipKind = Literal["text", "html", "image"]
BrowserVerb = Literal[
    "open", "search", "read", "more", "follow", "fill", "click", "upload", "download",
    "back", "forward", "tabs", "tab", "close_tab", "quit",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """Click a target, or where the pointer is. ``keys`` are held meanwhile (canonical key names)."""

    target: Target | None = None
    button: Button = "left"
    count: int = 1
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Make a tick box, a switch or a radio button be on, or off: click it, unless it already is."""

    target: Target
    ticked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Put the pointer on a target."""

    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Drag:
    """Press on ``start``, move with real motion, over ``via`` if it says so, release on ``end``."""

    start: Target
    via: tuple[Target, ...] = ()
    end: Target
    button: Button = "left"
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scroll:
    """Turn the wheel over a target, or where the pointer is; negative is up and left.

    In ``notches``, or in ``pixels`` of the picture: then by as many notches as move what is there about that far.
    """

    down: int = 0
    right: int = 0
    target: Target | None = None
    unit: ScrollUnit = "notches"
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeText:
    """Type text, into a field when one is named (its old text is replaced), else where the keyboard is.

    A ``secret`` is not written to the trace, not shown, and not read back.
    """

    text: str
    into: Target | None = None
    secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose:
    """Pick an option of the drop-down that a label names."""

    option: str
    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class PressKeys:
    """Press keys together and release them (canonical key names), ``times`` over."""

    keys: tuple[str, ...]
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldKeys:
    """Hold keys down for that many seconds."""

    keys: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDown:
    """Press keys and leave them down; they are released when the run ends at the latest."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUp:
    """Release keys."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MouseDown:
    """Press a button where the pointer is; it is released when the run ends at the latest."""

    button: Button = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class MouseUp:
    """Release a button where the pointer is."""

    button: Button = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Do nothing for that many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenApp:
    """Start a program with arguments and wait for its first window.

    ``program`` is a command, the name that menus show (``Text Editor``), or a file, which its usual program opens.
    """

    program: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusWindow:
    """Raise the window whose title or program is named, and give it the keyboard."""

    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseWindow:
    """Close the window whose title or program is named, as its close button would."""

    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrangeWindow:
    """Raise, maximise, minimise or restore the window whose title or program is named."""

    title: str
    how: Arrangement


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceWindow:
    """Move the window whose title or program is named, or give it a size, or both; in pixels of the picture."""

    title: str
    left: int | None = None
    top: int | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitForWindow:
    """Wait until there is a window of that title or program, or none any more; an error if it takes too long."""

    title: str
    gone: bool = False
    seconds: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipboardSet:
    """Put text on the clipboard, with an HTML form of it if given, or the picture in a file."""

    text: str = ""
    html: str | None = None
    image: str | None = None
    selection: Selection = "clipboard"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipboardGet:
    """Read the clipboard: text or HTML comes back as the receipt's output, a picture among its images."""

    kind: ClipKind = "text"
    selection: Selection = "clipboard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Zoom:
    """Look closely at a part of the picture, by its corners in picture pixels, at full resolution."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Take a fresh picture and change nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCode:
    """Run code in the terminal; the interpreter's state is kept between blocks.

    ``outside`` asks to run it without the sandbox, by a worker of its own; a person is always asked.
    """

    language: str
    code: str
    outside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPrompt:
    """Type a line for the program that waits for input in the terminal, and follow it on.

    ``secret`` texts are never shown, stored or logged.
    """

    text: str
    secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Browse:
    """Do one thing in the browser; the page, as text with numbered links and fields, is the receipt's output.

    ``where`` is what ``what`` is about: an address to open, words to search for, the number or the text of a link,
    a field or a button, the number of a tab. ``text`` is what a field is filled with (``on`` and ``off`` for tick
    boxes), a ``secret`` one is never shown or stored; for an upload it is the path of a file. ``folder`` is where a
    download goes.
    """

    what: BrowserVerb
    where: str = ""
    text: str = ""
    secret: bool = False
    new_tab: bool = False
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """Show the person a notification of the desktop."""

    text: str
    title: str = "oi"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Ask the run's own model something beside its task. ``pictures`` are files of any kind that Pillow reads."""

    text: str
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """Wait until a target is on the screen, or is gone; an error if it does not happen in time."""

    target: Target
    gone: bool = False
    seconds: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectValue:
    """Wait until a field holds a text, or with ``part`` one with that text in it; an error if it takes too long."""

    target: Target
    value: str
    part: bool = False
    seconds: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectTicked:
    """Wait until a tick box, a switch or a radio button is on, or is off."""

    target: Target
    ticked: bool = True
    seconds: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectClipboard:
    """Wait until the clipboard holds a text, or with ``part`` one with that text in it."""

    text: str
    part: bool = False
    selection: Selection = "clipboard"
    seconds: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectFile:
    """Wait until there is such a file, or none any more, with that text in it if one is given.

    ``path`` may hold ``*`` and ``~``. A file that is still growing does not count.
    """

    path: str
    holds: str | None = None
    gone: bool = False
    seconds: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectProcess:
    """Wait until a program of that name runs, or none any more."""

    name: str
    gone: bool = False
    seconds: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectHttp:
    """Wait until a web address answers a GET with that status, and with that text in it if one is given."""

    url: str
    status: int = 200
    holds: str | None = None
    seconds: float = 5.0


Action = (
    Click
    | Tick
    | Move
    | Drag
    | Scroll
    | TypeText
    | Choose
    | PressKeys
    | HoldKeys
    | KeyDown
    | KeyUp
    | MouseDown
    | MouseUp
    | Wait
    | OpenApp
    | FocusWindow
    | CloseWindow
    | ArrangeWindow
    | PlaceWindow
    | WaitForWindow
    | ClipboardSet
    | ClipboardGet
    | Zoom
    | Look
    | RunCode
    | AnswerPrompt
    | Browse
    | Notify
    | AskModel
    | Expect
    | ExpectValue
    | ExpectTicked
    | ExpectClipboard
    | ExpectFile
    | ExpectProcess
    | ExpectHttp
)

CHECKS = (
    *(Expect, ExpectValue, ExpectTicked, ExpectClipboard),
    *(ExpectFile, ExpectProcess, ExpectHttp, WaitForWindow),
)
"""The actions that only look whether something is so, and wait for it."""


def secret_text(action: Action) -> str | None:
    """The text that an action types and that is never shown, ``None`` when it types none."""
    return action.text if isinstance(action, TypeText | AnswerPrompt | Browse) and action.secret else None


def targets_of(action: Action) -> tuple[Target, ...]:
    """What an action aims at, in the order in which its receipt has the matches."""
    return tuple(target for _, targets in _aims(action) for target in targets)


def aimed_at(action: Action, targets: Sequence[Target]) -> Action:
    """The same action on other targets, as many as ``targets_of`` gives and in that order."""
    left = iter(targets)
    changed: dict[str, Any] = {}
    for name, old in _aims(action):
        new = tuple(next(left) for _ in old)
        changed[name] = new if isinstance(getattr(action, name), tuple) else new[0]
    return replace(action, **changed)


def _aims(action: Action) -> Iterator[tuple[str, tuple[Target, ...]]]:
    """The fields that hold targets, with what they hold."""
    for name in type(action).__dataclass_fields__:
        value = getattr(action, name)
        held = value if isinstance(value, tuple) else (value,)
        if held and all(isinstance(one, get_args(Target)) for one in held):
            yield name, held
