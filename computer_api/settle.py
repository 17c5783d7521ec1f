"""Wait until the screen is quiet, instead of sleeping.

What moves by itself does not hold it up: what was known to move before, a caret, and whatever has changed in nearly
half of the pictures for most of a second, as a spinner or a film does.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy import float64
    from numpy.typing import NDArray

    from computer_platform.desktop import Frame
    from computer_vision.change import Squares
    from computer_vision.reader import Pixels, Region

# A blinking caret changes about 20 pixels, a thick one under 120: not a reason to wait.
_CARET_PIXELS = 120
_CARET_SQUARES = 4
_CARET_WIDTH = 2
POLL_SECONDS = 0.03

_ANIMATION_SECONDS = 0.8  # in which an animation shows that it is one
_ANIMATION_POLLS = 6  # at least
_ANIMATION_SHARE = 0.4  # of the pictures
_NOW_SECONDS = 0.35  # what changed within that time still moves
_TICK_SECONDS = 0.35  # changes nearer to each other are one
_KEPT_LOOKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The last frame seen.

    ``moving`` are the regions, in pixels of the frame, that still changed when the time was over: empty when the
    screen became quiet. ``animated`` are those that go on moving by themselves and were not waited for.
    """

    frame: Frame
    moving: tuple[Region, ...] = ()
    animated: tuple[Region, ...] = ()


def settled(
    capture: Callable[[], Frame],
    *,
    check: Callable[[], None],
    first: float = 0.0,
    seconds: float = 2.0,
    polls: int = 4,
    known: Squares | None = None,
) -> Settled:
    """Capture until each of ``polls`` captures in a row is like the one before, at most ``seconds``.

    ``first`` is how long a program gets to begin; ``check`` is called between captures and may raise
    to end the wait. ``known`` are the squares that moved by themselves before.
    """
    began = time.monotonic()
    looking = Looking(capture(), known=known)
    while time.monotonic() - began < seconds:
        check()
        time.sleep(POLL_SECONDS)
        looking.look(capture())
        if looking.quiet >= polls and time.monotonic() - began >= first:
            return Settled(frame=looking.frame, animated=looking.regions(looking.animated))
    return Settled(frame=looking.frame, moving=looking.regions(looking.moving()))


class Looking:
    """A screen that is looked at again and again from one moment on, and what is seen to move on it."""

    def __init__(self, frame: Frame, *, known: Squares | None = None) -> None:
        self.first = self.frame = frame
        self.began = time.monotonic()
        self.touched: float | None = None  # when more than a caret changed last that was not known to move
        self.quiet = 0  # pictures in a row in which no more than a caret did
        self.news = True  # whether anything changed since somebody set it to False
        self.known: Squares
        self.animated: Squares
        self._marks: deque[tuple[float, Squares | None]] = deque()
        self._looks: deque[tuple[float, Frame]] = deque(maxlen=_KEPT_LOOKS)
        self._last: NDArray[float64]
        self._ticks: NDArray[float64]
        self._back: NDArray[float64]  # when it last came to look again as at first
        self._begin(frame, known)

    def look(self, frame: Frame) -> None:
        """Another picture of it."""
        from computer_vision.change import changed_squares

        now = time.monotonic()
        before, self.frame = self.frame, frame
        if before.pixels.shape != frame.pixels.shape:
            self._begin(frame, None)
            self.touched, self.quiet, self.news = now, 0, True
            return
        squares = changed_squares(before.pixels, frame.pixels)
        self._marks.append((now, squares))
        while now - self._marks[0][0] > _ANIMATION_SECONDS:
            self._marks.popleft()
        self.quiet += 1
        if squares is not None:
            self._changed(before, squares, now)

    def moving(self) -> Squares:
        """What changed in the last moment and was not known to move."""
        return self.changing() & ~self.known

    def changing(self, seconds: float = _NOW_SECONDS) -> Squares:
        """What changed in the last moment."""
        import numpy as np

        now = time.monotonic()
        squares = np.zeros_like(self.known)
        for when, mark in self._marks:
            if mark is not None and now - when <= seconds:
                squares |= mark
        return squares & ~self.known

    @property
    def latest(self) -> Squares | None:
        """What is new on the last picture, also of what is known to move; None for nothing."""
        return self._marks[-1][1] if self._marks else None

    @property
    def looks(self) -> tuple[Frame, ...]:
        """The last pictures on which something had changed that was not known to move."""
        return tuple(frame for _, frame in self._looks)

    def ticking(self, times: int) -> Squares:
        """What changed that many times, not at once, as a clock does."""
        ticking: Squares = self._ticks >= times
        return ticking

    def blinking(self) -> Squares:
        """What changed, came to look again as at first, and now looks again as it did in between."""
        import numpy as np

        blinking = np.zeros_like(self.known)
        for squares, other in self.phases():
            if other is self.first:
                blinking |= squares
        return blinking

    def phases(self) -> Iterator[tuple[Squares, Frame]]:
        """Squares that came to look again as they once did, each with a picture of their other look."""
        from computer_vision.change import changed_squares

        for when, frame in self._looks:
            back = self._back > when
            differs = changed_squares(self.first.pixels, frame.pixels) if back.any() else None
            if differs is None:
                continue
            for look, other in ((self.first, frame), (frame, self.first)):
                changed = changed_squares(look.pixels, self.frame.pixels)
                squares = back & differs if changed is None else back & differs & ~changed
                if squares.any():
                    yield squares, other

    def last(self, squares: Squares) -> float:
        """When one of these squares changed last; 0 when none did."""
        return float(self._last[squares].max(initial=0.0))

    def regions(self, squares: Squares) -> tuple[Region, ...]:
        """These squares as boxes of the picture."""
        from computer_vision.change import regions_of

        height, width = self.frame.pixels.shape[:2]
        return regions_of(squares, (width, height))

    def _begin(self, frame: Frame, known: Squares | None) -> None:
        import numpy as np

        from computer_vision.change import squares_of

        height, width = frame.pixels.shape[:2]
        none = squares_of((), (width, height))
        self.first = frame
        self.known = none if known is None or known.shape != none.shape else known
        self.animated = none.copy()
        self._last, self._ticks, self._back = (np.zeros(none.shape) for _ in range(3))
        self._marks.clear()
        self._looks.clear()

    def _changed(self, before: Frame, squares: Squares, now: float) -> None:
        from computer_vision.change import changed_squares, spread

        self._find_animations(now)
        free = squares & ~spread(self.known | self.animated)
        if free.any():
            self._looks.append((now, self.frame))
        other = changed_squares(self.first.pixels, self.frame.pixels)
        self._back[squares if other is None else squares & ~other] = now
        self._ticks[squares & (now - self._last > _TICK_SECONDS)] += 1
        self._last[squares] = now
        if not free.any():
            return
        self.news = True
        if not self._slight(before, free):
            self.touched, self.quiet = now, 0

    def _find_animations(self, now: float) -> None:
        """Those parts that changed in nearly half of the pictures, for most of a second."""
        span = now - self._marks[0][0]
        if len(self._marks) < _ANIMATION_POLLS or span < 0.8 * _ANIMATION_SECONDS:
            return
        from computer_vision.change import parts_of

        marks = [mark for _, mark in self._marks if mark is not None]
        often = sum(mark.astype(int) for mark in marks) > 1  # what was painted once is not part of it
        for part in parts_of(often & self.changing()):
            if sum(bool(mark[part].any()) for mark in marks) >= _ANIMATION_SHARE * len(self._marks):
                self.animated |= part

    def _slight(self, before: Frame, squares: Squares) -> bool:
        """Whether no more changed there than a caret does."""
        if squares.sum() > _CARET_SQUARES:
            return False
        parts = ((slice(box.top, box.bottom), slice(box.left, box.right)) for box in self.regions(squares))
        changed = sum(_different(before.pixels[part], self.frame.pixels[part]) for part in parts)
        return changed <= _CARET_PIXELS


def _different(before: Pixels, after: Pixels) -> int:
    """How many pixels differ."""
    return int((before != after).any(axis=2).sum())


def differ(before: Frame, after: Frame) -> bool:
    """Whether more than a caret changed between two frames."""
    import numpy as np

    if before.pixels.shape != after.pixels.shape:
        return True
    one, two = before.pixels.view(np.uint32), after.pixels.view(np.uint32)
    return not np.array_equal(one, two) and int(np.count_nonzero(one != two)) > _CARET_PIXELS


def alike(before: Frame, after: Frame) -> bool:
    """Whether two frames show the same, but for a caret: a tick or a digit that changed is a difference."""
    import numpy as np

    if before.pixels.shape != after.pixels.shape:
        return False
    one, two = before.pixels.view(np.uint32), after.pixels.view(np.uint32)
    if np.array_equal(one, two):
        return True
    columns = np.flatnonzero((one != two).any(axis=(0, 2)))
    return int(columns[-1] - columns[0]) < _CARET_WIDTH
