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

_KEPT = 3  # changes of a square that are remembered
_SHORTEST = 0.1  # seconds: a square that changes faster than that is taken to change at that pace
_MISSED = 3  # times its pace: what was looked at for longer and has not changed moves no more
_SPELL = 0.25  # seconds: between two looks nobody knows what was there for longer
_LONGEST = 30.0  # seconds between two changes: what comes more rarely is no movement
_STILL_SECONDS = 1.2  # a clock shows within that time that it is one
_SUSPECT_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Blinking:
    """Squares that have two looks in turn, as a caret has; ``pixels`` is the picture with the one they had before."""

    squares: Squares
    pixels: Pixels


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
        self._alone: NDArray[float64] | None = (
            None  # times, shape (3, rows, columns), oldest first; 0 is never
        )
        self._seen: NDArray[float64] | None = None  # how long had been looked when it last did
        self._painted: NDArray[float64] | None = None  # when it last changed by what was done
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
        if self.ours:
            self._painted[squares] = now  # type: ignore[index] # there since the first frame
        else:
            self._changed(squares, now)
            self._alternate(before, frame, squares)

    def learn(self, squares: Squares, *times: float, other: Frame | None = None) -> None:
        """That these squares move by themselves: when they changed last, oldest first.

        ``other`` is a picture with the other look of what blinks.
        """
        if self._alone is None or squares.shape != self._alone.shape[1:]:
            return
        for when in times:
            self._changed(squares, when)
        if other is not None and self._turns is not None:
            self._turns[squares] = True
            self._keep(other, squares)

    def moving(self) -> Squares | None:
        """What moves by itself now, with what lies within it, but for what blinks; None for nothing that is known."""
        from computer_vision.change import regions_of, squares_of

        moves = self._moves()
        if moves is None or self._frame is None:
            return None
        if self._turns is not None:
            moves &= ~self._turns
        if not moves.any():
            return None
        height, width = self._frame.pixels.shape[:2]
        return squares_of(regions_of(moves, (width, height)), (width, height))

    def blinking(self) -> Blinking | None:
        """What has two looks in turn; None for nothing that is known."""
        moves = self._moves()
        if moves is None or self._turns is None or self._other is None:
            return None
        squares = moves & self._turns
        return Blinking(squares=squares, pixels=self._other.copy()) if squares.any() else None

    def _moves(self) -> Squares | None:
        import numpy as np

        if self._alone is None:
            return None
        first, second, third = self._alone
        pace = np.where(first > 0, (third - first) / (_KEPT - 1), third - second)
        due = _MISSED * np.maximum(pace, _SHORTEST)
        moves: Squares = (second > 0) & (pace < _LONGEST) & (self._watched - self._seen <= due)  # type: ignore[operator] # all are there or none
        return moves

    def still(self) -> Squares | None:
        """What has stood still for long enough that it is no clock; None when nothing was looked at."""
        if self._alone is None or self._painted is None:
            return None
        shown = self._painted.clip(min=self._since)
        return (self._at - shown >= _STILL_SECONDS) & ~self._suspects()

    def suspects(self) -> Squares | None:
        """What changed by itself not long ago, even if only once."""
        return None if self._alone is None else self._suspects()

    def _suspects(self) -> Squares:
        last = self._alone[-1]  # type: ignore[index] # whoever asks has looked
        suspects: Squares = (last > 0) & (self._at - last < _SUSPECT_SECONDS)
        return suspects

    def _begin(self, frame: Frame, now: float) -> None:
        import numpy as np

        from computer_vision.change import squares_of

        height, width = frame.pixels.shape[:2]
        shape = squares_of((), (width, height)).shape
        self._at = self._since = now
        self._alone, self._painted, self._seen = np.zeros((_KEPT, *shape)), np.zeros(shape), np.zeros(shape)
        self._other, self._turns = None, np.zeros(shape, dtype=np.bool_)

    def _changed(self, squares: Squares, when: float) -> None:
        alone, seen = self._alone, self._seen
        if alone is None or seen is None:
            return
        seen[squares] = self._watched
        alone[:-1, squares] = alone[1:, squares]
        alone[-1, squares] = when

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
