"""Windows, as the window manager lists them (EWMH), and a way to know that it has caught up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import Xlib.error
import Xlib.protocol.event
from Xlib import X, Xatom

from computer_platform.desktop import Area, Popup, Window
from computer_platform.x11 import compound_text
from computer_platform.x11.clients import process_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from Xlib.protocol import request
    from Xlib.xobject import drawable

    from computer_platform.desktop import Arrangement, PopupKind
    from computer_platform.x11.connection import Connection

_SECONDS = 2.0
_BEHIND_SECONDS = 10.0  # longer than that only while the window manager shows that it is still behind
_SETTLED_SECONDS = 0.4  # that a program gets for its part, once the window manager has done its own
_POLL = 0.004
_STILL = 0.05  # seconds without a change after which a window has come to rest
_ICONIC = 3  # the state of a minimised window
_PAGER = 2  # who asks: a tool that acts for the person
_NORTH_WEST = 1  # of the frame: openbox cannot restore a window whose client area was given its place
_MOVE_AND_RESIZE = 0xF << 8
_BYTES, _NUMBERS = 8, 32  # formats of properties
_REMOVE, _ADD = 0, 1  # what is done to a state
_EVERY_DESKTOP = 0xFFFFFFFF
_MAXIMIZED = ("_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ")
_NOT_FOR_PEOPLE = tuple(
    f"_NET_WM_WINDOW_TYPE_{kind}" for kind in ("DOCK", "DESKTOP", "SPLASH", "NOTIFICATION", "TOOLTIP")
)

_POPUP_KINDS: dict[str, PopupKind] = {
    "MENU": "menu",
    "DROPDOWN_MENU": "menu",
    "POPUP_MENU": "menu",
    "COMBO": "menu",
    "TOOLTIP": "tooltip",
}
_SMALLEST_POPUP = 4  # points: programs keep windows of a point or so for purposes of their own


class _Margins(NamedTuple):
    """Widths of the four sides of a frame."""

    left: int = 0
    right: int = 0
    top: int = 0
    bottom: int = 0

    def around(self, area: Area) -> Area:
        """The area with them."""
        return Area(
            area.left - self.left,
            area.top - self.top,
            area.width + self.left + self.right,
            area.height + self.top + self.bottom,
        )

    def inside(self, area: Area) -> Area:
        """The area without them."""
        return _Margins(*(-width for width in self)).around(area)


class X11Windows:
    """The window manager of one display. Requests about a window that has closed do nothing."""

    managed = True

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
            described = (self._described(identity, active=identity == active) for identity in self._stack())
            return tuple(window for window in described if window is not None)

    def popups(self) -> tuple[Popup, ...]:
        """What programs show without asking the window manager, from the bottom of the stack to the top."""
        with self._connection.talking():
            children = self._connection.root.query_tree().children
            return tuple(popup for child in children if (popup := self._popup(child)) is not None)

    def activate(self, window: Window) -> None:
        """Raise the window and give it the keyboard; waits, at most two seconds, until it has it.

        It brings back one that is minimised, and goes to the virtual desktop of one on another. Whether it came
        to that shows in ``all()``: a dialog of the same program may keep the keyboard.
        """
        with self._connection.talking():
            self._until(
                lambda: self._activate(window.id),
                lambda: (
                    (self._active() == window.id and self._has_focus(window.id))
                    or window.id not in self._stack()
                ),
            )

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
            now = self._place(window.id, area, wanted=area)
            if now is None or now[:2] == area[:2]:
                return
            # A size that the program does not take may have had the manager push the window aside.
            taken = Area(area.left, area.top, now.width, now.height)
            now = self._place(window.id, taken, wanted=taken)
            if now is None or now[:2] == area[:2]:
                return
            # Managers differ in how they count the borders: measure what came of it, and make up for it.
            left, top = 2 * area.left - now.left, 2 * area.top - now.top
            self._place(window.id, taken._replace(left=left, top=top), wanted=taken)

    def arrange(self, window: Window, how: Arrangement) -> None:
        """Raise, maximise, minimise or restore the window; waits, at most two seconds, until it is so."""
        with self._connection.talking():
            match how:
                case "raise":
                    self._until(lambda: self._raise(window.id), lambda: self._on_top(window.id))
                case "maximize":
                    self._show(window.id)
                    self._until(
                        lambda: self._state(window.id, _ADD, *_MAXIMIZED),
                        lambda: self._is(window.id, maximized=True),
                    )
                case "minimize":
                    self._until(lambda: self._minimize(window.id), lambda: self._is(window.id, hidden=True))
                case "restore":
                    self._show(window.id)
                    self._until(
                        lambda: self._state(window.id, _REMOVE, *_MAXIMIZED),
                        lambda: self._is(window.id, maximized=False),
                    )
                    self._wait_until_still(window.id)

    def _activate(self, identity: int) -> None:
        elsewhere = self._elsewhere(self._window(identity))
        if elsewhere is not None:  # openbox would only say that the window wants attention
            self._ask(self._connection.root.id, "_NET_CURRENT_DESKTOP", [elsewhere, X.CurrentTime, 0, 0, 0])
        self._ask(identity, "_NET_ACTIVE_WINDOW", [_PAGER, X.CurrentTime, 0, 0, 0])

    def _raise(self, identity: int) -> None:
        self._ask(identity, "_NET_RESTACK_WINDOW", [_PAGER, 0, X.Above, 0, 0])

    def _minimize(self, identity: int) -> None:
        self._ask(identity, "WM_CHANGE_STATE", [_ICONIC, 0, 0, 0, 0])

    def _show(self, identity: int) -> None:
        """Bring back a window that is minimised; the keyboard comes with it, as with a click on a task bar."""
        if self._is(identity, hidden=False):
            return
        self._until(lambda: self._activate(identity), lambda: self._is(identity, hidden=False))
        self._wait_until_still(identity)  # some managers let it grow before one's eyes

    def _state(self, identity: int, what: int, *names: str) -> None:
        first, second = (self._connection.atom(name) for name in names)
        self._ask(identity, "_NET_WM_STATE", [what, first, second, _PAGER, 0])

    def _is(self, identity: int, *, maximized: bool | None = None, hidden: bool | None = None) -> bool:
        """Whether the window is so, or is gone."""
        now = self._described(identity, active=False)
        return now is None or (maximized in (None, now.maximized) and hidden in (None, now.hidden))

    def _on_top(self, identity: int) -> bool:
        """Whether no window is above it but its own dialogs, and what is always on top, or it is gone."""
        stack = self._stack()
        if identity not in stack:
            return True
        above = (self._window(other) for other in stack[stack.index(identity) + 1 :])
        return all(self._owner(other) == identity or not self._is_for_people(other) for other in above)

    def caught_up(self, seconds: float) -> bool:
        """Wait until the window manager has dealt with every event so far, at most that long; whether it has.

        A click gives a window the keyboard only when the manager gets to it. It answers requests in
        the order of events, so its answer to one of ours shows that it got to the click.
        """
        window, property_name = self._connection.window, self._connection.atom("_NET_FRAME_EXTENTS")
        supported = self._numbers(self._connection.root, "_NET_SUPPORTED")
        if self._connection.atom("_NET_REQUEST_FRAME_EXTENTS") not in supported:
            return True  # it has no way to tell
        window.delete_property(property_name)
        self._ask(window.id, "_NET_REQUEST_FRAME_EXTENTS", [0, 0, 0, 0, 0])
        answer = self._connection.wait_for(
            lambda event: (
                event.type == X.PropertyNotify
                and event.window.id == window.id
                and event.atom == property_name
                and event.state == X.PropertyNewValue
            ),
            seconds,
        )
        return answer is not None

    def _stack(self) -> list[int]:
        """The ids of all windows, from the bottom to the top."""
        root = self._connection.root
        return self._numbers(root, "_NET_CLIENT_LIST_STACKING") or self._numbers(root, "_NET_CLIENT_LIST")

    def _described(self, identity: int, *, active: bool) -> Window | None:
        window = self._window(identity)
        try:
            size = window.get_geometry()
            at = window.translate_coords(self._connection.root, 0, 0)
        except Xlib.error.XError:
            return None  # it closed meanwhile
        if not self._is_for_people(window):
            return None
        pids = self._numbers(window, "_NET_WM_PID")
        classes = self._text(window, "WM_CLASS").split("\0")
        states = self._numbers(window, "_NET_WM_STATE")
        # python-xlib gives the offset from the window to the root
        client = Area(-int(at.x), -int(at.y), int(size.width), int(size.height))
        seen = self._shadow(window).inside(client)
        hidden = (
            self._connection.atom("_NET_WM_STATE_HIDDEN") in states or self._elsewhere(window) is not None
        )
        return Window(
            id=identity,
            title=self._text(window, "_NET_WM_NAME") or self._text(window, "WM_NAME"),
            app=classes[1] if len(classes) > 1 else classes[0],
            pid=pids[0] if pids else process_of(self._connection, identity),
            area=seen,
            active=active and not hidden,  # the manager tells of the one before that of the other
            hidden=hidden,
            maximized=all(self._connection.atom(state) in states for state in _MAXIMIZED),
            dialog_of=self._owner(window),
            modal=self._connection.atom("_NET_WM_STATE_MODAL") in states,
            frame=self._margins(window, "_NET_FRAME_EXTENTS").around(seen),
        )

    def _popup(self, window: drawable.Window) -> Popup | None:
        try:
            is_ = window.get_attributes()
            if not is_.override_redirect or is_.map_state != X.IsViewable or is_.win_class != X.InputOutput:
                return None
            at = window.get_geometry()
        except Xlib.error.XError:
            return None  # it closed meanwhile
        if min(at.width, at.height) < _SMALLEST_POPUP:
            return None
        kinds = self._numbers(window, "_NET_WM_WINDOW_TYPE")
        kind: PopupKind = next(
            (
                meant
                for name, meant in _POPUP_KINDS.items()
                if self._connection.atom(f"_NET_WM_WINDOW_TYPE_{name}") in kinds
            ),
            "other",
        )
        return Popup(id=window.id, kind=kind, area=Area(int(at.x), int(at.y), int(at.width), int(at.height)))

    def _is_for_people(self, window: drawable.Window) -> bool:
        """Whether it is no panel, backdrop or bubble."""
        kinds = self._numbers(window, "_NET_WM_WINDOW_TYPE")
        return all(self._connection.atom(kind) not in kinds for kind in _NOT_FOR_PEOPLE)

    def _elsewhere(self, window: drawable.Window) -> int | None:
        """The virtual desktop that it is on, when that is one that does not show."""
        mine = self._numbers(window, "_NET_WM_DESKTOP")
        shown = self._numbers(self._connection.root, "_NET_CURRENT_DESKTOP")
        return mine[0] if mine and shown and mine[0] not in (shown[0], _EVERY_DESKTOP) else None

    def _owner(self, window: drawable.Window) -> int | None:
        """The window that this one is a dialog of."""
        found = self._numbers(window, "WM_TRANSIENT_FOR")
        if not found or found[0] in (0, window.id, self._connection.root.id):
            return None  # of the whole group, which names nobody
        return found[0]

    def _shadow(self, window: drawable.Window) -> _Margins:
        """What a program that draws its own frame adds around that for a shadow: nobody sees it as window."""
        return self._margins(window, "_GTK_FRAME_EXTENTS")

    def _margins(self, window: drawable.Window, name: str) -> _Margins:
        found = self._numbers(window, name)
        return _Margins(*found) if len(found) == len(_Margins._fields) else _Margins()

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

    def _place(self, identity: int, asked: Area, *, wanted: Area) -> Area | None:
        """Ask for that area and wait until the window has the one that is wanted, or stays: which it has then."""
        flags = _NORTH_WEST | _MOVE_AND_RESIZE | _PAGER << 12
        window = self._window(identity)
        client = self._shadow(window).around(asked)
        corner = self._margins(window, "_NET_FRAME_EXTENTS").around(client)[:2]
        self._ask(identity, "_NET_MOVERESIZE_WINDOW", [flags, *corner, client.width, client.height])
        self.caught_up(_BEHIND_SECONDS)
        self._wait_until_still(identity, wanted)
        now = self._described(identity, active=False)
        return None if now is None else now.area

    def _wait_until_still(self, identity: int, wanted: Area | None = None) -> None:
        """Wait until the window is where it was wanted, or where it stays."""
        deadline = time.monotonic() + _SECONDS
        seen, since = self._described(identity, active=False), time.monotonic()
        while seen is not None and seen.area != wanted and time.monotonic() < deadline:
            now = self._described(identity, active=False)
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > _STILL:
                return
            self._connection.pause(_POLL)

    def _until(self, ask: Callable[[], None], fact: Callable[[], bool]) -> None:
        """Ask for something and wait until it is so: two seconds, longer only while the window manager is behind.

        It deals with requests in their order, so that its answer to one of ours shows that it has dealt with what
        was asked. Then the request was lost, as happens to one about a window that is only just being shown, or the
        program has its own will: so it is repeated once.
        """
        ask()
        if not self.caught_up(_BEHIND_SECONDS):
            return
        deadline = time.monotonic() + _SECONDS
        if self._wait(fact, _SETTLED_SECONDS):
            return
        ask()
        self._wait(fact, deadline - time.monotonic())

    def _wait(self, fact: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not (true := fact()) and time.monotonic() < deadline:
            self._connection.pause(_POLL)
        return true

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
