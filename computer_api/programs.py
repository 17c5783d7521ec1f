"""Programs: start one, or open a file with its own, and wait until it shows that in a window."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import ComputerError, NotFoundError, TimedOutError, UnsupportedError
from computer_api.titles import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_api.acting import Acting
    from computer_api.actions import OpenApp
    from computer_platform.desktop import Desktop, Ended, Window, Windows

_WINDOW_SECONDS = 15.0
_SAME_SECONDS = 3.0  # after that a program that has ended well shows in the window that it had
_FAILED_SECONDS = 0.5  # that a window may still come after the program has ended badly
_POLL_SECONDS = 0.05


def launch(acting: Acting, action: OpenApp) -> str:
    """Start a program and wait for a window that was not there before; what is to be said of it, mostly nothing.

    A program that runs already may show a file in the window it has: then its new title, or that it came to the
    front, is waited for. Raises ``NotFoundError`` for a program that is not installed, ``UnsupportedError`` for a
    file that nothing opens, ``ComputerError`` with its own last words for one that ended at once, and
    ``TimedOutError`` for a program without a window.
    """
    if not action.program.strip():
        raise NotFoundError(f'"{action.program}" is no program name. Give one, such as "mousepad".')
    manager = acting.desktop.windows
    before = () if manager is None else manager.all()
    pid = _started(acting.desktop, action)
    return "" if manager is None else _shown(acting, manager, before, pid, action)


def _started(desktop: Desktop, action: OpenApp) -> int:
    try:
        return desktop.launch([action.program, *action.arguments])
    except FileNotFoundError as missing:
        raise NotFoundError(str(missing)) from None
    except (OSError, ValueError) as error:
        raise UnsupportedError(f'"{action.program}" {_why_not(error)}') from None


def _shown(acting: Acting, manager: Windows, before: Sequence[Window], pid: int, action: OpenApp) -> str:
    """Wait for a window, or for the news that there will be none."""
    began = time.monotonic()
    ended_at = 0.0
    while True:
        now, ended = manager.all(), acting.desktop.ended(pid)
        if _new(before, now):
            return ""
        if ended is not None:
            ended_at = ended_at or time.monotonic()
            since = time.monotonic() - ended_at
            if ended.code != 0 and since > _FAILED_SECONDS:
                raise ComputerError(f'"{action.program}" ended without a window: {_how(ended)}')
            if ended.code == 0 and (window := _taken_over(before, now, action, since)) is not None:
                return f'"{action.program}" was running already and shows in {named(window)}'
        if time.monotonic() - began > _WINDOW_SECONDS:
            raise TimedOutError(_in_vain(action, ended))
        acting.wait(_POLL_SECONDS)


def _new(before: Sequence[Window], now: Sequence[Window]) -> bool:
    known = {window.id for window in before}
    return any(window.id not in known and not window.hidden for window in now)


def _taken_over(
    before: Sequence[Window], now: Sequence[Window], action: OpenApp, since: float
) -> Window | None:
    """The window of a program that runs already, in which one that ended well shows what it was started for."""
    known = {window.id: window for window in before}
    for window in reversed(now):
        was = known.get(window.id)
        if was is not None and (was.title != window.title or (window.active and not was.active)):
            return window
    if since < _SAME_SECONDS:
        return None
    return next((window for window in reversed(now) if _shows(window, action)), None)


def _shows(window: Window, action: OpenApp) -> bool:
    """Whether the window is of that program by its name, or says a file that it was given."""
    program, *files = (Path(word).name for word in (action.program, *action.arguments))
    of_it = f" {_words(program)} " in f" {_words(window.app)} "
    return of_it or any(name and name in window.title for name in (program, *files))


def _words(name: str) -> str:
    """``gnome-text-editor`` and ``Text Editor`` with the same words."""
    return " ".join(re.findall(r"\w+", name.casefold()))


def _how(ended: Ended) -> str:
    how = f"exit code {ended.code}" if ended.code > 0 else f"signal {-ended.code}"
    return f'{how}, saying "{ended.said}".' if ended.said else f"{how}."


def _in_vain(action: OpenApp, ended: Ended | None) -> str:
    if ended is None:
        return f'"{action.program}" was started but has shown no window in {_WINDOW_SECONDS:g} s.'
    return f'"{action.program}" has ended without showing a window.'


def _why_not(error: OSError | ValueError) -> str:
    """What stands in the way of starting that, as the rest of a sentence."""
    why = (isinstance(error, OSError) and error.strerror) or str(error)
    return f"cannot be started as a program: {why}."
