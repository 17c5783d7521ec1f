"""Whether a line can be read as a given text: how much less likely that is than what it was read as.

A network that reads a line says of each step how likely every character is there. What it thinks likeliest may be
wrong in one character while the right one is its second choice; asked for a text, that choice can be looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy import float32, float64, intp
    from numpy.typing import NDArray

    Chances = NDArray[float32]  # for each step of a line and each character how likely it is; 0 is none

BLANK: Final = 0
ENTERED: Final = 3  # the way into a state that begins the text; the others are from so many states before
LEAST: Final = 1e-7  # of a chance
UNKNOWN: Final = 0.04  # times the likeliest: what a character is worth that the network does not know


class Aligned(NamedTuple):
    """A text on a line: the logarithm of how much less likely than what is likeliest there, 0 or below, and where.

    ``begins`` are the steps at which its characters begin, ``start`` and ``stop`` those that it takes, the last just
    outside.
    """

    doubt: float
    begins: list[int]
    start: int
    stop: int


def aligned(
    chances: Chances, characters: Sequence[int | None], space: int, cuts: Collection[int] = ()
) -> Aligned | None:
    """The likeliest way to read the characters on a line, beside the likeliest way to read anything.

    ``characters`` are numbers of columns, None for one that has no column. ``cuts`` are the steps at which the text
    may begin or end, besides the ends of the line. Of ways that are as likely the one that takes most of the line is
    taken. None if there are fewer steps than needed.
    """
    worth = _worth(chances, characters, space)
    steps, states = worth.shape
    skips = _may_skip(characters)
    best = np.full(states, -np.inf)
    came: NDArray[intp] = np.zeros((steps, states), dtype=np.intp)
    end = _End(-np.inf, 0, 0)
    for step in range(steps):
        ways = np.full((4, states), -np.inf)
        ways[0], ways[1, 1:] = best, best[:-1]
        ways[2, 2:] = np.where(skips[2:], best[:-2], -np.inf)
        if step == 0 or step in cuts:
            ways[ENTERED, :2] = 0.0
        came[step] = ways.argmax(axis=0)
        best = ways.max(axis=0) + worth[step]
        if step + 1 == steps or step + 1 in cuts:
            last = states - 1 if best[-1] >= best[-2] else states - 2
            end = max(end, _End(float(best[last]), step, last))
    return Aligned(end.worth, *_followed(came, end), end.step + 1) if np.isfinite(end.worth) else None


class _End(NamedTuple):
    """How likely the best way is that ends at a step, and in which state."""

    worth: float
    step: int
    state: int


def _worth(chances: Chances, characters: Sequence[int | None], space: int) -> NDArray[float64]:
    """For each step and each state (none, the first character, none, the second, ...) its logarithm."""
    logs = np.log(np.maximum(chances, LEAST), dtype=np.float64)
    logs -= logs.max(axis=1, keepdims=True)
    worth = np.empty((len(chances), 2 * len(characters) + 1))
    worth[:, ::2] = np.maximum(logs[:, BLANK], logs[:, space])[:, None]
    for number, column in enumerate(characters):
        worth[:, 2 * number + 1] = np.log(UNKNOWN) if column is None else logs[:, column]
    return worth


def _may_skip(characters: Sequence[int | None]) -> NDArray[np.bool_]:
    """Which states may follow the one two before: another character without none between the two."""
    skips = np.zeros(2 * len(characters) + 1, dtype=np.bool_)
    for number in range(1, len(characters)):
        skips[2 * number + 1] = characters[number] != characters[number - 1]
    return skips


def _followed(came: NDArray[intp], end: _End) -> tuple[list[int], int]:
    """The step at which each character begins, followed back from the last state, and that at which the text does."""
    begins: dict[int, int] = {}
    state, step = end.state, end.step
    while True:
        if state % 2:
            begins[state] = step
        if came[step, state] == ENTERED:
            return [begins[number] for number in sorted(begins)], step
        state -= int(came[step, state])
        step -= 1
