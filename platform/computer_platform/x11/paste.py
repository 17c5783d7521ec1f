"""Pasting a text into the program that has the keyboard, by the keys which that program pastes with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import Xlib.error
from Xlib import X

from computer_platform.desktop import CannotType
from computer_platform.x11.consumed import keyboard_window

if TYPE_CHECKING:
    from computer_platform.desktop import Selection
    from computer_platform.x11.clipboard import X11Clipboard
    from computer_platform.x11.connection import Connection
    from computer_platform.x11.keyboard import Keyboard

_SECONDS = 2.0  # in which a program must have begun to fetch what it was told to paste
_SELECTING_TERMINALS = frozenset({"xterm", "uxterm", "urxvt", "rxvt", "koi8rxterm"})
_TERMINALS = frozenset(
    {"alacritty", "console", "contour", "cool-retro-term", "deepin-terminal", "foot", "footclient", "ghostty",
     "gnome-terminal", "gnome-terminal-server", "guake", "kgx", "kitty", "konsole", "lxterminal",
     "mate-terminal", "ptyxis", "qterminal", "rio", "roxterm", "sakura", "st", "st-256color", "tabby",
     "terminal", "terminator", "terminology", "terminus", "termite", "tilda", "tilix", "wezterm",
     "xfce4-terminal", "yakuake"}
)  # fmt: skip
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

    Raises ``CannotType`` when the program did not fetch it within two seconds, and before anything is pressed for
    a text that cannot be pasted.
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
    with clipboard.lent(text, way.selection) as loan:
        with connection.talking():
            keyboard.chord(*way.keys)
        # Clipboard managers fetch everything; what counts is the program that has the keyboard.
        outcome = loan.wait(loan.client(window), seconds=_SECONDS)
    if outcome != "fetched":
        raise CannotType(
            f"The text of {len(text)} characters was not pasted: {_WHY[outcome]}. "
            "Click into a field that takes text, or type it instead."
        )


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
    return _IN_TERMINAL if program in _TERMINALS else _USUAL


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
