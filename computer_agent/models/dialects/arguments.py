"""Reading the arguments of a model's tool call: typed, with the slips that weak models are known for.

Tolerated: other names for a field, numbers as text, a point as ``[512, 384]``, ``"(512, 384)"`` or
``<point>512 384</point>``, a box where a point is asked (its middle), fields filled with null, "" or 0
that the action does not take. Not tolerated: anything that would need a guess about what is meant.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from computer_api.geometry import Box, Pixel
from computer_api.targets import ElementTarget, IconTarget, PictureTarget, Relation, TextTarget, within

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from computer_api.targets import Side, Target

RELATIONS: dict[str, Side] = {
    "near": "near",
    "right_of": "right of",
    "left_of": "left of",
    "above": "above",
    "below": "below",
    "within": "in",
}
"""The fields that say what a target lies beside."""


class BadCall(Exception):
    """A tool call cannot be read; the message tells the model what was wrong and what works."""


# What models say beside the call, and nobody needs.
_CHATTER = frozenset(
    {
        *("reason", "reasoning", "thought", "explanation", "intent", "description", "summary", "comment"),
        *("confidence", "element_description", "id"),
    }
)
_POINTS = (
    "coordinate",
    "coordinates",
    "position",
    "point",
    "bbox",
    "start_box",
    "start_coordinate",
    "start_point",
)
_END_POINTS = ("end_coordinate", "end_box", "end_point", "to_coordinate", "to", "destination")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_POINT = re.compile(
    r"\s*(?:<point>|<\|box_start\|>)?\s*[\[(]{0,2}[\d\s.,;()-]+[\])]{0,2}\s*(?:</point>|<\|box_end\|>)?\s*"
)


class Arguments:
    """The arguments of one call of ``action``; what is read is taken out, ``nothing_left`` checks the rest."""

    def __init__(self, action: str, given: Mapping[str, object]) -> None:
        self.action = action
        self._left = {name: value for name, value in given.items() if value is not None}

    def has(self, *names: str) -> bool:
        """Whether one of these fields was sent and holds something."""
        return any(self._left.get(name) not in (None, "", []) for name in names)

    def text(self, *names: str, required: bool = True) -> str:
        """The text under the first name that was sent; ``""`` when it may be missing."""
        found = self._take(names)
        if found is None:
            if required:
                raise self._bad(f'needs "{names[0]}"')
            return ""
        if isinstance(found, bool) or not isinstance(found, str | int | float):
            raise self._bad(f'needs text for "{names[0]}", not {found!r}')
        return str(found)

    def texts(self, *names: str) -> tuple[str, ...]:
        """A list of texts; a single text counts as one."""
        found = self._take(names)
        if found is None or found == "":
            return ()
        listed = found if isinstance(found, list) else [found]
        if not all(isinstance(item, str | int | float) for item in listed):
            raise self._bad(f'needs a list of texts for "{names[0]}", not {found!r}')
        return tuple(str(item) for item in listed)

    def number(self, *names: str, default: float | None = None) -> float:
        """A finite number, also when it was sent as text."""
        found = self._take(names)
        if found is None or found == "":
            if default is None:
                raise self._bad(f'needs the number "{names[0]}"')
            return default
        return self._finite(names[0], found)

    def whole(self, *names: str, default: int | None = None) -> int:
        """A whole number; ``3.0`` is one, ``3.5`` is not."""
        found = self.number(*names, default=default)
        if found != int(found):
            raise self._bad(f'needs a whole number for "{names[0]}", not {found}')
        return int(found)

    def flag(self, *names: str) -> bool:
        """True or false, also as a word; false when it was not sent."""
        found = self._take(names)
        if isinstance(found, str) and found.lower() in {"true", "yes", "1", "false", "no", "0", ""}:
            return found.lower() in {"true", "yes", "1"}
        if found is None or isinstance(found, bool) or found in (0, 1):
            return bool(found)
        raise self._bad(f'needs true or false for "{names[0]}", not {found!r}')

    def pixel(self) -> Pixel | None:
        """The place ``x``, ``y``, or a point under one of its other names; ``None`` when there is none."""
        return self._place(("x", "y"), _POINTS)

    def end_pixel(self) -> Pixel | None:
        """The place ``to_x``, ``to_y``."""
        return self._place(
            ("to_x", "to_y"), _END_POINTS, (("end_x", "end_y"), ("destination_x", "destination_y"))
        )

    def corners(self) -> tuple[Pixel, Pixel]:
        """Two opposite corners: ``x, y, to_x, to_y`` or a ``region`` of four numbers."""
        found = self._take(("region",))
        if found is not None:
            numbers = self._numbers("region", found)
            if len(numbers) != 4:  # noqa: PLR2004 - left, top, right, bottom
                raise self._bad(f"needs [left, top, right, bottom] for its region, not {found!r}")
            left, top, right, bottom = (self._column("region", number) for number in numbers)
            return Pixel(left, top), Pixel(right, bottom)
        start, end = self.pixel(), self.end_pixel()
        if start is None or end is None:
            raise self._bad('needs both corners: "x", "y", "to_x" and "to_y"')
        return start, end

    def target(self, *text_names: str, role: str | None = None) -> Target | None:
        """What to aim at; a place wins over a name. ``role`` is the kind of a label that has none given."""
        place = self.pixel()
        texts = (
            ("target", *text_names) if place is None else ("target",)
        )  # beside a place, "text" means keys or nothing
        named = self._named("", texts, role)
        return place or named

    def end_target(self) -> Target | None:
        """What a drag ends on."""
        place = self.end_pixel()
        return place or self._named("to_", ("to_target", "to_text"), None)

    def path(self, *names: str) -> tuple[Target, ...]:
        """A list of places: pairs of numbers, ``{"x": .., "y": ..}`` or visible texts; empty when it was not sent."""
        found = self._take(names)
        if found is None or found == "":
            return ()
        if not isinstance(found, list):
            raise self._bad(f'needs a list of places for "{names[0]}", not {found!r}')
        if found and all(isinstance(item, int | float) for item in found):
            found = [found[at : at + 2] for at in range(0, len(found), 2)]
        return tuple(
            TextTarget(place)
            if isinstance(place, str) and not _POINT.fullmatch(place)
            else self._middle(place)
            for place in found
        )

    def nothing_left(self) -> None:
        """Raise ``BadCall`` for fields that hold something and that this action does not take."""
        strange = [name for name, value in self._left.items() if value not in ("", 0, False, [], {})]
        strange = [name for name in strange if name not in _CHATTER]
        if strange:
            raise self._bad(f"does not take {_listed(strange)}")

    def _named(self, prefix: str, text_names: tuple[str, ...], role: str | None) -> Target | None:
        text = self.text(*text_names, required=False)
        label = self.text(f"{prefix}label", *(() if prefix else ("into", "field")), required=False)
        icon = self.text(f"{prefix}icon", required=False)
        nth = self.whole(f"{prefix}nth", default=0) or None
        window = self.text(f"{prefix}window", required=False) or None
        role = self.text(f"{prefix}role", required=False) or role
        exact = self.flag(f"{prefix}exact")
        picture = self.text(f"{prefix}picture", required=False)
        where = tuple(self._relations(prefix))
        if label or (where and role and not (text or icon or picture)):
            return ElementTarget(label, None if role == "any" else role, nth, window, where)
        if text:
            return TextTarget(text, nth, window, exact, where)
        if icon:
            return IconTarget(icon, nth, window, where)
        return PictureTarget(picture, nth, window, where) if picture else None

    def _relations(self, prefix: str) -> Iterator[Relation]:
        for name, side in RELATIONS.items():
            found = self._take((f"{prefix}{name}",))
            for one in found if isinstance(found, list) else [found]:
                if one not in (None, ""):
                    yield self._relation(f"{prefix}{name}", side, one)

    def _relation(self, name: str, side: Side, given: object) -> Relation:
        """What a target lies beside: a visible text, or an object with the fields of a target."""
        match given:
            case str() if side == "in":
                return within(given)
            case str() | int() | float() if not isinstance(given, bool):
                return Relation(side, TextTarget(str(given)))
            case {"area": [int(left), int(top), int(width), int(height)]}:
                return Relation(side, Box(left, top, width, height))
            case dict():
                inner = Arguments(self.action, given)
                target = inner.target()
                inner.nothing_left()
                if target is not None:
                    return Relation(side, target)
            case _:
                pass
        raise self._bad(f'needs visible text for "{name}", not {given!r}')

    def _place(
        self, pair: tuple[str, str], points: tuple[str, ...], pairs: tuple[tuple[str, str], ...] = ()
    ) -> Pixel | None:
        point = self._take(points)
        if point is not None and point not in ("", []):
            return self._middle(point)
        for across, down in (pair, *pairs):
            x, y = self._take((across,)), self._take((down,))
            if x in (None, "") and y in (None, ""):
                continue
            if y in (None, "") and isinstance(x, str | list):
                return self._middle(x)
            if x in (None, "") or y in (None, ""):
                raise self._bad(f'needs "{across}" and "{down}" together')
            return Pixel(self._column(across, x), self._column(down, y))
        return None

    def _middle(self, given: object) -> Pixel:
        """The point, or the middle of the box, that a list, a text or ``{"x": .., "y": ..}`` holds."""
        if isinstance(given, dict) and {"x", "y"} <= given.keys():
            given = [given["x"], given["y"]]
        columns = [self._column("point", number) for number in self._numbers("point", given)]
        match columns:
            case [x, y]:
                return Pixel(x, y)
            case [left, top, right, bottom]:
                return Pixel((left + right) // 2, (top + bottom) // 2)
            case _:
                raise self._bad(f'needs a place as "x" and "y", not {given!r}')

    def _numbers(self, name: str, given: object) -> list[object]:
        if isinstance(given, str) and _POINT.fullmatch(given):
            return list(_NUMBER.findall(given))
        if isinstance(given, list):
            return given
        raise self._bad(f'cannot read {given!r} as its "{name}"')

    def _column(self, name: str, given: object) -> int:
        """A column or row of the picture. A fraction below 1 is no pixel: the model means another space."""
        number = self._finite(name, given)
        if 0 < number < 1:
            raise self._bad(f'needs whole pixels of the screenshot for "{name}", not {number}')
        return math.floor(number)

    def _finite(self, name: str, given: object) -> float:
        if isinstance(given, str) and _NUMBER.fullmatch(given.strip()):
            given = float(given)
        if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
            raise self._bad(f'needs a number for "{name}", not {given!r}')
        return given

    def _take(self, names: tuple[str, ...]) -> object:
        """The first of these fields that was sent, taken out; an empty text counts only when nothing else is there."""
        sent = [name for name in names if name in self._left]
        if not sent:
            return None
        chosen = next((name for name in sent if self._left[name] != ""), sent[0])
        return self._left.pop(chosen)

    def _bad(self, why: str) -> BadCall:
        return BadCall(f'The action "{self.action}" {why}.')


def _listed(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
