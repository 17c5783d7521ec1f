"""Numbers of elements in a model's call, as places: each number is good for the observation it was shown with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.models.dialects.arguments import BadCall
from computer_api.errors import ComputerError
from computer_api.settle import differ

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.step import Observation
    from computer_api.computer import Computer
    from computer_api.elements import ScreenElement
    from computer_api.screenshot import Screenshot

FIELDS: dict[str, tuple[str, str]] = {
    "element": ("integer", "Instead of x and y: the number of an element, as it was shown newest."),
    "to_element": ("integer", "drag, instead of to_x and to_y: the number of the element to end on."),
}
"""The fields that a tool has beside the others where elements are numbered."""

_NUMBER = re.compile(r"\s*\[?\s*#?(\d+)\s*\]?\s*")
_AROUND = 2  # points around an element that must look as they did


def placed(
    given: Mapping[str, object], seen: Observation
) -> tuple[dict[str, object], tuple[ScreenElement, ...]]:
    """The arguments with each number replaced by the middle of its element; and these elements. Raises ``BadCall``."""
    arguments, meant = dict(given), []
    for name, (across, down) in {"element": ("x", "y"), "to_element": ("to_x", "to_y")}.items():
        asked = arguments.pop(name, None)
        if asked in (None, "", 0) or arguments.get(across) not in (None, "", 0):
            continue
        element = _numbered(name, asked, seen)
        meant.append(element)
        arguments |= {across: element.pixel.x, down: element.pixel.y}
    return arguments, tuple(meant)


def check_still(computer: Computer, element: ScreenElement, seen: Screenshot) -> None:
    """Raise ``ComputerError`` unless the element is still what it was when it was shown.

    It is when it looks as it did, or when such an element is listed there now: a button that was enabled meanwhile,
    a field that was filled.
    """
    now = computer.look()
    box = element.box.shared(seen.box)
    if now.layout == seen.layout and box is not None:
        before, after = (one.part(box.grown(_AROUND)) for one in (seen, now))
        if not differ(before, after):
            return
        listed = computer.elements(now, seconds=0.5).items
        if any(_alike(element, one) for one in listed):
            return
    raise ComputerError(
        f'Element {element.number} ({element.role} "{element.name}") is not there as it was when it was shown, '
        "so nothing was done. Look again: numbers are new with each look."
    )


def _numbered(name: str, asked: object, seen: Observation) -> ScreenElement:
    items = () if seen.elements is None else seen.elements.items
    written = _NUMBER.fullmatch(str(asked))
    if isinstance(asked, bool) or written is None:
        raise BadCall(f'"{name}" is the number of an element, such as 12, not {asked!r}.')
    found = next((one for one in items if one.number == int(written[1])), None)
    if found is None:
        there = f"they go from 1 to {items[-1].number}" if items else "none was shown"
        raise BadCall(f"No element has the number {written[1]} on the newest screen; {there}.")
    return found


def _alike(one: ScreenElement, other: ScreenElement) -> bool:
    smaller = min(one.box.width * one.box.height, other.box.width * other.box.height)
    return (one.role, one.name) == (other.role, other.name) and 10 * one.box.overlap(other.box) >= 7 * smaller
