"""Controls by the words on them and by what programs say; the words on the screen decide, the tree gives boxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from computer_api.fields import (
    FIELD_ROLES,
    drawn_near,
    field_of,
    takes_a_value,
    tick_of,
    ticks_beside,
)
from computer_api.geometry import Box
from computer_api.labels import longer_label, other_label, phrase_around
from computer_api.sight import holds
from computer_api.targets import Match
from computer_api.verifying import doubt, misplaced

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from computer_api.sight import Sight
    from computer_platform.desktop import Element

ROLES: dict[str, frozenset[str]] = {
    "field": FIELD_ROLES,
    "button": frozenset({"push button", "button", "toggle button", "menu button", "push button menu"}),
    "tick": frozenset({"check box", "radio button", "toggle button", "switch", "check menu item"}),
    "menu": frozenset({"menu", "menu item", "check menu item", "radio menu item"}),
    "list": frozenset({"list item", "table cell", "tree item", "combo box"}),
    "link": frozenset({"link"}),
}
"""Plain kinds of control and the AT-SPI roles that each covers."""

CONTAINERS = frozenset(
    {"application", "dialog", "document web", "filler", "frame", "panel", "scroll pane", "window"}
)
_PART_OF_A_WORD = 0.5  # what a hit inside a longer word scores at most: "Subscribe" is not in "Unsubscribe"
_AS_GOOD = 0.02  # a reading that scores so little less is as good


Inside = Callable[[Match], bool]
"""Whether a match lies where it is sought: in a window, in a dialog, in a box."""


def texts(
    sight: Sight, words: str, inside: Inside, *, exact: bool = False, label: bool = False
) -> list[Match]:
    """Where the text stands: the exact readings if there are any, else those with OCR slips.

    A part of a control's longer label is not it; of a ``label`` beside a control, the beginning is.
    """
    from computer_vision.lines import find
    from computer_vision.regions import union

    found = []
    for hit in find(sight.lines, words, exact=exact):
        if hit.score <= _PART_OF_A_WORD:
            continue
        # a field begins where all of its label ends, not where the words do
        region = union((hit.region, phrase_around(sight.lines, hit.region)[1])) if label else hit.region
        match = Match(box=sight.screenshot.box_of(region), text=hit.text, score=hit.score, source="text")
        if not inside(match):
            continue
        whole = (other_label if label else longer_label)(sight, hit.region, hit.text)
        if whole is None:
            found.append(match)
        else:
            kind = "label" if label else "control"
            sight.longer.append(whole)
            sight.doubts.append(f'"{hit.text}" is only a part of the {kind} "{whole}".')
    best = max((match.score for match in found), default=0.0)
    return [match for match in found if match.score >= best - _AS_GOOD]


def named(sight: Sight, names: Collection[str], role: str | None, inside: Inside) -> list[Match]:
    """Controls that say one of these names to assistive technology, where nothing speaks against their place."""
    found = []
    for element in (one for name in names for one in sight.named(name, _roles(role))):
        if not _is(element, role):
            continue
        # before where it is looked for: one that a window covers lies in none of the others
        why = misplaced(sight, element)
        if why is not None:
            sight.doubts.append(doubt(sight, element, why))
        elif inside(match := _match(element)):
            found.append(match)
    return found


def controls(sight: Sight, name: str, role: str | None, inside: Inside) -> list[Match]:
    """Controls of a kind by the words in them."""
    found = texts(sight, name, inside)
    if found:
        held = _all_held(sight, found, sight.named(name, _roles(role)), role)
        if len(held) < len(found):  # a label of more words, or a program that calls it otherwise
            held = _all_held(sight, found, sight.elements, role)
        if held:
            return held
    if role == "tick":
        return [tick_of(sight, text) for text in found]
    return found or named(sight, (name,), role, inside)


def _all_held(sight: Sight, found: Sequence[Match], told: Sequence[Element], role: str | None) -> list[Match]:
    boxes = [Box(*element.area) for element in told if _is(element, role)]
    return [one for text in found if (one := _held(sight, text, boxes)) is not None]


def _held(sight: Sight, text: Match, boxes: Sequence[Box]) -> Match | None:
    """The smallest control around the words; the words themselves where its middle is another window's."""
    holding = [box for box in boxes if holds(box, text.box)]
    if not holding:
        return None
    box = min(holding, key=lambda box: box.width * box.height)
    seen = sight.window_at(box.center) == sight.window_at(text.point)
    return replace(text, box=box) if seen else text


def fields(sight: Sight, name: str, inside: Inside) -> list[Match]:
    """What takes text and belongs to a label: in it, right of it, or below it.

    What a field holds labels nothing: a field that says "Digits" is not the one called so.
    """
    told = [element for element in sight.elements if takes_a_value(element)]
    labels = [
        label
        for label in texts(sight, name, inside, label=True)
        if not any(_is_content(label, element) for element in told)
    ]
    boxes = [Box(*element.area) for element in told]
    found = [field_of(sight, label, boxes) for label in labels]
    return [one for one in found if one is not None] if labels else named(sight, (name,), "field", inside)


def _is_content(label: Match, field: Element) -> bool:
    """Whether words stand in a field because it holds them; the hint in an empty field names it."""
    if not holds(Box(*field.area), label.box):
        return False
    return _letters(label.text) in _letters(field.value)


def _letters(text: str) -> str:
    """As readers and programs may be compared: what a reader takes for a blank is nothing."""
    return "".join(text.casefold().split())


def unnamed(sight: Sight, role: str | None, anchors: Sequence[Box]) -> list[Match]:
    """Every control of a kind: what programs tell, and what is drawn around the places that it is sought from."""
    told = [
        _match(element)
        for element in sight.elements
        if _is(element, role)
        and (role != "field" or takes_a_value(element))
        and misplaced(sight, element) is None
    ]
    drawn: list[Match] = []
    if role == "tick":
        drawn = ticks_beside(sight, anchors)
    elif role in ("field", "button"):
        drawn = drawn_near(sight, anchors, buttons=role == "button")
    if role == "tick":  # what programs tell is often the label too
        return drawn + [one for one in told if not any(holds(one.box, tick.box) for tick in drawn)]
    return told + [one for one in drawn if not any(one.box.overlap(other.box) for other in told)]


def _is(element: Element, role: str | None) -> bool:
    """Whether a control is of a kind; of none in particular, whether it is more than a container."""
    if role is None:
        return element.role not in CONTAINERS
    return element.role in ROLES.get(role, frozenset({role})) or (role == "field" and takes_a_value(element))


def _roles(role: str | None) -> frozenset[str] | None:
    """The AT-SPI roles of a kind, where they alone say whether a control is of it."""
    return None if role in (None, "field") else ROLES.get(role or "", frozenset({role or ""}))


def _match(element: Element) -> Match:
    return Match(box=Box(*element.area), text=element.name, score=0.9, source="accessibility")
