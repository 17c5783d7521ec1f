"""A mouse and a keyboard in a person's place: what comes from them is not taken for a program's.

XTEST can send through any device, not only through its own. Where a person looks on from elsewhere - in a
browser - this is how what they do reaches the desktop as theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from Xlib.protocol import rq

from computer_platform.desktop import CannotType, DesktopUnavailable
from computer_platform.x11 import keysyms
from computer_platform.x11.connection import Connection
from computer_platform.x11.devices import EXTENSION, announce, plugged_in, present

if TYPE_CHECKING:
    from Xlib.protocol.display import Display

# Of the extension's events, counted from its first one.
_VALUATOR, _KEY_PRESS, _KEY_RELEASE, _BUTTON_PRESS, _BUTTON_RELEASE, _MOTION = range(6)
_LONGEST_ID = 127  # what fits beside the mark of an extension's event


class PersonDevice:
    """The first mouse and keyboard of a display that are not XTEST's own. Every verb is done when it returns.

    Raises ``DesktopUnavailable`` when the display cannot be reached, or has no such devices.
    """

    def __init__(self, display: str, authority_file: str | None = None) -> None:
        self._connection = Connection(display, authority_file, outlives_us=False)
        try:
            with self._connection.talking():
                self._mouse, self._keyboard = self._devices()
                self._first = int(self._connection.server.query_extension(EXTENSION).first_event)
        except BaseException:
            self._connection.close()
            raise

    def move(self, x: int, y: int) -> None:
        """Put the pointer there."""
        with self._connection.talking():
            _FakeMotion(
                **self._to(self._mouse, _MOTION),
                valuator=self._first + _VALUATOR,
                count=2,
                x=x,
                y=y,
            )
            self._connection.sync()

    def button(self, number: int, *, down: bool) -> None:
        """Press or release a button, by X's number; the wheel is 4 to 7, on mice that have one."""
        with self._connection.talking():
            event = _BUTTON_PRESS if down else _BUTTON_RELEASE
            _FakeEvent(**self._to(self._mouse, event), detail=number)
            self._connection.sync()

    def key(self, name: str, *, down: bool) -> None:
        """Press or release the key with that keysym name. Raises ``CannotType`` for one that there is none of."""
        with self._connection.talking():
            keysym = keysyms.of_name(name)
            keycode = 0 if keysym is None else int(self._connection.server.keysym_to_keycode(keysym))
            if not keycode:
                raise CannotType(f'This keyboard has no key "{name}".')
            event = _KEY_PRESS if down else _KEY_RELEASE
            _FakeEvent(**self._to(self._keyboard, event), detail=keycode)
            self._connection.sync()

    def close(self) -> None:
        """Hang up. Safe to call twice."""
        self._connection.close()

    def _to(self, device: int, event: int) -> dict[str, Any]:
        """What a request for that device begins with."""
        display: Display = self._connection.server.display
        return {
            "display": display,
            "opcode": display.get_extension_major("XTEST"),
            "event_type": self._first + event,
            "device": device,
        }

    def _devices(self) -> tuple[int, int]:
        if present(self._connection):
            announce(self._connection)
            found = plugged_in(self._connection)
            mice = [device for device in found.mice if device <= _LONGEST_ID]
            keyboards = [device for device in found.keyboards if device <= _LONGEST_ID]
            if mice and keyboards:
                return mice[0], keyboards[0]
        raise DesktopUnavailable(
            f'The X server "{self._connection.display}" has no mouse and keyboard of its own, so nobody can use it '
            "in a person's place."
        )


class _FakeEvent(rq.Request):  # type: ignore[misc]  # python-xlib has no types
    """XTestFakeInput with an event of the input extension, for a key or a button."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(2),
        rq.RequestLength(),
        rq.Card8("event_type"),
        rq.Card8("detail"),
        rq.Pad(2),
        rq.Card32("delay", 0),
        rq.Pad(23),
        rq.Card8("device"),
    )


class _FakeMotion(rq.Request):  # type: ignore[misc]  # the same
    """The same for a motion, whose place follows in an event of its own: from the first axis, absolute."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(2),
        rq.RequestLength(),
        rq.Card8("event_type"),
        rq.Card8("relative", 0),
        rq.Pad(2),
        rq.Card32("delay", 0),
        rq.Pad(23),
        rq.Card8("device"),
        rq.Card8("valuator"),
        rq.Pad(5),
        rq.Card8("count"),
        rq.Card8("first", 0),
        rq.Int32("x"),
        rq.Int32("y"),
        rq.Pad(16),
    )
