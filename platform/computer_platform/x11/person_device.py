"""A mouse and a keyboard in a person's place: what comes from them is not taken for a program's.

XTEST can send through any device, not only through its own. Where a person looks on from elsewhere - in a
browser - this is how what they do reaches the desktop as theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib.ext import xinput
from Xlib.protocol import rq

from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11.connection import Connection
from computer_platform.x11.devices import EXTENSION, announce, plugged_in, present

if TYPE_CHECKING:
    from Xlib.protocol.display import Display

# Of the extension's events, counted from its first one.
_VALUATOR, _MOTION = 0, 5
_EVENTS = {X.KeyPress: 1, X.KeyRelease: 2, X.ButtonPress: 3, X.ButtonRelease: 4}
_BUTTONS = frozenset({X.ButtonPress, X.ButtonRelease})
_LONGEST_ID = 127  # what fits beside the mark of an extension's event


class PersonConnection(Connection):
    """A connection whose input comes from the first mouse and keyboard of the display that are not XTEST's own.

    A button that this mouse lacks is pressed as a program would.
    Raises ``DesktopUnavailable`` when the display cannot be reached, or has no such devices.
    """

    def __init__(self, display: str, authority_file: str | None = None) -> None:
        super().__init__(display, authority_file, outlives_us=False)
        try:
            with self.talking():
                self._mouse, self._keyboard = self._devices()
                self._buttons = self._buttons_of(self._mouse)
                self._first = int(self.server.query_extension(EXTENSION).first_event)
        except BaseException:
            self.close()
            raise

    def _send(self, event_type: int, detail: int, x: int, y: int) -> None:
        """Queue one input event from the device that it belongs to."""
        if event_type == X.MotionNotify:
            valuator = self._first + _VALUATOR
            _FakeMotion(**self._to(self._mouse, _MOTION), valuator=valuator, count=2, x=x, y=y)
        elif event_type in _BUTTONS and detail > self._buttons:
            super()._send(event_type, detail, x, y)  # a VNC server's mouse has none of those at the side
        else:
            device = self._mouse if event_type in _BUTTONS else self._keyboard
            _FakeEvent(**self._to(device, _EVENTS[event_type]), detail=detail)

    def _to(self, device: int, event: int) -> dict[str, Any]:
        """What a request for that device begins with."""
        display: Display = self.server.display
        return {
            "display": display,
            "opcode": display.get_extension_major("XTEST"),
            "event_type": self._first + event,
            "device": device,
        }

    def _buttons_of(self, mouse: int) -> int:
        (found,) = self.server.xinput_query_device(mouse).devices
        return max((len(part.labels) for part in found.classes if part.type == xinput.ButtonClass), default=0)

    def _devices(self) -> tuple[int, int]:
        if present(self):
            announce(self)
            found = plugged_in(self)
            mice = [device for device in found.mice if device <= _LONGEST_ID]
            keyboards = [device for device in found.keyboards if device <= _LONGEST_ID]
            if mice and keyboards:
                return mice[0], keyboards[0]
        raise DesktopUnavailable(
            f'The X server "{self.display}" has no mouse and keyboard of its own, so nobody can use it '
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
