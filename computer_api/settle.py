"""Wait until the screen is quiet, instead of sleeping."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.desktop import Frame

# A blinking caret changes about 20 pixels, a thick one under 120: not a reason to wait.
_CARET_PIXELS = 120
_CARET_WIDTH = 2
_POLL_SECONDS = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The last frame seen, and whether the screen was still changing when the time was over."""

    frame: Frame
    moving: bool


def settled(
    capture: Callable[[], Frame],
    *,
    check: Callable[[], None],
    first: float = 0.0,
    seconds: float = 2.0,
    polls: int = 4,
) -> Settled:
    """Capture until each of ``polls`` captures in a row is like the one before, at most ``seconds``.

    ``first`` is how long a program gets to begin; ``check`` is called between captures and may raise
    to end the wait.
    """
    began = time.monotonic()
    frame = capture()
    quiet = 0
    while time.monotonic() - began < seconds:
        check()
        time.sleep(_POLL_SECONDS)
        after = capture()
        quiet = 0 if differ(frame, after) else quiet + 1
        frame = after
        if quiet >= polls and time.monotonic() - began >= first:
            return Settled(frame=frame, moving=False)
    return Settled(frame=frame, moving=True)


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
