"""Fields and tick boxes: those that a label names, and those that lie somewhere from something else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.relations import gap_between
from computer_api.sight import holds
from computer_api.targets import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_api.sight import Sight
    from computer_platform.desktop import Element
    from computer_vision.reader import Region

FIELD_ROLES = frozenset(
    {"text", "password text", "entry", "editbar", "spin button", "combo box", "date editor"}
)
_WRITABLE = frozenset({"section", "paragraph", "document text", "panel", "text frame", "autocomplete"})
"""What is a field only where a program says that it can be written in, as a page's ``contenteditable``."""

_BESIDE_POINTS = 400  # how far right of its label a field may begin
_BELOW_POINTS = 48  # how far under its label a field may begin
_TOUCH_POINTS = 8  # how much boxes that only touch may overlap, since readers draw them generously
_MARK = 1.2  # of a label's height: what a tick box takes of it that was read as a letter
_NEAR_POINTS = 400  # how far from something a drawn field may be that is named by its place alone


def takes_a_value(element: Element) -> bool:
    """Whether a control is a field: of such a role, and either editable or a list to choose from."""
    if element.role in _WRITABLE:
        return {"editable", "focusable"} <= element.states
    return element.role in FIELD_ROLES and (element.role == "combo box" or "editable" in element.states)


def field_of(sight: Sight, label: Match, boxes: Sequence[Box]) -> Match | None:
    """The field that a label names: of the boxes that programs tell, or one that is drawn."""
    box = belonging(label.box, boxes)
    if box is not None:
        return replace(label, box=box, source="accessibility")
    box = _drawn_field(sight, label.box)
    return None if box is None else replace(label, box=box, score=label.score * 0.9, source="field")


def belonging(label: Box, fields: Sequence[Box]) -> Box | None:
    """The field that a label names: around the label, else beginning nearest right of it, else nearest below."""
    holding = [box for box in fields if holds(box, label)]
    if holding:
        return min(holding, key=lambda box: box.width * box.height)
    middle = label.center.y
    beside = [
        box
        for box in fields
        if box.top <= middle < box.bottom
        and label.right - _TOUCH_POINTS <= box.left <= label.right + _BESIDE_POINTS
    ]
    if beside:
        return min(beside, key=lambda box: box.left)
    below = [
        box
        for box in fields
        if label.bottom - _TOUCH_POINTS <= box.top <= label.bottom + _BELOW_POINTS
        and box.left - 24 <= label.left <= box.right
    ]
    return min(below, key=lambda box: box.top, default=None)


def _drawn_field(sight: Sight, label: Box) -> Box | None:
    """The box drawn right of a label, else the one below it, unless that is a button with words of its own."""
    from computer_vision.fields import field_beside

    screenshot = sight.screenshot
    region = screenshot.region_of(label)
    beside = field_beside(screenshot.frame.pixels, region, side="right")
    if beside is not None:
        return screenshot.box_of(beside)
    below = field_beside(screenshot.frame.pixels, region, side="below")
    if below is None:
        return None
    box = screenshot.box_of(below)
    return None if any(hugs(box, text) for _, text in sight.texts) else box


def drawn_near(sight: Sight, anchors: Sequence[Box], *, buttons: bool) -> list[Match]:
    """The boxes drawn around some places: those with words in their middle, which are buttons, or the others."""
    from computer_vision.fields import boxes_near

    screenshot, found = sight.screenshot, list[Box]()
    for anchor in anchors:
        region = screenshot.region_of(anchor)
        if region.width and region.height:
            boxes = map(screenshot.box_of, boxes_near(screenshot.frame.pixels, region))
            found += [
                box for box in boxes if gap_between(box, anchor) <= _NEAR_POINTS and not holds(box, anchor)
            ]
    wanted = [box for box in found if any(hugs(box, text) for _, text in sight.texts) is buttons]
    return [
        Match(box=box, text=_written(sight, box), score=0.8, source="field") for box in _outermost(wanted)
    ]


def tick_of(sight: Sight, label: Match) -> Match:
    """The tick box drawn left of a label; the label itself where none is seen."""
    region = _tick(sight, label.box, right=False)
    if region is None and label.text and not label.text[0].isalnum():  # the box was read as its first letter
        mark = round(_MARK * label.box.height)
        words = replace(label.box, left=label.box.left + mark, width=max(1, label.box.width - mark))
        region = _tick(sight, words, right=False)
    return label if region is None else replace(label, box=sight.screenshot.box_of(region), source="field")


def ticks_beside(sight: Sight, anchors: Sequence[Box]) -> list[Match]:
    """The tick boxes drawn left and right of some places."""
    found = [_tick(sight, anchor, right=right) for anchor in anchors for right in (False, True)]
    return [
        Match(box=sight.screenshot.box_of(region), text="", score=0.8, source="field")
        for region in found
        if region is not None
    ]


def _tick(sight: Sight, label: Box, *, right: bool) -> Region | None:
    from computer_vision.fields import tick_beside

    pixels, region = sight.screenshot.frame.pixels, sight.screenshot.region_of(label)
    if not right:
        return tick_beside(pixels, region)
    width = pixels.shape[1]  # as in a mirror
    seen = tick_beside(pixels[:, ::-1].copy(), region._replace(left=width - region.right))
    return None if seen is None else seen._replace(left=width - seen.right)


def hugs(box: Box, text: Box) -> bool:
    """Whether a box is drawn around a text, as a button is: the text inside it, in its middle, filling it."""
    margins = text.left - box.left, box.right - text.right
    return (
        holds(box, text)
        and abs(margins[0] - margins[1]) <= max(_TOUCH_POINTS, box.width // 10)
        and 2 * text.width >= box.width
    )


def _written(sight: Sight, box: Box) -> str:
    return " ".join(text for text, around in sight.texts if holds(box, around))


def _outermost(boxes: Sequence[Box]) -> list[Box]:
    """Each drawn box once: the inside and the outline of one are two."""
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda box: -box.width * box.height):
        if not any(2 * box.overlap(other) > box.width * box.height for other in kept):
            kept.append(box)
    return kept
