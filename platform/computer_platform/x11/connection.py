"""One connection to an X server: opening it, waiting on it, and saying plainly when it is lost."""

from __future__ import annotations

import select
import socket
import sys
import time
import traceback
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NoReturn

import Xlib.display
import Xlib.error
import Xlib.protocol.display
import Xlib.protocol.event
from Xlib import X

from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11.authority import authority
from computer_platform.x11.notes import Notes
from computer_platform.x11.uninterrupted import Uninterrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from Xlib.protocol import rq

_SLICE = 0.03  # seconds of a wait, between which it may be broken off
_FLUSH_EVERY = 40  # python-xlib's send buffer is quadratic in the requests that wait in it


class _Server(Xlib.display.Display):  # type: ignore[misc]  # python-xlib ships no types
    """Notes each change of the keyboard's map before it is asked for."""

    notes: Notes | None = None

    def __init__(self, display: str) -> None:
        # python-xlib keeps the numbers of extensions and events in tables of all its connections together, but each
        # server has its own: with two servers, requests for one would go out with the numbers of the other.
        tables = Xlib.protocol.display.Display
        shared = tables.extension_major_opcodes, tables.event_classes
        own: tuple[dict[str, int], dict[int, object]] = {}, dict(Xlib.protocol.event.event_class)
        tables.extension_major_opcodes, tables.event_classes = own
        try:
            super().__init__(display)
            self.display.extension_major_opcodes, self.display.event_classes = own
        finally:
            tables.extension_major_opcodes, tables.event_classes = shared

    def change_keyboard_mapping(self, first_keycode: int, keysyms: Sequence[Sequence[int]]) -> None:
        if self.notes is not None:
            before = self.get_keyboard_mapping(first_keycode, len(keysyms))
            self.notes.rows(first_keycode, before, keysyms)
        super().change_keyboard_mapping(first_keycode, keysyms)


class Connection:
    """A connection with a window of its own, which nobody sees, to mark it and to receive properties.

    ``outlives_us`` says that the display stays when this process ends: then another process watches, from the
    first press on, and puts right what is left if we are killed.
    Raises ``DesktopUnavailable`` when the display cannot be reached, and within ``talking`` when it
    has gone away.
    """

    def __init__(self, display: str, authority_file: str | None = None, *, outlives_us: bool = True) -> None:
        self.display = display
        self.authority_file = authority_file
        self.check: Callable[[], None] | None = None  # asked in every wait for a program; it may raise
        self._overheard: list[rq.Event] | None = None  # all that arrives while it is asked
        self._notes: Notes | None = None
        self._talks = 0
        self._uninterrupted = Uninterrupted()
        self._unflushed = 0
        self._waiting: list[rq.Event] = []
        self._mapping_changed = False
        with ExitStack() as opened:
            with self._uninterrupted():
                self.server = _connect(display, authority_file)
                opened.callback(self.close)
            self._open_window()
            if outlives_us:
                self.server.notes = self._notes = Notes(display, authority_file, self.window.id)
            opened.pop_all()

    def _open_window(self) -> None:
        # Errors about windows that others closed arrive at any time; python-xlib would print them.
        self.server.set_error_handler(lambda *_: None)
        # python-xlib registers the extensions' errors over the core's, and then cannot parse those.
        self.server.display.error_classes = dict(Xlib.error.xerror_class)
        with self.talking():
            self.root = self.server.screen().root
            self.window = self.root.create_window(
                -10, -10, 1, 1, 0, X.CopyFromParent, X.InputOnly, event_mask=X.PropertyChangeMask
            )
            self.server.sync()

    @contextmanager
    def talking(self) -> Iterator[None]:
        """Turn the loss of the server into ``DesktopUnavailable``; also flushes what was asked.

        A signal that arrives meanwhile is handled at the end. One that insists tears the connection:
        no more can be said on it.
        """
        with self._uninterrupted():
            if self._uninterrupted.torn:
                raise DesktopUnavailable(
                    f'The connection to the screen "{self.display}" was interrupted in the middle. Run this again.'
                )
            self._talks += 1
            try:
                yield
                self.flush()
            except Xlib.error.ConnectionClosedError as error:
                raise DesktopUnavailable(_went_away(self.display)) from error
            finally:
                self._talks -= 1
            if self._notes is not None and not self._talks:
                self._notes.told()

    def atom(self, name: str) -> int:
        """The server's number for the name; it is asked once."""
        return int(self.server.get_atom(name))

    def fake(self, event_type: int, detail: int = 0, x: int = 0, y: int = 0) -> None:
        """Queue one input event; it is sent by ``flush`` or, among many, by itself."""
        if self._notes is not None:
            self._notes.event(event_type, detail)
        self._send(event_type, detail, x, y)
        self._unflushed += 1
        if self._unflushed >= _FLUSH_EVERY:
            self.flush()

    def _send(self, event_type: int, detail: int, x: int, y: int) -> None:
        self.server.xtest_fake_input(event_type, detail, x=x, y=y)

    def note_caps_lock(self, *, on: bool) -> None:
        """Say that Caps Lock is on or off now, before switching it for the rest of this talk."""
        if self._notes is not None:
            self._notes.lock(on=on)

    def flush(self) -> None:
        """Send what is queued."""
        self._unflushed = 0
        self.server.flush()

    def sync(self) -> None:
        """Wait until the server has done all that was asked so far."""
        self._unflushed = 0
        self.server.sync()
        if self._notes is not None:
            self._notes.done()

    def mapping_changed(self) -> bool:
        """Whether anybody changed the keyboard's map since this was asked last."""
        self._arrived()
        self._waiting.clear()  # answers that came too late for whoever asked
        changed, self._mapping_changed = self._mapping_changed, False
        return changed

    def wait_for(self, wanted: Callable[[rq.Event], bool], seconds: float) -> rq.Event | None:
        """The first event that is wanted, or None after that time; those before it are dropped."""
        deadline = time.monotonic() + seconds
        while True:
            self._arrived()
            while self._waiting:
                event = self._waiting.pop(0)
                if wanted(event):
                    return event
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self.safe_point()
            select.select([self.server], [], [], min(left, _SLICE))

    def pause(self, seconds: float) -> None:
        """Let time pass, unless somebody wants an end."""
        deadline = time.monotonic() + seconds
        self.safe_point()
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE))
            self.safe_point()

    def safe_point(self) -> None:
        """Here a wait may be broken off: no request is half-way, and what is pressed is about to be released.

        The handlers of signals that wait are called, and ``check``.
        """
        self._uninterrupted.let_through()
        if self.check is None or self._overheard is not None:
            return
        self._overheard = list(self._waiting)
        try:
            self.check()
        finally:  # it may have talked and waited itself, and dropped what others wait for
            self._waiting, self._overheard = self._overheard, None

    def _arrived(self) -> None:
        for _ in range(self.server.pending_events()):
            event = self.server.next_event()
            if event.type == X.MappingNotify:
                self._mapping_changed = True
            else:
                self._waiting.append(event)
                if self._overheard is not None:
                    self._overheard.append(event)

    def close(self) -> None:
        """Hang up; the server then frees the window. Safe when the server is gone, and twice."""
        try:
            self._hang_up()
        finally:
            if self._notes is not None:
                self._notes.close()

    def _hang_up(self) -> None:
        with self._uninterrupted():
            if self._uninterrupted.torn:
                self.server.display.socket.close()
                return
            try:
                self.server.close()
            except Xlib.error.ConnectionClosedError:
                pass
            except TypeError:  # python-xlib, closed between the flush and the hanging up
                self.server.display.socket.close()


def _connect(display: str, authority_file: str | None) -> Xlib.display.Display:
    handled = sys.exception()  # of the caller: none of our business
    try:
        with authority(authority_file):
            return _Server(display)
    except Xlib.error.DisplayNameError as error:
        raise DesktopUnavailable(
            f'"{display}" is no display name. One looks like ":0"; `echo $DISPLAY` in a terminal on the '
            "desktop shows it."
        ) from error
    except BaseException as error:
        _close_sockets(error, handled)
        # python-xlib tries TCP, too, where a display past 59535 overflows the ports
        lost = (Xlib.error.DisplayConnectionError, Xlib.error.ConnectionClosedError, OverflowError)
        if isinstance(error, lost):
            _refuse(display, error)
        raise


def _refuse(display: str, error: Exception) -> NoReturn:
    reason = str(error)
    if any(word in reason.lower() for word in ("authori", "cookie", "no protocol")):
        raise DesktopUnavailable(
            f'The display "{display}" refused us: no valid authority for it was shown. Start from a terminal '
            "on that desktop, or set XAUTHORITY to the file that its session uses."
        ) from None
    raise DesktopUnavailable(
        f'No X server answers at "{display}". Set DISPLAY to the number of a running desktop, '
        "or choose the private desktop, which starts its own."
    ) from None


def _close_sockets(error: BaseException | None, handled: BaseException | None) -> None:
    """Close what python-xlib opened and forgot when connecting failed; only its frames know it."""
    while error is not None and error is not handled:
        for frame, _ in traceback.walk_tb(error.__traceback__):
            # a signal's handler has frames here, too, with things of its own
            if not str(frame.f_globals.get("__name__")).startswith("Xlib."):
                continue
            for value in list(frame.f_locals.values()):
                # not getattr: a half-made Display answers that without end
                holder = value if isinstance(value, socket.socket) else _attributes(value).get("socket")
                if isinstance(holder, socket.socket):
                    holder.close()
        error = error.__context__


def _attributes(value: object) -> dict[str, object]:
    try:
        return vars(value)
    except TypeError:  # numbers and texts have none
        return {}


def _went_away(display: str) -> str:
    return (
        f'The screen "{display}" went away: its X server was stopped or the connection was closed. '
        "Start it again, then run this again."
    )
