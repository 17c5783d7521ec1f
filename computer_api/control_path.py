"""The controls that a place lies in, from the window down: a witness beside others, which decides nothing alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.sight import folded

if TYPE_CHECKING:
    from computer_api.geometry import Point
    from computer_api.sight import Sight

_MOST = 12  # of a deep page the outermost are left out
_LONGEST = 80  # letters of a name: a paragraph is not one


def path_at(point: Point, sight: Sight) -> tuple[str, ...]:
    """Each control around the point as its role and its name in quotes, the outermost first.

    They are those of the program whose window is there; boxes that only arrange others are left out by programs.
    """
    window = sight.window_at(point)
    around = [
        one
        for one in sight.elements
        if point in Box(*one.area) and (window is None or one.pid in (None, window.pid))
    ]
    around.sort(key=lambda one: -one.area.width * one.area.height)
    return tuple(_said(one.role, one.name) for one in around[-_MOST:])


def known_path(point: Point, sight: Sight) -> tuple[str, ...]:
    """The same where the controls of this picture are known already: an action waits for nothing more."""
    return path_at(point, sight) if "elements" in vars(sight) else ()


def same_path(then: tuple[str, ...], now: tuple[str, ...]) -> bool:
    """Whether two places lie in the same controls; one of which nothing is known lies in none."""
    return bool(then) and [folded(one) for one in then] == [folded(one) for one in now]


def role_of(entry: str) -> str:
    """The role in an entry of a path."""
    return entry.partition(' "')[0]


def _said(role: str, name: str) -> str:
    short = " ".join(name.split())
    return f'{role} "{short}"' if 0 < len(short) <= _LONGEST else role
