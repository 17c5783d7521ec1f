"""The desktop that a person is logged in to: its X display, and the accessibility of its session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_platform.atspi import AtspiAccessibility
from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        self._session = _accessibility(environment)
        try:
            super().__init__(display, environment=environment, accessibility=self._session)
        except DesktopUnavailable:
            self._close_session()
            raise

    def close(self) -> None:
        """Let go of the screen and of the session."""
        super().close()
        self._close_session()

    def _close_session(self) -> None:
        if self._session is not None:
            self._session.close()


def _accessibility(environment: Mapping[str, str]) -> AtspiAccessibility | None:
    """The session's, if its bus is known and answers."""
    runtime = environment.get("XDG_RUNTIME_DIR")
    address = environment.get("DBUS_SESSION_BUS_ADDRESS") or (f"unix:path={runtime}/bus" if runtime else "")
    if not address:
        return None
    accessibility = AtspiAccessibility(address)
    if accessibility.available(seconds=_ACCESSIBILITY_SECONDS):
        return accessibility
    accessibility.close()
    return None
