"""What a verb is given for a place, as a target: a text, two numbers, an icon, and what it is near or in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from computer_api.geometry import Box, Pixel
from computer_api.targets import (
    AnchoredTarget,
    ElementTarget,
    IconTarget,
    PictureTarget,
    Relation,
    Side,
    Target,
    TextTarget,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Place = str | int | Target
Beside = str | tuple[int, int] | Target | Box
"""What a place is near, right of or in: a text, a pixel, a target, or a box of the desktop."""


class Where(TypedDict, total=False):
    """A place by names, instead of by what stands first in the call; and what it is near or in."""

    x: int | None
    y: int | None
    icon: str | None
    text: str | None
    picture: str | None
    label: str | None
    role: str | None
    nth: int | None
    window: str | None
    near: Beside | None
    right_of: Beside | None
    left_of: Beside | None
    above: Beside | None
    below: Beside | None
    within: Beside | None


_SIDES: dict[str, Side] = {
    "near": "near",
    "right_of": "right of",
    "left_of": "left of",
    "above": "above",
    "below": "below",
    "within": "in",
}


def target_of(verb: str, place: tuple[Place, ...], where: Where) -> Target | None:
    """The target that the arguments of a verb mean; None for none.

    Raises ``TypeError`` for a mixture, ``ValueError`` for a number below 1.
    """
    if unknown := sorted(where.keys() - Where.__annotations__):
        raise TypeError(
            f"{verb} takes no {unknown[0]}=; a place is named by {'=, '.join(Where.__annotations__)}=."
        )
    given = {name: value for name, value in where.items() if value is not None}
    beside = tuple(_relations(verb, given))
    nth, window = _whole(verb, given), _text(verb, "window", given)
    target = _named(place, given)
    match target:
        case Pixel() | AnchoredTarget() | None:
            if beside or nth is not None or window is not None:
                raise TypeError(
                    f"{verb}: only what is named by its text, icon or kind can be near or in something."
                )
            return target
        case TextTarget(text, old_nth, old_window, exact, old):
            return TextTarget(text, nth or old_nth, window or old_window, exact, old + beside)
        case ElementTarget(name, role, old_nth, old_window, old):
            return ElementTarget(name, role, nth or old_nth, window or old_window, old + beside)
        case IconTarget(meaning, old_nth, old_window, old):
            return IconTarget(meaning, nth or old_nth, window or old_window, old + beside)
        case PictureTarget(path, old_nth, old_window, old):
            return PictureTarget(path, nth or old_nth, window or old_window, old + beside)


def _named(place: tuple[Place, ...], given: dict[str, object]) -> Target | None:
    """The target without what it is near: one way of naming it, and with a text or a label perhaps its kind."""
    names = {
        name: given[name] for name in ("x", "y", "icon", "text", "picture", "label", "role") if name in given
    }
    match place, names:
        case (), {} if not names:
            return None
        case (
            (
                Pixel()
                | TextTarget()
                | ElementTarget()
                | IconTarget()
                | PictureTarget()
                | AnchoredTarget() as target,
            ),
            {},
        ) if not names:
            return target
        case (str(words),), {} if not names:
            return TextTarget(words)
        case (str(words),), {"role": str(role)} if names.keys() == {"role"}:
            return ElementTarget(words, role=role)
        case (), {"label": str(words), "role": str(role)} if names.keys() == {"label", "role"}:
            return ElementTarget(words, role=role)
        case (int(across), int(down)), {} if not names:
            return Pixel(across, down)
        case (), {"x": int(across), "y": int(down)} if names.keys() == {"x", "y"}:
            return Pixel(across, down)
        case (), {} if len(names) == 1:
            (name, value), *_ = names.items()
            if isinstance(value, str) and name in _BY_ONE:
                return _BY_ONE[name](value)
    said = ", ".join([*map(repr, place), *(f"{name}={value!r}" for name, value in names.items())])
    raise TypeError(
        f"A place is a text, two whole numbers, x= and y=, icon=, picture=, or label= or role=; not {said}."
    )


def _by_role(role: str) -> Target:
    return ElementTarget("", role=role)


_BY_ONE: dict[str, Callable[[str], Target]] = {
    "text": TextTarget,
    "icon": IconTarget,
    "picture": PictureTarget,
    "label": ElementTarget,
    "role": _by_role,
}


def _relations(verb: str, given: dict[str, object]) -> Iterator[Relation]:
    for name, side in _SIDES.items():
        match given.get(name):
            case None:
                continue
            case str(words) if side == "in":
                yield within(words)
            case str(words):
                yield Relation(side, TextTarget(words))
            case (int(across), int(down)):
                yield Relation(side, Pixel(across, down))
            case (
                Pixel()
                | TextTarget()
                | ElementTarget()
                | IconTarget()
                | PictureTarget()
                | AnchoredTarget()
                | Box()
            ) as target:
                yield Relation(side, target)
            case other:
                raise TypeError(f"{verb}({name}=) takes a text, two numbers or a target, not {other!r}.")


def _whole(verb: str, given: dict[str, object]) -> int | None:
    nth = given.get("nth")
    if nth is None:
        return None
    if not isinstance(nth, int) or isinstance(nth, bool):
        raise TypeError(f"{verb}(nth=) takes a whole number, not {nth!r}.")
    if nth < 1:
        raise ValueError(f"{verb}(nth=) counts from 1, the first from the top left; there is no {nth}.")
    return nth


def _text(verb: str, name: str, given: dict[str, object]) -> str | None:
    words = given.get(name)
    if words is None or isinstance(words, str):
        return words
    raise TypeError(f"{verb}({name}=) takes a text in quotes, not {words!r}.")
