"""Where on the screen a control is whose program tells its place in units or from a corner of its own.

Programs that draw larger than one to one (HiDPI) tell places in their own larger units, and some tell them
from their window's corner. Both show when the place that a program tells of a window is laid beside the one
that the window system knows, so that nothing is taken from variables or settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_platform.desktop import Area

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_platform.desktop import Window

_FACTORS = (1, 2, 3, 4)  # GTK3 draws at whole ones only
_LEAST, _MOST = 0.5, 4.0  # at which programs draw
_ROUNDING = 2.5  # points that a told size may be off, from having been rounded
_BORDER = 40  # points, in units of the program's, that both sides of its own border may take
_FRAME = 60  # points that a window manager's frame may add to a side


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the window system knows: the desktop's area, None for any, and the windows.

    One that has a shadow is among them twice, with it and without: toolkits differ in what they tell of it.
    """

    inside: Area | None = None
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """From what a program tells to points: grown by ``factor`` from the corner ``told``, which is at ``real``."""

    factor: float = 1.0
    told: tuple[int, int] = (0, 0)
    real: tuple[int, int] = (0, 0)

    def area(self, told: Area) -> Area:
        """The area in points."""
        return Area(
            self.real[0] + round((told.left - self.told[0]) * self.factor),
            self.real[1] + round((told.top - self.told[1]) * self.factor),
            round(told.width * self.factor),
            round(told.height * self.factor),
        )


AS_TOLD = Placement()


def placement_of(title: str, told: Area, windows: Sequence[Window]) -> Placement | None:
    """How a program's window is told, by the one of its windows that it is: by title where that tells them apart.

    ``windows`` are those of the program. None when none of them fits: told sizes must be one same factor smaller
    in both directions.
    """
    fitting = {window.area: fit for window in windows if (fit := _fit(told, window.area)) is not None}
    named = {window.area for window in windows if window.title == title and window.area in fitting}
    best = sorted(named or fitting, key=lambda area: fitting[area])
    if not best or (len(best) > 1 and fitting[best[0]] == fitting[best[1]]):
        return None
    return Placement(factor=_factor(told, best[0]), told=told[:2], real=best[0][:2])


def placement_in_border(title: str, told: Area, windows: Sequence[Window]) -> Placement | None:
    """The same for a program that tells places from the corner inside a border of its own, and draws at whole factors.

    The border is as wide on all sides; the window system does not know it. None when no window fits, or several.
    """
    fitting: dict[Area, tuple[int, int]] = {}
    for window in windows:
        for factor in reversed(_FACTORS):
            across, down = window.area.width - told.width * factor, window.area.height - told.height * factor
            if 0 <= min(across, down) <= _BORDER * factor and abs(across - down) <= factor:
                fitting[window.area] = (min(across, down) // 2, factor)
    named = {window.area for window in windows if window.title == title and window.area in fitting}
    best = sorted(named or fitting, key=lambda area: fitting[area])
    if not best or (len(best) > 1 and fitting[best[0]] == fitting[best[1]]):
        return None
    border, factor = fitting[best[0]]
    real = (best[0].left + border, best[0].top + border)
    return Placement(factor=factor, told=told[:2], real=real)


def placement_in_holder(told: Area, panels: Sequence[Area], usual: Placement) -> Placement | None:
    """How a pane is told that fills the panel that holds it, but is told from another corner.

    ``panels`` are those that may hold it, told as is ``usual`` with the program. None when the pane is told rightly,
    or fills none of them, or several.
    """
    filled = {panel for panel in panels if panel[2:] == told[2:]}
    if len(filled) != 1 or told.width <= 0 or told.height <= 0 or told in filled:
        return None
    return Placement(factor=usual.factor, told=told[:2], real=usual.area(filled.pop())[:2])


def whole_factor(told: Sequence[Area], windows: Sequence[Window]) -> int | None:
    """By how much a program draws larger that tells places on the screen, its windows' frames included.

    That is the factor that lays most of its windows, as told, around one that the window system knows, and closest.
    None when none does.
    """
    fits: dict[int, tuple[int, int]] = {}
    for factor in _FACTORS:
        margins = [_closest(_times(area, factor), factor, windows) for area in told]
        found = [margin for margin in margins if margin is not None]
        if found:
            fits[factor] = (len(found), -sum(found))
    return max(fits, key=lambda factor: fits[factor], default=None)


def _fit(told: Area, real: Area) -> tuple[int, float] | None:
    """How well the real area is the told one enlarged, less being better; None if it is not.

    Of areas that fit as well, as those with and without a shadow may, the factor decides: it is a number of quarters.
    """
    if told.width <= 0 or told.height <= 0:
        return None
    factor = _factor(told, real)
    off = max(abs(told.width * factor - real.width), abs(told.height * factor - real.height)) / max(
        1.0, factor
    )
    if off > _ROUNDING or not _LEAST <= factor <= _MOST:
        return None
    return round(off), abs(factor * 4 - round(factor * 4))


def _factor(told: Area, real: Area) -> float:
    """How much larger the real area is, by its longer side."""
    across = told.width >= told.height
    return real.width / told.width if across else real.height / told.height


def _closest(frame: Area, factor: int, windows: Sequence[Window]) -> int | None:
    """How much wider and higher the frame is than the window that it is closest around; None if it is around none."""
    sides = [
        (
            window.area.left - frame.left,
            window.area.top - frame.top,
            frame.right - window.area.right,
            frame.bottom - window.area.bottom,
        )
        for window in windows
    ]
    slack = 2 * factor - 1  # told in larger units, places and sizes are rounded
    around = [sum(one) for one in sides if all(-slack <= side <= _FRAME * factor for side in one)]
    return min(around, default=None)


def _times(area: Area, factor: int) -> Area:
    return Area(*(number * factor for number in area))
