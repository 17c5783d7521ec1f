"""Where lines of text may stand in a picture, found without reading any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from computer_vision.reader import Region
from computer_vision.regions import union

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

    Gray = NDArray[uint8]  # shape (height, width)

EDGE: Final = 22  # grey levels: fainter steps are shadows and gradients; disabled text has about 30
RULE: Final = 60  # an edge this long is a border or a separator, not a letter
RULE_HEIGHT: Final = 40
POST: Final = 17  # an upright edge this high and six times as high as wide is the side of a box
REACH: Final = 1.2  # a gap wider than this, in line heights, parts two columns
LOWEST, HIGHEST = 6, 64  # heights of a line of text
WIDEST_BLOB: Final = 12  # a blob taller than a line must be wider than this to be lines glued together
IMAGE: Final = 600  # a blob this tall is a photograph
FINE_SCREEN: Final = 1600  # a picture taller than this is taken for a screen at scale 2


def scale_of(height: int) -> int:
    """2 for a picture so tall that its screen must be a fine one, else 1."""
    return 2 if height > FINE_SCREEN else 1


def propose(gray: Gray) -> tuple[Region, ...]:
    """Boxes that may hold one line of text each, columns apart, from top to bottom.

    ``gray`` is uint8 of shape (height, width). Generous: icons and ornaments are proposed too,
    text is rarely missed.
    """
    scale = scale_of(gray.shape[0])
    ink, borders = _ink_and_borders(gray, scale)
    blobs = _blobs(ink, scale)
    return tuple(_grown(line, gray.shape, scale) for line in _merged(blobs, borders, scale))


def _ink_and_borders(gray: Gray, scale: int) -> tuple[Gray, Gray]:
    """Where letters may be, and what was taken out: edges that are long, or upright and thin."""
    gradient = cv2.morphologyEx(gray, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    _, edges = cv2.threshold(gradient, EDGE, 255, cv2.THRESH_BINARY)
    across = cv2.morphologyEx(edges, cv2.MORPH_OPEN, np.ones((1, RULE * scale), np.uint8))
    down = cv2.morphologyEx(edges, cv2.MORPH_OPEN, np.ones((RULE_HEIGHT * scale, 1), np.uint8))
    ink = cv2.subtract(edges, cv2.bitwise_or(across, down))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    widths, heights = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    for index in np.flatnonzero((heights >= POST * scale) & (heights >= 6 * widths)):
        left, top, width, height = (int(value) for value in stats[index][:4])
        part = np.s_[top : top + height, left : left + width]
        ink[part][labels[part] == index] = 0
    return np.asarray(ink, dtype=np.uint8), np.asarray(cv2.subtract(edges, ink), dtype=np.uint8)


def _blobs(ink: Gray, scale: int) -> list[Region]:
    """Letters joined to words, by their boxes."""
    joined = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, 9 * scale), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    parts = np.asarray(labels, dtype=np.int32)
    blobs: list[Region] = []
    for index in range(1, count):
        left, top, width, height, area = (int(value) for value in stats[index])
        region = Region(left, top, width, height)
        if _is_text_size(region, area, scale):
            blobs += _unglued(region, parts, index, scale) if height > 20 * scale else [region]
        elif width > WIDEST_BLOB * scale and HIGHEST * scale < height < IMAGE * scale:
            blobs += _unglued(region, parts, index, scale)
    return blobs


def _is_text_size(region: Region, area: int, scale: int) -> bool:
    return (
        LOWEST * scale <= region.height <= HIGHEST * scale
        and region.width >= 3 * scale
        and region.width >= 0.3 * region.height
        and area >= 18 * scale * scale
    )


def _unglued(region: Region, labels: NDArray[np.int32], index: int, scale: int) -> list[Region]:
    """The lines of a blob that holds several, cut at its empty rows; the blob itself if it has one."""
    own = labels[region.top : region.bottom, region.left : region.right] == index
    profile = np.convolve(own.sum(axis=1), np.ones(3) / 3, mode="same")
    full = profile > max(1.5, 0.18 * float(np.percentile(profile, 90)))
    edges = np.flatnonzero(np.diff(np.concatenate(([False], full, [False])).astype(np.int8)))
    runs = [
        (int(a), int(b))
        for a, b in zip(edges[::2], edges[1::2], strict=True)
        if LOWEST * scale <= b - a <= HIGHEST * scale
    ]
    if len(runs) < 2:  # noqa: PLR2004 - one run is the blob
        return [region] if region.height <= HIGHEST * scale else []
    lines = []
    for start, end in runs:
        columns = np.flatnonzero(own[start:end].any(axis=0))
        left, right = int(columns[0]), int(columns[-1]) + 1
        lines.append(Region(region.left + left, region.top + start, right - left, end - start))
    return lines


def _merged(blobs: list[Region], borders: Gray, scale: int) -> list[Region]:
    """Words that stand beside each other, as lines; wide gaps and borders keep columns apart."""
    lines: list[Region] = []
    for blob in sorted(blobs):
        before = [
            line for line in lines if _continues(line, blob, scale) and not _parted(line, blob, borders)
        ]
        if before:
            nearest = max(before, key=lambda line: line.right)
            lines.remove(nearest)
            blob = union((nearest, blob))  # noqa: PLW2901 - the word became part of the line
        lines.append(blob)
    return sorted(lines, key=lambda line: (line.top, line.left))


def _continues(line: Region, word: Region, scale: int) -> bool:
    overlap = min(line.bottom, word.bottom) - max(line.top, word.top)
    low, high = sorted((line.height, word.height))
    reach = min(max(REACH * high, 8 * scale), 40 * scale)
    return overlap > 0.55 * low and high <= 2.4 * low and word.left - line.right <= reach


def _parted(line: Region, word: Region, borders: Gray) -> bool:
    """Whether an upright border stands between the two."""
    top, bottom = max(line.top, word.top), min(line.bottom, word.bottom)
    gap = borders[top:bottom, line.right : word.left]
    return gap.size > 0 and bool(gap.all(axis=0).any())


def _grown(line: Region, shape: tuple[int, ...], scale: int) -> Region:
    """With a little room around, for letters whose faint edge was missed."""
    up, side = max(2 * scale, round(0.16 * line.height)), 3 * scale
    left, top = max(0, line.left - side), max(0, line.top - up)
    right, bottom = min(shape[1], line.right + side), min(shape[0], line.bottom + up)
    return Region(left, top, right - left, bottom - top)
