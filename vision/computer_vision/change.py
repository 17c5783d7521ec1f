"""What changed between two pictures of one screen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from computer_vision.reader import Region
from computer_vision.regions import overlap, union

if TYPE_CHECKING:
    from collections.abc import Iterable

    from computer_vision.reader import Pixels

BAND: Final = 64  # rows compared at a time, so that bands that did not change cost one comparison
TILE: Final = 4  # side, in pixels, of the squares in which nearness is judged
HOST: Final = 64  # regions; a list longer than this tells nobody anything


def changes(before: Pixels, after: Pixels, *, threshold: int = 8, join: int = 12) -> tuple[Region, ...]:
    """The regions, in pixels, whose colours differ by more than ``threshold`` levels, top to bottom.

    Changed pixels nearer than ``join`` pixels to each other are in one region; regions do not
    overlap. Pictures of different sizes have changed all over.
    """
    height, width = after.shape[:2]
    if before.shape != after.shape:
        return (Region(0, 0, width, height),)
    bands = [
        (top, band)
        for top in range(0, height, BAND)
        if (band := _changed(before[top : top + BAND], after[top : top + BAND], threshold)) is not None
    ]
    if not bands:
        return ()
    first, last = bands[0][0], bands[-1][0] + BAND
    mask: Pixels = np.zeros((last - first, math.ceil(width / TILE) * TILE), dtype=np.uint8)
    for top, band in bands:
        mask[top - first : top - first + band.shape[0], :width] = band
    return tuple(box._replace(top=box.top + first) for box in _regions(mask, join))


def share(regions: Iterable[Region], size: tuple[int, int]) -> float:
    """How much of a picture of that (width, height) the regions cover, 0 to 1; they must not overlap."""
    width, height = size
    whole = Region(0, 0, width, height)
    covered = sum(overlap(region, whole) for region in regions)
    return covered / (width * height) if width > 0 and height > 0 else 0.0


def _changed(old: Pixels, new: Pixels, threshold: int) -> Pixels | None:
    """The mask of one band, 255 where a colour changed; ``None`` when every byte is equal."""
    if np.array_equal(old, new):
        return None
    difference = cv2.absdiff(old, new)
    alike = cv2.inRange(difference, (0, 0, 0, 0), (threshold, threshold, threshold, 255))
    return np.asarray(cv2.bitwise_not(alike), dtype=np.uint8)


def _regions(mask: Pixels, join: int) -> tuple[Region, ...]:
    """Tight boxes of the marked pixels; when they are many (noise, a film), distant ones join too.

    The sides of ``mask`` are whole numbers of tiles.
    """
    size = (mask.shape[1] // TILE, mask.shape[0] // TILE)
    shares = np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA))
    tiles = (shares > 0).astype(np.uint8)
    while True:
        reach = max(0, math.ceil((math.ceil(join / TILE) - 1) / 2))
        grown = cv2.dilate(tiles, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
        if count - 1 <= HOST:
            break
        join = 2 * max(join, TILE)
    boxes = [_tight(mask, Region(*(TILE * int(value) for value in row[:4]))) for row in stats[1:]]
    return tuple(sorted(_apart(boxes), key=lambda box: (box.top, box.left)))


def _tight(mask: Pixels, box: Region) -> Region:
    left, top, width, height = cv2.boundingRect(mask[box.top : box.bottom, box.left : box.right])
    return Region(box.left + left, box.top + top, width, height)


def _apart(boxes: list[Region]) -> list[Region]:
    """The boxes, with those that overlap made one, until none do."""
    done: list[Region] = []
    while boxes:
        box = boxes.pop()
        touching = [other for other in done if overlap(box, other)]
        if touching:
            done = [other for other in done if other not in touching]
            boxes.append(union((box, *touching)))
        else:
            done.append(box)
    return done
