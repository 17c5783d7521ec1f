"""A desktop in memory: screens that are drawn or given, and rules that lead from one to the next.

It ships, for dry runs, demonstrations and replay, and tests use it for the same reason: it does
nothing by itself, and remembers everything that was done to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from computer_platform.control_names import folded_name
from computer_platform.desktop import (
    MOST_ELEMENTS,
    Area,
    CannotType,
    Clip,
    DesktopUnavailable,
    Display,
    Element,
    Elements,
    Ended,
    Frame,
    Window,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy import uint8
    from numpy.typing import NDArray

    from computer_platform.desktop import Activity, Arrangement, Button, PersonEvent, Popup, Selection

Kind = Literal["label", "button", "field", "password", "checkbox"]
_ROLES: dict[Kind, str] = {
    "label": "label",
    "button": "push button",
    "field": "text",
    "password": "password text",
    "checkbox": "check box",
}
_NAMED_KEYS = frozenset(
    {"Return", "KP_Enter", "Tab", "ISO_Left_Tab", "BackSpace", "Delete", "Escape", "space", "Home", "End",
     "Left", "Right", "Up", "Down", "Prior", "Next", "Page_Up", "Page_Down", "Insert", "Menu", "Print",
     "Caps_Lock", "Shift_L", "Shift_R", "Control_L", "Control_R", "Alt_L", "Alt_R", "Super_L", "Super_R",
     "Meta_L", "Meta_R", "ISO_Level3_Shift"}
    | {f"F{number}" for number in range(1, 25)}
)  # fmt: skip
_FONT_SIZE = 16  # points; OCR reads it
_BACKGROUND, _INK, _BOX, _FACE, _FOCUS = (
    (236, 236, 236),
    (20, 20, 20),
    (255, 255, 255),
    (220, 220, 220),
    (40, 90, 200),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Widget:
    """A control on a screen: its ``area`` in desktop points, the text that labels it, what it holds at first.

    The label of a field stands to the left of its area; that of a checkbox to the right of its
    area; those of a button and of a label are inside. A checkbox holds ``"on"`` or ``""``. ``id`` is its program's own
    name for it, which stays when the ``name`` changes.
    """

    kind: Kind
    name: str
    area: Area
    value: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What leads to another screen: exactly one of a click, a text or a key.

    ``clicked`` is a widget's name or an area; ``typed`` a text that what was typed since the screen
    came up ends with; ``pressed`` key names joined by plus signs, as ``"Control_L+s"``. ``show``
    is the name of the screen that follows, None to stay. With ``saves``, what the widgets hold
    then goes into the desktop's ``values``.
    """

    show: str | None
    clicked: str | Area | None = None
    typed: str | None = None
    pressed: str | None = None
    saves: bool = False

    def __post_init__(self) -> None:
        if [self.clicked, self.typed, self.pressed].count(None) != 2:  # noqa: PLR2004 - all but one
            raise ValueError(f"A rule has exactly one of clicked, typed and pressed; this one is {self!r}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What the desktop shows at one time: a picture, widgets drawn over it, and rules.

    ``picture`` is a PIL image, or uint8 (height, width, 4) in the order B, G, R, X; it starts at the
    primary display's top left corner and has that display's size in pixels. None is an empty screen.
    """

    name: str
    picture: Image.Image | NDArray[uint8] | None = None
    widgets: tuple[Widget, ...] = ()
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One raw verb as it was called: ``Event(verb="move", arguments=(10, 20))``."""

    verb: str
    arguments: tuple[object, ...] = ()


class MemoryDesktop:
    """A desktop of scripted screens; it starts on the first.

    ``displays`` are areas in points, the primary one first, by default one of ``size`` at the
    origin; ``scale`` is how many pixels a point has. ``windows`` is the list that the window
    manager tells, None for no window manager. ``programs`` says which screen appears when a
    program is launched. Raises ``ValueError`` for a script that names an unknown screen or widget.
    """

    def __init__(
        self,
        size: tuple[int, int] = (1280, 800),
        screens: Sequence[Screen] = (),
        *,
        displays: Sequence[Area] = (),
        scale: int = 1,
        windows: Sequence[Window] | None = None,
        programs: Mapping[str, str] | None = None,
    ) -> None:
        self._areas = tuple(displays) or (Area(0, 0, *size),)
        self._scale = scale
        self._screens = {screen.name: screen for screen in screens or (Screen(name="empty"),)}
        self._programs = dict(programs or {})
        _check(self._screens, self._programs)
        self._log: list[Event] = []
        self._held: list[str] = []
        self._pointer = (
            self._areas[0].left + self._areas[0].width // 2,
            self._areas[0].top + self._areas[0].height // 2,
        )
        self._pressed_at: tuple[int, int] | None = None
        self._closed = False
        self._launched = 0
        self.values: dict[str, str] = {}
        self._windows = None if windows is None else MemoryWindows(windows)
        self._clipboard = MemoryClipboard()
        self._person = MemoryPerson()
        self._show(next(iter(self._screens)))

    # What a test or a demonstration reads.

    @property
    def log(self) -> tuple[Event, ...]:
        """Every raw verb that was called, in order; looking (capture, pointer, displays) is not one."""
        return tuple(self._log)

    @property
    def screen(self) -> str:
        """The name of the screen that shows."""
        return self._screen.name

    @property
    def name(self) -> str:
        """``memory``."""
        return "memory"

    @property
    def windows(self) -> MemoryWindows | None:
        """The scripted windows, if there is a list of them."""
        return self._windows

    @property
    def clipboard(self) -> MemoryClipboard:
        """A clipboard of its own."""
        return self._clipboard

    @property
    def accessibility(self) -> MemoryDesktop:
        """The widgets, described as a program would."""
        return self

    @property
    def person(self) -> MemoryPerson:
        """Somebody who does what a script says."""
        return self._person

    def rearrange(self, displays: Sequence[Area]) -> None:
        """From now on it has these displays, the primary one first, as when a person plugs one in or out."""
        self._areas = tuple(displays)
        whole = self._whole()
        x, y = self._pointer
        self._pointer = min(max(x, whole.left), whole.right - 1), min(max(y, whole.top), whole.bottom - 1)

    # Looking.

    def displays(self) -> tuple[Display, ...]:
        """The displays it was made with."""
        self._alive()
        return tuple(
            Display(name=f"memory-{number}", area=area, primary=number == 0)
            for number, area in enumerate(self._areas)
        )

    def capture(self, area: Area | None = None) -> Frame:
        """The picture of that area, clipped to the desktop. Raises ``ValueError`` if it lies outside."""
        self._alive()
        whole = self._whole()
        wanted = whole if area is None else _overlap(area, whole)
        if wanted.width <= 0 or wanted.height <= 0:
            raise ValueError(f'The area "{area}" lies outside the desktop, which is "{whole}".')
        left, top = (wanted.left - whole.left) * self._scale, (wanted.top - whole.top) * self._scale
        pixels = self._draw()[
            top : top + wanted.height * self._scale, left : left + wanted.width * self._scale
        ]
        return Frame(pixels=pixels.copy(), area=wanted, monitors=self._areas)

    def pointer(self) -> tuple[int, int]:
        """Where the pointer is."""
        self._alive()
        return self._pointer

    def elements(
        self,
        *,
        pid: int | None = None,
        seconds: float = 1.0,  # noqa: ARG002 - no program hangs here
        most: int = MOST_ELEMENTS,
    ) -> Elements:
        """The widgets of the screen that shows. They belong to no process: a ``pid`` finds none."""
        if pid is not None:
            return Elements()
        items = tuple(map(self._element, range(len(self._live))))
        return Elements(items=items[:most], truncated=len(items) > most)

    def focused(self, *, pid: int | None = None, seconds: float = 0.3) -> Element | None:
        """The widget that has the keyboard."""
        found = self.elements(pid=pid, seconds=seconds).items
        return next((element for element in found if "focused" in element.states), None)

    def find(
        self, text: str, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.3
    ) -> Elements:
        """The widgets of that name, and of these roles if any are given."""
        wanted = folded_name(text)
        found = self.elements(pid=pid, seconds=seconds).items
        named = [one for one in found if one.name and folded_name(one.name) == wanted]
        return Elements(items=tuple(one for one in named if roles is None or one.role in roles))

    def identified(
        self, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.5
    ) -> Elements:
        """The controls of these roles; each has the id of its widget."""
        found = self.elements(pid=pid, seconds=seconds)
        return replace(found, items=tuple(one for one in found.items if roles is None or one.role in roles))

    def secrets(self, *, seconds: float = 0.2) -> Elements:
        """The password fields."""
        found = self.elements(seconds=seconds)
        return replace(found, items=tuple(one for one in found.items if one.role == "password text"))

    # Acting.

    def move(self, x: int, y: int) -> None:
        """Put the pointer there; like an X server's, it stays on the desktop."""
        self._did("move", x, y)
        whole = self._whole()
        self._pointer = (
            min(max(x, whole.left), whole.right - 1),
            min(max(y, whole.top), whole.bottom - 1),
        )

    def button(self, button: Button, *, down: bool) -> None:
        """Press or release; a left press and release on one widget is a click on it."""
        self._did("button", button, down)
        self._hold(button, down=down)
        if button != "left":
            return
        if down:
            self._pressed_at = self._pointer
            self._focus_at(self._pointer)
        elif self._pressed_at is not None:
            pressed_at, self._pressed_at = self._pressed_at, None
            self._click(pressed_at, self._pointer)

    def scroll(self, right: int, down: int) -> None:
        """Recorded; nothing here scrolls."""
        self._did("scroll", right, down)

    def key(self, name: str, *, down: bool) -> None:
        """Press or release one key. Raises ``CannotType`` for an unknown name."""
        self._alive()
        if len(name) != 1 and name not in _NAMED_KEYS:
            raise CannotType(
                f'There is no key "{name}". Use an X keysym name such as "Return", "Control_L" or "a".'
            )
        self._did("key", name, down)
        self._hold(name, down=down)
        if down:
            self._press(name)

    def type_text(self, text: str) -> None:
        """Type into the focused widget; newline is Return, tab moves on. Raises ``CannotType``."""
        self._alive()
        for character in text:
            if not character.isprintable() and character not in "\n\t":
                raise CannotType(
                    f"The character {character!r} cannot be typed; printable text, newline and tab can."
                )
        self._did("type_text", text)
        for character in text:
            if character in "\n\t":
                self._press("Return" if character == "\n" else "Tab")
            else:
                self._insert(character)

    def paste_text(self, text: str) -> None:
        """Put the text into the focused widget at once; nobody sees the clipboard change. Raises ``CannotType``."""
        text = text.replace("\r\n", "\n")
        self._did("paste_text", text)
        if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in text):
            raise CannotType("NUL and halves of a character cannot be pasted.")
        waited_for = any(rule.typed is not None for rule in self._screen.rules)
        if text and self._field() is None and not waited_for:
            raise CannotType(f"The text of {len(text)} characters was not pasted: no field has the keyboard.")
        self._insert(text)

    def held(self) -> frozenset[str]:
        """Keys and buttons that are down."""
        return frozenset(self._held)

    def release_all(self) -> None:
        """Release every key and button that is down."""
        self._did("release_all")
        self._held.clear()
        self._pressed_at = None

    def launch(self, argv: Sequence[str], *, environment: Mapping[str, str] | None = None) -> int:  # noqa: ARG002 - nothing runs
        """Show the screen that was scripted for the program. Raises ``FileNotFoundError``."""
        self._alive()
        if argv[0] not in self._programs:
            known = ", ".join(f'"{name}"' for name in self._programs) or "none"
            raise FileNotFoundError(f'There is no program "{argv[0]}" here. Scripted ones: {known}.')
        self._did("launch", *argv)
        self._show(self._programs[argv[0]])
        self._launched += 1
        return self._launched

    def ended(self, pid: int) -> Ended | None:  # noqa: ARG002 - nothing runs
        """Nothing ends either."""
        return None

    def activity(self, window: Window | None) -> Activity:  # noqa: ARG002 - nothing runs
        """``none``: what nobody does anything to stays as it is."""
        return "none"

    def stop_when(self, check: Callable[[], None]) -> None:
        """Nothing here waits."""

    def close(self) -> None:
        """Release everything; from now on every verb raises ``DesktopUnavailable``."""
        self._held.clear()
        self._closed = True

    # The script.

    def _show(self, name: str) -> None:
        self._screen = self._screens[name]
        self._live = [widget.value for widget in self._screen.widgets]
        self._focus: int | None = None
        self._all_selected = False
        self._typed = ""

    def _follow(self, rule: Rule) -> None:
        if rule.saves:
            holding = zip(self._screen.widgets, self._live, strict=True)
            self.values.update(
                {one.name: value for one, value in holding if one.kind not in {"label", "button"}}
            )
        if rule.show is not None:
            self._show(rule.show)

    def _focus_at(self, point: tuple[int, int]) -> None:
        number = self._widget_at(point)
        takes_keys = number is not None and self._screen.widgets[number].kind != "label"
        self._focus = number if takes_keys else None
        self._all_selected = False

    def _click(self, pressed: tuple[int, int], released: tuple[int, int]) -> None:
        number = self._widget_at(released)
        widget = (
            None if number is None or number != self._widget_at(pressed) else self._screen.widgets[number]
        )
        if number is not None and widget is not None and widget.kind == "checkbox":
            self._live[number] = "" if self._live[number] else "on"
        for rule in self._screen.rules:
            by_name = widget is not None and rule.clicked == widget.name
            by_area = isinstance(rule.clicked, Area) and all(
                _inside(at, rule.clicked) for at in (pressed, released)
            )
            if by_name or by_area:
                self._follow(rule)
                return

    def _press(self, name: str) -> None:
        chord = {_left(key) for key in self._held} | {_left(name)}
        for rule in self._screen.rules:
            if rule.pressed is not None and {_left(key) for key in rule.pressed.split("+")} == chord:
                self._follow(rule)
                return
        if "Control_L" in chord:
            self._shortcut(name.lower())
        elif name == "Tab":
            self._focus_next(-1 if "Shift_L" in chord else 1)
        elif name == "BackSpace":
            self._erase()
        elif name == "Home" and "Shift_L" in chord:
            self._all_selected = self._field() is not None  # the caret is always at the end
        elif name == "Delete" and self._all_selected:
            self._erase()
        elif name == "space" or len(name) == 1:
            character = " " if name == "space" else name
            self._insert(character.upper() if "Shift_L" in chord else character)

    def _shortcut(self, name: str) -> None:
        if self._field() is None:
            return
        if name == "a":
            self._all_selected = True
        elif name == "v":
            self._insert(self._clipboard.read())
        elif name in {"c", "x"} and self._all_selected and self._focus is not None:
            self._clipboard.write(self._live[self._focus])
            if name == "x":
                self._erase()

    def _insert(self, text: str) -> None:
        """The text arrives in the focused field, and in the rules that wait for it."""
        field = self._field()
        if field is not None:
            self._live[field] = text if self._all_selected else self._live[field] + text
            self._all_selected = False
        self._typed += text
        for rule in self._screen.rules:
            if rule.typed is not None and self._typed.endswith(rule.typed):
                self._follow(rule)
                return

    def _erase(self) -> None:
        field = self._field()
        if field is not None:
            self._live[field] = "" if self._all_selected else self._live[field][:-1]
            self._all_selected = False

    def _focus_next(self, step: int) -> None:
        able = [number for number, widget in enumerate(self._screen.widgets) if widget.kind != "label"]
        if able:
            at = able.index(self._focus) if self._focus is not None else (-1 if step > 0 else 0)
            self._focus = able[(at + step) % len(able)]
            self._all_selected = False

    def _field(self) -> int | None:
        """The focused widget if it takes text."""
        if self._focus is None or self._screen.widgets[self._focus].kind not in {"field", "password"}:
            return None
        return self._focus

    def _widget_at(self, point: tuple[int, int]) -> int | None:
        """The topmost widget there: later ones are drawn over earlier ones."""
        at = [number for number, widget in enumerate(self._screen.widgets) if _inside(point, widget.area)]
        return at[-1] if at else None

    def _element(self, number: int) -> Element:
        widget = self._screen.widgets[number]
        states = {"showing", "visible", "enabled", "sensitive"}
        if widget.kind != "label":
            states.add("focusable")
        if widget.kind in {"field", "password"}:
            states.add("editable")
        if widget.kind == "checkbox" and self._live[number]:
            states.add("checked")
        if number == self._focus:
            states.add("focused")
        return Element(
            role=_ROLES[widget.kind],
            name=widget.name,
            value=self._live[number] if widget.kind == "field" else "",
            area=widget.area,
            states=frozenset(states),
            pid=None,
            id=widget.id,
        )

    # Bookkeeping.

    def _did(self, verb: str, *arguments: object) -> None:
        self._alive()
        self._log.append(Event(verb=verb, arguments=arguments))

    def _alive(self) -> None:
        if self._closed:
            raise DesktopUnavailable("This desktop in memory was closed; make a new one.")

    def _hold(self, name: str, *, down: bool) -> None:
        if name in self._held:
            self._held.remove(name)
        if down:
            self._held.append(name)

    def _whole(self) -> Area:
        left, top = min(area.left for area in self._areas), min(area.top for area in self._areas)
        right, bottom = max(area.right for area in self._areas), max(area.bottom for area in self._areas)
        return Area(left, top, right - left, bottom - top)

    # Drawing, in pixels from the desktop's top left corner.

    def _draw(self) -> NDArray[uint8]:
        whole = self._whole()
        canvas = Image.new("RGB", (whole.width * self._scale, whole.height * self._scale))
        pen = ImageDraw.Draw(canvas)
        for area in self._areas:
            pen.rectangle(self._on_canvas(area), fill=_BACKGROUND)
        if self._screen.picture is not None:
            canvas.paste(_image(self._screen.picture), self._on_canvas(self._areas[0])[:2])
        for number, widget in enumerate(self._screen.widgets):
            self._draw_widget(pen, widget, self._live[number], focused=number == self._focus)
        red, green, blue = np.asarray(canvas).transpose(2, 0, 1)
        return np.dstack([blue, green, red, np.full_like(red, 255)])

    def _draw_widget(self, pen: ImageDraw.ImageDraw, widget: Widget, value: str, *, focused: bool) -> None:
        font = ImageFont.load_default(size=_FONT_SIZE * self._scale)
        left, top, right, bottom = self._on_canvas(widget.area)
        middle, gap = (top + bottom) // 2, 8 * self._scale
        if widget.kind != "label":
            face = _FACE if widget.kind == "button" else _BOX
            edge = _FOCUS if focused else _INK
            pen.rectangle(
                (left, top, right, bottom), fill=face, outline=edge, width=(2 if focused else 1) * self._scale
            )
        if widget.kind == "label":
            pen.text((left, middle), widget.name, font=font, fill=_INK, anchor="lm")
        elif widget.kind == "button":
            pen.text(((left + right) // 2, middle), widget.name, font=font, fill=_INK, anchor="mm")
        elif widget.kind == "checkbox":
            pen.text((right + gap, middle), widget.name, font=font, fill=_INK, anchor="lm")
            pen.text(((left + right) // 2, middle), "x" if value else "", font=font, fill=_INK, anchor="mm")
        else:
            shown = "\N{BULLET}" * len(value) if widget.kind == "password" else value
            pen.text((left - gap, middle), widget.name, font=font, fill=_INK, anchor="rm")
            pen.text((left + gap, middle), shown, font=font, fill=_INK, anchor="lm")

    def _on_canvas(self, area: Area) -> tuple[int, int, int, int]:
        """The area's first and last column and row."""
        whole = self._whole()
        left, top = (area.left - whole.left) * self._scale, (area.top - whole.top) * self._scale
        return left, top, left + area.width * self._scale - 1, top + area.height * self._scale - 1


class MemoryWindows:
    """A window manager over a scripted list."""

    managed = True

    def __init__(self, windows: Sequence[Window]) -> None:
        self._windows = list(windows)

    def all(self) -> tuple[Window, ...]:
        """The windows, from the bottom of the stack to the top."""
        return tuple(self._windows)

    def popups(self) -> tuple[Popup, ...]:
        """None."""
        return ()

    def activate(self, window: Window) -> None:
        """Put it on top and give it the keyboard."""
        chosen = self._windows.pop(self._index(window))
        self._windows = [replace(other, active=False) for other in self._windows]
        self._windows.append(replace(chosen, active=True, hidden=False))

    def close(self, window: Window) -> None:
        """Take it off the list."""
        del self._windows[self._index(window)]

    def move(self, window: Window, area: Area) -> None:
        """Give it that area."""
        index = self._index(window)
        self._windows[index] = replace(self._windows[index], area=area)

    def arrange(self, window: Window, how: Arrangement) -> None:
        """Put it on top, or note that it is maximised, minimised, or neither."""
        chosen = self._windows.pop(self._index(window))
        match how:
            case "raise":
                self._windows.append(chosen)
            case "minimize":
                self._windows.insert(0, replace(chosen, hidden=True, active=False))
            case "maximize":
                self._windows.append(replace(chosen, maximized=True, hidden=False))
            case "restore":
                self._windows.append(replace(chosen, maximized=False, hidden=False))

    def _index(self, window: Window) -> int:
        for index, one in enumerate(self._windows):
            if one.id == window.id:
                return index
        raise ValueError(f'The window "{window.title}" is gone; list the windows again.')


class MemoryClipboard:
    """A clipboard and a primary selection that nobody else uses."""

    def __init__(self) -> None:
        self._held: dict[Selection, Clip] = {}

    def read(self, selection: Selection = "clipboard") -> str:
        """The text on it."""
        return self.contents(selection).text or ""

    def contents(self, selection: Selection = "clipboard") -> Clip:
        """All that is on it."""
        return self._held.get(selection, Clip())

    def write(self, content: str | Clip, selection: Selection = "clipboard") -> None:
        """Put that on it."""
        self._held[selection] = Clip(text=content) if isinstance(content, str) else content


class MemoryPerson:
    """A person whose doings are told to it."""

    def __init__(self) -> None:
        self._heard: Callable[[PersonEvent], None] | None = None

    def listen(self, heard: Callable[[PersonEvent], None]) -> None:
        """Call ``heard`` for whatever ``did`` tells from now on."""
        self._heard = heard

    def stop(self) -> None:
        """Listen no more."""
        self._heard = None

    def did(self, event: PersonEvent) -> None:
        """The person does that."""
        if self._heard is not None:
            self._heard(event)


def form(*, origin: tuple[int, int] = (0, 0)) -> tuple[Screen, Screen]:
    """A form with two fields and a Save button, and the screen ``saved`` that follows: to try things on."""
    x, y = origin
    save = Rule(clicked="Save", show="saved", saves=True)
    fields = (
        Widget(kind="label", name="New contact", area=Area(x + 120, y + 60, 200, 30)),
        Widget(kind="field", name="First name", area=Area(x + 240, y + 120, 300, 32)),
        Widget(kind="field", name="City", area=Area(x + 240, y + 180, 300, 32)),
        Widget(kind="button", name="Save", area=Area(x + 240, y + 250, 100, 36)),
    )
    done = Widget(kind="label", name="Saved", area=Area(x + 240, y + 120, 200, 30))
    return Screen(name="form", widgets=fields, rules=(save,)), Screen(name="saved", widgets=(done,))


def _check(screens: Mapping[str, Screen], programs: Mapping[str, str]) -> None:
    """Complain of a script that could never play."""
    for screen in screens.values():
        names = {widget.name for widget in screen.widgets}
        for rule in screen.rules:
            _check_screen(rule.show, screens)
            if isinstance(rule.clicked, str) and rule.clicked not in names:
                raise ValueError(
                    f'The screen "{screen.name}" has no widget "{rule.clicked}" to click; it has {sorted(names)}.'
                )
    for shown in programs.values():
        _check_screen(shown, screens)


def _check_screen(name: str | None, screens: Mapping[str, Screen]) -> None:
    if name is not None and name not in screens:
        raise ValueError(f'There is no screen "{name}" to show; there are {sorted(screens)}.')


def _image(picture: Image.Image | NDArray[uint8]) -> Image.Image:
    if isinstance(picture, Image.Image):
        return picture.convert("RGB")
    return Image.fromarray(np.ascontiguousarray(picture[..., 2::-1]))


def _overlap(area: Area, other: Area) -> Area:
    left, top = max(area.left, other.left), max(area.top, other.top)
    return Area(left, top, min(area.right, other.right) - left, min(area.bottom, other.bottom) - top)


def _inside(point: tuple[int, int], area: Area) -> bool:
    return area.left <= point[0] < area.right and area.top <= point[1] < area.bottom


def _left(key: str) -> str:
    """Left and right modifiers are one to a shortcut, and Shift alone tells a letter's case."""
    return key[:-1] + "L" if key.endswith("_R") else key.lower() if len(key) == 1 else key
