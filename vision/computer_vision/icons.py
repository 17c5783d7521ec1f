"""Icons on a picture: where something as small and compact as an icon stands, and what it looks like.

Whatever might be an icon is proposed from edges alone; each proposal becomes a mask of its ink, and the mask a
vector, so that icons of one meaning lie close to each other whatever their size and colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from computer_vision import shapes
from computer_vision.drawing import drawn
from computer_vision.reader import Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import bool_, float32, uint8
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

_EDGE: Final = 18  # levels by which neighbouring pixels differ at an edge
_RULE: Final = 70  # pixels at scale 1 from which on a straight edge is a border, not a part of an icon
_CLOSINGS: Final = (0, 3, 5, 9)  # pixels at scale 1 over which the parts of an icon are joined
_SIDES: Final = (7, 72)  # of an icon, in pixels at scale 1; the shorter side of a dash may be less
_THIN: Final = 3
_ASPECT: Final = 2.6
_LARGE_LETTER: Final = 14  # pixels at scale 1, of the shorter side: what is larger is no letter of a line
_ASPECT_THIN: Final = 9.0  # of a dash, and of three dots
_RIM: Final = 1  # pixels of the ground around a drawing that are compared too

CELLS, BINS, FRAME, DRAWN = 8, 8, 32, 28


@dataclass(frozen=True, slots=True)
class Candidates:
    """Regions of one picture that might be icons, and the ink of each: float32 (count, 32, 32), 0 to 1."""

    regions: tuple[Region, ...]
    masks: NDArray[float32]


def proposals(pixels: Pixels, scale: float = 1.0) -> list[Region]:
    """Where something as compact as an icon stands, text that runs in lines left out; in pixels of the picture.

    ``scale`` is how many pixels programs draw for one unit of theirs.
    """
    edges = _edges(pixels, scale)
    found: dict[Region, None] = {}
    for closing in _CLOSINGS:
        size = round(closing * scale)
        joined = edges
        if size > 1:
            joined = np.asarray(cv2.morphologyEx(edges, cv2.MORPH_CLOSE, np.ones((size, size), np.uint8)))
        boxes = cv2.connectedComponentsWithStats(joined, connectivity=8)[2][1:, :4]
        for left, top, width, height in boxes[_compact(boxes, scale)].tolist():
            found[Region(left, top, width, height)] = None
    return _without_letters(list(found), edges, scale)


def _edges(pixels: Pixels, scale: float) -> NDArray[uint8]:
    """255 where neighbouring pixels differ, except along borders and rules."""
    gray = cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY)
    steep = cv2.morphologyEx(gray, cv2.MORPH_GRADIENT, np.ones((2, 2), np.uint8))
    edges = np.asarray(cv2.threshold(steep, _EDGE, 255, cv2.THRESH_BINARY)[1])
    length = round(_RULE * scale)
    for shape in ((1, length), (length, 1)):
        rules = cv2.morphologyEx(edges, cv2.MORPH_OPEN, np.ones(shape, np.uint8))
        edges = np.asarray(cv2.subtract(edges, rules))
    return edges.astype(np.uint8, copy=False)


def _compact(boxes: NDArray[Any], scale: float) -> NDArray[bool_]:
    """Which boxes have the size and the shape of an icon."""
    width, height = boxes[:, 2] / scale, boxes[:, 3] / scale
    longer, shorter = np.maximum(width, height), np.minimum(width, height)
    aspect = longer / np.maximum(shorter, 1)
    least, most = _SIDES
    thick = (shorter >= least) & (aspect <= _ASPECT)
    thin = (shorter >= _THIN) & (longer >= least + 2) & (longer <= 34) & (aspect <= _ASPECT_THIN)  # noqa: PLR2004
    return np.asarray((longer <= most) & (thick | thin))


def _without_letters(found: list[Region], edges: NDArray[uint8], scale: float) -> list[Region]:
    """The regions that are no part of a line of text: of a run of marks much wider than high."""
    wide = np.ones((1, round(7 * scale)), np.uint8)
    joined = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, wide)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    height = stats[:, cv2.CC_STAT_HEIGHT]
    text = (stats[:, cv2.CC_STAT_WIDTH] > 2.2 * height) & (height <= 26 * scale)
    text &= stats[:, cv2.CC_STAT_WIDTH] > 22 * scale
    text[0] = False
    kept = []
    for region in found:
        inside = labels[region.top : region.bottom, region.left : region.right]
        names = inside[edges[region.top : region.bottom, region.left : region.right] > 0]
        if not names.size:
            continue
        lines = names[text[names]]
        letters = min(region.width, region.height) < _LARGE_LETTER * scale
        if letters and 2 * lines.size > names.size and _part(region, stats[np.bincount(lines).argmax()]):
            continue
        kept.append(region)
    return kept


def _part(region: Region, line: NDArray[Any]) -> bool:
    """Whether a region is only a part of a line's box."""
    return bool(region.width < 0.8 * line[cv2.CC_STAT_WIDTH])


def candidates(pixels: Pixels, regions: Sequence[Region]) -> Candidates:
    """The regions with the ink that stands in each, each region cut down to its ink; empty ones left out."""
    kept: list[Region] = []
    masks: list[NDArray[float32]] = []
    for region in regions:
        cut, mask = _inked(pixels, region)
        if mask is not None:
            kept.append(cut)
            masks.append(mask)
    stacked = np.stack(masks) if masks else np.empty((0, FRAME, FRAME), np.float32)
    return Candidates(tuple(kept), stacked)


def _inked(pixels: Pixels, region: Region) -> tuple[Region, NDArray[float32] | None]:
    """A region cut down to its ink, and that ink in a frame; None where there is none."""
    margin = 2
    top, left = max(0, region.top - margin), max(0, region.left - margin)
    part = pixels[top : region.bottom + margin, left : region.right + margin, :3].astype(np.int16)
    border = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
    ground = np.median(border, axis=0)
    ink = np.abs(part - ground).max(axis=2).astype(np.float32)
    strongest = float(np.partition(ink, -1 - ink.size // 50, axis=None)[-1 - ink.size // 50])
    if strongest < _EDGE:
        return region, None
    ink = np.minimum(ink / np.float32(strongest), np.float32(1))
    rows, columns = np.flatnonzero((ink > 0.3).any(axis=1)), np.flatnonzero((ink > 0.3).any(axis=0))  # noqa: PLR2004
    tight = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    cut = Region(left + int(columns[0]), top + int(rows[0]), tight.shape[1], tight.shape[0])
    return cut, framed(tight)


def framed(ink: NDArray[float32]) -> NDArray[float32]:
    """Ink, 0 to 1, enlarged or shrunk to 28 pixels in the middle of a frame of 32."""
    height, width = ink.shape
    factor = DRAWN / max(height, width)
    shape = max(1, round(width * factor)), max(1, round(height * factor))
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    small = cv2.resize(ink, shape, interpolation=way)
    frame = np.zeros((FRAME, FRAME), np.float32)
    left, top = (FRAME - shape[0]) // 2, (FRAME - shape[1]) // 2
    frame[top : top + shape[1], left : left + shape[0]] = small
    return frame


def ink_of(drawing: Pixels) -> NDArray[float32] | None:
    """The ink of an icon file's pixels (B, G, R, A): what is not transparent, in a frame; None of an empty one."""
    alpha = (drawing[:, :, 3] / 255).astype(np.float32)
    rows, columns = np.flatnonzero((alpha > 0.3).any(axis=1)), np.flatnonzero((alpha > 0.3).any(axis=0))  # noqa: PLR2004
    if not rows.size:
        return None
    return framed(alpha[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])


def features(masks: NDArray[float32]) -> NDArray[float32]:
    """One row of length 1 for each mask; the product of two rows says how alike they are, at most 1."""
    if not len(masks):
        return np.empty((0, 1), np.float32)
    middle, axes = _space()
    return _unit(np.asarray((appearance(masks) - middle) @ axes, dtype=np.float32))


@cache
def _space() -> tuple[NDArray[float32], NDArray[float32]]:
    """What tells icons apart rather than the hands that drew them; learned from outlined and filled pairs."""
    with np.load(Path(__file__).with_name("icon_space.npz")) as kept:
        return kept["middle"], kept["axes"].astype(np.float32)


def appearance(masks: NDArray[float32]) -> NDArray[float32]:
    """One row of length 1 for each mask: directions of its edges, its ink, its outline filled."""
    directions = _directions(masks)
    ink = _blurred(masks)
    solid = _blurred(np.stack([_filled(mask) for mask in masks]))
    parts = [
        np.float32(weight) * _unit(part)
        for weight, part in zip(_WEIGHTS, (directions, ink, solid), strict=True)
    ]
    return _unit(np.concatenate(parts, axis=1, dtype=np.float32))


_WEIGHTS: Final = (0.8, 0.45, 0.4)
_GRID: Final = 16


def _unit(rows: NDArray[float32]) -> NDArray[float32]:
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    return np.asarray(rows / lengths, dtype=np.float32)


def _directions(masks: NDArray[float32]) -> NDArray[float32]:
    """How strong the edges of each direction are in each cell of the frame."""
    count = len(masks)
    down, right = np.gradient(masks, axis=(1, 2))
    strength = np.hypot(right, down)
    place = np.mod(np.arctan2(down, right), np.pi) / np.pi * BINS
    lower = np.floor(place)
    share = place - lower
    lower = lower.astype(np.int32) % BINS
    hist = np.zeros((count, BINS, FRAME, FRAME), np.float32)
    one, row, column = np.ogrid[:count, :FRAME, :FRAME]
    hist[one, lower, row, column] = strength * (1 - share)
    hist[one, (lower + 1) % BINS, row, column] += strength * share
    # Neighbouring cells share what lies near their border: icons of two hands never agree to the pixel.
    cells = _pooled(hist.reshape(-1, FRAME, FRAME), CELLS, 0.45 * FRAME / CELLS)
    return np.asarray(np.sqrt(cells.reshape(count, -1)), dtype=np.float32)


def _blurred(masks: NDArray[float32]) -> NDArray[float32]:
    return _pooled(masks, _GRID, 1.6).reshape(len(masks), -1)


def _pooled(frames: NDArray[float32], cells: int, blur: float) -> NDArray[float32]:
    """Frames blurred and shrunk to so many cells a side: both along rows and columns, as one product of matrices."""
    along = _pooling(cells, blur)
    return np.asarray(np.matmul(np.matmul(along, frames), along.T), dtype=np.float32)


@cache
def _pooling(cells: int, blur: float) -> NDArray[float32]:
    """How much each of a frame's rows counts in each row of cells."""
    soft = cv2.GaussianBlur(np.eye(FRAME, dtype=np.float32), (1, 0), sigmaX=1e-3, sigmaY=blur)
    return np.asarray(np.asarray(soft).reshape(cells, FRAME // cells, FRAME).mean(axis=1), dtype=np.float32)


def _filled(mask: NDArray[float32]) -> NDArray[float32]:
    """The mask with its holes filled, so that an outlined heart equals a filled one."""
    solid = (mask > 0.4).astype(np.uint8)  # noqa: PLR2004 - ink
    outlines, _ = cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    filled = np.zeros_like(solid)
    cv2.drawContours(filled, outlines, -1, 1, cv2.FILLED)
    return np.asarray(np.maximum(mask, filled), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Scored:
    """A place that looks like what was sought; ``score`` is 0 to 1."""

    region: Region
    score: float


class Shapes:
    """The shipped vocabulary of shapes against the candidates of one picture. Drawn once a process."""

    def __init__(self, found: Candidates) -> None:
        names, drawn_features = _vocabulary()
        self.regions = found.regions
        likeness = features(found.masks) @ drawn_features.T if found.regions else np.empty((0, len(names)))
        columns: dict[str, list[int]] = {}
        for column, name in enumerate(names):
            columns.setdefault(name, []).append(column)
        self._scores = {name: likeness[:, at].max(axis=1) for name, at in columns.items()}

    def like(self, names: Sequence[str]) -> list[Scored]:
        """The candidates by how much they look like any of the shapes, best first.

        What looks more like another shape scores less. Raises ``KeyError`` for a shape that is not drawn.
        """
        if not self.regions or not names:
            return []
        asked = np.max([self._scores[name] for name in names], axis=0)
        best = np.max(list(self._scores.values()), axis=0)
        scores = np.clip(2 * asked - best, 0, 1)
        return [Scored(self.regions[at], float(scores[at])) for at in np.argsort(-scores)]


@cache
def _vocabulary() -> tuple[tuple[str, ...], NDArray[float32]]:
    """The names of all drawings of shapes and their features."""
    drawings = [(name, drawn(text.encode(), 48)) for name in shapes.names() for text in shapes.drawings(name)]
    inks = [(name, ink_of(pixels)) for name, pixels in drawings]
    kept = [(name, ink) for name, ink in inks if ink is not None]
    return tuple(name for name, _ in kept), features(np.stack([ink for _, ink in kept]))


@dataclass(frozen=True, slots=True)
class _Place:
    """A candidate with what is around it: its pixels, the colour they stand on, and how far each differs from it."""

    left: int
    top: int
    part: NDArray[float32]
    ground: NDArray[float32]
    ink: NDArray[float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Icon:
    """An icon file's own pixels with a rim around them, made ready once for all candidates."""

    ink: NDArray[float32]  # what it adds to the ground, 0 to 255
    cover: NDArray[float32]  # how much of the ground it hides, 0 to 1
    colored: bool

    @classmethod
    def of(cls, tight: Pixels) -> _Icon:
        drawing = np.pad(tight, ((_RIM, _RIM), (_RIM, _RIM), (0, 0))).astype(np.float32)
        cover = np.ascontiguousarray(drawing[:, :, 3]) / np.float32(255)
        colors = tight[tight[:, :, 3] > 60][:, :3]  # noqa: PLR2004 - what can be seen of it
        colored = int(np.ptp(colors, axis=0).max()) > 24  # noqa: PLR2004 - less is one colour
        return cls(ink=drawing[:, :, :3] * cover[:, :, None], cover=cover, colored=colored)


class Places:
    """The candidates of one picture, to be compared with the pixels of icon files."""

    def __init__(self, pixels: Pixels, regions: Sequence[Region]) -> None:
        self._pixels = pixels
        self._regions = regions
        self._sides = np.array([(region.width, region.height) for region in regions]).reshape(-1, 2)
        self._places: dict[int, _Place] = {}

    def showing(self, drawing: Pixels) -> list[Scored]:
        """How well an icon file's own pixels (B, G, R, A, at the size of the screen) explain the candidates.

        Looks at those of about its size, or of its size with an arrow beside it. The score is the correlation of
        colours; of a drawing without colours that of the ink alone, which a program may draw in any colour. 1 is the
        same drawing.
        """
        rows, columns = (np.flatnonzero((drawing[:, :, 3] > 60).any(axis=axis)) for axis in (1, 0))  # noqa: PLR2004
        if not rows.size:
            return []
        tight = drawing[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        height, width = tight.shape[:2]
        slack = 2 + max(height, width) // 8
        wide, high = self._sides[:, 0], self._sides[:, 1]
        fits = (wide >= width - slack) & (wide <= 2 * width) & (abs(high - height) <= slack)
        icon = _Icon.of(tight)
        return [Scored(*self._correlated(int(at), icon)) for at in np.flatnonzero(fits)]

    def _place(self, at: int) -> _Place:
        if at not in self._places:
            region, near, far = self._regions[at], 2, 9
            left, top = max(0, region.left - near), max(0, region.top - near)
            close = self._pixels[top : region.bottom + near, left : region.right + near, :3]
            border = np.concatenate([close[0], close[-1], close[:, 0], close[:, -1]])
            ground = np.median(border, axis=0).astype(np.float32)
            left, top = max(0, region.left - far), max(0, region.top - far)
            part = self._pixels[top : region.bottom + far, left : region.right + far, :3].astype(np.float32)
            self._places[at] = _Place(left, top, part, ground, np.abs(part - ground).max(axis=2))
        return self._places[at]

    def _correlated(self, at: int, icon: _Icon) -> tuple[Region, float]:
        """Where in and around a candidate the drawing fits best, and how well."""
        place = self._place(at)
        height, width = icon.cover.shape[:2]
        if place.part.shape[0] < height or place.part.shape[1] < width:
            return self._regions[at], 0.0
        seen, sought = place.ink, icon.cover
        if icon.colored:
            seen, sought = place.part, icon.ink + place.ground * (1 - icon.cover[:, :, None])
        found = cv2.matchTemplate(seen, sought, cv2.TM_CCOEFF_NORMED)
        _, score, _, where = cv2.minMaxLoc(np.where(np.isfinite(found), found, 0))
        left, top = place.left + int(where[0]) + _RIM, place.top + int(where[1]) + _RIM
        region = Region(left, top, width - 2 * _RIM, height - 2 * _RIM)
        return region, min(float(score), 1.0)
