"""What people do with their own mice and keyboards, told apart from what programs send.

The server says with each raw event which device it comes from. What programs send, ours among them, comes from
the XTEST devices; everything else has a person behind it: a real device, or the viewer of a VNC server.
"""

from __future__ import annotations

import importlib
import select
import socket
import struct
import threading
import time
from contextlib import ExitStack, closing, suppress
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from Xlib import X
from Xlib.ext import ge, xinput

from computer_platform.desktop import DesktopUnavailable, PersonEvent
from computer_platform.x11.connection import Connection
from computer_platform.x11.devices import EXTENSION, announce, plugged_in
from computer_platform.x11.server_clock import ServerClock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from Xlib.protocol import rq

_RAW = struct.Struct("=HIIH")  # device, time, key or button, source: how a raw event's body begins
_PRESSES = (xinput.RawKeyPress, xinput.RawButtonPress)
_KEYS = (xinput.RawKeyPress, xinput.RawKeyRelease)
_BUTTONS = {1: "left", 2: "middle", 3: "right", 8: "back", 9: "forward"}
_WHEEL = {4: "up", 5: "down", 6: "left", 7: "right"}
_MOTION_SECONDS = 0.03  # a mouse may tell of a thousand motions a second, and all are one to us

_LOCKS = range(0xFE01, 0xFE20)  # keysyms of modifiers that choose a layout or a level
_FUNCTIONS = range(0xFF00, 0x10000)
_MEDIA = range(0x1008FE00, 0x10090000)
_WRITING = frozenset((0xFF09, 0xFF0A, 0xFF0D, 0xFF80, 0xFF89, 0xFF8D, 0xFFBD, *range(0xFFAA, 0xFFBA)))


class _Raw(NamedTuple):
    """A raw event: of which kind, which key or button, from which device, and when by the server's clock."""

    kind: int
    detail: int
    source: int
    milliseconds: int


class X11Person:
    """The people at one display. ``listen`` raises ``DesktopUnavailable`` when it cannot be reached.

    Hears nothing any more, without a word, when the server goes away: whoever uses the desktop is told.
    """

    def __init__(self, display: str, authority_file: str | None) -> None:
        self._display = display
        self._authority_file = authority_file
        self._listening: _Listening | None = None

    def listen(self, heard: Callable[[PersonEvent], None]) -> None:
        """From now on call ``heard`` for each event, on a thread of its own, motions some 30 times a second at most."""
        self.stop()
        self._listening = _Listening(self._display, self._authority_file, heard)

    def stop(self) -> None:
        """Listen no more; ``heard`` is not called after this returns. Safe to call twice."""
        if self._listening is not None:
            self._listening.close()
            self._listening = None


class _Listening:
    """The thread that listens, and its connection."""

    def __init__(
        self, display: str, authority_file: str | None, heard: Callable[[PersonEvent], None]
    ) -> None:
        self._closed = False
        self._told = heard
        self._names: dict[int, str] | None = None
        self._at: tuple[int, int] | None = None  # where the pointer was; None once a program has moved it
        self._clock = ServerClock()
        with ExitStack() as opened:
            self._bell, self._ring = socket.socketpair()
            opened.callback(self._bell.close)
            opened.callback(self._ring.close)
            self._connection = Connection(display, authority_file, outlives_us=False)
            opened.callback(self._connection.close)
            with self._connection.talking():
                self._select()
            self._thread = threading.Thread(target=self._listen, name="oi listens to people", daemon=True)
            self._thread.start()
            opened.pop_all()

    def close(self) -> None:
        """Tell the thread to end, and wait for it unless this is it."""
        self._closed = True
        self._ring.close()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _heard(self, event: PersonEvent) -> None:
        if not self._closed:  # whoever hears of it may have closed us
            self._told(event)

    def _select(self) -> None:
        announce(self._connection)
        self._extension = int(self._connection.server.display.get_extension_major(EXTENSION))
        self._fake = plugged_in(self._connection).fake
        self._at = self._pointer()
        wanted = (
            xinput.RawKeyPressMask
            | xinput.RawKeyReleaseMask
            | xinput.RawButtonPressMask
            | xinput.RawButtonReleaseMask
            | xinput.RawMotionMask
        )
        # the masters: from all devices each event would come twice
        self._connection.root.xinput_select_events(
            [(xinput.AllMasterDevices, wanted), (xinput.AllDevices, xinput.HierarchyChangedMask)]
        )
        self._connection.sync()

    def _listen(self) -> None:
        with closing(self._bell), closing(self._connection), suppress(DesktopUnavailable):
            self._follow()

    def _follow(self) -> None:
        with self._connection.talking():
            pause = 0.0
            while not self._rung(pause):
                events = self._arrived()
                if not events:
                    select.select([self._connection.server, self._bell], [], [])
                # what moves goes on moving: the next motions are left to gather
                pause = _MOTION_SECONDS if self._tell(events) else 0.0

    def _rung(self, seconds: float) -> bool:
        return bool(select.select([self._bell], [], [], seconds)[0])

    def _arrived(self) -> list[_Raw]:
        """What has come."""
        found = []
        server = self._connection.server
        while server.pending_events():  # more may have come with an answer that one of them made us ask for
            event = server.next_event()
            if event.type == X.MappingNotify:
                self._names = None
            elif event.type == ge.GenericEventCode and event.extension == self._extension:
                raw = self._raw(event)
                if raw is not None:
                    found.append(raw)
        return found

    def _raw(self, event: rq.Event) -> _Raw | None:
        if event.evtype == xinput.HierarchyChanged:
            self._fake = plugged_in(self._connection).fake
            return None
        _, milliseconds, detail, source = _RAW.unpack_from(event.data)
        return _Raw(event.evtype, detail, source, milliseconds)

    def _tell(self, events: Sequence[_Raw]) -> bool:
        """Pass on what people did, motions first and as one; whether somebody or something moves the pointer."""
        if not events:
            return False
        if any(event.source not in self._fake for event in events):
            at = self._pointer()
            events = [*events, *self._arrived()]  # what came before that answer explains where it is
            self._pass_on(events, at)
        elif any(event.kind == xinput.RawMotion for event in events):
            self._at = None
        return any(event.kind == xinput.RawMotion for event in events)

    def _pass_on(self, events: Sequence[_Raw], at: tuple[int, int]) -> None:
        self._clock.heard(events[-1].milliseconds, time.monotonic())
        by = self._moved(events, at)
        if by != (0, 0):
            last = max(event.milliseconds for event in events if event.kind == xinput.RawMotion)
            self._heard(PersonEvent(kind="motion", at=at, by=by, seconds=self._clock.seconds(last)))
        for kind, detail, source, milliseconds in events:
            if kind == xinput.RawMotion or source in self._fake:
                continue
            down = kind in _PRESSES
            seconds = self._clock.seconds(milliseconds)
            if kind in _KEYS:
                name = self._name(detail)
                self._heard(PersonEvent(kind="key", at=at, name=name, down=down, seconds=seconds))
            elif detail not in _WHEEL:
                name = _BUTTONS.get(detail, str(detail))
                self._heard(PersonEvent(kind="button", at=at, name=name, down=down, seconds=seconds))
            elif down:
                self._heard(PersonEvent(kind="wheel", at=at, name=_WHEEL[detail], down=True, seconds=seconds))

    def _moved(self, events: Sequence[_Raw], at: tuple[int, int]) -> tuple[int, int]:
        """How far people moved the pointer; a point for each event where a program moved it as well."""
        moves = [event.source for event in events if event.kind == xinput.RawMotion]
        own = sum(source not in self._fake for source in moves)
        before, self._at = self._at, at
        if before is None or own < len(moves):
            return (own, 0)
        return (at[0] - before[0], at[1] - before[1]) if own else (0, 0)

    def _pointer(self) -> tuple[int, int]:
        found = self._connection.root.query_pointer()
        return int(found.root_x), int(found.root_y)

    def _name(self, keycode: int) -> str:
        if self._names is None:
            limits = self._connection.server.display.info
            first = int(limits.min_keycode)
            rows = self._connection.server.get_keyboard_mapping(first, int(limits.max_keycode) - first + 1)
            self._names = {first + index: _name_of(row) for index, row in enumerate(rows)}
        return self._names.get(keycode, "")


def _name_of(keysyms: Sequence[int]) -> str:
    """The name of a key with these keysyms, ``""`` when it writes a character on any of its levels."""
    meant = [int(keysym) for keysym in keysyms if keysym]
    if not meant or not all(_writes_nothing(keysym) for keysym in meant):
        return ""
    return key_names().get(meant[0], "")


def _writes_nothing(keysym: int) -> bool:
    if keysym in _WRITING:
        return False
    return keysym in _FUNCTIONS or keysym in _LOCKS or keysym in _MEDIA


@cache
def key_names() -> dict[int, str]:
    """The X name of each keysym that is no character's."""
    names: dict[int, str] = {}
    for group, prefix, named in (("xf86", "XK_XF86_", "XF86"), ("xkb", "XK_", ""), ("miscellany", "XK_", "")):
        for attribute, keysym in vars(importlib.import_module(f"Xlib.keysymdef.{group}")).items():
            if attribute.startswith(prefix):
                names[int(keysym)] = named + attribute.removeprefix(prefix)
    return names
