"""The drifts: what is different when a recorded task is done again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SCREEN = (1280, 800)
AT = (60, 60)
DIALOG = "Software update"
LATE_SECONDS = 1.5
STORE = {"Save": "Store"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One difference. ``stays`` says whether what is aimed at is still there, and can be reached.

    ``grown`` are the factors of the window's size; ``zoom`` is that of the text and what is made to its measure,
    ``scale`` that of everything. ``slowed`` is the share of the time in which the program may run.
    """

    name: str
    stays: bool = True
    at: tuple[int, int] = AT
    grown: tuple[float, float] = (1.0, 1.0)
    dark: bool = False
    more_points: int = 0
    zoom: float = 1.0
    scale: int = 1
    screen: tuple[int, int] = SCREEN
    reordered: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)
    dialog: str = ""
    late: float = 0.0
    slowed: float = 1.0


UNCHANGED = Drift(name="unchanged")
MOVED = Drift(name="moved", at=(AT[0] + 137, AT[1] + 53))
RESIZED = Drift(name="resized", grown=(1.3, 1.2))
DARK = Drift(name="dark", dark=True)
FONT = Drift(name="font +2", more_points=2)
ZOOM_110 = Drift(name="zoom 110", zoom=1.1)
ZOOM_125 = Drift(name="zoom 125", zoom=1.25)
SCALE_2 = Drift(name="scale 2", scale=2)
RENAMED = Drift(name="renamed", renamed=STORE)
REORDERED = Drift(name="reordered", reordered=True)
DIALOG_IN_THE_WAY = Drift(name="dialog", dialog=DIALOG, stays=False)
LATE = Drift(name="late", late=LATE_SECONDS)
SCREEN_SIZE = Drift(name="screen", screen=(1600, 1000), at=(211, 148))
SLOW = Drift(name="slow", slowed=0.1)

TWELVE = (
    *(MOVED, RESIZED, DARK, FONT, ZOOM_110, ZOOM_125, SCALE_2, RENAMED, REORDERED, DIALOG_IN_THE_WAY),
    *(LATE, SCREEN_SIZE),
)
"""The kinds that the peers were measured under."""

ALL = (UNCHANGED, *TWELVE, SLOW)
BY_NAME = {drift.name: drift for drift in ALL}
