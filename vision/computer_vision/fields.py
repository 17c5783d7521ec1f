"""The entry, list or tick box that belongs to a label, seen from pixels alone.

A field has straight sides, bordered or filled: either its edge is one connected piece that runs
along the four sides of its own bounding box (whatever text touches it from inside), or its inside
is one even piece that does (whatever touches its edge from outside). One or the other holds for
GTK, Tk and browsers, light and dark; the page around the fields is such a piece too, but it
begins before the label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import cv2
import numpy as np

from computer_vision.edges import edges_of, is_straight
from computer_vision.reader import Region

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

    Mask = NDArray[uint8]

Side = Literal["right", "below"]

NARROWEST, LOWEST = 24, 10  # pixels of a field's inside
SLACK: Final = 3  # pixels that boxes of labels and fields may be wrong

# In heights of the label:
FARTHEST_RIGHT: Final = 40.0
FARTHEST_BELOW: Final = 2.0
TALLEST: Final = 20.0
MARKS: Final = 1.6  # width of what may stand between label and field: a colon, a star
TICK_REACH: Final = 2.5

TICK_INSET: Final = 0.24  # of a tick box's side: its border, and the rounding of a radio button
TICK_LEVELS: Final = 40  # by which a mark stands out from the box that it is in
TICK_SHARE: Final = 0.06  # of what is inside


def field_beside(pixels: Pixels, label: Region, *, side: Side | None = None) -> Region | None:
    """The inside of the field to the right of a label or directly below it, in pixels, or ``None``.

    Without ``side`` the nearer one counts. Other text between label and field means that the field
    belongs to that text, and is no match.
    """
    edges = edges_of(pixels)
    candidates = _boxes(edges, label)
    found: list[_Candidate] = []
    if side != "below":
        found += [
            _Candidate(gap, box) for box in candidates if (gap := _right_of(label, box, edges)) is not None
        ]
    if side != "right":
        found += [
            _Candidate(gap, box) for box in candidates if (gap := _below(label, box, edges)) is not None
        ]
    return min(found).box if found else None


def tick_beside(pixels: Pixels, label: Region) -> Region | None:
    """The tick box or radio button to the left of a label, in pixels, or ``None``."""
    reach = round(TICK_REACH * label.height) + SLACK
    left, top = max(0, label.left - reach), max(0, label.top - label.height)
    around = np.s_[top : label.bottom + label.height, left : max(left, label.left - 1)]
    edges = edges_of(pixels)[around]
    if edges.size == 0:
        return None
    _, _, stats, _ = cv2.connectedComponentsWithStats(edges, connectivity=8)
    boxes = [Region(left + int(x), top + int(y), int(w), int(h)) for x, y, w, h, _ in stats[1:]]
    ticks = [box for box in boxes if _is_tick(box, label)]
    return max(ticks, key=lambda box: box.right, default=None)


def boxes_near(pixels: Pixels, label: Region) -> list[Region]:
    """Everything on a picture that may be a field or a button beside a text of that height, in pixels."""
    return _boxes(edges_of(pixels), label)


def is_ticked(pixels: Pixels, region: Region) -> bool:
    """Whether a tick box or radio button has a mark in it, by its region, in pixels.

    An empty one is even inside; a tick, a dot or a dash is not.
    """
    inset = max(3, round(TICK_INSET * min(region.width, region.height)))
    rows = slice(region.top + inset, region.bottom - inset)
    inside = pixels[rows, region.left + inset : region.right - inset, :3]
    if inside.size == 0:
        return False
    commonest = np.median(inside.reshape(-1, 3), axis=0)
    marked = np.abs(inside.astype(np.int16) - commonest).max(axis=2) > TICK_LEVELS
    return bool(marked.mean() > TICK_SHARE)


class _Candidate(NamedTuple):
    distance: float
    box: Region


def _boxes(edges: Mask, label: Region) -> list[Region]:
    """What may be fields by its size and its straight sides."""
    outlines = [
        # An edge covers the pixels on both its sides: the field begins one further in.
        Region(box.left + 1, box.top + 1, box.width - 2, box.height - 2)
        for box in _straight_pieces(edges, label, connectivity=8)
    ]
    insides = [
        Region(box.left - 1, box.top - 1, box.width + 2, box.height + 2)
        for box in _straight_pieces(1 - edges, label, connectivity=4)
    ]
    return outlines + insides


def _straight_pieces(mask: Mask, label: Region, connectivity: int) -> list[Region]:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=connectivity)
    widths, heights = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    lowest = max(LOWEST, round(0.8 * label.height))
    fits = (widths >= NARROWEST) & (heights >= lowest) & (heights <= TALLEST * label.height)
    fits[0] = False  # the pixels that are not of the mask
    pieces = np.asarray(labels)
    boxes = [Region(*(int(value) for value in stats[index][:4])) for index in np.flatnonzero(fits)]
    return [
        box
        for index, box in zip(np.flatnonzero(fits), boxes, strict=True)
        if is_straight(pieces[box.top : box.bottom, box.left : box.right] == index)
    ]


def _right_of(label: Region, box: Region, edges: Mask) -> float | None:
    """How far right of the label the box is, ``None`` when it is not on its line or not free to see."""
    gap = box.left - label.right
    middle = label.top + label.height / 2
    if not -SLACK <= gap <= FARTHEST_RIGHT * label.height or not box.top <= middle <= box.bottom:
        return None
    between = edges[label.top : label.bottom, label.right + 2 : box.left - SLACK]
    return None if _has_text(np.asarray(between.any(axis=0)), label) else float(gap)


def _below(label: Region, box: Region, edges: Mask) -> float | None:
    """How far below the label the box is, ``None`` when it is not its own."""
    gap = box.top - label.bottom
    indent = box.left - label.left
    under = indent <= label.height and box.right > label.left + label.width / 2
    starts = abs(indent) <= 1.5 * label.height or box.right >= label.right > box.left
    if not -SLACK <= gap <= FARTHEST_BELOW * label.height or not (under and starts):
        return None
    between = edges[label.bottom + 2 : box.top - SLACK, label.left : label.right]
    return None if _has_text(np.asarray(between.any(axis=1)), label) else 3.0 * max(gap, 0) + abs(indent)


def _has_text(inked: NDArray[np.bool_], label: Region) -> bool:
    return bool(inked.sum() > MARKS * label.height)


def _is_tick(box: Region, label: Region) -> bool:
    """Nearly square, about as high as the label, on its line."""
    low, high = sorted((box.width, box.height))
    middle = box.top + box.height / 2
    return (
        low >= 0.75 * high
        and max(8.0, 0.8 * label.height) <= high <= 2.4 * label.height
        and label.top - SLACK <= middle <= label.bottom + SLACK
    )
