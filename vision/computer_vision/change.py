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

    from numpy import bool_, generic
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

    Squares = NDArray[bool_]  # one for each square of a picture, shape (rows, columns)

BAND: Final = 64  # rows compared at a time, so that bands that did not change cost one comparison
SQUARE: Final = 16  # side, in pixels, of the squares by which motion is kept account of
CARET: Final = (4, 80)  # the widest and the highest that a caret is, in pixels
RIM: Final = 4  # pixels: the frame of a control that has the keyboard is no thicker
TILE: Final = 4  # side, in pixels, of the squares in which nearness is judged
HOST: Final = 64  # regions; a list longer than this tells nobody anything


def changes(
    before: Pixels,
    after: Pixels,
    *,
    threshold: int = 8,
    join: int = 12,
    besides: Squares | None = None,
) -> tuple[Region, ...]:
    """The regions, in pixels, whose colours differ by more than ``threshold`` levels, top to bottom.

    Changed pixels nearer than ``join`` pixels to each other are in one region; regions do not
    overlap. What lies in squares ``besides`` is not looked at. Pictures of different sizes have changed all over.
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
    if besides is not None:
        hidden = besides.repeat(SQUARE, axis=0).repeat(SQUARE, axis=1)[first : first + mask.shape[0], :width]
        mask[: hidden.shape[0], : hidden.shape[1]][hidden] = 0
        if not mask.any():
            return ()
    return tuple(box._replace(top=box.top + first) for box in _regions(mask, join))


def changed_squares(before: Pixels, after: Pixels) -> Squares | None:
    """Which squares of two pictures of one size differ in anything at all; None when none does."""
    height, width = after.shape[:2]
    old, new = _whole_rows(before), _whole_rows(after)
    squares: Squares | None = None
    for top in range(0, height, BAND):
        if np.array_equal(old[top : top + BAND], new[top : top + BAND]):
            continue
        if squares is None:
            squares = np.zeros((math.ceil(height / SQUARE), math.ceil(width / SQUARE)), dtype=np.bool_)
        differ = _colours(before[top : top + BAND]) != _colours(after[top : top + BAND])
        rows = np.logical_or.reduceat(differ, range(0, differ.shape[0], SQUARE), axis=0)
        columns = np.logical_or.reduceat(rows, range(0, width, SQUARE), axis=1)
        squares[top // SQUARE : top // SQUARE + columns.shape[0]] = columns
    return squares


def regions_of(squares: Squares, size: tuple[int, int]) -> tuple[Region, ...]:
    """The boxes, in pixels of a picture of that (width, height), of squares that touch each other."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(squares.astype(np.uint8), connectivity=8)
    whole = [Region(*(SQUARE * int(value) for value in row[:4])) for row in stats[1:count]]
    width, height = size
    return tuple(
        box._replace(width=min(box.right, width) - box.left, height=min(box.bottom, height) - box.top)
        for box in sorted(_apart(whole), key=lambda box: (box.top, box.left))
    )


def squares_of(regions: Iterable[Region], size: tuple[int, int]) -> Squares:
    """The squares of a picture of that (width, height) that any of the regions touches."""
    width, height = size
    squares: Squares = np.zeros((math.ceil(height / SQUARE), math.ceil(width / SQUARE)), dtype=np.bool_)
    for region in regions:
        rows = slice(max(0, region.top // SQUARE), max(0, math.ceil(region.bottom / SQUARE)))
        squares[rows, max(0, region.left // SQUARE) : max(0, math.ceil(region.right / SQUARE))] = True
    return squares


def joined(squares: Squares, others: Squares) -> Squares:
    """The squares, with all of the ``others`` that touch them, and those that touch these."""
    _, labels = cv2.connectedComponents((squares | others).astype(np.uint8), connectivity=8)
    return np.isin(labels, np.unique(labels[squares]))


def parts_of(squares: Squares) -> list[Squares]:
    """The squares in groups of such as touch each other, each with all that lies within its box."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(squares.astype(np.uint8), connectivity=8)
    parts = []
    for left, top, width, height, _area in stats[1:count]:
        part: Squares = np.zeros_like(squares)
        part[top : top + height, left : left + width] = True
        parts.append(part)
    return parts


def spread(squares: Squares) -> Squares:
    """The squares and all that touch one of them."""
    return cv2.dilate(squares.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.bool_)


def is_caret(before: Pixels, after: Pixels, region: Region) -> bool:
    """Whether what changed there is a bar as thin as a caret, of one colour, that came or went."""
    widest, highest = CARET
    if region.width > widest or not widest < region.height <= highest:
        return False
    place = (slice(region.top, region.bottom), slice(region.left, region.right))
    was, now = _colours(before[place]), _colours(after[place])
    return bool((was != now).all()) and (_even(was) or _even(now))


def is_ring(before: Pixels, after: Pixels, region: Region) -> bool:
    """Whether only the rim of the region changed, as when a control gets the keyboard and is framed."""
    if min(region.width, region.height) <= 3 * RIM:
        return False
    rows = slice(region.top + RIM, region.bottom - RIM)
    columns = slice(region.left + RIM, region.right - RIM)
    return np.array_equal(_colours(before[rows, columns]), _colours(after[rows, columns]))


def share(regions: Iterable[Region], size: tuple[int, int]) -> float:
    """How much of a picture of that (width, height) the regions cover, 0 to 1; they must not overlap."""
    width, height = size
    whole = Region(0, 0, width, height)
    covered = sum(overlap(region, whole) for region in regions)
    return covered / (width * height) if width > 0 and height > 0 else 0.0


def _colours(pixels: Pixels) -> NDArray[generic]:
    """Each pixel as one number, shape (height, width)."""
    return np.ascontiguousarray(pixels).view(np.uint32)[:, :, 0]


def _whole_rows(pixels: Pixels) -> NDArray[generic]:
    """The rows as numbers as large as they can be: they are compared fastest."""
    height, width = pixels.shape[:2]
    rows = np.ascontiguousarray(pixels).reshape(height, 4 * width)
    return rows.view(np.uint64 if width % 2 == 0 else np.uint32)


def _even(colours: NDArray[generic]) -> bool:
    return bool((colours == colours[0, 0]).all())


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
