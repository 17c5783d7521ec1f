"""The pointer as a hand moves it: clicks that programs count right, drags that they take for drags, a glide."""

from __future__ import annotations

import time
from itertools import pairwise
from math import ceil, hypot
from typing import TYPE_CHECKING

from computer_api.geometry import Box, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_platform.desktop import Button, Desktop, Window

_PRESS_SECONDS = 0.012  # long enough for programs that poll the buttons
_PIECE_SECONDS = 0.05  # how long a wait goes on without asking whether to stop
_APART_SECONDS = 0.55  # Tk and Chromium take two presses within 0.5 s for a double click
_NEAR_POINTS = 16  # and so do GTK and Qt within five of their units, of which one may be two points or three

_STEP_SECONDS = 0.008
_NUDGE_POINTS = 4  # the first motion of a drag: programs wait for one before they believe in it
_DRAG_STEPS = 8  # with fewer Chromium and GTK see no drag
_STRIDE_POINTS = 40  # a faster hand would leave gaps in what is drawn
_CORNER_SECONDS = 0.02
_DWELL_SECONDS = 0.05  # over the place to drop on, before letting go

_GLIDE_STEPS = (8, 40)  # the fewest and the most moves of a glide: at most a third of a second
_GLIDE_POINTS = 25  # what one of them covers about
_BOW = 0.08  # how far a glide leaves the straight line, as a part of its length

_NOTCH_SECONDS = 0.006  # Chromium joins notches that come at once, and then scrolls by one view at most
_BUSY_SECONDS = 0.25  # that a notch waits for a program at work, which would join it with the last one
_NEVER_RESTING = 4  # waits in vain, one after the other, for one that is always at work
_LOOK_SECONDS = 0.003  # between two looks at what it does


class Pointer:
    """The pointer of a desktop. ``glide`` moves it as a hand would, instead of putting it there at once.

    ``check`` is called between moves and may raise; what is pressed then stays so for the caller to release.
    """

    def __init__(self, desktop: Desktop, *, check: Callable[[], None], glide: bool = False) -> None:
        self._desktop = desktop
        self._check = check
        self._glide = glide
        self._pressed: tuple[Button, Point, float] | None = None

    def move(self, point: Point) -> None:
        """Put the pointer exactly there, or glide there."""
        if self._glide:
            start, within = self.position(), self._whole()
            for step in glide(start, point, within=within)[:-1]:
                self._step(step)
        self._desktop.move(point.x, point.y)

    def position(self) -> Point:
        """Where it is."""
        return Point(*self._desktop.pointer())

    def press(self, button: Button) -> None:
        """Press a button and leave it down."""
        self._desktop.button(button, down=True)
        self._pressed = (button, self.position(), time.monotonic())

    def release(self, button: Button) -> None:
        """Release a button."""
        self._desktop.button(button, down=False)

    def apart(self, button: Button) -> None:
        """Wait until a press here and now would not make a double click with the last one.

        Nothing shorter serves: no toolkit forgets the first click over a motion away and back.
        """
        if self._pressed is None:
            return
        last, where, when = self._pressed
        wait = when + _APART_SECONDS - time.monotonic()
        if last != button or wait <= 0:
            return
        here = self.position()
        if max(abs(here.x - where.x), abs(here.y - where.y)) <= _NEAR_POINTS:
            self.wait(wait)

    def click(self, button: Button = "left", count: int = 1) -> None:
        """Click where the pointer is, ``count`` times as one double or triple click."""
        self.apart(button)
        for number in range(count):
            self._check()
            if number:
                time.sleep(_PRESS_SECONDS)  # a program that polls has to see the release, too
            self.press(button)
            time.sleep(_PRESS_SECONDS)
            self.release(button)

    def drag(self, path: Sequence[Point], button: Button) -> None:
        """Press on the first point, move over every other one, dwell on the last, release there.

        No motion leaves the path, so that it can be a stroke of a drawing.
        """
        self.apart(button)
        time.sleep(0.01)
        self.press(button)
        time.sleep(0.02)
        corners = set(path[1:-1])
        for step in stroke(path):
            self._step(step)
            if step in corners:  # busy programs look at the last of several motions only, and would cut it
                time.sleep(_CORNER_SECONDS)
        time.sleep(_DWELL_SECONDS / 2)
        for jiggle in (_towards(path[-1], path[-2], 1), path[-1]):
            self._desktop.move(jiggle.x, jiggle.y)
        time.sleep(_DWELL_SECONDS / 2)
        self._check()
        self.release(button)

    def scroll(self, right: int, down: int, window: Window | None = None) -> None:
        """Turn the wheel by notches; negative is left and up. Both ways at the same time.

        As fast as a hand does, and as the program of the window under the pointer takes them, unless it never rests.
        """
        vain = 0
        for turned in range(max(abs(right), abs(down))):
            if turned and vain < _NEVER_RESTING:
                vain = 0 if self._rests(window) else vain + 1
            self._check()
            self._desktop.scroll(_notch(right, turned), _notch(down, turned))
            time.sleep(_NOTCH_SECONDS)

    def _rests(self, window: Window | None) -> bool:
        """Wait a moment while the window's program is at work; whether it is at rest then."""
        until = time.monotonic() + _BUSY_SECONDS
        while (busy := self._desktop.activity(window) == "busy") and time.monotonic() < until:
            self._check()
            time.sleep(_LOOK_SECONDS)
        return not busy

    def wait(self, seconds: float) -> None:
        """Let time pass, in pieces short enough to be stopped."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._check()
            time.sleep(min(left, _PIECE_SECONDS))

    def _step(self, point: Point) -> None:
        self._check()
        self._desktop.move(point.x, point.y)
        time.sleep(_STEP_SECONDS)

    def _whole(self) -> Box:
        first, *others = (Box(*display.area) for display in self._desktop.displays())
        for other in others:
            first = first.around(other)
        return first


def stroke(path: Sequence[Point]) -> tuple[Point, ...]:
    """The moves of a drag after its press: a nudge, then over each point of the path exactly, in short steps.

    ``path`` holds two points or more.
    """
    moves = [_towards(path[0], path[1], _NUDGE_POINTS)]
    for start, end in pairwise(path):
        steps = max(ceil(_DRAG_STEPS / (len(path) - 1)), ceil(_distance(start, end) / _STRIDE_POINTS))
        moves += [_between(start, end, step / steps) for step in range(1, steps + 1)]
    return tuple(moves)


def glide(start: Point, end: Point, *, within: Box) -> tuple[Point, ...]:
    """The points of a slightly bowed way that begins and ends slowly; the last is ``end``, all are ``within``.

    ``start`` and ``end`` are, too. The same ends give the same way; it takes 8 to 40 steps.
    """
    length = _distance(start, end)
    fewest, most = _GLIDE_STEPS
    steps = min(most, max(fewest, round(length / _GLIDE_POINTS)))
    sideways = (-(end.y - start.y) * _BOW, (end.x - start.x) * _BOW)  # at a right angle to the way
    points = []
    for step in range(1, steps):
        passed = step / steps
        eased = passed * passed * (3 - 2 * passed)
        bow = 4 * eased * (1 - eased)
        straight = _between(start, end, eased)
        bowed = Point(round(straight.x + bow * sideways[0]), round(straight.y + bow * sideways[1]))
        points.append(_inside(bowed, within))
    return (*points, end)


def _notch(notches: int, turned: int) -> int:
    """The next of the notches when so many are turned."""
    if abs(notches) <= turned:
        return 0
    return 1 if notches > 0 else -1


def _distance(start: Point, end: Point) -> float:
    return hypot(end.x - start.x, end.y - start.y)


def _between(start: Point, end: Point, share: float) -> Point:
    return Point(
        start.x + round((end.x - start.x) * share),
        start.y + round((end.y - start.y) * share),
    )


def _towards(start: Point, end: Point, points: int) -> Point:
    """So far from the start on the way to the end, and no farther than the end."""
    length = _distance(start, end)
    return end if length <= points else _between(start, end, points / length)


def _inside(point: Point, box: Box) -> Point:
    return Point(
        min(max(point.x, box.left), box.right - 1),
        min(max(point.y, box.top), box.bottom - 1),
    )
