"""Fields, buttons and tick boxes as they are drawn, all of a picture at once: for programs that describe none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import cv2
import numpy as np

from computer_vision.edges import edges_of, is_straight
from computer_vision.reader import Region
from computer_vision.regions import overlap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import uint8
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

NARROWEST, LOWEST, HIGHEST = 24, 12, 72  # pixels of a field or button; what is higher holds several lines
SLACK: Final = 4  # pixels that boxes may be wrong
TICK_SMALLEST, TICK_LARGEST = 8, 30

# In heights of the label:
FARTHEST_RIGHT, FARTHEST_BELOW, TICK_REACH = 40.0, 2.0, 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A control as it is drawn: its region of the picture, and which of the given lines names it."""

    kind: Literal["field", "button", "tick"]
    region: Region
    line: int


def drawn(pixels: Pixels, lines: Sequence[Region]) -> tuple[Drawn, ...]:
    """The controls that lines of text name: buttons around one, fields beside or below one, ticks left of one.

    ``lines`` are the regions of all lines of the picture, in its pixels; so are those of the answer.
    """
    edges = edges_of(pixels)
    boxes = _boxes(edges)
    found: dict[Region, Drawn] = {}
    for box in boxes:
        control = _control(box, lines)
        if control is not None and not any(_same(box, other) for other in found):
            found[box] = control
    for line, label in enumerate(lines):
        tick = _tick(edges, label)
        if tick is not None and not any(overlap(tick, other) for other in found):
            found[tick] = Drawn(kind="tick", region=tick, line=line)
    return tuple(found.values())


def label_of(box: Region, lines: Sequence[Region]) -> int | None:
    """Which line names a field: the nearest left of it on its row, else the nearest above it that begins with it."""
    middle = box.top + box.height / 2
    left = [
        (box.left - label.right, number)
        for number, label in enumerate(lines)
        if label.top - SLACK <= middle <= label.bottom + SLACK
        and -SLACK <= box.left - label.right <= FARTHEST_RIGHT * label.height
    ]
    if left:
        return min(left)[1]
    above = [
        (box.top - label.bottom, number)
        for number, label in enumerate(lines)
        if -SLACK <= box.top - label.bottom <= FARTHEST_BELOW * label.height
        and abs(box.left - label.left) <= 1.5 * label.height
    ]
    return min(above)[1] if above else None


def _boxes(edges: NDArray[uint8]) -> list[Region]:
    """What has straight sides and the size of a control, smallest first: drawn as an outline, or filled."""
    outlines = [_grown(box, -1) for box in _straight(edges, connectivity=8)]
    insides = [_grown(box, 1) for box in _straight(1 - edges, connectivity=4)]
    return sorted(outlines + insides, key=lambda box: box.width * box.height)


def _straight(mask: NDArray[uint8], connectivity: int) -> Iterator[Region]:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=connectivity)
    pieces = np.asarray(labels)
    widths, heights = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    fits = (widths >= NARROWEST) & (heights >= LOWEST) & (heights <= HIGHEST) & (widths > heights)
    fits[0] = False  # the pixels that are not of the mask
    for index in np.flatnonzero(fits):
        box = Region(*(int(value) for value in stats[index][:4]))
        if is_straight(pieces[box.top : box.bottom, box.left : box.right] == index):
            yield box


def _control(box: Region, lines: Sequence[Region]) -> Drawn | None:
    inside = [number for number, line in enumerate(lines) if _holds(box, line)]
    if len(inside) == 1 and _hugs(box, lines[inside[0]]):
        return Drawn(kind="button", region=box, line=inside[0])
    if len(inside) > 1:
        return None
    label = label_of(box, lines)
    return None if label is None else Drawn(kind="field", region=box, line=label)


def _hugs(box: Region, text: Region) -> bool:
    """Whether a box is drawn around a text, as a button is: the text in its middle, and most of it."""
    left, right = text.left - box.left, box.right - text.right
    return abs(left - right) <= max(2 * SLACK, box.width // 8) and 4 * text.width >= box.width


def _tick(edges: NDArray[uint8], label: Region) -> Region | None:
    """The tick box or radio button to the left of a label."""
    reach = round(TICK_REACH * label.height) + SLACK
    left, top = max(0, label.left - reach), max(0, label.top - label.height // 2)
    around = edges[top : label.bottom + label.height // 2, left : max(left, label.left - 1)]
    if around.size == 0:
        return None
    _, _, stats, _ = cv2.connectedComponentsWithStats(np.ascontiguousarray(around), connectivity=8)
    boxes = [Region(left + int(x), top + int(y), int(w), int(h)) for x, y, w, h, _ in stats[1:]]
    middle = label.top + label.height / 2
    ticks = [
        box
        for box in boxes
        if min(box.width, box.height) >= TICK_SMALLEST
        and max(box.width, box.height) <= TICK_LARGEST
        and 4 * min(box.width, box.height) >= 3 * max(box.width, box.height)
        and abs(box.top + box.height / 2 - middle) <= label.height / 2
        and box.height >= 0.7 * label.height
        and _is_hollow(edges, box)
    ]
    return max(ticks, key=lambda box: box.right, default=None)


def _is_hollow(edges: NDArray[uint8], box: Region) -> bool:
    """Whether its middle third is as even as an empty box, or as even as a tick in one: letters and icons are not."""
    own = edges[box.top : box.bottom, box.left : box.right]
    rows, columns = box.height // 4, box.width // 4
    rim = np.concatenate((own[:3].ravel(), own[-3:].ravel(), own[:, :3].ravel(), own[:, -3:].ravel()))
    corner = own[3 : rows + 3, 3 : columns + 3]
    return bool(rim.mean() >= 0.6 and (corner.size == 0 or corner.mean() <= 0.75))  # noqa: PLR2004 - as drawn


def _holds(box: Region, line: Region) -> bool:
    return 10 * overlap(box, line) >= 7 * line.width * line.height


def _same(one: Region, other: Region) -> bool:
    """Whether two boxes are the same control: the outline and the inside of one, or one in the other."""
    return 10 * overlap(one, other) >= 6 * min(one.width * one.height, other.width * other.height)


def _grown(box: Region, by: int) -> Region:
    return Region(box.left - by, box.top - by, box.width + 2 * by, box.height + 2 * by)
