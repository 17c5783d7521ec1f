"""Programs and their windows: start one and wait for its window, find a window by its title."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from computer_api.errors import NotFoundError, TimedOutError, UnsupportedError
from computer_api.locate import windows_titled

if TYPE_CHECKING:
    from computer_api.acting import Acting
    from computer_api.actions import OpenApp
    from computer_platform.desktop import Desktop, Window, Windows

_WINDOW_SECONDS = 15.0
_POLL_SECONDS = 0.05


def manager_of(desktop: Desktop) -> Windows:
    """The desktop's window manager. Raises ``UnsupportedError``."""
    if desktop.windows is None:
        raise UnsupportedError(f"The {desktop.name} desktop has no window manager that answers.")
    return desktop.windows


def window_called(desktop: Desktop, title: str) -> Window:
    """The topmost window of that title or program. Raises ``NotFoundError`` with the titles there are."""
    stack = manager_of(desktop).all()
    found = windows_titled(stack, title)
    if found:
        return found[-1]
    titles = tuple(window.title for window in stack)
    listed = ", ".join(f'"{name}"' for name in titles) or "none"
    raise NotFoundError(f'No window is called "{title}". Open are: {listed}.', titles)


def launch(acting: Acting, action: OpenApp) -> None:
    """Start a program and wait for a window that was not there before.

    Raises ``NotFoundError`` for a program that is not installed, ``UnsupportedError`` for a file that is none,
    and ``TimedOutError`` for a program without a window.
    """
    manager = acting.desktop.windows
    known = set() if manager is None else {window.id for window in manager.all()}
    try:
        acting.desktop.launch([action.program, *action.arguments])
    except FileNotFoundError:
        raise NotFoundError(
            f'There is no program "{action.program}" here. Give its command name, and install it if need be.'
        ) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UnsupportedError(f'"{action.program}" cannot be started as a program: {why}.') from None
    if manager is None:
        return
    until = time.monotonic() + _WINDOW_SECONDS
    while not any(window.id not in known and not window.hidden for window in manager.all()):
        if time.monotonic() > until:
            raise TimedOutError(
                f'"{action.program}" was started but has shown no window in {_WINDOW_SECONDS:g} s.'
            )
        acting.wait(_POLL_SECONDS)
