"""Programs that tell of their window alone until they are asked for more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_api.sight import Sight
    from computer_platform.desktop import Element, Window

_ASKED = 2  # times at most, for what a program tells only once it is asked for


def told_in(window: Window, sight: Sight) -> Sequence[Element]:
    """What the program of a window tells of it; one that tells of the window alone has not been asked enough.

    Chromium tells of its pages only once somebody wants more of it than names and places.
    """
    told = [one for one in sight.elements if one.pid in (None, window.pid)]
    accessibility = sight.desktop.accessibility
    if accessibility is None or not told or any(one.role != "frame" for one in told):
        return told
    for _ in range(_ASKED):
        more = accessibility.identified(pid=window.pid).items
        if any(one.role != "frame" for one in more):
            vars(sight).pop("elements")  # which are more now
            return more
    return told
