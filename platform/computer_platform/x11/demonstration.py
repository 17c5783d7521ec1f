"""What is done with mouse and keyboard on an X display, as its RECORD extension tells it: nothing is held up by that.

The server tells of what people's devices send, and of what programs send in a person's place, which is how somebody
works on a desktop from elsewhere.
"""

from __future__ import annotations

import struct
import threading
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import Xlib.error
from Xlib import X
from Xlib.ext import record

from computer_platform.demonstration import InputEvent
from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11.composing import Composer
from computer_platform.x11.connection import Connection
from computer_platform.x11.key_reading import read_keys
from computer_platform.x11.server_clock import ServerClock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_EVENT = struct.Struct("=BBHI12xhh4xH2x")  # type, key or button, -, time, place on the root, state: 32 bytes
_BUTTONS = {1: "left", 2: "middle", 3: "right", 8: "back", 9: "forward"}
_WHEEL = {4: "up", 5: "down", 6: "left", 7: "right"}
_START_SECONDS = 10.0
_END_SECONDS = 5.0
_MOVED_POINTS = 2  # a smaller motion is not told of
_SHORTCUTS = frozenset({"Control_L", "Alt_L", "Super_L"})


class X11Demonstration:
    """What is done at one display. ``environment`` holds its ``XAUTHORITY``, and where a person's own sequences are."""

    def __init__(self, display: str, environment: Mapping[str, str]) -> None:
        self._display = display
        self._environment = environment
        self._listening: _Listening | None = None

    def listen(self, heard: Callable[[InputEvent], None]) -> None:
        """From now on call ``heard`` for each event, on a thread of its own. Raises ``DesktopUnavailable``."""
        self.stop()
        self._listening = _Listening(self._display, self._environment, heard)

    def stop(self) -> None:
        """Listen no more; ``heard`` is not called after this returns. Safe to call twice."""
        if self._listening is not None:
            self._listening.close()
            self._listening = None


class _Listening:
    """Two connections: on one the server tells what happens, on the other it is asked what that means."""

    def __init__(
        self, display: str, environment: Mapping[str, str], heard: Callable[[InputEvent], None]
    ) -> None:
        self._told = heard
        self._closed = False
        self._began = threading.Event()
        self._asking = threading.Lock()
        authority_file = environment.get("XAUTHORITY")
        with ExitStack() as opened:
            self._control = Connection(display, authority_file, outlives_us=False)
            opened.callback(self._control.close)
            self._data = Connection(display, authority_file, outlives_us=False)
            opened.callback(self._data.close)
            with self._control.talking():
                if not self._control.server.has_extension("RECORD"):
                    raise DesktopUnavailable(
                        f'The X server "{display}" lacks the RECORD extension, so nothing that is done there can be '
                        "recorded. Start it without `-extension RECORD`."
                    )
                self._reading = _Reading(self._control, environment)
                self._context = self._create()
            self._thread = threading.Thread(target=self._follow, name="oi records", daemon=True)
            self._thread.start()
            if not self._began.wait(_START_SECONDS):
                raise DesktopUnavailable(
                    f'The X server "{display}" does not begin to tell what is done there.'
                )
            opened.pop_all()

    def close(self) -> None:
        """Have the server end its telling; what it still tells is not passed on."""
        self._closed = True
        with suppress(DesktopUnavailable), self._asking, self._control.talking():
            self._control.server.record_disable_context(self._context)
            self._control.sync()
        self._thread.join(_END_SECONDS)
        self._data.close()
        self._control.close()

    def _create(self) -> int:
        nothing: dict[str, Any] = {
            "core_requests": (0, 0),
            "core_replies": (0, 0),
            "ext_requests": (0, 0, 0, 0),
            "ext_replies": (0, 0, 0, 0),
            "delivered_events": (0, 0),
            "errors": (0, 0),
            "client_started": False,
            "client_died": False,
        }
        wanted = [{**nothing, "device_events": (X.KeyPress, X.MotionNotify)}]
        context = int(self._control.server.record_create_context(0, [record.AllClients], wanted))
        self._control.sync()
        return context

    def _follow(self) -> None:
        lost = (DesktopUnavailable, Xlib.error.ConnectionClosedError)
        with suppress(*lost):  # whoever uses the desktop is told that it is gone
            self._data.server.record_enable_context(self._context, self._arrived)

    def _arrived(self, reply: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        if reply.category == record.StartOfData:
            self._began.set()
        if reply.category != record.FromServer:
            return
        data = bytes(reply.data)
        for start in range(0, len(data) - _EVENT.size + 1, _EVENT.size):
            if self._closed:
                return
            with self._asking:
                event = self._reading.take(data[start : start + _EVENT.size])
            if event is not None:
                self._told(event)


class _Reading:
    """Turns the server's events into ours. What is down is followed here: the state of an event lags behind a grab."""

    def __init__(self, control: Connection, environment: Mapping[str, str]) -> None:
        self._control = control
        self._keys = read_keys(control)
        self._composer = Composer(environment)
        self._window: int | None = None
        self._modifiers: dict[int, str] = self._down()
        self._buttons: set[int] = set()
        self._at = (0, 0)
        self._clock = ServerClock()

    def take(self, data: bytes) -> InputEvent | None:
        """The event, None for one that means nothing here."""
        kind, detail, _, time_, x, y, state = _EVENT.unpack(data)
        kind &= 0x7F
        self._clock.heard(time_, time.monotonic())
        seconds = self._clock.seconds(time_)
        if kind == X.MotionNotify:
            return self._motion((x, y), seconds)
        self._at = (x, y)
        if kind in (X.KeyPress, X.KeyRelease):
            return self._key(detail, state, seconds, down=kind == X.KeyPress)
        return self._button(detail, state, seconds, down=kind == X.ButtonPress)

    def _motion(self, at: tuple[int, int], seconds: float) -> InputEvent | None:
        moved = max(abs(at[0] - self._at[0]), abs(at[1] - self._at[1]))
        if not self._buttons or moved < _MOVED_POINTS:
            return None
        self._at = at
        return InputEvent(kind="motion", at=at, seconds=seconds, held=self._held(0))

    def _button(self, number: int, state: int, seconds: float, *, down: bool) -> InputEvent | None:
        held = self._held(state)
        if number in _WHEEL:
            wheel = InputEvent(kind="wheel", at=self._at, seconds=seconds, name=_WHEEL[number], held=held)
            return wheel if down else None
        if down:
            self._composer.reset()
        (self._buttons.add if down else self._buttons.discard)(number)
        name = _BUTTONS.get(number, str(number))
        return InputEvent(kind="button", at=self._at, seconds=seconds, name=name, down=down, held=held)

    def _key(self, code: int, state: int, seconds: float, *, down: bool) -> InputEvent:
        if down:
            self._ask()
        held = self._held(state)
        modifier = self._keys.modifier(code)
        if modifier:
            if down:
                self._modifiers[code] = modifier
            else:
                self._modifiers.pop(code, None)
        state |= sum(self._keys.roles.get(name, 0) for name in held)
        text = None
        if down and not held & _SHORTCUTS:
            text = self._composer.take(self._keys.keysym(code, state))
        return InputEvent(
            kind="key",
            at=self._at,
            seconds=seconds,
            name=modifier or self._keys.name(code, state),
            down=down,
            text=text,
            held=held,
            window=self._window,
        )

    def _ask(self) -> None:
        """Which window has the keyboard now, and the map anew if somebody has changed it."""
        with suppress(DesktopUnavailable), self._control.talking():
            if self._control.mapping_changed():
                self._keys = read_keys(self._control)
            active = self._control.root.get_full_property(
                self._control.atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType
            )
            window = int(active.value[0]) if active is not None and len(active.value) else None
            if window != self._window:
                self._window = window
                self._composer.reset()

    def _held(self, state: int) -> frozenset[str]:
        return self._keys.held(state) | frozenset(self._modifiers.values())

    def _down(self) -> dict[int, str]:
        """The modifiers that are down at the beginning."""
        bits = self._control.server.query_keymap()
        down = [byte * 8 + bit for byte in range(1, 32) for bit in range(8) if bits[byte] >> bit & 1]
        return {code: name for code in down if (name := self._keys.modifier(code))}
