"""A desktop at one moment, kept: what is asked of it later is answered as it was then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from computer_api.evidence import Scene
from computer_api.geometry import Box
from computer_api.verifying import POPUP_ROLES
from computer_platform.control_names import folded_name
from computer_platform.desktop import MOST_ELEMENTS, Elements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import bool_
    from numpy.typing import NDArray

    from computer_api.geometry import Point
    from computer_api.movers import Blinking
    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Area, Arrangement, Display, Element, Frame, Popup, Window
    from computer_vision.change import Squares
    from computer_vision.reader import Pixels

_SECRET = "password text"  # noqa: S105 - a role
_INK_LEVELS = 40  # by which what is written differs from its ground
_FEW_PIXELS = 12  # a caret
_AROUND = (60, 12)  # points around a place, in which a control shows that it is there
_SAME_SHARE = 0.5  # of what is written that stands where it stood


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Controls:
    """What programs said of their controls at ``asked`` (``time.monotonic()``).

    ``frame`` and ``popups`` are what the screen showed then.
    """

    asked: float
    frame: Frame
    elements: Elements
    popups: tuple[Popup, ...] = ()
    focused: Element | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """What a person saw before them at ``seconds`` (``time.monotonic()``).

    ``controls`` may have been told a little earlier. The squares are those of ``Scene``.
    """

    seconds: float
    screenshot: Screenshot
    windows: tuple[Window, ...] = ()
    popups: tuple[Popup, ...] = ()
    controls: Controls | None = None
    known: Squares | None = None
    clocks: Squares | None = None
    blinking: Blinking | None = None
    still: Squares | None = None
    suspects: Squares | None = None

    @property
    def active(self) -> Window | None:
        """The window that had the keyboard."""
        return next((window for window in self.windows if window.active), None)

    def scene(self) -> Scene:
        """The same as one end of an action."""
        return Scene(
            screenshot=self.screenshot,
            windows=self.windows,
            popups=self.popups,
            known=self.known,
            clocks=self.clocks,
            blinking=self.blinking,
            still=self.still,
            suspects=self.suspects,
        )

    def elements(self, at: Sequence[Point] = ()) -> Elements:
        """The controls, without those on whose place something else is by now.

        ``at`` are places of interest: what a menu covers there that has only come is left out, too.
        """
        controls = self.controls
        if controls is None:
            return Elements()
        come = [Box(*one.area) for one in _without(self.popups, controls.popups)]
        gone = [Box(*one.area) for one in _without(controls.popups, self.popups)]
        hidden = [point for point in at if any(point in box for box in come)]
        items = tuple(
            one
            for one in controls.elements.items
            if not any(point in Box(*one.area) for point in hidden)
            and not any(Box(*one.area).center in box and one.role in POPUP_ROLES for box in gone)
            and not self._is_other(_part(Box(*one.area), at), controls.frame)
        )
        return Elements(items=items, truncated=controls.elements.truncated)

    def _is_other(self, box: Box, then: Frame) -> bool:
        """Whether the picture shows something else there, and not only the same lit up."""
        now = self.screenshot.frame
        if then is now:
            return False
        if then.pixels.shape != now.pixels.shape:
            return True
        region = self.screenshot.region_of(box)
        part = slice(region.top, region.bottom), slice(region.left, region.right)
        old, new = _ink(then.pixels[part]), _ink(now.pixels[part])
        either = int((old | new).sum())
        return either > _FEW_PIXELS and int((old & new).sum()) < _SAME_SHARE * either


def _part(box: Box, at: Sequence[Point]) -> Box:
    """The part of a control that is of interest, all of it where no place in it is: a page changes in parts."""
    point = next((point for point in at if point in box), None)
    if point is None:
        return box
    width, height = _AROUND
    around = Box(point.x - width // 2, point.y - height // 2, width, height)
    return box.shared(around) or box


def _without(popups: Sequence[Popup], others: Sequence[Popup]) -> list[Popup]:
    known = {popup.id for popup in others}
    return [popup for popup in popups if popup.kind != "tooltip" and popup.id not in known]


def _ink(pixels: Pixels) -> NDArray[bool_]:
    """Which pixels are written on, whatever the colours are."""
    import numpy as np

    if pixels.size == 0:
        return np.zeros(pixels.shape[:2], np.bool_)
    grey = pixels[..., :3].astype(np.int16).mean(axis=2)
    return np.asarray(np.abs(grey - np.median(grey)) > _INK_LEVELS)


class StillDesktop:
    """Answers as the desktop was in ``view``, whatever it is by now. Has only those parts that are looked at."""

    name = "still"
    clipboard = None
    person = None

    def __init__(self, view: View, displays: tuple[Display, ...]) -> None:
        self.view = view
        self.places: tuple[Point, ...] = ()  # that are of interest
        self._displays = displays
        self.windows = _StillWindows(self)
        self.accessibility = _StillAccessibility(self)

    def displays(self) -> tuple[Display, ...]:
        """The monitors."""
        return self._displays

    def capture(self, _area: Area | None = None) -> Frame:
        """The picture."""
        return self.view.screenshot.frame


class _StillWindows:
    managed = True

    def __init__(self, desktop: StillDesktop) -> None:
        self._desktop = desktop

    def all(self) -> tuple[Window, ...]:
        return self._desktop.view.windows

    def popups(self) -> tuple[Popup, ...]:
        return self._desktop.view.popups

    def activate(self, window: Window) -> NoReturn:
        raise _passed(f'Activating "{window.title}"')

    def close(self, window: Window) -> NoReturn:
        raise _passed(f'Closing "{window.title}"')

    def move(self, window: Window, area: Area) -> NoReturn:
        raise _passed(f'Moving "{window.title}" to {tuple(area)}')

    def arrange(self, window: Window, how: Arrangement) -> NoReturn:
        raise _passed(f'To {how} "{window.title}"')


class _StillAccessibility:
    def __init__(self, desktop: StillDesktop) -> None:
        self._desktop = desktop

    def elements(
        self, *, pid: int | None = None, seconds: float = 1.0, most: int = MOST_ELEMENTS
    ) -> Elements:
        del seconds
        found = self._desktop.view.elements(self._desktop.places)
        items = tuple(one for one in found.items if pid in (None, one.pid))
        return Elements(items=items[:most], truncated=found.truncated or len(items) > most)

    def focused(self, *, pid: int | None = None, seconds: float = 0.3) -> Element | None:
        del seconds
        controls = self._desktop.view.controls
        focused = None if controls is None else controls.focused
        return focused if focused is not None and pid in (None, focused.pid) else None

    def find(
        self, text: str, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.3
    ) -> Elements:
        del seconds
        wanted = folded_name(text)
        found = self.elements(pid=pid)
        items = tuple(
            one
            for one in found.items
            if folded_name(one.name) == wanted and (roles is None or one.role in roles)
        )
        return Elements(items=items, truncated=found.truncated)

    def identified(
        self, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.5
    ) -> Elements:
        """Those of the roles, without ids: the programs were not asked for them."""
        found = self.elements(pid=pid, seconds=seconds)
        items = tuple(one for one in found.items if roles is None or one.role in roles)
        return Elements(items=items, truncated=found.truncated)

    def secrets(self, *, seconds: float = 0.2) -> Elements:
        """All that were told of, also where the picture shows something else: better too much is covered."""
        del seconds
        controls = self._desktop.view.controls
        told = Elements() if controls is None else controls.elements
        return Elements(
            items=tuple(one for one in told.items if one.role == _SECRET), truncated=told.truncated
        )


def _passed(what: str) -> RuntimeError:
    return RuntimeError(f"{what} is not possible on a desktop as it was at a moment that has passed.")
