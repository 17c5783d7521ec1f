"""How far the content of a picture moved, as it does when a window is scrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy import float64, uint64
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

    Prints = NDArray[uint64]  # one number for what a row of one strip shows: shape (rows, strips)

STRIP: Final = 32  # pixels: what stands still, or blinks, spoils only the strips that it lies in
COMMON: Final = 6  # rows alike: a blank line or a frame's edge is everywhere, and tells nothing
LEAST: Final = 6.0  # rows that have to agree
SHARE: Final = 0.3  # and that part of all those that changed and whose origin can be in the picture


def shift(before: Pixels, after: Pixels, way: Literal["down", "right"], sign: int) -> int | None:
    """How many pixels the view went ``way``, by which its content came the other way; the result has ``sign``.

    Parts that stand still (headers, side bars), scroll bars and carets do not matter. None when the content
    did not just move, or repeats itself so that nobody can tell. The pictures are equally large.
    """
    if before.shape != after.shape:
        return None
    old, new = _prints(before, way), _prints(after, way)
    if sign < 0:
        old, new = old[::-1], new[::-1]
    votes, possible = _votes(old, new)
    best = int(np.argmax(votes))
    if votes[best] < max(LEAST, SHARE * possible[best]):
        return None
    return sign * (best + 1)


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


def _votes(old: Prints, new: Prints) -> tuple[NDArray[float64], NDArray[float64]]:
    """For each shift from 1 up, the rows that came from there and those that could have; rare rows weigh more."""
    length = old.shape[0]
    weights = np.where(old == new, 0.0, _telling(new))
    votes = np.zeros(length - 1)
    for by in range(1, length):
        votes[by - 1] = weights[: length - by][new[: length - by] == old[by:]].sum()
    possible = np.cumsum(weights.sum(axis=1))[-2::-1]  # of a shift by all but one row, only the first row
    return votes, possible


def _telling(prints: Prints) -> NDArray[float64]:
    """How much a row's number tells: 1 where it is the only one of its strip, 0 where it is common."""
    shares = np.zeros(prints.shape)
    for strip in range(prints.shape[1]):
        _, where, counts = np.unique(prints[:, strip], return_inverse=True, return_counts=True)
        shares[:, strip] = np.where(counts[where] <= COMMON, 1.0 / counts[where], 0.0)
    return shares
