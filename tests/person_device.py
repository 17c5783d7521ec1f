"""A person at the desk of a test: their mouse and keyboard, which are not XTEST's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from Xlib import X

from computer_platform.desktop import CannotType
from computer_platform.x11 import keysyms
from computer_platform.x11.person_device import PersonConnection

if TYPE_CHECKING:
    from collections.abc import Iterable


class PersonDevice:
    """The mouse and keyboard themselves, without what knows layouts. Every verb is done when it returns.

    Raises ``DesktopUnavailable`` when the display cannot be reached, or has no such devices.
    """

    def __init__(self, display: str, authority_file: str | None = None) -> None:
        self._connection = PersonConnection(display, authority_file)

    def move(self, x: int, y: int) -> None:
        """Put the pointer there."""
        self._send(X.MotionNotify, x=x, y=y)

    def push(self, places: Iterable[tuple[int, int]]) -> None:
        """Move the pointer over the places, all at one moment for the server: on a busy machine it stays a push."""
        with self._connection.talking():
            for x, y in places:
                self._connection.fake(X.MotionNotify, 0, x, y)
            self._connection.sync()

    def button(self, number: int, *, down: bool) -> None:
        """Press or release a button, by X's number; the wheel is 4 to 7, on mice that have one."""
        self._send(X.ButtonPress if down else X.ButtonRelease, number)

    def click(self, number: int, times: int) -> None:
        """Click so many times, all at one moment for the server: on a busy machine they stay one double click."""
        with self._connection.talking():
            for _ in range(times):
                self._connection.fake(X.ButtonPress, number, 0, 0)
                self._connection.fake(X.ButtonRelease, number, 0, 0)
            self._connection.sync()

    def key(self, name: str, *, down: bool) -> None:
        """Press or release the key with that keysym name. Raises ``CannotType`` for one that there is none of."""
        with self._connection.talking():
            self._send(X.KeyPress if down else X.KeyRelease, self._keycode(name))

    def tap(self, name: str, times: int) -> None:
        """Press and release the key so many times, all at one moment for the server. Raises as ``key``."""
        with self._connection.talking():
            keycode = self._keycode(name)
            for _ in range(times):
                self._connection.fake(X.KeyPress, keycode, 0, 0)
                self._connection.fake(X.KeyRelease, keycode, 0, 0)
            self._connection.sync()

    def close(self) -> None:
        """Hang up. Safe to call twice."""
        self._connection.close()

    def _keycode(self, name: str) -> int:
        keysym = keysyms.of_name(name)
        keycode = 0 if keysym is None else int(self._connection.server.keysym_to_keycode(keysym))
        if not keycode:
            raise CannotType(f'This keyboard has no key "{name}".')
        return keycode

    def _send(self, event_type: int, detail: int = 0, *, x: int = 0, y: int = 0) -> None:
        with self._connection.talking():
            self._connection.fake(event_type, detail, x, y)
            self._connection.sync()
