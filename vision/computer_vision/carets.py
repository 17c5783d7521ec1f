"""Take text carets out of a picture: one beside a letter is read as a part of it ("Dear" as "bear")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

    Levels = NDArray[np.int16]

CONTRAST: Final = 60  # levels between a caret and what it stands on
ALIKE: Final = 12  # levels
SHORTEST, TALLEST = 13, 40  # pixels; odd, so that opening by it moves nothing
AROUND: Final = 8  # pixels beside a caret in which the text that it belongs to stands


def without_carets(pixels: Pixels) -> Pixels:
    """The picture with each caret painted over by what is left of it; the same array where there is none.

    A caret is an even vertical bar, one or two pixels wide, on even ground, beside text above and below which it
    reaches. Letters do not: their stems end on the line that they stand on, and a frame's edge is longer.
    """
    gray = cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY).astype(np.int16)
    bare = pixels
    for width in (1, 2):
        if gray.shape[0] < SHORTEST or gray.shape[1] <= width + 1:
            continue
        for left, top, height in _bars(gray, width):
            if _reaches_beyond_its_text(gray, left, top, height, width):
                if bare is pixels:
                    bare = pixels.copy()
                bare[top : top + height, left : left + width] = pixels[top : top + height, left - 1 : left]
    return bare


def _bars(gray: Levels, width: int) -> list[tuple[int, int, int]]:
    """Upright bars of that width: left, top and height of each."""
    before, bar, after = gray[:, : -width - 1], gray[:, 1:-width], gray[:, width + 1 :]
    thin = (np.abs(bar - before) > CONTRAST) & (np.abs(before - after) <= ALIKE)
    if width > 1:
        thin &= np.abs(gray[:, width:-1] - bar) <= ALIKE
    # A letter that touches the bar hides the ground beside it for a row or two.
    whole = cv2.morphologyEx(thin.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 1), np.uint8))
    long = cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones((SHORTEST, 1), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(long, connectivity=4)
    found = []
    for left, top, across, height, _ in stats[1:count].tolist():
        levels = gray[top : top + height, left + 1]
        if across == 1 and height <= TALLEST and int(levels.max() - levels.min()) <= ALIKE:
            found.append((left + 1, top, height))
    return found


def _reaches_beyond_its_text(gray: Levels, left: int, top: int, height: int, width: int) -> bool:
    rows = slice(top, top + height)
    ground = int(np.median(gray[rows, left - 1]))
    beside = np.concatenate(
        [gray[rows, max(0, left - AROUND) : left], gray[rows, left + width : left + width + AROUND]], axis=1
    )
    ink = np.abs(beside - ground) > CONTRAST
    letters = ink[:, ink.sum(axis=0) < height - 1]  # what is as tall as the bar is a frame, or another bar
    written = np.flatnonzero(letters.any(axis=1))
    return bool(written.size) and bool(written[0] > 0) and bool(written[-1] < height - 1)
