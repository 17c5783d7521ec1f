"""Lines of which only the upper or the lower part is shown: scrolled texts at the edge of what they stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from computer_vision.recogniser import Crop

EDGE: Final = 8  # levels by which the ground on one side of an edge differs from that on the other
CONTRAST: Final = 48  # levels between ink and its ground
MANY: Final = 0.3  # of the columns in which a text has ink: in so many it touches an edge that cuts it,
FEW: Final = 0.1  # and in so few there is anything beyond


class Rows(NamedTuple):
    """The rows of a picture: the grey level on which each is drawn, and which of its pixels are not that ground."""

    grounds: NDArray[np.int16]
    ink: NDArray[np.bool_]

    def part(self, rows: slice) -> Rows:
        """Some of the rows."""
        return Rows(self.grounds[rows], self.ink[rows])


def is_clipped(crop: Crop) -> bool:
    """Whether the letters of a line end at an edge that runs along all of it.

    Letters keep off an edge beside which they are drawn whole, but for the tails of some.
    """
    grey = np.asarray(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), dtype=np.int16)
    grounds = np.array([np.bincount(row).argmax() for row in grey], dtype=np.int16)
    rows = Rows(grounds, np.abs(grey - grounds[:, None]) > CONTRAST)
    edges = (np.flatnonzero(np.abs(np.diff(grounds)) > EDGE) + 1).tolist()
    return any(
        _ends(rows, edge) or _ends(rows.part(slice(None, None, -1)), len(grey) - edge) for edge in edges
    )


def _ends(rows: Rows, edge: int) -> bool:
    """Whether a text begins in full below an edge, and above it there is none."""
    text, beyond = rows.part(slice(edge, None)), rows.part(slice(edge))
    ground = np.median(text.grounds)
    if abs(text.grounds[0] - ground) > EDGE or abs(beyond.grounds[0] - ground) <= EDGE:
        return False  # a stroke of letters, or a line drawn over or under them
    inked = int(text.ink.any(axis=0).sum())
    return bool(text.ink[0].sum() > MANY * inked and beyond.ink.any(axis=0).sum() < FEW * inked)
