"""Whether a tick box, a switch or a radio button is on: by what its program says, else by how it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.sight import smallest

if TYPE_CHECKING:
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match
    from computer_platform.desktop import Desktop, Element

_ROLES = frozenset(
    {"check box", "radio button", "toggle button", "switch", "check menu item", "radio menu item"}
)
_SECONDS = 0.5  # that programs get to answer
_TALLEST = 40  # points: what is higher is no box to tick, but something around it


def is_ticked(desktop: Desktop, match: Match, screenshot: Screenshot) -> bool | None:
    """Whether the control at a match is on; None when it is nothing that can be.

    ``screenshot`` is the picture on which the match was found.
    """
    told = _told(desktop, match.box)
    if told is not None:
        return bool({"checked", "pressed"} & told.states)
    from computer_vision.fields import is_ticked as looks_ticked
    from computer_vision.fields import tick_beside

    region = screenshot.region_of(match.box)
    if match.source != "field" or match.box.height > _TALLEST:
        beside = tick_beside(screenshot.frame.pixels, region)
        if beside is None:
            return None
        region = beside
    return looks_ticked(screenshot.frame.pixels, region)


def _told(desktop: Desktop, box: Box) -> Element | None:
    """The control that a program describes there, which has its label within its area or beside it."""
    accessibility = desktop.accessibility
    if accessibility is None:
        return None
    told = accessibility.elements(seconds=_SECONDS).items
    return smallest(one for one in told if one.role in _ROLES and Box(*one.area).overlap(box))
