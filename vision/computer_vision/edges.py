"""Edges of what is drawn: what fields, buttons and tick boxes are told by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy import bool_, uint8
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

    Mask = NDArray[uint8]

STEP: Final = 6  # colour levels between neighbours that make an edge; fields of dark pages have 13


def edges_of(pixels: Pixels) -> Mask:
    """1 where a pixel's colour differs from that of a neighbour."""
    gradient = cv2.morphologyEx(pixels[:, :, :3], cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    even = cv2.inRange(gradient, (0, 0, 0), (STEP - 1,) * 3)
    return np.asarray(even == 0, dtype=np.uint8)


def is_straight(own: NDArray[bool_]) -> bool:
    """Whether a piece reaches along the four sides of its box; round corners and long texts take some away."""
    across = min(own[0].mean(), own[-1].mean())
    down = min(own[:, 0].mean(), own[:, -1].mean())
    return bool(across >= 0.8 and down >= 0.5)  # noqa: PLR2004 - see the docstring


def runs_of(flags: NDArray[bool_]) -> list[tuple[int, int]]:
    """Where flags are set without a gap: first, and just after the last."""
    between = np.zeros(flags.size + 2, dtype=bool)  # unset before the first and after the last
    between[1:-1] = flags
    ends = np.flatnonzero(between[1:] != between[:-1])
    return list(zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True))
