"""The person's own screen, for a conversation that has no desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.errors import DesktopUnavailable

if TYPE_CHECKING:
    from computer_agent.settings import Settings


def seen_now(settings: Settings) -> bytes:
    """A PNG file of the screen as it is. Raises ``DesktopUnavailable`` where there is none to be seen."""
    import sys

    from computer_api.computer import Computer
    from computer_platform import connect

    if sys.platform == "linux" and not settings.environment.get("DISPLAY"):
        raise DesktopUnavailable("There is no screen here to take a picture of.")
    name = "x11" if sys.platform == "linux" else None
    desktop = connect(name, size=settings.size, environment=settings.environment)
    try:
        with Computer.on(desktop, environment=settings.environment) as computer:
            return computer.look().png()
    finally:
        desktop.close()
