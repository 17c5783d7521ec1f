"""Pasting a text into the program that has the keyboard, by the keys which that program pastes with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import Xlib.error
from Xlib import X

from computer_platform.desktop import CannotType
from computer_platform.terminals import is_terminal
from computer_platform.x11.at_rest import at_rest, family
from computer_platform.x11.clients import process_of
from computer_platform.x11.consumed import keyboard_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.desktop import Selection
    from computer_platform.x11.clipboard import Loan, X11Clipboard
    from computer_platform.x11.clipboard.lending import Outcome
    from computer_platform.x11.connection import Connection
    from computer_platform.x11.keyboard import Keyboard

_SECONDS = 2.0  # in which a program must have begun to fetch what it was told to paste
_BUSY_SECONDS = 4.0  # the same, for one that has not come to rest since
_REST = 0.03  # seconds in which a program that still waited for an answer would have got it
_LOOK = 0.005
_QUIET = 0.8  # seconds without a request, for a program that never rests or that nobody can watch
_LONGEST = 5.0  # seconds for one that never stops asking
_SELECTING_TERMINALS = frozenset({"xterm", "uxterm", "urxvt", "rxvt", "koi8rxterm"})
_WHY = {
    "not fetched": "the program that has the keyboard did not fetch it; there may be no field to paste into",
    "broken off": "the program stopped in the middle of fetching it",
    "taken": "another program took the clipboard meanwhile",
}


class _Way(NamedTuple):
    """What a program pastes from, and the keys that tell it to."""

    selection: Selection
    keys: tuple[str, ...]


_PRIMARY = _Way("primary", ("Shift_L", "Insert"))
_IN_TERMINAL = _Way("clipboard", ("Control_L", "Shift_L", "v"))
_USUAL = _Way("clipboard", ("Control_L", "v"))


def paste(text: str, connection: Connection, keyboard: Keyboard, clipboard: X11Clipboard) -> None:
    r"""Paste the text where the keyboard is; when this returns the program has fetched it.

    What was on the clipboard is there again afterwards, in every form that its owner gave within a second, unless
    somebody copied meanwhile; a terminal's own highlight is gone where that terminal pastes from the selection.
    Not promised is what the program makes of the text: a field of one line drops newlines or what follows them, a
    terminal gives them to its program as Return, where that program has not asked for bracketed paste, and
    replaces control characters. ``\r\n`` is pasted as ``\n``.

    Raises ``CannotType`` when the program did not fetch it within two seconds, four if it is busy, and before
    anything is pressed for a text that cannot be pasted.
    """
    text = text.replace("\r\n", "\n")
    if not text:
        return
    _check(text)
    with connection.talking():
        window = keyboard_window(connection)
        if window is None:
            raise CannotType(
                f"The text of {len(text)} characters was not pasted: no window has the keyboard."
            )
        way = _way(_program(connection, window))
        pids = _processes(connection, window, alone=way is not _USUAL)
    with clipboard.lent(text, way.selection) as loan:
        with connection.talking():
            keyboard.chord(*way.keys)
        outcome = _outcome(loan, loan.client(window), pids, connection.safe_point)
        if outcome == "fetched":
            _let_finish(loan, connection, pids)
    if outcome != "fetched":
        raise CannotType(
            f"The text of {len(text)} characters was not pasted: {_WHY[outcome]}. "
            "Click into a field that takes text, or type it instead."
        )


def _processes(connection: Connection, window: int, *, alone: bool) -> tuple[int, ...]:
    """Where the program of that window runs; ``alone`` leaves out what it has started: a terminal's own business."""
    pid = process_of(connection, window)
    if pid is None:
        return ()
    return (pid,) if alone else family(pid)


def _outcome(loan: Loan, client: int, pids: tuple[int, ...], check: Callable[[], None]) -> Outcome:
    """What came of it, as the program that has the keyboard is concerned: clipboard managers fetch everything.

    One that is still busy may not have come to the keys. To put back what was there would make it paste that.
    """
    until = time.monotonic() + _BUSY_SECONDS
    outcome = loan.wait(client, seconds=_SECONDS, check=check)
    while outcome == "not fetched" and time.monotonic() < until and not at_rest(pids):
        outcome = loan.wait(client, seconds=_REST, check=check)
    return outcome


def _let_finish(loan: Loan, connection: Connection, pids: tuple[int, ...]) -> None:
    """Wait until the program asks for no more: Chromium asks 17 times, and for the text twice.

    What it does in between runs in processes of its own, and takes as long as the machine is busy. So it is done
    when all of them have slept for a while, or, with something on a page that moves, have long asked for nothing.
    """
    rests_since: float | None = None
    seen = loan.last()
    until = time.monotonic() + _LONGEST
    while time.monotonic() < min(seen + _QUIET, until):
        connection.pause(_LOOK)
        with connection.talking():
            connection.sync()  # the server has passed on what the program has asked
        before, seen = seen, loan.last()
        if not pids or seen != before or not at_rest(pids):
            rests_since = None
        elif rests_since is None:
            rests_since = time.monotonic()
        elif time.monotonic() - rests_since > _REST:
            return


def _check(text: str) -> None:
    for character in text:
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise CannotType(
                f"The character {character!r} cannot be pasted: programs take it for the end of the text, or for "
                "none at all. Leave it out."
            )


def _way(program: str) -> _Way:
    if program in _SELECTING_TERMINALS:
        return _PRIMARY
    return _IN_TERMINAL if is_terminal(program) else _USUAL


def _program(connection: Connection, number: int) -> str:
    """The last part of the class name of the window, or of the first around it that has one; in small letters."""
    window = connection.server.create_resource_object("window", number)
    try:
        while window != X.NONE and window.id != connection.root.id:
            names = window.get_wm_class()
            if names:
                return str(names[1]).lower().rpartition(".")[2]
            window = window.query_tree().parent
    except Xlib.error.XError:
        pass  # it closed meanwhile
    return ""
