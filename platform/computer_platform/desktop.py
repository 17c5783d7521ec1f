"""The Desktop seam: what every operating system must be able to do, as raw verbs.

Coordinates are whole desktop points: the units in which the system places windows and the
pointer, signed, over all monitors. Key names are X keysym names (``Return``, ``Control_L``,
``a``, ``F5``), the vocabulary that ``computer_api.keys`` translates every other one into.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy import uint8
    from numpy.typing import NDArray

Button = Literal["left", "middle", "right", "back", "forward"]
Selection = Literal["clipboard", "primary"]
"""What Ctrl+C fills, and what selecting text fills where a system has that (X11)."""
Arrangement = Literal["raise", "maximize", "minimize", "restore"]
"""What can be asked of a window besides a place: ``raise`` leaves the keyboard where it is, ``restore`` undoes the
other two."""


Activity = Literal["busy", "idle", "none"]
"""What a program does: it computes; it waits, for us, for a clock or for a server; nothing here ever does anything."""
PopupKind = Literal["menu", "tooltip", "other"]


class DesktopUnavailable(Exception):
    """No desktop can be driven here, or it went away; the message says what to do about it."""


class CannotType(Exception):
    """This desktop has no way to send one of the characters or keys; nothing was sent."""


class Area(NamedTuple):
    """A rectangle of the desktop, in points; ``right`` and ``bottom`` are just outside."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """First column to the right of the area."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """First row below the area."""
        return self.top + self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What the screen showed: ``pixels`` is uint8 of shape (height, width, 4), bytes B, G, R, X.

    ``area`` is the part of the desktop it shows. Pixels may be finer than points (Retina):
    the scale of each axis is ``pixels.shape / area``, measured from the capture, never guessed.
    ``monitors`` are the areas of all monitors at that moment, primary first: what lies between them is
    on the picture and on no screen. Empty where a picture has none, such as one from a file.
    """

    pixels: NDArray[uint8]
    area: Area
    monitors: tuple[Area, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """One monitor. ``scale`` is how many desktop points programs draw for one unit of theirs (HiDPI)."""

    name: str
    area: Area
    primary: bool
    scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A window that a person would call one: listed by the window manager.

    ``id`` is the system's, valid only while the window lives. ``area`` is the client area,
    without the frame that the window manager draws. ``app`` is the program's own class name.
    ``dialog_of`` is the id of the window that this one belongs to, as a dialog does; ``modal`` says that the other one
    takes no input meanwhile. ``frame`` is the area with that frame, None where there is none or nobody knows.
    """

    id: int
    title: str
    app: str
    pid: int | None
    area: Area
    active: bool
    hidden: bool
    maximized: bool = False
    dialog_of: int | None = None
    frame: Area | None = None
    modal: bool = False

    @property
    def outside(self) -> Area:
        """All of the window as a person sees it: its area with its frame."""
        return self.area if self.frame is None else self.frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Popup:
    """What a program shows over everything without being a window: a menu, a list that drops down, a tooltip."""

    id: int
    kind: PopupKind
    area: Area


MOST_ELEMENTS = 2000  # that are told at once, unless asked otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """A control that a program offers to assistive technology.

    ``role`` is the AT-SPI role name (``push button``, ``text``, ``password text``, ``combo box``);
    ``value`` is the text it holds, ``""`` for passwords. ``area`` is checked by nobody: programs
    are sometimes wrong about it. ``states`` holds AT-SPI state names (``editable``, ``focused``).
    ``description`` says what a button without a ``name`` is for, where its program does. ``id`` is the program's own
    name for it, which no person sees and which stays when the ``name`` changes; only ``identified`` tells it.
    """

    role: str
    name: str
    value: str
    area: Area
    states: frozenset[str]
    pid: int | None
    description: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elements:
    """The controls found within the time and size allowed; ``truncated`` if there were more."""

    items: tuple[Element, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """What a clipboard holds, in each of the forms it is offered in; None for a form that it is not."""

    text: str | None = None
    html: str | None = None
    png: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended: its exit ``code``, negative for a signal, and the last line of its complaints."""

    code: int
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonEvent:
    """Something a person did with their own mouse or keyboard, ``at`` that place of the pointer.

    ``name`` is the button's or the key's; it is ``""`` for a motion, and for a key that writes a character
    (what people type is nobody's business). ``by`` is how far a motion took the pointer: by itself, without what
    we moved it meanwhile. ``seconds`` is ``time.monotonic()``.
    """

    kind: Literal["motion", "button", "wheel", "key"]
    at: tuple[int, int]
    name: str = ""
    down: bool = False
    by: tuple[int, int] = (0, 0)
    seconds: float = 0.0


class Person(Protocol):
    """What people do with their own devices, told apart from what we send."""

    def listen(self, heard: Callable[[PersonEvent], None]) -> None:
        """From now on call ``heard`` for each event, on a thread of its own."""
        ...

    def stop(self) -> None:
        """Listen no more; ``heard`` is not called after this returns. Safe to call twice."""
        ...


class Windows(Protocol):
    """The windows, and whoever manages them."""

    @property
    def managed(self) -> bool:
        """Whether a window manager answers; without one nothing can be maximised or minimised."""
        ...

    def all(self) -> tuple[Window, ...]:
        """Every window, from the bottom of the stack to the top."""
        ...

    def popups(self) -> tuple[Popup, ...]:
        """Menus, tooltips and the like that show now, where the system can tell."""
        ...

    def activate(self, window: Window) -> None:
        """Raise the window and give it the keyboard; waits, at most two seconds, until it has it.

        This and the other waits go on for longer only while the window manager shows that it is behind.
        """
        ...

    def close(self, window: Window) -> None:
        """Ask the window to close, as its close button would."""
        ...

    def move(self, window: Window, area: Area) -> None:
        """Place the window's client area there; waits, at most two seconds."""
        ...

    def arrange(self, window: Window, how: Arrangement) -> None:
        """Raise, maximise, minimise or restore the window; waits, at most two seconds, until it is so."""
        ...


class Clipboard(Protocol):
    """The clipboard, and the primary selection where the system has one (elsewhere it is always empty).

    Reading raises ``TimeoutError`` when the program that copied last does not answer.
    """

    def read(self, selection: Selection = "clipboard") -> str:
        """The text that it holds, ``""`` when it holds none."""
        ...

    def contents(self, selection: Selection = "clipboard") -> Clip:
        """All forms of what it holds."""
        ...

    def write(self, content: str | Clip, selection: Selection = "clipboard") -> None:
        """Put a text, or something in several forms, on it; an empty ``Clip()`` empties it."""
        ...


class Accessibility(Protocol):
    """The controls that running programs describe."""

    def elements(
        self, *, pid: int | None = None, seconds: float = 1.0, most: int = MOST_ELEMENTS
    ) -> Elements:
        """The showing controls of one program, or of all, that could be read in that time; ``most`` of them."""
        ...

    def focused(self, *, pid: int | None = None, seconds: float = 0.3) -> Element | None:
        """The control that has the keyboard, in one program or in any, where one says so in that time."""
        ...

    def find(
        self, text: str, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.3
    ) -> Elements:
        """The showing controls of that name, of these roles or of any, of one program or of all.

        Case, spaces, underlined letters and a colon or dots at the end are no difference.
        """
        ...

    def identified(
        self, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.5
    ) -> Elements:
        """The showing controls of these roles or of any, of one program or of all, with their programs' own ids."""
        ...

    def secrets(self, *, seconds: float = 0.2) -> Elements:
        """The showing password fields of all programs: what no picture may show. Truncated if one did not answer."""
        ...


class Desktop(Protocol):
    """One screen with a pointer and a keyboard. Not for use by two threads at once.

    Every verb raises ``DesktopUnavailable`` once the screen is gone.
    """

    @property
    def name(self) -> str:
        """Which backend: ``x11``, ``private``, ``memory``."""
        ...

    @property
    def windows(self) -> Windows | None:
        """The windows, where they can be listed."""
        ...

    @property
    def clipboard(self) -> Clipboard | None:
        """The clipboard, if there is one."""
        ...

    @property
    def accessibility(self) -> Accessibility | None:
        """What programs tell assistive technology, if a bus for it runs."""
        ...

    @property
    def person(self) -> Person | None:
        """What people do at this desktop, where that can be told apart from what we do."""
        ...

    def displays(self) -> tuple[Display, ...]:
        """The monitors as they are now, primary first; never empty."""
        ...

    def capture(self, area: Area | None = None) -> Frame:
        """The picture of that area, or of all displays together. The area is clipped to the desktop."""
        ...

    def pointer(self) -> tuple[int, int]:
        """Where the pointer is."""
        ...

    def move(self, x: int, y: int) -> None:
        """Put the pointer there, at once."""
        ...

    def button(self, button: Button, *, down: bool) -> None:
        """Press or release a mouse button where the pointer is."""
        ...

    def scroll(self, right: int, down: int) -> None:
        """Turn the wheel by notches; negative is left and up."""
        ...

    def key(self, name: str, *, down: bool) -> None:
        """Press or release one key. Raises ``CannotType`` for a name this keyboard lacks."""
        ...

    def type_text(self, text: str) -> None:
        """Type the text into whatever has the keyboard; newline is Return. Raises ``CannotType``."""
        ...

    def paste_text(self, text: str) -> None:
        """Paste the text into whatever has the keyboard; the clipboard holds afterwards what it held before.

        Raises ``CannotType`` when the program did not fetch it, or when there is no way to paste.
        """
        ...

    def held(self) -> frozenset[str]:
        """Keys and buttons that this desktop was told to press and not yet to release."""
        ...

    def release_all(self) -> None:
        """Release every key and button that is down."""
        ...

    def launch(self, argv: Sequence[str], *, environment: Mapping[str, str] | None = None) -> int:
        """Start a program on this desktop and return its process id.

        The first word is a command, the name that a menu shows, a file or a web address, which its usual program
        opens. Raises ``FileNotFoundError`` naming what is near, and ``OSError`` for what nothing here can open.
        """
        ...

    def ended(self, pid: int) -> Ended | None:
        """How a program that ``launch`` started has ended; None while it runs, or when nobody knows."""
        ...

    def activity(self, window: Window | None) -> Activity:
        """What the program of that window does at this moment; ``idle`` too where nobody knows."""
        ...

    def stop_when(self, check: Callable[[], None]) -> None:
        """Call ``check`` at least every 50 ms while a verb waits for a program; it may raise, to break the verb off.

        It is not called by ``release_all`` and ``close``, nor while it is being called.
        """
        ...

    def close(self) -> None:
        """Release everything pressed and let go of the screen. Safe to call twice."""
        ...
