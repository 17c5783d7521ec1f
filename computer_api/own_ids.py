"""The id that a program gives a control of its own, and the control found by it where its words are others now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.sight import smallest
from computer_api.telling_apart import words_in
from computer_api.verifying import misplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.geometry import Point
    from computer_api.sight import Sight
    from computer_api.targets import Anchors
    from computer_platform.desktop import Element

_HALF = 2


def identified_at(point: Point, sight: Sight) -> Element | None:
    """The control at a point with the id that no other control of its kind in its program has; None if it has none.

    Asked only where the controls of this picture are known already: an action waits for nothing more.
    """
    if "elements" not in vars(sight):
        return None
    here = smallest(one for one in sight.elements if point in Box(*one.area))
    if here is None:
        return None
    some = _identified(here.role, here.pid, sight)
    own = next((one for one in some if one.area == here.area and one.id), None)
    return own if own is not None and [one.id for one in some].count(own.id) == 1 else None


def by_own_id(anchors: Anchors, sight: Sight, around: Callable[[Box], Sequence[str]]) -> Element | None:
    """The one control with the recorded id and role in its program, among most of the texts that were around it.

    ``around`` tells the texts in the row of a box, above and below.
    """
    if not anchors.id or not anchors.role:
        return None
    homes = [one for one in sight.windows if one.app == anchors.program and not one.hidden]
    pids = {one.pid for one in homes} or {None}
    some = [one for pid in pids for one in _identified(anchors.role, pid, sight) if one.id == anchors.id]
    if len(some) != 1:
        return None
    box = Box(*some[0].area)
    under = sight.window_at(box.center)
    if (under is not None and under not in homes) or misplaced(sight, some[0]) is not None:
        return None
    then = words_in((*anchors.row, *anchors.near))
    return some[0] if then and _HALF * len(then & words_in(around(box))) >= len(then) else None


def _identified(role: str, pid: int | None, sight: Sight) -> list[Element]:
    accessibility = sight.desktop.accessibility
    if accessibility is None:
        return []
    return list(accessibility.identified(roles=frozenset({role}), pid=pid).items)
