"""Raw events -> what a person meant by them: clicks, drags, scrolls, typed text, keys. Pure: no clock, no screen.

Only the times of the events count, never when they are handed over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from computer_platform.demonstration import InputEvent

DOUBLE_CLICK_SECONDS = 0.5  # between two presses that are one double click
TYPING_SECONDS = 3.0  # a pause that long ends a run of typing, and of equal keys
SCROLL_SECONDS = 0.7  # and that long a scroll
_SAME_PLACE = 5  # points within which clicks are at one place
_DRAG_POINTS = 8  # a hand that clicks moves less than that
_MOST_CLICKS = 3
_ORDER = ("Control_L", "Alt_L", "Super_L", "Shift_L", "ISO_Level3_Shift")
_ALONE = frozenset({"Super_L", "Alt_L"})  # modifiers that mean something by themselves: they open menus
_LOCKS = frozenset({"Caps_Lock", "Num_Lock", "Scroll_Lock", "Shift_Lock", "ISO_Next_Group", "ISO_Prev_Group"})
_SIDES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}

Place = tuple[int, int]
ClickedButton = Literal["left", "middle", "right", "back", "forward"]
_BUTTONS: dict[str, ClickedButton] = {
    "left": "left",
    "middle": "middle",
    "right": "right",
    "back": "back",
    "forward": "forward",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timed:
    """``began`` and ``ended`` are those of its first and last event (``time.monotonic()``)."""

    began: float
    ended: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicked(_Timed):
    """Clicks at one place, with keys held."""

    at: Place
    button: ClickedButton
    count: int = 1
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dragged(_Timed):
    """A button that was pressed at one place and released at another."""

    start: Place
    end: Place
    button: ClickedButton
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrolled(_Timed):
    """Notches of the wheel at one place; negative is up and left."""

    at: Place
    right: int
    down: int
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed(_Timed):
    """Text, as it stands when what was deleted again is left out. ``window`` is the id of the one that got it."""

    text: str
    window: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed(_Timed):
    """Keys pressed together, ``times`` over: modifiers first, by the names that X has for them."""

    keys: tuple[str, ...]
    times: int = 1
    window: int | None = None


Gesture = Clicked | Dragged | Scrolled | Typed | Pressed


def merged(events: Iterable[InputEvent]) -> list[Gesture]:
    """All gestures of a finished row of events."""
    merger = Merger()
    gestures = [gesture for event in events for gesture in merger.take(event)]
    return [*gestures, *merger.finish()]


class Merger:
    """Takes events one by one and gives the gestures that they complete, in the order in which they began."""

    def __init__(self) -> None:
        self._open: Gesture | None = None  # what the next event may still belong to
        self._down: InputEvent | None = None  # the press of a button that is not released yet
        self._farthest: float = 0.0
        self._alone: InputEvent | None = None  # a modifier that is down, and nothing happened since

    @property
    def beginnings(self) -> frozenset[float]:
        """When that began which is not complete yet."""
        events = (event for event in (self._down, self._alone) if event is not None)
        began = frozenset(event.seconds for event in events)
        return began if self._open is None else began | {self._open.began}

    def take(self, event: InputEvent) -> Iterator[Gesture]:
        """One more event; the gestures that are complete by it."""
        yield from self.until(event.seconds)
        if event.kind != "key":
            self._alone = None
        match event.kind:
            case "motion":
                self._moved(event.at)
            case "wheel":
                yield from self._next(_scrolled(event))
            case "button" if event.down:
                yield from self._pressed(event)
            case "button":
                yield from self._released(event)
            case "key":
                yield from self._key(event)

    def until(self, seconds: float) -> Iterator[Gesture]:
        """What is complete because nothing more came until then."""
        if self._open is not None and self._down is None and seconds - self._open.ended > _pause(self._open):
            yield from self.finish()

    def finish(self) -> Iterator[Gesture]:
        """What is complete because nothing more comes. A button that is still down is left out."""
        last, self._open = self._open, None
        if last is not None and not (isinstance(last, Typed) and not last.text):
            yield last

    def _next(self, gesture: Gesture) -> Iterator[Gesture]:
        """Join the gesture to the open one, or else that one is complete."""
        joined = None if self._open is None else _joined(self._open, gesture)
        if joined is None:
            yield from self.finish()
        self._open = joined or gesture

    def _moved(self, at: Place) -> None:
        if self._down is not None:
            self._farthest = max(self._farthest, _distance(self._down.at, at))

    def _pressed(self, event: InputEvent) -> Iterator[Gesture]:
        if self._down is None and event.name in _BUTTONS:
            if isinstance(self._open, Clicked):
                if not _again(self._open, event):
                    yield from self.finish()
            else:
                yield from self.finish()
            self._down, self._farthest = event, 0.0

    def _released(self, event: InputEvent) -> Iterator[Gesture]:
        down = self._down
        if down is None or event.name != down.name:
            return
        self._moved(event.at)
        self._down = None
        began, ended = down.seconds, event.seconds
        button, keys = _BUTTONS[down.name], _in_order(down.held)
        if self._farthest > _DRAG_POINTS:
            yield from self.finish()
            yield Dragged(start=down.at, end=event.at, button=button, keys=keys, began=began, ended=ended)
        else:
            yield from self._next(Clicked(at=down.at, button=button, keys=keys, began=began, ended=ended))

    def _key(self, event: InputEvent) -> Iterator[Gesture]:
        if event.name in _ORDER:
            if event.down:
                self._alone = event if not event.held - {event.name} else None
                return
            alone, self._alone = self._alone, None
            if alone is not None and alone.name == event.name and event.name in _ALONE:
                pressed = Pressed(
                    keys=(event.name,), window=event.window, began=alone.seconds, ended=event.seconds
                )
                yield from self._next(pressed)
            return
        self._alone = None
        if event.down and event.name and event.name not in _LOCKS:
            yield from self._written(event)

    def _written(self, event: InputEvent) -> Iterator[Gesture]:
        """The press of a key that is no modifier."""
        now = event.seconds
        if event.text is not None:
            yield from self._next(Typed(text=event.text, window=event.window, began=now, ended=now))
        elif self._deletes(event):
            typed = self._open
            if isinstance(typed, Typed):
                self._open = replace(typed, text=typed.text[:-1], ended=now)
        else:
            keys = (*_in_order(event.held), event.name)
            yield from self._next(Pressed(keys=keys, window=event.window, began=now, ended=now))

    def _deletes(self, event: InputEvent) -> bool:
        """Whether the key takes back a character that was typed just before."""
        typed = self._open
        return (
            event.name == "BackSpace"
            and not event.held - {"Shift_L"}
            and isinstance(typed, Typed)
            and bool(typed.text)
            and typed.window == event.window
        )


def _joined(one: Gesture, other: Gesture) -> Gesture | None:
    """Both as one gesture, None where they are two."""
    match one, other:
        case Clicked(), Clicked():
            return replace(one, count=one.count + 1, ended=other.ended)
        case Scrolled(), Scrolled() if _near(one.at, other.at) and one.keys == other.keys:
            if (one.down == 0) != (other.down == 0):
                return None
            right, down = one.right + other.right, one.down + other.down
            return replace(one, right=right, down=down, ended=other.ended)
        case Typed(), Typed() if one.window == other.window:
            return replace(one, text=one.text + other.text, ended=other.ended)
        case Pressed(), Pressed() if (one.keys, one.window) == (other.keys, other.window):
            return replace(one, times=one.times + 1, ended=other.ended)
        case _:
            return None


def _again(click: Clicked, press: InputEvent) -> bool:
    """Whether a press goes on with a click: it is the second one of a double click."""
    return (
        press.seconds - click.ended <= DOUBLE_CLICK_SECONDS
        and click.count < _MOST_CLICKS
        and press.name == click.button
        and _in_order(press.held) == click.keys
        and _near(click.at, press.at)
    )


def _scrolled(event: InputEvent) -> Scrolled:
    right, down = _SIDES[event.name]
    keys = _in_order(event.held)
    return Scrolled(at=event.at, right=right, down=down, keys=keys, began=event.seconds, ended=event.seconds)


def _pause(gesture: Gesture) -> float:
    """After how many seconds nothing more belongs to the gesture."""
    match gesture:
        case Clicked():
            return DOUBLE_CLICK_SECONDS
        case Scrolled():
            return SCROLL_SECONDS
        case _:
            return TYPING_SECONDS


def _in_order(held: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in _ORDER if name in held)


def _near(one: Place, other: Place) -> bool:
    return _distance(one, other) <= _SAME_PLACE


def _distance(one: Place, other: Place) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])
