"""The clipboard: a thread that owns it and answers programs that paste, and a reader of others'.

X keeps no content: the program that copied answers each paste, in pieces when the text is long.
So it has a thread and a connection of its own, and what it holds ends with this process unless
somebody else takes it over.
"""

from __future__ import annotations

import os
import queue
import select
import subprocess
import threading
import time
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import Xlib.error
import Xlib.protocol.event
from Xlib import X, Xatom

from computer_platform.desktop import Clip, DesktopUnavailable
from computer_platform.x11.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from Xlib.protocol import rq
    from Xlib.xobject import drawable

    from computer_platform.desktop import Selection

_PIECE = 200_000  # bytes; the server refuses requests above 262,140
_SECONDS = 2.0  # that a program may take to answer, or to fetch the next piece
_UNICODE = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain")
_IN_PIECES = "INCR"
_BYTES = 8  # the format of a property that holds them


class X11Clipboard:
    """The clipboard of one display. Reading and writing raise ``DesktopUnavailable`` when it is gone."""

    def __init__(self, connection: Connection, authority_file: str | None) -> None:
        self._connection = connection
        self._authority_file = authority_file
        self._owner: _Owner | None = None

    def read(self, selection: Selection = "clipboard") -> str:  # noqa: ARG002
        """The text on the clipboard, ``""`` when it holds none or its owner does not answer."""
        with self._connection.talking():
            wanted = self._connection.atom("CLIPBOARD")
            if self._connection.server.get_selection_owner(wanted) == X.NONE:
                return ""
            unicode = self._fetch(_UNICODE[0])
            if unicode is not None:
                return unicode.decode("utf-8", "replace")
            return (self._fetch("STRING") or b"").decode("latin-1")

    def contents(self, selection: Selection = "clipboard") -> Clip:
        """All that it holds."""
        return Clip(text=self.read(selection))

    def write(self, content: str | Clip, selection: Selection = "clipboard") -> None:  # noqa: ARG002
        """Put the text on the clipboard; it stays while this desktop is open."""
        text = content if isinstance(content, str) else content.text or ""
        if self._owner is None:
            self._owner = _Owner(self._connection.display, self._authority_file)
        self._owner.own(text)

    def close(self, heir: Mapping[str, str] | None) -> None:
        """Let go. With an heir's environment, ``xclip``, if there is one, goes on offering the text."""
        if self._owner is None:
            return
        owner, self._owner = self._owner, None
        with closing(owner):
            left = owner.text
            if left is not None and heir is not None and self._is_still(owner):
                _bequeath(left, heir)

    def _is_still(self, owner: _Owner) -> bool:
        """Whether the clipboard is the owner's; its thread may not have heard yet that another program took it."""
        with suppress(DesktopUnavailable), self._connection.talking():
            selection = self._connection.atom("CLIPBOARD")
            now = self._connection.server.get_selection_owner(selection)
            return bool(now != X.NONE and now.id == owner.window)
        return False

    def _fetch(self, target: str) -> bytes | None:
        """The content as that kind, None when its owner has none such or does not answer in time."""
        connection, window = self._connection, self._connection.window
        answer = connection.atom("_OI_PASTE")
        window.delete_property(answer)
        window.convert_selection(connection.atom("CLIPBOARD"), connection.atom(target), answer, X.CurrentTime)
        connection.flush()
        event = connection.wait_for(
            lambda event: event.type == X.SelectionNotify and event.target == connection.atom(target),
            _SECONDS,
        )
        if event is None or event.property == X.NONE:
            return None
        content = window.get_full_property(answer, X.AnyPropertyType, 1 << 16)
        window.delete_property(answer)
        if content is None:
            return None
        if content.property_type == connection.atom(_IN_PIECES):
            return self._fetch_pieces(answer)
        return bytes(content.value) if content.format == _BYTES else None

    def _fetch_pieces(self, answer: int) -> bytes | None:
        window = self._connection.window
        pieces: list[bytes] = []
        self._connection.flush()  # that the first answer was deleted asks for the first piece
        while self._connection.wait_for(
            lambda event: _is_change(event, answer, X.PropertyNewValue), _SECONDS
        ):
            piece = window.get_full_property(answer, X.AnyPropertyType, 1 << 16)
            window.delete_property(answer)
            self._connection.flush()
            if piece is None or not len(piece.value):
                return b"".join(pieces)
            pieces.append(bytes(piece.value))
        return None


@dataclass(slots=True, kw_only=True)
class _Delivery:
    """A long text on its way to one program, piece by piece."""

    window: drawable.Window
    kind: int
    data: bytes
    sent: int = 0
    moved: float = field(default_factory=time.monotonic)


class _Owner:
    """The thread that owns the clipboard. ``text`` is None once another program has taken it."""

    def __init__(self, display: str, authority_file: str | None) -> None:
        self.text: str | None = None
        self._since = X.CurrentTime
        self._deliveries: dict[tuple[int, int], _Delivery] = {}
        self._tasks: queue.SimpleQueue[tuple[str, threading.Event] | None] = queue.SimpleQueue()
        self._lost: DesktopUnavailable | None = None
        self._thread = threading.Thread(target=self._run, name="oi clipboard", daemon=True)
        with ExitStack() as opened:
            self._connection = Connection(display, authority_file)
            opened.callback(self._connection.close)
            self._woken, self._wake = os.pipe()
            opened.callback(os.close, self._woken)
            opened.callback(os.close, self._wake)
            self._thread.start()
            self._opened = opened.pop_all()

    @property
    def window(self) -> int:
        """The number of the one that owns the clipboard: it is the same on every connection."""
        return int(self._connection.window.id)

    def own(self, text: str) -> None:
        """Take the clipboard; it is ours when this returns. Raises ``DesktopUnavailable``."""
        done = threading.Event()
        self._tasks.put((text, done))
        os.write(self._wake, b"!")
        while not done.wait(0.1):
            if not self._thread.is_alive():
                break
        if self._lost is not None:
            raise self._lost

    def close(self) -> None:
        """End the thread and hang up."""
        self._tasks.put(None)
        os.write(self._wake, b"!")
        with self._opened:
            self._thread.join(_SECONDS)

    def _run(self) -> None:
        try:
            with self._connection.talking():
                while self._turn():
                    pass
        except DesktopUnavailable as lost:
            self._lost = lost
            self.text = None

    def _turn(self) -> bool:
        """Deal with all that has come; False when it is time to end."""
        while (event := self._connection.wait_for(lambda _: True, 0)) is not None:
            self._answer(event)
            self._connection.sync()  # a mere flush leaves what the socket does not take at once
        readable, _, _ = select.select([self._connection.server, self._woken], [], [])
        if self._woken not in readable:
            return True
        os.read(self._woken, 1)
        task = self._tasks.get()
        if task is None:
            return False
        text, done = task
        self._take(text)
        done.set()
        return True

    def _take(self, text: str) -> None:
        window, selection = self._connection.window, self._connection.atom("CLIPBOARD")
        self.text = text
        self._since = self._server_time()
        window.set_selection_owner(selection, self._since)
        self._connection.sync()
        if self._connection.server.get_selection_owner(selection) != window:
            self.text = None  # another program was quicker

    def _server_time(self) -> int:
        """The server's clock: appending nothing to a property makes it tell the time."""
        mark = self._connection.atom("_OI_TIME")
        self._connection.window.change_property(mark, Xatom.CARDINAL, 32, [], X.PropModeAppend)
        self._connection.flush()
        while (event := self._connection.wait_for(lambda _: True, _SECONDS)) is not None:
            if _is_change(event, mark, X.PropertyNewValue):
                return int(event.time)
            self._answer(event)
        return int(X.CurrentTime)

    def _answer(self, event: rq.Event) -> None:
        if event.type == X.SelectionClear:
            self.text = None
        elif event.type == X.SelectionRequest:
            self._offer(event)
        elif event.type == X.PropertyNotify and event.state == X.PropertyDelete:
            self._deliver(event.window.id, event.atom)

    def _offer(self, request: rq.Event) -> None:
        wanted = request.property or request.target  # programs from before ICCCM name no property
        given = self._content(request.target)
        if given is not None:
            kind, form, data = given
            self._hand_over(request.requestor, wanted, kind, form, data)
        told = Xlib.protocol.event.SelectionNotify(
            time=request.time,
            requestor=request.requestor,
            selection=request.selection,
            target=request.target,
            property=X.NONE if given is None else wanted,
        )
        request.requestor.send_event(told)

    def _content(self, target: int) -> tuple[int, int, bytes | list[int]] | None:
        """What we have of that kind: its type, the bits of an item, and the items."""
        atom = self._connection.atom
        if self.text is None:
            return None
        if target == atom("TARGETS"):
            kinds = ("TARGETS", "TIMESTAMP", *_UNICODE, "STRING")
            return Xatom.ATOM, 32, [atom(kind) for kind in kinds]
        if target == atom("TIMESTAMP"):
            return Xatom.INTEGER, 32, [self._since]
        if target in [atom(kind) for kind in _UNICODE]:
            return target, 8, self.text.encode("utf-8", "replace")
        if target == Xatom.STRING:
            return Xatom.STRING, 8, self.text.encode("latin-1", "replace")
        return None

    def _hand_over(
        self,
        to: drawable.Window,
        wanted: int,
        kind: int,
        form: int,
        data: bytes | list[int],
    ) -> None:
        if isinstance(data, bytes) and len(data) > _PIECE:
            self._forget_stalled()
            self._deliveries[to.id, wanted] = _Delivery(window=to, kind=kind, data=data)
            to.change_attributes(event_mask=X.PropertyChangeMask)
            to.change_property(wanted, self._connection.atom(_IN_PIECES), 32, [len(data)])
        else:
            to.change_property(wanted, kind, form, data)

    def _deliver(self, window: int, wanted: int) -> None:
        """The program has taken a piece: give it the next. An empty one tells that it has all."""
        delivery = self._deliveries.get((window, wanted))
        if delivery is None:
            return
        piece = delivery.data[delivery.sent : delivery.sent + _PIECE]
        delivery.window.change_property(wanted, delivery.kind, 8, piece)
        delivery.sent += len(piece)
        delivery.moved = time.monotonic()
        if not piece:
            delivery.window.change_attributes(event_mask=X.NoEventMask)
            del self._deliveries[window, wanted]

    def _forget_stalled(self) -> None:
        """Programs that closed in the middle never take the rest."""
        oldest = time.monotonic() - 10 * _SECONDS
        self._deliveries = {key: one for key, one in self._deliveries.items() if one.moved > oldest}


def _is_change(event: rq.Event, atom: int, state: int) -> bool:
    return bool(event.type == X.PropertyNotify and event.atom == atom and event.state == state)


def _bequeath(text: str, environment: Mapping[str, str]) -> None:
    """Let ``xclip`` own the text; without it the text is lost, as with any program that ends."""
    # xclip stays and keeps what it inherits open: nothing of ours but the text.
    command = ["xclip", "-selection", "clipboard", "-in"]
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        ) as process:
            try:
                process.communicate(text.encode("utf-8", "replace"), timeout=_SECONDS)
            finally:
                process.kill()  # one that hangs; otherwise it has ended, and its child has the text
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return
