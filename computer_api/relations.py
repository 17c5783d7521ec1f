"""Where things lie, seen from others: right of, below, near, in; by their boxes alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import hypot
from typing import TYPE_CHECKING, NamedTuple, assert_never

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.geometry import Box
    from computer_api.targets import Match, Side

_TOUCH_POINTS = 8  # how much boxes that only touch may overlap, since readers draw them generously
_AS_CLOSE_POINTS = 4  # so much farther is no farther
_AS_NEAR = 0.1  # of the distance: so much farther is as near
_MOST = 256  # combinations of places that the relations may be seen from


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchored:
    """A relation with the places that it is seen from, in desktop points."""

    side: Side
    anchors: tuple[Box, ...]


class _Way(NamedTuple):
    """How a thing lies to an anchor: the smaller, the more it is what is meant."""

    apart: bool
    other_row: bool
    distance: float


def kept(
    found: Sequence[Match],
    relations: Sequence[Anchored],
    *,
    closest: bool,
    together: Callable[[Box, Box], bool] = lambda _one, _other: True,
) -> list[Match]:
    """Those matches that lie as the relations say; with ``closest`` only the closest, and those that are as close.

    Seen from several equal anchors, what is meant from each is kept, so that a doubt stays one. ``together`` says of
    two boxes whether they are in one window: what is in the anchor's own comes first.
    """
    best: dict[int, _Way] = {}
    for number, anchors in enumerate(product(*(relation.anchors for relation in relations))):
        if number == _MOST:
            break
        ways = {
            at: way
            for at, match in enumerate(found)
            if (way := _way(match.box, relations, anchors, together)) is not None
        }
        for at, way in _meant(ways, near=any(one.side == "near" for one in relations), closest=closest):
            best[at] = min(way, best.get(at, way))
    first = min((way[:2] for way in best.values()), default=None)
    return [match for at, match in enumerate(found) if at in best and best[at][:2] == first]


def _way(
    box: Box, relations: Sequence[Anchored], anchors: Sequence[Box], together: Callable[[Box, Box], bool]
) -> _Way | None:
    """How a box lies to one choice of anchors, all in all; None when it does not lie as one of them says."""
    ways = []
    for relation, anchor in zip(relations, anchors, strict=True):
        distance = distance_to(box, anchor, relation.side)
        if distance is None:
            return None
        other_row = relation.side == "near" and not same_row(box, anchor)
        ways.append(_Way(not together(box, anchor), other_row, distance))
    return _Way(
        any(way.apart for way in ways), any(way.other_row for way in ways), sum(w.distance for w in ways)
    )


def _meant(ways: dict[int, _Way], *, near: bool, closest: bool) -> list[tuple[int, _Way]]:
    """What is meant, seen from one choice of anchors."""
    if not ways:
        return []
    first = min(ways.values())
    there = [(at, way) for at, way in ways.items() if way[:2] == first[:2]]
    if not closest and not first.other_row:
        return there
    slack = max(_AS_CLOSE_POINTS, _AS_NEAR * first.distance if near else 0)
    return [(at, way) for at, way in there if way.distance <= first.distance + slack]


def distance_to(box: Box, anchor: Box, side: Side) -> float | None:
    """How far a box is from an anchor, in points, if it lies on that side of it; None if it does not.

    What is right or left shares a row with the anchor, what is above or below a column.
    """
    match side:
        case "in":
            return 0.0 if box != anchor and box.center in anchor else None
        case "near":
            return None if box == anchor else gap_between(box, anchor)
        case "right of":
            gap, shared = box.left - anchor.right, same_row(box, anchor)
        case "left of":
            gap, shared = anchor.left - box.right, same_row(box, anchor)
        case "below":
            gap, shared = box.top - anchor.bottom, same_column(box, anchor)
        case "above":
            gap, shared = anchor.top - box.bottom, same_column(box, anchor)
        case _:
            assert_never(side)
    touches = -min(_TOUCH_POINTS, min(box.width, anchor.width, box.height, anchor.height) // 2)
    return float(max(0, gap)) if shared and gap >= touches else None


def same_row(one: Box, other: Box) -> bool:
    """Whether half of the lower one is beside the other."""
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return 2 * shared >= min(one.height, other.height) > 0


def same_column(one: Box, other: Box) -> bool:
    """Whether half of the narrower one is above or below the other."""
    shared = min(one.right, other.right) - max(one.left, other.left)
    return 2 * shared >= min(one.width, other.width) > 0


def gap_between(one: Box, other: Box) -> float:
    """The distance between two boxes, in points; 0 where they touch or overlap."""
    across = max(one.left - other.right, other.left - one.right, 0)
    down = max(one.top - other.bottom, other.top - one.bottom, 0)
    return hypot(across, down)
