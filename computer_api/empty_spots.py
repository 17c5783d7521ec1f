"""A place with no words and no label, found again by its window and by the texts around it, or told as lost.

In a window of the same size it is the same place, if most of the texts around it are there and none is elsewhere. In
one of another size, they all have to say the same place. Of a wheel any place of the same scrolling area will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from computer_api.control_path import path_at, role_of
from computer_api.errors import AmbiguousError, NotFoundError
from computer_api.geometry import Box, Point
from computer_api.sight import folded, smallest
from computer_api.targets import Match
from computer_api.telling_apart import words_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_api.sight import Sight
    from computer_api.targets import AnchoredTarget, Anchors
    from computer_platform.desktop import Window

_MOST = 8  # texts that are kept
_SHORTEST = 2  # letters of a text
_OFF_POINTS = 4  # a box that is read anew may be that much off
_NEAR_POINTS = 300  # how far the closest text may be that says where a place is
_EMPTY_POINTS = 14  # around a place in which there is nothing: some less than of what is kept as its picture
_FEWEST = 2  # texts that tell where a place is in a window of another size
_FEWEST_SCALED = 3  # where all of it is larger or smaller
_SCALES = (0.45, 2.2)  # how much smaller and larger it may be
_SCROLLED = frozenset(
    {
        *(
            "document web",
            "document frame",
            "document text",
            "document spreadsheet",
            "terminal",
            "text",
            "entry",
        ),
        *("scroll pane", "viewport", "tree table", "table", "tree", "list", "list box", "layered pane"),
    }
)
AREAS = _SCROLLED - {"terminal"} | {
    *("application", "dialog", "alert", "filler", "frame", "panel", "window", "internal frame", "split pane"),
    *(
        "section",
        "grouping",
        "landmark",
        "form",
        "canvas",
        "drawing area",
        "root pane",
        "unknown",
        "directory pane",
    ),
}
"""Kinds whose middle is another place than one that lies in them, whatever their name is; in a terminal it is none."""
_TURNED = frozenset({"spin button", "combo box", "slider", "page tab", "page tab list", "scroll bar"})


class Spotted(TypedDict, total=False):
    """The fields of ``Anchors`` that are about an empty place."""

    spot: tuple[int, ...]
    texts: tuple[str, ...]
    boxes: tuple[Box, ...]


def spotted(point: Point, sight: Sight) -> Spotted:
    """Where in its window a place is, and what stands around it; nothing where no window is."""
    window = sight.window_at(point)
    if window is None or point not in (area := Box(*window.area)):
        return {}
    around = sorted(_texts(window, sight), key=lambda one: _distance(one[1], point))[:_MOST]
    return {
        "spot": (point.x - area.left, point.y - area.top, area.width, area.height),
        "texts": tuple(text for text, _ in around),
        "boxes": tuple(
            Box(box.left - point.x, box.top - point.y, box.width, box.height) for _, box in around
        ),
    }


def by_spot(target: AnchoredTarget, sight: Sight) -> Match:
    """The place in the window that it was in. Raises ``NotFoundError`` and ``AmbiguousError``."""
    anchors = target.anchors
    if not anchors.spot:
        raise NotFoundError("A place with no words and nothing drawn in it cannot be found again.")
    window = _home(anchors, sight)
    point = _point_in(anchors, window, sight, area=target.area)
    why = "" if point is None else _taken(anchors, window, point, sight, area=target.area)
    if (point is None or why) and target.area and (area := _scrolling(anchors, window, sight)) is not None:
        point, why = area, ""
    if point is None:
        raise NotFoundError(
            f'The place in the window "{window.title}" had no words, and nobody can tell where it is now: '
            "the window has another size, or other texts stand in it."
        )
    if why:
        raise NotFoundError(f'The place in the window "{window.title}" had no words, and now {why}.')
    return Match(box=Box(point.x, point.y, 1, 1), text="", score=0.8, source="window")


def _home(anchors: Anchors, sight: Sight) -> Window:
    """The window that it was in: that of its title, or else the only one of its program."""
    shown = [one for one in sight.windows if one.app == anchors.program and not one.hidden]
    titled = [one for one in shown if folded(one.title) == folded(anchors.window)]
    found = titled or shown
    if not found:
        raise NotFoundError(f'There is no window "{anchors.window}" of "{anchors.program}", in which it was.')
    if len(found) > 1:
        titles = tuple(f'"{one.title}"' for one in found)
        raise AmbiguousError(
            f"A place without words may be in any of {len(found)} windows: {', '.join(titles)}.", titles
        )
    return found[0]


@dataclass(frozen=True, slots=True)
class _Seen:
    """Where a text was seen from the place, and where it may be now: the middles of their boxes."""

    then: Point
    now: tuple[Point, ...]


def _point_in(anchors: Anchors, window: Window, sight: Sight, *, area: bool) -> Point | None:
    """Where the place is in that window now; None where nobody can tell."""
    right, down, *size = anchors.spot
    same = Point(window.area.left + right, window.area.top + down)
    is_same = size == [window.area.width, window.area.height]
    if is_same and area:
        return same
    seen = _seen(anchors, window, sight)
    row = {box.center for box in anchors.boxes if box.top <= 0 < box.bottom}
    if not row <= {one.then for one in seen}:  # what it is about may be gone
        return None
    if not is_same:
        return _told(anchors, seen)
    if not anchors.texts:
        return same if folded(window.title) == folded(anchors.window) else None
    there = all(any(_off(one, same, now) <= _OFF_POINTS for now in one.now) for one in seen)
    return same if there and 2 * len(seen) > len(anchors.texts) else None


def _seen(anchors: Anchors, window: Window, sight: Sight) -> list[_Seen]:
    """The recorded texts that stand in the window now."""
    now = [(words_in((text,)), box.center) for text, box in _texts(window, sight)]
    pairs = zip(anchors.texts, anchors.boxes, strict=False)
    found = [
        _Seen(box.center, tuple(at for words, at in now if words == words_in((text,)))) for text, box in pairs
    ]
    return [one for one in found if one.now]


def _off(seen: _Seen, point: Point, now: Point) -> float:
    """How far a text is from where it stands if the place is there."""
    return max(abs(now.x - point.x - seen.then.x), abs(now.y - point.y - seen.then.y))


def _told(anchors: Anchors, seen: Sequence[_Seen]) -> Point | None:
    """Where the texts say that the place is, if all that are there once say the same, and most are there."""
    sure = [one for one in seen if len(one.now) == 1]
    if len(sure) < _FEWEST or 2 * len(sure) <= len(anchors.texts):
        return None
    if min(max(abs(one.then.x), abs(one.then.y)) for one in sure) > _NEAR_POINTS:
        return None
    scale = _scale(sure) if len(sure) >= _FEWEST_SCALED else 1.0
    for by in (1.0, scale):
        across = [one.now[0].x - by * one.then.x for one in sure]
        down = [one.now[0].y - by * one.then.y for one in sure]
        if max(max(across) - min(across), max(down) - min(down)) <= 2 * _OFF_POINTS:
            return Point(round(sum(across) / len(sure)), round(sum(down) / len(sure)))
    return None


def _scale(sure: Sequence[_Seen]) -> float:
    """How many times as far the texts lie from each other as they did."""
    spread = _spread([one.then for one in sure])
    by = _spread([one.now[0] for one in sure]) / spread if spread else 1.0
    return by if _SCALES[0] <= by <= _SCALES[1] else 1.0


def _spread(points: Sequence[Point]) -> float:
    across, down = [one.x for one in points], [one.y for one in points]
    return float(max(across) - min(across) + max(down) - min(down))


def _taken(anchors: Anchors, window: Window, point: Point, sight: Sight, *, area: bool) -> str:
    """Why the place is not what it was, as the end of a sentence; ``""`` if nothing speaks against it."""
    if point not in Box(*window.area):
        return "it would be outside of it"
    if sight.window_at(point) != window:
        return "another window lies on it"
    here = smallest(one for one in sight.elements if point in Box(*one.area))
    if area:
        return f"a {here.role} is there" if here is not None and here.role in _TURNED else ""
    there = next((text for text, box in sight.texts if point in box), None)
    if there is not None:
        return f'"{there}" stands there'
    then = role_of(anchors.path[-1]) if anchors.path else "frame"  # of which no program says what is in it
    if then != "frame" and (now := path_at(point, sight)) and role_of(now[-1]) != then:
        return f"a {role_of(now[-1])} is there"
    empty = anchors.look or sight.is_empty(Box(point.x, point.y, 1, 1).grown(_EMPTY_POINTS))
    return "" if empty else "something is drawn there"


def _scrolling(anchors: Anchors, window: Window, sight: Sight) -> Point | None:
    """The middle of the scrolling area that a place lay in, if the window has one of its kind."""
    kinds = [role for entry in reversed(anchors.path) if (role := role_of(entry)) in _SCROLLED]
    if not kinds:
        return None
    boxes = [
        shared
        for one in sight.elements
        if one.role == kinds[0] and one.pid in (None, window.pid)
        if (shared := Box(*one.area).shared(Box(*window.area))) is not None
    ]
    if len(boxes) != 1:
        return None
    point = boxes[0].center
    return None if _taken(anchors, window, point, sight, area=True) else point


def _texts(window: Window, sight: Sight) -> list[tuple[str, Box]]:
    """What can be read in a window, without its frame: words, not single signs."""
    inside = Box(*window.area)
    return [
        (text, box)
        for text, box in sight.texts
        if box.center in inside
        and sum(map(str.isalnum, text)) >= _SHORTEST
        and sight.window_at(box.center) == window
    ]


def _distance(box: Box, point: Point) -> int:
    across = max(box.left - point.x, point.x - box.right, 0)
    down = max(box.top - point.y, point.y - box.bottom, 0)
    return across + down
