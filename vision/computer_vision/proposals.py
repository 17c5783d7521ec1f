"""Where lines of text may stand in a picture, found without reading any."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

from computer_vision.carets import upright_runs
from computer_vision.edges import runs_of
from computer_vision.reader import Region
from computer_vision.regions import union

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy import uint8
    from numpy.typing import NDArray

    Gray = NDArray[uint8]  # shape (height, width)

EDGE: Final = 22  # grey levels: fainter steps are shadows and gradients; disabled text has about 30
SAME: Final = 8  # grey levels: along a border no more than this
RULE, WALL = 30, 40  # an edge straight for so long, level or upright, is a border and not a letter
POST, CORNER = 17, 7  # an upright one for so long, if a level border is that near
RING: Final = 3  # pixels: how thick the edges of an outline are
LOWEST_RING, WIDEST_RING = 14, 320  # pixels; a longer one is straight for most of its length
SLIMMEST_RING: Final = 1.3  # as wide as high
LOWEST_CIRCLE: Final = 30  # pixels; what is not wider than high and smaller may be a letter of a heading
CORNERLESS: Final = 2  # pixels of a corner that nothing round reaches
BULGING: Final = 0.97  # of the smallest shape around it without a dent: words have many
LOWEST_FRAME: Final = 12  # pixels within it
SQUARE: Final = 0.84  # of its box that it fills, with round corners; a thick O does not
MARGIN: Final = 0.06  # of its height between a frame and what is in it,
SLIM_MARGIN: Final = 0.14  # and where it may be a character
REACH: Final = 1.2  # a gap wider than this, in line heights, parts two columns
FARTHEST: Final = 40  # pixels, for large letters
LOWEST, HIGHEST = 6, 64  # heights of a line of text
VALLEY: Final = 0.18  # of the fullest rows: emptier ones are between lines
HIGHEST_TIGHT: Final = 16  # pixels; two lines of the smallest letters are higher
LOWEST_BODY: Final = 3  # pixels; of the letters that do not reach up or down
BODY, DIP = 0.5, 0.4  # of the fullest rows: those of letters' bodies, and the emptiest between two lines
WIDEST_BLOB: Final = 12  # a blob taller than a line must be wider than this to be lines glued together
IMAGE: Final = 600  # a blob this tall is a photograph
CROSSING: Final = 9  # pixels around the end of a level border
JOIN: Final = 9  # pixels: letters nearer than this are of one word
ROW: Final = 64  # pixels: lines are sought in rows of this height
FINE_SCREEN: Final = 1600  # a picture taller than this is taken for a screen at scale 2


def scale_of(height: int) -> int:
    """2 for a picture so tall that its screen must be a fine one, else 1."""
    return 2 if height > FINE_SCREEN else 1


def reach(scale: int) -> tuple[int, int]:
    """How far a pixel has a say in the maps: rows above and below, columns to its sides."""
    return (POST + WALL + CORNER) * scale, (CORNER + RULE + JOIN + CROSSING + WIDEST_RING) * scale


def propose(gray: Gray) -> tuple[Region, ...]:
    """Boxes that may hold one line of text each, columns apart, from top to bottom.

    ``gray`` is uint8 of shape (height, width). Generous: icons and ornaments are proposed too,
    text is rarely missed.
    """
    scale = scale_of(gray.shape[0])
    maps = maps_of(gray, scale)
    found = pieces(maps, Region(0, 0, gray.shape[1], gray.shape[0]), scale)
    return lines_of((blob for piece in found for blob in piece.blobs), maps.borders, scale)


class Maps(NamedTuple):
    """What a picture's edges are.

    ``ink`` is where letters may be, ``borders`` edges that run straight for long, ``words`` letters joined, and
    ``strokes`` the edges beside what is upright. All are 0 or 255 for each pixel, and
    decided by the pixels within ``reach`` of it.
    """

    ink: Gray
    borders: Gray
    words: Gray
    strokes: Gray


class Piece(NamedTuple):
    """One connected part of the words, and the lines or parts of lines that it is made of; often none."""

    box: Region
    blobs: tuple[Region, ...]


def maps_of(gray: Gray, scale: int) -> Maps:
    """The maps of a picture, or of a part of one: near the part's own edges they are others than the whole's."""
    edges = _steep(gray, (3, 3), EDGE)
    upright, level = _steep(gray, (3, 1), EDGE), _steep(gray, (1, 3), EDGE)
    # A letter's strokes begin and end every few pixels; along a border the picture stays the same.
    across = _runs_of(cv2.subtract(upright, _steep(gray, (1, 3), SAME)), (1, RULE * scale))
    straight = cv2.subtract(level, _steep(gray, (3, 1), SAME))
    sides = _runs_of(straight, (POST * scale, 1))
    # The lines of a table stop where they cross: there they go on.
    crossings = cv2.dilate(across, np.ones((1, CROSSING * scale), np.uint8))
    down = cv2.bitwise_and(_runs_of(cv2.bitwise_or(straight, crossings), (WALL * scale, 1)), straight)
    borders = cv2.bitwise_or(cv2.bitwise_or(across, down), _reaching(sides, across, scale))
    borders = cv2.bitwise_or(borders, _rings(edges, scale))
    ink = cv2.subtract(edges, borders)
    joined = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, JOIN * scale), np.uint8))
    words = cv2.subtract(joined, borders)  # not across a border
    return Maps(*(np.asarray(found, dtype=np.uint8) for found in (ink, borders, words, level)))


def _runs_of(mask: cv2.typing.MatLike, kernel: tuple[int, int]) -> Gray:
    """The marked pixels that are in a run as long as the kernel (rows, columns)."""
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones(kernel, np.uint8)), dtype=np.uint8)


def _reaching(sides: Gray, across: Gray, scale: int) -> Gray:
    """The upright edges that end at a level border, as the sides of a box do and large letters do not."""
    corner = 2 * CORNER * scale + 1
    near = cv2.bitwise_and(sides, cv2.dilate(across, np.ones((corner, corner), np.uint8)))
    kept = np.zeros_like(sides)
    if cv2.countNonZero(near):
        for column, top, bottom in upright_runs(sides):
            if bottom - top < WALL * scale and near[top:bottom, column].any():
                kept[top:bottom, column] = 255
    return kept


def _rings(edges: Gray, scale: int) -> Gray:
    """The outlines of what is round at both ends and wider than high, or a box with a word in it, as buttons are."""
    count, found, stats, _ = cv2.connectedComponentsWithStats(edges, connectivity=8)
    labels = np.asarray(found, dtype=np.int32)
    left, top, width, height, _ = stats[1:count].T
    middle, centre, right, bottom = left + width // 2, top + height // 2, left + width - 1, top + height - 1
    index = np.arange(1, count)
    fits = (left > 0) & (top > 0) & (right < edges.shape[1] - 1) & (bottom < edges.shape[0] - 1)
    fits &= (height >= LOWEST_RING * scale) & (height <= HIGHEST * scale)
    fits &= (width >= 0.9 * height) & (width <= WIDEST_RING * scale)
    for rows, columns in ((top, middle), (bottom, middle), (centre, left), (centre, right)):
        fits &= labels[rows, columns] == index  # as few words have it
    rings = np.zeros_like(edges)
    for one in np.flatnonzero(fits).tolist():
        part = slice(top[one], bottom[one] + 1), slice(left[one], right[one] + 1)
        own = np.asarray(labels[part] == one + 1, dtype=np.uint8)
        slim = width[one] < SLIMMEST_RING * height[one]
        letter = slim and (height[one] < LOWEST_CIRCLE * scale or not _filled(edges[part]))  # such as O
        ring = None if letter or _has_corners(own, scale) else _outer_edge(own, scale)
        rings[part] |= _frames(own, edges[part], scale) if ring is None else ring
    return rings


def _filled(edges: Gray) -> bool:
    """Whether there is something in the middle."""
    height, width = edges.shape
    rows, columns = slice(2 * height // 5, 3 * height // 5), slice(2 * width // 5, 3 * width // 5)
    return bool(edges[rows, columns].any())


def _has_corners(own: Gray, scale: int) -> bool:
    """Whether a shape reaches into a corner of its box, as nothing round does."""
    corner = CORNERLESS * scale
    corners = (own[:corner, :corner], own[:corner, -corner:], own[-corner:, :corner], own[-corner:, -corner:])
    return any(part.any() for part in corners)


def _outer_edge(own: Gray, scale: int) -> Gray | None:
    """The outer edge of a shape that bulges everywhere; None of any other."""
    outlines, _ = cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=cv2.contourArea)
    if not _bulges(outline):
        return None
    edge = cv2.drawContours(np.zeros_like(own), [outline], -1, 255, 2 * RING * scale - 1)
    return np.asarray(cv2.bitwise_and(edge, 255 * own), dtype=np.uint8)


def _bulges(outline: cv2.typing.MatLike) -> bool:
    return cv2.contourArea(outline) >= BULGING * cv2.contourArea(cv2.convexHull(outline))


def _frames(own: Gray, edges: Gray, scale: int) -> Gray:
    """The edges around each space in a shape in which a word stands clear of its sides, as in a row of buttons."""
    frames, thick = np.zeros_like(own), 2 * RING * scale + 1
    outlines, _ = cv2.findContours(own, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    for outline in outlines:
        left, top, width, height = cv2.boundingRect(outline)
        is_box = cv2.contourArea(outline) >= SQUARE * width * height
        if min(width, height) < LOWEST_FRAME * scale or not (is_box and _bulges(outline)):
            continue
        space = cv2.drawContours(np.zeros_like(own), [outline], -1, 255, -1)
        inside = cv2.bitwise_and(cv2.bitwise_and(space, edges), cv2.bitwise_not(255 * own))
        slim = width < SLIMMEST_RING * height
        if _stands_clear(inside, Region(left, top, width, height), SLIM_MARGIN if slim else MARGIN):
            around = cv2.dilate(space, np.ones((thick, thick), np.uint8))
            frames |= np.asarray(
                cv2.bitwise_and(cv2.subtract(around, cv2.erode(space, np.ones((3, 3), np.uint8))), 255 * own)
            )
    return frames


def _stands_clear(inside: cv2.typing.MatLike, space: Region, margin: float) -> bool:
    """Whether there is something that keeps away from the upper and lower side of the space around it.

    Strokes of a character such as \u56fd do not; the box in the middle of \u56de does, and no Latin letter is one.
    """
    left, top, width, height = cv2.boundingRect(inside)
    if not height or min(top - space.top, space.bottom - top - height) < margin * space.height:
        return False
    held = np.asarray(inside[top : top + height, left : left + width]) > 0
    down, across = height // 2, width // 2
    sides = held[0, across] and held[-1, across] and held[down, 0] and held[down, -1]
    return not (sides and held[0, 0] and held[0, -1] and held[-1, 0] and held[-1, -1])


def _steep(gray: Gray, kernel: tuple[int, int], levels: int) -> Gray:
    """255 where the grey levels under the kernel (rows, columns) differ by more than that."""
    gradient = cv2.morphologyEx(gray, cv2.MORPH_GRADIENT, np.ones(kernel, np.uint8))
    _, steep = cv2.threshold(gradient, levels, 255, cv2.THRESH_BINARY)
    return np.asarray(steep, dtype=np.uint8)


def pieces(maps: Maps, window: Region, scale: int) -> list[Piece]:
    """The connected parts of the words within a window that no such part leaves."""
    words = maps.words[window.top : window.bottom, window.left : window.right]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(words, connectivity=4)
    parts = np.asarray(labels, dtype=np.int32)
    found = []
    for index, (left, top, width, height, area) in enumerate(stats[1:count].tolist(), start=1):
        box = Region(window.left + left, window.top + top, width, height)
        own = parts[top : top + height, left : left + width]
        found.append(Piece(box, tuple(_blobs(box, area, own, index, maps, scale))))
    return found


def _blobs(
    box: Region, area: int, own: NDArray[np.int32], index: int, maps: Maps, scale: int
) -> list[Region]:
    """What may be text of one connected part; ``own`` is where it is, by its ``index``, within its box."""
    if box.height < LOWEST * scale or box.height >= IMAGE * scale:
        return []
    region = _trimmed(box, maps.ink, maps.borders)
    columns = own[:, region.left - box.left : region.right - box.left] == index
    sized = _is_text_size(region, area, scale)
    if sized and box.height <= HIGHEST_TIGHT * scale:
        return [region]
    if sized or (box.width > WIDEST_BLOB * scale and HIGHEST * scale < box.height):
        strokes = maps.strokes[region.top : region.bottom, region.left : region.right]
        return _unglued(region, columns, strokes, scale)
    return []


def _trimmed(blob: Region, ink: Gray, borders: Gray) -> Region:
    """The blob without the gap up to a border that joining filled."""
    beside = borders[blob.top : blob.bottom, max(0, blob.left - 1) : blob.right + 1]
    if not (beside[:, 0].any() or beside[:, -1].any()):
        return blob
    columns = np.flatnonzero(ink[blob.top : blob.bottom, blob.left : blob.right].any(axis=0))
    if not columns.size:
        return blob
    left, right = blob.left + int(columns[0]), blob.left + int(columns[-1]) + 1
    return Region(left, blob.top, right - left, blob.height)


def _is_text_size(region: Region, area: int, scale: int) -> bool:
    return (
        LOWEST * scale <= region.height <= HIGHEST * scale
        and region.width >= 3 * scale
        and region.width >= 0.3 * region.height
        and area >= 18 * scale * scale
    )


def _unglued(region: Region, own: NDArray[np.bool_], strokes: Gray, scale: int) -> list[Region]:
    """The lines of a blob that holds several, cut at its empty rows; the blob itself if it has one.

    ``own`` is where the blob is in its region, ``strokes`` where there are upright edges: those say better than
    ``own``, which is a pixel larger all around, where a line ends.
    """
    counts = (own & (strokes > 0)).sum(axis=1)
    profile = np.convolve(counts, np.ones(3) / 3, mode="same")
    full = profile > max(1.5, VALLEY * float(np.percentile(profile, 90)))
    runs = [
        part
        for start, end in runs_of(full)
        for part in _tight_lines(counts[start:end], start, scale)
        if LOWEST * scale <= part[1] - part[0] <= HIGHEST * scale
    ]
    if len(runs) < 2:  # noqa: PLR2004 - one run is the blob
        return [region] if region.height <= HIGHEST * scale else []
    lines = []
    for start, end in runs:
        columns = np.flatnonzero(own[start:end].any(axis=0))
        left, right = int(columns[0]), int(columns[-1]) + 1
        lines.append(Region(region.left + left, region.top + start, right - left, end - start))
    return lines


def _tight_lines(counts: NDArray[np.int64], top: int, scale: int) -> list[tuple[int, int]]:
    """Lines so close that no row between them is empty, cut where fewest letters reach; small ones only."""
    whole = top, top + len(counts)
    level = float(np.percentile(counts, 90))
    bodies = [run for run in runs_of(counts > BODY * level) if run[1] - run[0] >= LOWEST_BODY * scale]
    if len(counts) <= HIGHEST_TIGHT * scale or len(bodies) < 2:  # noqa: PLR2004 - one is a line
        return [whole]
    cuts = []
    for (_, end), (start, _) in pairwise(bodies):
        between = counts[end:start]
        if not between.size or between.min() > DIP * level:
            return [whole]
        lowest = np.flatnonzero(between == between.min())
        cuts.append(top + end + int(lowest[len(lowest) // 2]))
    return list(pairwise([whole[0], *cuts, whole[1]]))


def lines_of(blobs: Iterable[Region], borders: Gray, scale: int) -> tuple[Region, ...]:
    """Words that stand beside each other, as lines with a little room around, from top to bottom.

    Wide gaps and borders keep columns apart.
    """
    rows: defaultdict[int, set[Region]] = defaultdict(set)  # the lines so far, by the rows that they touch
    for blob in sorted(blobs):
        near = {line for row in _rows(blob) for line in rows[row] if _continues(line, blob, scale)}
        before = [line for line in near if not _parted(line, blob, borders)]
        grown = blob
        if before:
            nearest = max(before, key=lambda line: (line.right, line))
            for row in _rows(nearest):
                rows[row].discard(nearest)
            grown = union((nearest, blob))
        for row in _rows(grown):
            rows[row].add(grown)
    lines = {line for row in rows.values() for line in row}
    return tuple(
        _grown(line, borders.shape, scale) for line in sorted(lines, key=lambda line: (line.top, line.left))
    )


def _rows(region: Region) -> range:
    return range(region.top // ROW, (region.bottom - 1) // ROW + 1)


def _continues(line: Region, word: Region, scale: int) -> bool:
    overlap = min(line.bottom, word.bottom) - max(line.top, word.top)
    if overlap <= 0:
        return False
    low, high = sorted((line.height, word.height))
    reach = min(max(REACH * high, 8 * scale), FARTHEST * scale)
    return overlap > 0.55 * low and high <= 2.0 * low and word.left - line.right <= reach


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
