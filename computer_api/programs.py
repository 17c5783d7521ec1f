"""Programs and their windows: start one and wait for its window, find a window by its title."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import NotFoundError, TimedOutError, UnsupportedError

if TYPE_CHECKING:
    from computer_api.acting import Acting
    from computer_api.actions import OpenApp

_WINDOW_SECONDS = 15.0
_POLL_SECONDS = 0.05


def launch(acting: Acting, action: OpenApp) -> None:
    """Start a program and wait for a window that was not there before.

    Raises ``NotFoundError`` for a program that is not installed, ``UnsupportedError`` for a file that is none,
    and ``TimedOutError`` for a program without a window.
    """
    if not action.program.strip():
        raise NotFoundError(f'"{action.program}" is no program name. Give one, such as "mousepad".')
    manager = acting.desktop.windows
    known = set() if manager is None else {window.id for window in manager.all()}
    try:
        acting.desktop.launch([action.program, *action.arguments])
    except FileNotFoundError:
        raise NotFoundError(
            f'There is no program "{action.program}" here. Give its command name, and install it if need be.'
        ) from None
    except (OSError, ValueError) as error:
        raise UnsupportedError(f'"{action.program}" {_why_not(action.program, error)}') from None
    if manager is None:
        return
    until = time.monotonic() + _WINDOW_SECONDS
    while not any(window.id not in known and not window.hidden for window in manager.all()):
        if time.monotonic() > until:
            raise TimedOutError(
                f'"{action.program}" was started but has shown no window in {_WINDOW_SECONDS:g} s.'
            )
        acting.wait(_POLL_SECONDS)


def _why_not(program: str, error: OSError | ValueError) -> str:
    """What stands in the way of starting that file, as the rest of a sentence."""
    if "/" in program and Path(program).is_dir():
        return "is a folder, not a program. Open it with a program: its name, then the folder as an argument."
    why = (isinstance(error, OSError) and error.strerror) or str(error)
    return f"cannot be started as a program: {why}."
