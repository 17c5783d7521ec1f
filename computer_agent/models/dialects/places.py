"""Places as models write them in text, and drags that begin where the pointer is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.models.dialects.arguments import BadCall
from computer_api.actions import Drag, MouseDown, MouseUp, Move
from computer_api.geometry import Pixel

if TYPE_CHECKING:
    from computer_agent.models.coordinates import Number, Space
    from computer_agent.step import Answer
    from computer_api.actions import Action, Button
    from computer_api.geometry import Size
    from computer_api.targets import Target

_WRAPPERS = re.compile(
    r"<\|box_start\|>|<\|box_end\|>|<\|begin_of_box\|>|<\|end_of_box\|>|</?(?:point|bbox|box)>"
)
_BETWEEN = re.compile(r"[\s,;()\[\]]+")
_NUMBER = re.compile(r"-?(?:\d{1,12}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE]-?\d{1,2})?")
_LONGEST = 200  # characters of a place


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture that a model's numbers are meant on: how it counts, and its size, ``None`` if none was shown."""

    space: Space
    size: Size | None

    def pixel(self, given: object) -> Pixel:
        """The pixel of a place in any of the notations. Raises ``BadCall``."""
        x, y = point_of(given)
        if self.size is None:
            raise BadCall("No picture of the screen was shown, so there are no places on it.")
        return self.space.pixel(x, y, self.size)

    def numbers(self, target: Target | None) -> tuple[Number, Number] | None:
        """What the model would write for a target; ``None`` for one that is no place on a picture."""
        if self.size is None or not isinstance(target, Pixel):
            return None
        return self.space.numbers(target, self.size)


def point_of(given: object) -> tuple[float, float]:
    """The point that a text, a list or ``{"x": .., "y": ..}`` holds, or the middle of its box. Raises ``BadCall``."""
    numbers = _numbers(given)
    match numbers:
        case [x, y]:
            return x, y
        case [left, top, right, bottom]:
            return (left + right) / 2, (top + bottom) / 2
        case _:
            raise BadCall(f'A place is two numbers such as (512, 384), not "{_start(given)}".')


def drag_to(decisions: list[Action | Answer], end: Pixel, button: Button = "left") -> None:
    """Add a drag from where the pointer is; after a move, which says where that is, both become one action."""
    last = decisions[-1] if decisions else None
    if isinstance(last, Move):
        decisions[-1] = Drag(start=last.target, end=end, button=button)
    else:
        decisions += [MouseDown(button=button), Move(target=end), MouseUp(button=button)]


def written(numbers: tuple[Number, Number], form: str) -> str:
    """The numbers in a form such as ``({x},{y})``, without exponents."""
    x, y = (f"{number:.8f}".rstrip("0").rstrip(".") for number in numbers)
    return form.format(x=x or "0", y=y or "0")


def _numbers(given: object) -> list[float]:
    if isinstance(given, dict):
        given = [given.get("x"), given.get("y")]
    if isinstance(given, str):
        if len(given) > _LONGEST:
            return []
        words = [word for word in _BETWEEN.split(_WRAPPERS.sub(" ", given)) if word]
        return [float(word) for word in words] if all(map(_NUMBER.fullmatch, words)) else []
    if isinstance(given, list | tuple):
        found: list[float] = []
        for item in given[:5]:
            found += [float(item)] if _is_number(item) else _numbers(item)
        return found
    return []


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < 1e12  # noqa: PLR2004 - no place is so far


def _start(given: object) -> str:
    text = str(given)
    return text if len(text) <= 80 else f"{text[:79]}…"  # noqa: PLR2004 - enough to recognise it
