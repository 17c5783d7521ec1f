"""What a person does, as a decision: stop, the person is at work, or nothing. No clock, no thread, only events."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from computer_platform.desktop import Area, PersonEvent

ESC_TWICE = "You pressed Esc twice."
INTO_CORNER = "You pushed the pointer into a corner."

_ESC_SECONDS = 0.5  # between two presses that are one wish
_CORNER_POINTS = 1  # how near the corner is the corner
_SLAM_POINTS = 200  # how far away a push begins
_SLAM_SECONDS = 0.25  # and how long it takes at most
_JITTER_POINTS = 8  # a desk that was bumped moves a mouse that far
_MOTION_PAUSE = 0.5  # seconds between two motions that have nothing to do with each other
_STILL_SECONDS = 0.7  # a pause that long ends what a person was doing
_STILL_AT_MOST = 3.0  # and so does this much time


@dataclass(frozen=True, slots=True, kw_only=True)
class Doings:
    """What a person did from ``began`` to ``ended``, which are ``time.monotonic()``.

    How many keys and buttons they pressed, notches they turned the wheel, points they moved the pointer; what they
    typed is not in it.
    """

    began: float
    ended: float
    keys: int = 0
    buttons: int = 0
    notches: int = 0
    points: int = 0

    def tools(self) -> str:
        """``the mouse``, ``the keyboard``, or both."""
        used = (
            ("the mouse", self.buttons or self.notches or self.points),
            ("the keyboard", self.keys),
        )
        return " and ".join(name for name, times in used if times)


class StopGestures:
    """Esc pressed twice, or the pointer pushed into a corner of a monitor by a hand that comes from far and fast.

    A pointer that rests in a corner, or goes there slowly or while it drags something, means nothing.
    """

    def __init__(self, monitors: Iterable[Area] = ()) -> None:
        self._corners: tuple[tuple[int, int], ...] = ()
        self._esc: float | None = None  # when Esc was pressed, and nothing else since
        self._esc_down = False
        self._buttons: set[str] = set()
        self._trail: deque[PersonEvent] = deque()
        self.watch(monitors)

    def watch(self, monitors: Iterable[Area]) -> None:
        """These are the monitors from now on."""
        self._corners = tuple(
            (x, y)
            for monitor in monitors
            for x in (monitor.left, monitor.right - 1)
            for y in (monitor.top, monitor.bottom - 1)
        )

    def take(self, event: PersonEvent) -> str | None:
        """The sentence that says how the person stopped the run, if that is what this event does."""
        if event.kind == "motion":
            return self._motion(event)
        if event.kind == "key":
            return self._key(event)
        self._esc = None
        if event.kind == "button":
            (self._buttons.add if event.down else self._buttons.discard)(event.name)
        return None

    def _key(self, event: PersonEvent) -> str | None:
        if event.name != "Escape":
            self._esc = None
            return None
        # a key that is held repeats its presses, and is pressed once
        again, self._esc_down = self._esc_down, event.down
        if not event.down or again:
            return None
        before, self._esc = self._esc, event.seconds
        return ESC_TWICE if before is not None and event.seconds - before <= _ESC_SECONDS else None

    def _motion(self, event: PersonEvent) -> str | None:
        trail = self._trail
        trail.append(event)
        while trail and event.seconds - trail[0].seconds > _SLAM_SECONDS:
            trail.popleft()
        if self._buttons or not self._in_corner(event.at):
            return None
        if _reach(trail) < _SLAM_POINTS:
            return None
        trail.clear()
        return INTO_CORNER

    def _in_corner(self, at: tuple[int, int]) -> bool:
        return any(
            abs(at[0] - x) <= _CORNER_POINTS and abs(at[1] - y) <= _CORNER_POINTS for x, y in self._corners
        )


class Activity:
    """Whether a person uses the desktop. What they are still doing at the beginning does not count.

    ``since`` is that beginning (``time.monotonic()``): the Enter that started a run is released after it, and the
    hand that pressed it may still be moving.
    """

    def __init__(self, since: float) -> None:
        self.doings: Doings | None = None
        self.last = since
        self._since = since
        self._still = True
        self._jitter: deque[PersonEvent] = deque()

    def begin(self, since: float) -> None:
        """Forget what was done up to now."""
        self.doings = None
        self._since = self.last = since
        self._still = True
        self._jitter.clear()

    def take(self, event: PersonEvent) -> None:
        """One more event; ``doings`` is there as soon as it is clear that the person is at work."""
        if event.kind in ("key", "button") and not event.down:
            return  # of a press that has counted, or was before
        pause, self.last = event.seconds - self.last, event.seconds
        if self._still and pause < _STILL_SECONDS and event.seconds - self._since < _STILL_AT_MOST:
            return
        self._still = False
        if self.doings is None and event.kind == "motion" and self._is_jitter(event):
            return
        jitter = [*self._jitter, event] if event.kind == "motion" and self.doings is None else [event]
        self._jitter.clear()
        for one in jitter:
            self.doings = _added(self.doings, one)

    def _is_jitter(self, event: PersonEvent) -> bool:
        jitter = self._jitter
        if jitter and event.seconds - jitter[-1].seconds > _MOTION_PAUSE:
            jitter.clear()
        if sum(_points(one) for one in jitter) + _points(event) > _JITTER_POINTS:
            return False
        jitter.append(event)
        return True


def _added(doings: Doings | None, event: PersonEvent) -> Doings:
    before = doings or Doings(began=event.seconds, ended=event.seconds)
    return Doings(
        began=before.began,
        ended=event.seconds,
        keys=before.keys + (event.kind == "key"),
        buttons=before.buttons + (event.kind == "button"),
        notches=before.notches + (event.kind == "wheel"),
        points=before.points + _points(event),
    )


def _points(event: PersonEvent) -> int:
    return round(hypot(*event.by))


def _reach(trail: Sequence[PersonEvent]) -> float:
    """From how far away the pointer came to where it is, where it may have been before."""
    across = down = 0
    farthest = 0.0
    for event in reversed(trail):
        across, down = across + event.by[0], down + event.by[1]
        farthest = max(farthest, hypot(across, down))
    return farthest
