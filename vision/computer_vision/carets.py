"""Take text carets out of a picture: one beside a letter is read as a part of it ("Dear" as "bear")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from computer_vision.reader import Region

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

    Gray = NDArray[uint8]  # shape (height, width)

CONTRAST: Final = 60  # levels between a caret and what it stands on
ALIKE: Final = 12  # levels
SHORTEST, TALLEST = 13, 40  # pixels; odd, so that opening by it moves nothing
AROUND: Final = 8  # pixels beside a caret in which the text that it belongs to stands
WIDTHS: Final = (1, 2)

REACH_UP, REACH_SIDE = 64, 12
"""A pixel decides on carets no farther from it than this, above and below, and to its sides."""


def without_carets(pixels: Pixels) -> Pixels:
    """The picture with each caret painted over by what is left of it; the same array where there is none.

    A caret is an even vertical bar, one or two pixels wide, on even ground, beside text above and below which it
    reaches. Letters do not: their stems end on the line that they stand on, and a frame's edge is longer.
    """
    found = carets(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY), dtype=np.uint8))
    if not found:
        return pixels
    bare = pixels.copy()
    for caret in found:
        rows = slice(caret.top, caret.bottom)
        bare[rows, caret.left : caret.right] = pixels[rows, caret.left - 1 : caret.left]
    return bare


def carets(gray: Gray) -> list[Region]:
    """Where carets stand on a picture of grey levels."""
    height, across = gray.shape
    return [
        caret
        for width in WIDTHS
        if height >= SHORTEST and across > width + 1
        for caret in _bars(gray, width)
        if _reaches_beyond_its_text(gray, caret)
    ]


def _bars(gray: Gray, width: int) -> list[Region]:
    """Upright bars of that width that are of one colour."""
    before, bar, after = gray[:, : -width - 1], gray[:, 1:-width], gray[:, width + 1 :]
    thin = cv2.bitwise_and(_differ(bar, before, CONTRAST), cv2.bitwise_not(_differ(before, after, ALIKE)))
    if width > 1:
        thin = cv2.bitwise_and(thin, cv2.bitwise_not(_differ(gray[:, width:-1], bar, ALIKE)))
    # A letter that touches the bar hides the ground beside it for a row or two.
    whole = cv2.morphologyEx(thin, cv2.MORPH_CLOSE, np.ones((5, 1), np.uint8))
    long = np.asarray(
        cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones((SHORTEST, 1), np.uint8)), dtype=np.uint8
    )
    found = []
    for left, top, bottom in upright_runs(long):
        beside = long[top:bottom, max(0, left - 1) : left + 2]
        if bottom - top > TALLEST or int(beside.any(axis=0).sum()) > 1:  # a wider bar
            continue
        levels = gray[top:bottom, left + 1]
        if int(levels.max()) - int(levels.min()) <= ALIKE:
            found.append(Region(left + 1, top, width, bottom - top))
    return found


def upright_runs(mask: Gray) -> list[tuple[int, int, int]]:
    """The marked pixels as upright runs: the column, the first row, and just after the last."""
    points = cv2.findNonZero(mask)
    if points is None:
        return []
    columns, rows = points.reshape(-1, 2).T  # OpenCV 4 has one more axis
    order = np.argsort(columns.astype(np.uint16), kind="stable")  # they come row by row
    columns, rows = columns[order], rows[order]
    starts = np.flatnonzero((np.diff(columns, prepend=-1) != 0) | (np.diff(rows, prepend=-9) != 1))
    ends = np.append(starts[1:], len(rows)) - 1
    return list(zip(columns[starts].tolist(), rows[starts].tolist(), (rows[ends] + 1).tolist(), strict=True))


def _differ(one: Gray, other: Gray, levels: int) -> Gray:
    """255 where two pictures differ by more than that."""
    return np.asarray(
        cv2.threshold(cv2.absdiff(one, other), levels, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8
    )


def _reaches_beyond_its_text(gray: Gray, caret: Region) -> bool:
    rows = slice(caret.top, caret.bottom)
    ground = int(np.median(gray[rows, caret.left - 1]))
    sides = (
        gray[rows, max(0, caret.left - AROUND) : caret.left],
        gray[rows, caret.right : caret.right + AROUND],
    )
    ink = np.abs(np.concatenate(sides, axis=1).astype(np.int16) - ground) > CONTRAST
    letters = ink[
        :, ink.sum(axis=0) < caret.height - 1
    ]  # what is as tall as the bar is a frame, or another bar
    written = np.flatnonzero(letters.any(axis=1))
    return bool(written.size) and bool(written[0] > 0) and bool(written[-1] < caret.height - 1)
