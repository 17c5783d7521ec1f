"""A desktop at one moment, kept: what is asked of it later is answered as it was then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from computer_api.evidence import Scene
from computer_platform.control_names import folded_name
from computer_platform.desktop import MOST_ELEMENTS, Elements

if TYPE_CHECKING:
    from computer_api.movers import Blinking
    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Area, Arrangement, Display, Element, Frame, Popup, Window
    from computer_vision.change import Squares

_SECRET = "password text"  # noqa: S105 - a role
_OTHER_LEVELS = 48  # by which a pixel shows something else, and is not only lit up
_OTHER_SHARE = 0.2  # of a control's pixels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Controls:
    """What programs said of their controls at ``asked`` (``time.monotonic()``), when the screen showed ``frame``."""

    asked: float
    frame: Frame
    elements: Elements
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

    def elements(self) -> Elements:
        """The controls, without those on whose place the picture shows something else by now."""
        controls = self.controls
        if controls is None:
            return Elements()
        if controls.frame is self.screenshot.frame:
            return controls.elements
        items = tuple(one for one in controls.elements.items if not self._covered(one, controls.frame))
        return Elements(items=items, truncated=controls.elements.truncated)

    def _covered(self, element: Element, then: Frame) -> bool:
        import numpy as np

        shot, now = self.screenshot, self.screenshot.frame
        if then.pixels.shape != now.pixels.shape:
            return True
        left, top = element.area.left - now.area.left, element.area.top - now.area.top
        if shot.native.pair != (now.area.width, now.area.height):  # finer pixels than points
            return False
        part = (slice(max(0, top), top + element.area.height), slice(max(0, left), left + element.area.width))
        old, new = then.pixels[part][..., :3].astype(np.int16), now.pixels[part][..., :3].astype(np.int16)
        if old.size == 0:
            return False
        other = (np.abs(old - new).max(axis=2) > _OTHER_LEVELS).mean()
        return bool(other > _OTHER_SHARE)


class StillDesktop:
    """Answers as the desktop was in ``view``, whatever it is by now. Has only those parts that are looked at."""

    name = "still"
    clipboard = None
    person = None

    def __init__(self, view: View, displays: tuple[Display, ...]) -> None:
        self.view = view
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
        found = self._desktop.view.elements()
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
