"""The pointer, its buttons and its wheel, through XTEST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from Xlib import X

if TYPE_CHECKING:
    from computer_platform.desktop import Area, Button
    from computer_platform.x11.connection import Connection

_NUMBERS: dict[Button, int] = {"left": 1, "middle": 2, "right": 3, "back": 8, "forward": 9}
_UP, _DOWN, _LEFT, _RIGHT = 4, 5, 6, 7  # the wheel is buttons, too
_NOTCHES = 1000  # more would only keep the program busy


class Pointer:
    """The pointer of one display. Every verb is done when it returns."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._held: set[Button] = set()

    def position(self) -> tuple[int, int]:
        """Where it is, in points of the root window."""
        found = self._connection.root.query_pointer()
        return int(found.root_x), int(found.root_y)

    def move(self, x: int, y: int, within: Area) -> None:
        """Put it there, or at the nearest point of the desktop."""
        x = min(max(x, within.left), within.right - 1)
        y = min(max(y, within.top), within.bottom - 1)
        self._connection.fake(X.MotionNotify, x=x, y=y)
        self._connection.sync()

    def button(self, button: Button, *, down: bool) -> None:
        """Press or release a button. Raises ``ValueError`` for a name that is none."""
        number = _NUMBERS.get(button)
        if number is None:
            raise ValueError(f'There is no mouse button "{button}". Buttons are {", ".join(_NUMBERS)}.')
        self._connection.fake(X.ButtonPress if down else X.ButtonRelease, number)
        self._connection.sync()
        if down:
            self._held.add(button)
        else:
            self._held.discard(button)

    def scroll(self, right: int, down: int) -> None:
        """Turn the wheel by notches, at most a thousand in each direction."""
        for notches, negative, positive in ((down, _UP, _DOWN), (right, _LEFT, _RIGHT)):
            number = positive if notches > 0 else negative
            for _ in range(min(abs(notches), _NOTCHES)):
                self._connection.fake(X.ButtonPress, number)
                self._connection.fake(X.ButtonRelease, number)
        self._connection.sync()

    def held(self) -> frozenset[str]:
        """The buttons pressed and not yet released."""
        return frozenset(self._held)

    def release(self) -> None:
        """Release the buttons that are held."""
        for button in sorted(self._held):
            self.button(button, down=False)
