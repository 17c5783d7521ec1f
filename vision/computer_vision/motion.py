"""How far the content of a picture moved, as it does when a window is scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy import float64, uint64
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

    Prints = NDArray[uint64]  # one number for what a row of one strip shows: shape (rows, strips)

STRIP: Final = 32  # pixels: what stands still, or blinks, spoils only the strips that it lies in
COMMON: Final = 6  # rows alike: a blank line or a frame's edge is everywhere, and tells nothing
LEAST: Final = 6.0  # rows that have to agree
# And that part of all those that changed and whose origin can be in the picture. The pointer and its like take up to a
# fifth; columns of a table agree in more than half with a shift that is wrong, where the right one is out of sight.
SHARE: Final = 2 / 3


class Motion(NamedTuple):
    """How many ``pixels`` the view went, None when nobody can tell; ``extent`` is how long a part of it changed."""

    pixels: int | None
    extent: int


def motion(before: Pixels, after: Pixels, way: Literal["down", "right"], sign: int) -> Motion:
    """How far the view went ``way``, by which its content came the other way; ``sign`` is the sign to expect.

    Parts that stand still (headers, side bars), scroll bars and carets do not matter. Nobody can tell when
    the content did not just move, or repeats itself. Pictures of different sizes have changed all over.
    """
    if before.shape != after.shape:
        return Motion(None, after.shape[0 if way == "down" else 1])
    old, new = _prints(before, way), _prints(after, way)
    changed = np.flatnonzero((old != new).any(axis=1))
    if not changed.size:
        return Motion(0, 0)
    part = slice(int(changed[0]), int(changed[-1]) + 1)
    old, new = old[part], new[part]
    if sign < 0:
        old, new = old[::-1], new[::-1]
    by = _moved(old, new)
    return Motion(None if by is None else sign * by, old.shape[0])


def _prints(pixels: Pixels, way: Literal["down", "right"]) -> Prints:
    """The rows of each strip as numbers, or its columns where content moves sideways."""
    colours = np.ascontiguousarray(pixels).view(np.uint32)[:, :, 0] & np.uint32(0x00FFFFFF)
    if way == "right":
        colours = colours.T
    length, breadth = colours.shape
    strips = -(-breadth // STRIP)
    padded = np.zeros((length, strips * STRIP), np.uint64)
    padded[:, :breadth] = colours
    weights = np.random.default_rng(0).integers(1, 2**63, STRIP, dtype=np.uint64) | np.uint64(1)
    prints: Prints = padded.reshape(length, strips, STRIP) @ weights  # overflow wraps: it is a hash
    return prints


def _moved(old: Prints, new: Prints) -> int | None:
    """The rows, at least one, by which most of what changed came up; each row votes as much as it tells."""
    weights = np.where(old == new, 0.0, _telling(new))
    length = old.shape[0]
    votes = [float(weights[: length - by][new[: length - by] == old[by:]].sum()) for by in range(1, length)]
    if not votes:
        return None
    best = int(np.argmax(votes)) + 1
    possible = float(weights[: length - best].sum())  # of the rest the origin was not in the picture
    return best if votes[best - 1] >= max(LEAST, SHARE * possible) else None


def _telling(prints: Prints) -> NDArray[float64]:
    """How much a row's number tells: 1 where it is the only one of its strip, 0 where it is common."""
    telling = np.zeros(prints.shape)
    for strip in range(prints.shape[1]):
        _, where, counts = np.unique(prints[:, strip], return_inverse=True, return_counts=True)
        telling[:, strip] = np.where(counts[where] <= COMMON, 1.0 / counts[where], 0.0)
    return telling
