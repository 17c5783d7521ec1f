"""Windows, as the window manager lists them (EWMH), and a way to know that it has caught up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import Xlib.error
import Xlib.protocol.event
from Xlib import X, Xatom

from computer_platform.desktop import Area, Window
from computer_platform.x11 import compound_text
from computer_platform.x11.clients import process_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from Xlib.protocol import request
    from Xlib.xobject import drawable

    from computer_platform.desktop import Arrangement
    from computer_platform.x11.connection import Connection

_SECONDS = 2.0
_POLL = 0.004
_STILL = 0.05  # seconds without a change after which a window has come to rest
_PAGER = 2  # who asks: a tool that acts for the person
_STATIC_GRAVITY = 10  # the position is that of the client area, not of the frame
_MOVE_AND_RESIZE = 0xF << 8
_BYTES, _NUMBERS = 8, 32  # formats of properties
_NOT_FOR_PEOPLE = ("_NET_WM_WINDOW_TYPE_DOCK", "_NET_WM_WINDOW_TYPE_DESKTOP")


class X11Windows:
    """The window manager of one display. Requests about a window that has closed do nothing."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def present(self) -> bool:
        """Whether a window manager answers now; one may start, or stop, at any time."""
        with self._connection.talking():
            checks = self._numbers(self._connection.root, "_NET_SUPPORTING_WM_CHECK")
            if not checks:
                return False
            # A manager that was killed leaves the property behind, but not the window.
            return self._numbers(self._window(checks[0]), "_NET_SUPPORTING_WM_CHECK") == checks

    def all(self) -> tuple[Window, ...]:
        """Every window, from the bottom of the stack to the top; without panels and the backdrop."""
        with self._connection.talking():
            active = self._active()
            ids = self._numbers(self._connection.root, "_NET_CLIENT_LIST_STACKING") or self._numbers(
                self._connection.root, "_NET_CLIENT_LIST"
            )
            described = (self._described(identity, active=identity == active) for identity in ids)
            return tuple(window for window in described if window is not None)

    def activate(self, window: Window) -> None:
        """Raise the window and give it the keyboard; waits, at most two seconds, until it has it.

        Whether it came to that shows in ``all()``: a dialog of the same program may keep the keyboard.
        """
        with self._connection.talking():
            self._ask(window.id, "_NET_ACTIVE_WINDOW", [_PAGER, X.CurrentTime, 0, 0, 0])
            self._wait(lambda: self._active() == window.id and self._has_focus(window.id))

    def close(self, window: Window) -> None:
        """Ask the window to close, as its close button would."""
        with self._connection.talking():
            self._ask(window.id, "_NET_CLOSE_WINDOW", [X.CurrentTime, _PAGER, 0, 0, 0])
            self._connection.sync()

    def move(self, window: Window, area: Area) -> None:
        """Place the window's client area there; waits, at most two seconds.

        A program may keep to sizes of its own, as terminals do: ``all()`` tells where it is now.
        """
        with self._connection.talking():
            self._place(window.id, area, wanted=area)
            now = self._described(window.id, active=False)
            if now is None or now.area[:2] == area[:2]:
                return
            # Managers differ in how they count the borders: measure what came of it, and make up for it.
            left, top = 2 * area.left - now.area.left, 2 * area.top - now.area.top
            self._place(window.id, area._replace(left=left, top=top), wanted=area)

    def arrange(self, window: Window, how: Arrangement) -> None:
        """Raise, maximise, minimise or restore the window; waits, at most two seconds, until it is so."""
        raise NotImplementedError((window, how))

    def caught_up(self, seconds: float) -> None:
        """Wait until the window manager has dealt with every event so far, at most that long.

        A click gives a window the keyboard only when the manager gets to it. It answers requests in
        the order of events, so its answer to one of ours shows that it got to the click.
        """
        window, property_name = self._connection.window, self._connection.atom("_NET_FRAME_EXTENTS")
        supported = self._numbers(self._connection.root, "_NET_SUPPORTED")
        if self._connection.atom("_NET_REQUEST_FRAME_EXTENTS") not in supported:
            return
        window.delete_property(property_name)
        self._ask(window.id, "_NET_REQUEST_FRAME_EXTENTS", [0, 0, 0, 0, 0])
        self._connection.wait_for(
            lambda event: (
                event.type == X.PropertyNotify
                and event.window.id == window.id
                and event.atom == property_name
                and event.state == X.PropertyNewValue
            ),
            seconds,
        )

    def _described(self, identity: int, *, active: bool) -> Window | None:
        window = self._window(identity)
        try:
            size = window.get_geometry()
            at = window.translate_coords(self._connection.root, 0, 0)
        except Xlib.error.XError:
            return None  # it closed meanwhile
        kinds = self._numbers(window, "_NET_WM_WINDOW_TYPE")
        if any(self._connection.atom(kind) in kinds for kind in _NOT_FOR_PEOPLE):
            return None
        pids = self._numbers(window, "_NET_WM_PID")
        classes = self._text(window, "WM_CLASS").split("\0")
        return Window(
            id=identity,
            title=self._text(window, "_NET_WM_NAME") or self._text(window, "WM_NAME"),
            app=classes[1] if len(classes) > 1 else classes[0],
            pid=pids[0] if pids else process_of(self._connection, identity),
            # python-xlib gives the offset from the window to the root
            area=Area(-int(at.x), -int(at.y), int(size.width), int(size.height)),
            active=active,
            hidden=self._connection.atom("_NET_WM_STATE_HIDDEN") in self._numbers(window, "_NET_WM_STATE"),
        )

    def _active(self) -> int | None:
        found = self._numbers(self._connection.root, "_NET_ACTIVE_WINDOW")
        return found[0] if found else None

    def _has_focus(self, identity: int) -> bool:
        """Whether the keyboard goes to the window or to a part of it."""
        focus = self._connection.server.get_input_focus().focus
        try:
            while not isinstance(focus, int) and focus.id != self._connection.root.id:
                if focus.id == identity:
                    return True
                focus = focus.query_tree().parent
        except Xlib.error.XError:
            pass  # the part closed meanwhile
        return False

    def _place(self, identity: int, asked: Area, *, wanted: Area) -> None:
        flags = _STATIC_GRAVITY | _MOVE_AND_RESIZE | _PAGER << 12
        self._ask(identity, "_NET_MOVERESIZE_WINDOW", [flags, *asked])
        self.caught_up(_SECONDS)
        self._wait_until_still(identity, wanted)

    def _wait_until_still(self, identity: int, wanted: Area) -> None:
        deadline = time.monotonic() + _SECONDS
        seen, since = self._described(identity, active=False), time.monotonic()
        while seen is not None and seen.area != wanted and time.monotonic() < deadline:
            now = self._described(identity, active=False)
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > _STILL:
                return
            time.sleep(_POLL)

    def _wait(self, fact: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _SECONDS
        while not fact() and time.monotonic() < deadline:
            time.sleep(_POLL)

    def _ask(self, identity: int, request: str, data: Sequence[int]) -> None:

        message = Xlib.protocol.event.ClientMessage(
            window=self._window(identity),
            client_type=self._connection.atom(request),
            data=(32, [value & 0xFFFFFFFF for value in data]),
        )
        mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
        self._connection.root.send_event(message, event_mask=mask)
        self._connection.flush()

    def _window(self, identity: int) -> drawable.Window:
        return self._connection.server.create_resource_object("window", identity)

    def _numbers(self, window: drawable.Window, name: str) -> list[int]:
        found = self._property(window, name)
        return [int(value) for value in found.value] if found and found.format == _NUMBERS else []

    def _text(self, window: drawable.Window, name: str) -> str:
        found = self._property(window, name)
        if not found or found.format != _BYTES:
            return ""
        if found.property_type == self._connection.atom("COMPOUND_TEXT"):
            return compound_text.decoded(bytes(found.value))
        encoding = "latin-1" if found.property_type == Xatom.STRING else "utf-8"
        return bytes(found.value).decode(encoding, "replace")

    def _property(self, window: drawable.Window, name: str) -> request.GetProperty | None:
        try:
            return window.get_full_property(self._connection.atom(name), X.AnyPropertyType, 1024)
        except Xlib.error.XError:
            return None  # the window closed meanwhile
