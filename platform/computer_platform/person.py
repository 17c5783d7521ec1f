"""The desktop that a person is logged in to: its X display, and the accessibility of its session."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_platform.atspi import AtspiAccessibility

_ACCESSIBILITY_SECONDS = 1.0  # a session without it must not delay everything else


class PersonDesktop(X11Desktop):
    """The X display that the environment names.

    Switches accessibility on for the session, if it has that, so that programs started from now
    on describe their controls. Raises ``DesktopUnavailable`` when the display does not answer.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        display = environment.get("DISPLAY", "")
        if not display:
            raise DesktopUnavailable(
                "DISPLAY is not set, so there is no X11 desktop to work on. Start this from a terminal "
                'on that desktop, or use the desktop "private", which needs none.'
            )
        with ExitStack() as opened:
            accessibility = _accessibility(environment, opened)
            super().__init__(display, environment=environment, accessibility=accessibility)
            if accessibility is not None:
                accessibility.surroundings = self.surroundings
                accessibility.check = self.safe_point
            self._session = opened.pop_all()

    def close(self) -> None:
        """Let go of the screen and of the session."""
        with self._session:
            super().close()


def _accessibility(environment: Mapping[str, str], opened: ExitStack) -> AtspiAccessibility | None:
    """The session's, if its bus is known and answers; it is closed with what was opened."""
    address = _session_bus(environment)
    if not address:
        return None
    from computer_platform.atspi import AtspiAccessibility  # asyncio and D-Bus, only where there is a bus

    accessibility = AtspiAccessibility(address)
    opened.callback(accessibility.close)
    return accessibility if accessibility.available(seconds=_ACCESSIBILITY_SECONDS) else None


def _session_bus(environment: Mapping[str, str]) -> str:
    """Its address, ``""`` when there is none."""
    runtime = environment.get("XDG_RUNTIME_DIR")
    socket = Path(runtime) / "bus" if runtime else None
    usual = f"unix:path={socket}" if socket is not None and socket.exists() else ""
    return environment.get("DBUS_SESSION_BUS_ADDRESS") or usual
