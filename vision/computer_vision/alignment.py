"""Whether a line can be read as a given text: how much less likely that is than what it was read as.

A network that reads a line says of each step how likely every character is there. What it thinks likeliest may be
wrong in one character while the right one is its second choice; asked for a text, that choice can be looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float32, float64, intp
    from numpy.typing import NDArray

    Chances = NDArray[float32]  # for each step of a line and each character how likely it is; 0 is none

BLANK: Final = 0
LEAST: Final = 1e-7  # of a chance
UNKNOWN: Final = 0.04  # times the likeliest: what a character is worth that the network does not know


def aligned(chances: Chances, characters: Sequence[int | None], space: int) -> tuple[float, list[int]] | None:
    """The likeliest way to read the characters on a line, beside the likeliest way to read anything.

    ``characters`` are numbers of columns, None for one that has no column. Returns the logarithm of how much less
    likely it is, 0 or below, and the step at which each character begins; None if there are fewer steps than needed.
    """
    worth = _worth(chances, characters, space)
    steps, states = worth.shape
    best = np.full(states, -np.inf)
    best[:2] = worth[0, :2]
    came: NDArray[intp] = np.zeros((steps, states), dtype=np.intp)
    skips = _may_skip(characters)
    for step in range(1, steps):
        ways = np.full((3, states), -np.inf)
        ways[0], ways[1, 1:] = best, best[:-1]
        ways[2, 2:] = np.where(skips[2:], best[:-2], -np.inf)
        came[step] = ways.argmax(axis=0)
        best = ways.max(axis=0) + worth[step]
    last = states - 1 if best[-1] >= best[-2] else states - 2
    if not np.isfinite(best[last]):
        return None
    return float(best[last]), _begins(came, last)


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


def _begins(came: NDArray[intp], last: int) -> list[int]:
    """The step at which each character begins, followed back from the last state."""
    begins: dict[int, int] = {}
    state = last
    for step in range(len(came) - 1, -1, -1):
        if state % 2:
            begins[state] = step
        state -= int(came[step, state])
    return [begins[state] for state in sorted(begins)]
