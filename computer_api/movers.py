"""What of a screen moves by itself, learned from looking at it while nothing is done.

Clocks, carets, spinners and films change without anybody's doing. Whoever knows them does not wait for them, and
does not take them for the effect of an action.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from computer_platform.desktop import Frame
    from computer_vision.change import Squares
    from computer_vision.reader import Pixels

_FEWEST = 3  # changes by itself after which something is taken to go on
_SHORTEST = 0.1  # seconds: a square that changes faster than that is taken to change at that pace
_MISSED = 3  # times its pace: what was looked at for longer and has not changed moves no more
_FORGOTTEN = 0.9  # of a square's longest pause is what is left of it with each change
_SPELL = 0.25  # seconds: between two looks nobody knows what was there for longer
_CLOCK_SECONDS = 0.7  # a pace from that on may be a clock's
_STILL_SECONDS = 1.2  # a clock shows within that time that it is one
_SUSPECT_SECONDS = 3.0  # of looking


@dataclass(frozen=True, slots=True, kw_only=True)
class Blinking:
    """Squares that have two looks in turn, as a caret has; ``pixels`` is the picture with the one they had before."""

    squares: Squares
    pixels: Pixels


class _Squares:
    """For each square how often it changed by itself, when it did last, and the longest pause in between.

    Times are seconds for which the screen was looked at.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        import numpy as np

        self.count: NDArray[float64] = np.zeros(shape)
        self._seen: NDArray[float64] = np.zeros(shape)  # how long had been looked then
        self._pace: NDArray[float64] = np.zeros(shape)
        self.suspected: NDArray[float64] = np.full(shape, -np.inf)  # when it changed and nobody knew why

    def changed(self, squares: Squares, watched: float) -> None:
        """These changed, when it had been looked at for that long."""
        import numpy as np

        pause = np.where(self.count > 0, watched - self._seen, 0.0)
        over = pause > _MISSED * np.maximum(self._pace, _SUSPECT_SECONDS / _MISSED)
        self.count[over], self._pace[over], pause[over] = 0, 0.0, 0.0
        self._pace[squares] = np.maximum(pause, _FORGOTTEN * self._pace)[squares]
        self.know(squares, None, watched)

    def know(self, squares: Squares, pace: float | None, watched: float) -> None:
        """These change at that pace, or have changed once more."""
        if pace is None:
            self.count[squares] += 1
        else:
            self.count[squares], self._pace[squares] = _FEWEST, pace
        self._seen[squares] = watched

    def go_on(self, squares: Squares, watched: float) -> None:
        """These changed, perhaps not by themselves: those that were known to do so still do."""
        self._seen[squares & (self.count >= _FEWEST)] = watched

    def suspects(self, watched: float) -> Squares:
        """Which of them changed not long ago, by themselves or for a reason that nobody knows."""
        alone = (self.count > 0) & (watched - self._seen <= _SUSPECT_SECONDS)
        suspects: Squares = alone | (watched - self.suspected <= _SUSPECT_SECONDS)
        return suspects

    def moving(self, watched: float) -> Squares:
        """Which of them go on changing."""
        import numpy as np

        due = _MISSED * np.maximum(self._pace, _SHORTEST)
        moving: Squares = (self.count >= _FEWEST) & (watched - self._seen <= due)
        return moving

    def ticking(self, watched: float) -> Squares:
        """Which of them do so as slowly as a clock."""
        ticking: Squares = self.moving(watched) & (self._pace >= _CLOCK_SECONDS)
        return ticking


class Movers:
    """The squares of one screen, and when each changed by itself.

    ``ours`` is true while what changes may be the effect of what was done.
    """

    def __init__(self) -> None:
        self.ours = False
        self._frame: Frame | None = None
        self._at = 0.0
        self._since = 0.0
        self._watched = 0.0  # seconds for which the screen was really looked at
        self._squares: _Squares | None = None
        self._other: Pixels | None = None  # what each square looked like before it changed by itself
        self._turns: Squares | None = None  # which of them looked like that again

    @property
    def age(self) -> float:
        """For how many seconds the screen has been looked at; 0 when it was never."""
        return self._at - self._since

    def saw(self, frame: Frame) -> None:
        """The screen as it is now."""
        from computer_vision.change import changed_squares

        now = time.monotonic()
        before, self._frame = self._frame, frame
        if before is None or before.pixels.shape != frame.pixels.shape or before.area != frame.area:
            self._begin(frame, now)
            return
        self._watched += min(now - self._at, _SPELL)
        self._at = now
        squares = changed_squares(before.pixels, frame.pixels)
        if squares is None:
            return
        if self._squares is not None:
            if self.ours:
                self._squares.go_on(squares, self._watched)
            else:
                self._squares.changed(squares, self._watched)
            self._alternate(before, frame, squares)

    def learn(self, squares: Squares, pace: float, other: Frame | None = None) -> None:
        """That these squares change by themselves, again and again after so many seconds.

        ``other`` is a picture with the other look of what blinks.
        """
        if self._squares is None or squares.shape != self._squares.count.shape:
            return
        self._squares.know(squares, pace, self._watched)
        if other is not None and self._turns is not None:
            self._turns[squares] = True
            self._keep(other, squares)

    def suspect(self, squares: Squares) -> None:
        """That these squares changed, and nobody knows why."""
        if self._squares is not None and squares.shape == self._squares.count.shape:
            self._squares.suspected[squares] = self._watched

    def moving(self) -> Squares | None:
        """What moves by itself now, with what lies within it, but for what blinks; None for nothing that is known."""
        from computer_vision.change import regions_of, squares_of

        if self._squares is None or self._frame is None:
            return None
        moves = self._squares.moving(self._watched)
        if self._turns is not None:
            moves &= ~self._turns
        if not moves.any():
            return None
        height, width = self._frame.pixels.shape[:2]
        return squares_of(regions_of(moves, (width, height)), (width, height))

    def clocks(self) -> Squares | None:
        """What goes on changing as a clock does; None for nothing that is known."""
        if self._squares is None:
            return None
        clocks = self._squares.ticking(self._watched)
        if self._turns is not None:
            clocks &= ~self._turns
        return clocks if clocks.any() else None

    def blinking(self) -> Blinking | None:
        """What has two looks in turn; None for nothing that is known."""
        if self._squares is None or self._turns is None or self._other is None:
            return None
        squares = self._squares.moving(self._watched) & self._turns
        return Blinking(squares=squares, pixels=self._other.copy()) if squares.any() else None

    def still(self) -> Squares | None:
        """What has been looked at for so long without changing by itself that it is no clock; None for nothing."""
        suspects = self.suspects()
        return ~suspects if suspects is not None and self.age >= _STILL_SECONDS else None

    def suspects(self) -> Squares | None:
        """What changed by itself not long ago, even if only once."""
        return None if self._squares is None else self._squares.suspects(self._watched)

    def _begin(self, frame: Frame, now: float) -> None:
        import numpy as np

        from computer_vision.change import squares_of

        height, width = frame.pixels.shape[:2]
        shape = squares_of((), (width, height)).shape
        self._at = self._since = now
        self._squares = _Squares(shape)
        self._other, self._turns = None, np.zeros(shape, dtype=np.bool_)

    def _alternate(self, before: Frame, frame: Frame, squares: Squares) -> None:
        """See which squares look again as before their last change, and keep what they looked like now."""
        from computer_vision.change import changed_squares

        if self._other is not None and self._turns is not None:
            different = changed_squares(self._other, frame.pixels)
            self._turns[squares] = True if different is None else ~different[squares]
        self._keep(before, squares)

    def _keep(self, other: Frame, squares: Squares) -> None:
        from computer_vision.change import regions_of

        if self._other is None:
            self._other = other.pixels.copy()
            return
        height, width = other.pixels.shape[:2]
        for region in regions_of(squares, (width, height)):
            part = (slice(region.top, region.bottom), slice(region.left, region.right))
            self._other[part] = other.pixels[part]
