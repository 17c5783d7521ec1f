"""The thread that owns selections and answers programs that paste, on a connection of its own."""

from __future__ import annotations

import os
import queue
import select
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import Xlib.error
import Xlib.protocol.event
from Xlib import X, Xatom
from Xlib.protocol import request

from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11.clipboard.forms import BYTES, NUMBERS, Form
from computer_platform.x11.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from Xlib.protocol import rq
    from Xlib.xobject import drawable

    from computer_platform.x11.clipboard.forms import Offer

PRIVATE_HINT = "x-kde-passwordManagerHint"
"""Offered beside a content, it asks clipboard managers to keep no copy."""
_PIECE = 200_000  # bytes; the server refuses requests above 262,140
_SECONDS = 2.0  # for the server's clock to answer, and for the thread to end
_STALLED = 20.0  # seconds after which a program that fetches no next piece will not come back


@dataclass(slots=True, kw_only=True, eq=False)
class Holding:
    """One time of owning a selection: what is offered, and what has become of it.

    ``fetched`` holds the clients (see ``Owner.client``) that have got the content whole; ``under_way`` counts
    those that are getting it piece by piece. ``moved`` is ``time.monotonic()`` of the last request or piece.
    """

    selection: int
    offer: Offer
    since: int
    lost: bool = False
    fetched: set[int] = field(default_factory=set)
    under_way: int = 0
    moved: float = field(default_factory=time.monotonic)


@dataclass(slots=True, kw_only=True)
class _Delivery:
    """A long content on its way to one program, piece by piece."""

    window: drawable.Window
    form: Form
    holding: Holding
    sent: int = 0
    moved: float = field(default_factory=time.monotonic)


class Owner:
    """Owns selections until it is closed. ``changed`` is notified whenever anything of a holding changes.

    Raises ``DesktopUnavailable`` here and in every verb when the display cannot be reached.
    """

    def __init__(self, display: str, authority_file: str | None) -> None:
        self.changed = threading.Condition()
        self._holdings: dict[int, Holding] = {}
        self._deliveries: dict[tuple[int, int], _Delivery] = {}
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lost: DesktopUnavailable | None = None
        self._thread = threading.Thread(target=self._run, name="oi clipboard", daemon=True)
        with ExitStack() as opened:
            self._connection = Connection(display, authority_file, outlives_us=False)
            opened.callback(self._connection.close)
            self._woken, self._wake = os.pipe()
            opened.callback(os.close, self._woken)
            opened.callback(os.close, self._wake)
            self._thread.start()
            self._opened = opened.pop_all()

    @property
    def window(self) -> int:
        """The number of the one that owns: it is the same on every connection."""
        return int(self._connection.window.id)

    def client(self, window: int) -> int:
        """Which client of the server made the window of that number."""
        return window & ~int(self._connection.server.display.info.resource_id_mask)

    def take(self, selection: int, offer: Offer) -> Holding:
        """Take the selection; it is ours when this returns, or ``lost`` already if somebody was quicker."""
        taken: list[Holding] = []
        self._have_done(lambda: taken.append(self._take(selection, offer)))
        return taken[0]

    def replace(self, holding: Holding, offer: Offer | None) -> None:
        """Offer something else, or nothing and own it no more, unless somebody has taken the selection since."""
        self._have_done(lambda: self._replace(holding, offer))

    def catch_up(self) -> None:
        """Return when all is answered that the server has passed on to us so far."""
        self._have_done(self._catch_up)

    def left(self, selection: int) -> Offer | None:
        """What we offer there; the thread may not have heard yet that another program took it, so it is asked."""
        found: list[Offer] = []

        def look() -> None:
            holding = self._holdings.get(selection)
            if holding is not None and self._is_ours(selection):
                found.append(holding.offer)

        with suppress(DesktopUnavailable):
            self._have_done(look)
        return found[0] if found else None

    def close(self) -> None:
        """End the thread and hang up."""
        self._tasks.put(None)
        os.write(self._wake, b"!")
        with self._opened:
            self._thread.join(_SECONDS)

    def _have_done(self, task: Callable[[], None]) -> None:
        """Have the thread do it, and wait for that."""
        done = threading.Event()

        def do() -> None:
            task()
            done.set()

        self._tasks.put(do)
        os.write(self._wake, b"!")
        while not done.wait(0.1) and self._thread.is_alive():
            pass
        if self._lost is not None:
            raise self._lost
        if not done.is_set():
            raise DesktopUnavailable("The clipboard is served no more: its thread has ended. Run this again.")

    # From here on everything runs on the thread.

    def _run(self) -> None:
        try:
            with self._connection.talking():
                while self._turn():
                    pass
        except DesktopUnavailable as lost:
            self._lost = lost
            for selection in list(self._holdings):
                self._lose(selection)

    def _turn(self) -> bool:
        """Deal with all that has come; False when it is time to end."""
        self._deal()
        self._forget_stalled()
        patience = _STALLED if self._deliveries else None
        readable, _, _ = select.select([self._connection.server, self._woken], [], [], patience)
        if self._woken not in readable:
            return True
        os.read(self._woken, 1)
        task = self._tasks.get()
        if task is None:
            return False
        task()
        return True

    def _deal(self) -> None:
        while (event := self._connection.wait_for(lambda _: True, 0)) is not None:
            self._answer(event)
            self._connection.sync()  # a mere flush leaves what the socket does not take at once

    def _take(self, selection: int, offer: Offer) -> Holding:
        # Asking the time deals with what was meant for the holding before, so the new one comes after it.
        holding = Holding(selection=selection, offer=offer, since=self._server_time())
        self._lose(selection)
        self._own(holding)
        return holding

    def _own(self, holding: Holding) -> None:
        self._holdings[holding.selection] = holding
        self._connection.window.set_selection_owner(holding.selection, holding.since)
        if not self._is_ours(holding.selection):
            self._lose(holding.selection)  # another program was quicker

    def _catch_up(self) -> None:
        self._connection.sync()
        self._deal()

    def _replace(self, holding: Holding, offer: Offer | None) -> None:
        self._catch_up()  # what was asked before this gets what was offered before it
        if holding.lost or not self._is_ours(holding.selection):
            return
        # With the time of our taking the server refuses if anybody has taken the selection since then.
        self._lose(holding.selection)
        if offer is not None:
            self._own(Holding(selection=holding.selection, offer=offer, since=holding.since))
            return
        request.SetSelectionOwner(
            display=self._connection.server.display,
            window=X.NONE,
            selection=holding.selection,
            time=holding.since,
        )
        self._connection.sync()

    def _is_ours(self, selection: int) -> bool:
        owner = self._connection.server.get_selection_owner(selection)
        return bool(owner != X.NONE and owner.id == self.window)

    def _lose(self, selection: int) -> None:
        holding = self._holdings.pop(selection, None)
        if holding is not None:
            with self.changed:
                holding.lost = True
                self.changed.notify_all()

    def _server_time(self) -> int:
        """The server's clock: appending nothing to a property makes it tell the time."""
        mark = self._connection.atom("_OI_TIME")
        self._connection.window.change_property(mark, Xatom.CARDINAL, NUMBERS, [], X.PropModeAppend)
        self._connection.flush()
        while (event := self._connection.wait_for(lambda _: True, _SECONDS)) is not None:
            if event.type == X.PropertyNotify and event.window.id == self.window and event.atom == mark:
                return int(event.time)
            self._answer(event)
        return int(X.CurrentTime)

    def _answer(self, event: rq.Event) -> None:
        if event.type == X.SelectionClear:
            if not self._is_ours(event.atom):  # it may tell of a loss that we have made up for since
                self._lose(event.atom)
        elif event.type == X.SelectionRequest:
            self._offer(event)
        elif event.type == X.PropertyNotify and event.state == X.PropertyDelete:
            self._deliver(event.window.id, event.atom)
        elif event.type == X.DestroyNotify:
            self._forget([key for key in self._deliveries if key[0] == event.window.id])

    def _offer(self, asked: rq.Event) -> None:
        wanted = asked.property or asked.target  # programs from before ICCCM name no property
        holding = self._holdings.get(asked.selection)
        given = holding is not None and self._give(holding, asked.requestor, asked.target, wanted)
        told = Xlib.protocol.event.SelectionNotify(
            time=asked.time,
            requestor=asked.requestor,
            selection=asked.selection,
            target=asked.target,
            property=wanted if given else X.NONE,
        )
        asked.requestor.send_event(told)

    def _give(self, holding: Holding, to: drawable.Window, target: int, wanted: int) -> bool:
        """Put that form of the content on the program's window; False when there is none such."""
        if target == self._connection.atom("MULTIPLE"):
            return self._give_several(holding, to, wanted)
        form = holding.offer.get(target) or self._about(holding, target)
        if form is None:
            return False
        in_pieces = form.size > _PIECE
        if in_pieces:
            self._begin(_Delivery(window=to, form=form, holding=holding), wanted)
        else:
            to.change_property(wanted, form.type, form.bits, form.data)
        with self.changed:
            holding.moved = time.monotonic()
            is_content = target in holding.offer and target != self._connection.atom(PRIVATE_HINT)
            if is_content and not in_pieces:
                holding.fetched.add(self.client(to.id))
            self.changed.notify_all()
        return True

    def _give_several(self, holding: Holding, to: drawable.Window, wanted: int) -> bool:
        """Pairs of a target and where to put it; the place of one that there is none of becomes 0."""
        try:
            asked = to.get_full_property(wanted, X.AnyPropertyType)
        except Xlib.error.XError:
            return False  # the program has gone
        if asked is None or asked.format != NUMBERS:
            return False
        answer: list[int] = []
        for target, place in _pairs(asked.value):
            nested = target == self._connection.atom("MULTIPLE")
            given = bool(place) and not nested and self._give(holding, to, target, place)
            answer += (target, place if given else X.NONE)
        to.change_property(wanted, asked.property_type, NUMBERS, answer)
        return True

    def _about(self, holding: Holding, target: int) -> Form | None:
        """What is told about the content instead of it."""
        atom = self._connection.atom
        if target == atom("TARGETS"):
            about = [atom(name) for name in ("TARGETS", "TIMESTAMP", "MULTIPLE")]
            told = (*about, *(one for one in holding.offer if one not in about))
            return Form(type=Xatom.ATOM, bits=NUMBERS, data=told)
        if target == atom("TIMESTAMP"):
            return Form(type=Xatom.INTEGER, bits=NUMBERS, data=(holding.since,))
        return None

    def _begin(self, delivery: _Delivery, wanted: int) -> None:
        key = (delivery.window.id, wanted)
        self._forget([key] if key in self._deliveries else [])
        self._deliveries[key] = delivery
        delivery.holding.under_way += 1
        delivery.window.change_attributes(event_mask=X.PropertyChangeMask | X.StructureNotifyMask)
        delivery.window.change_property(wanted, self._connection.atom("INCR"), NUMBERS, [delivery.form.size])

    def _deliver(self, window: int, wanted: int) -> None:
        """The program has taken a piece: give it the next. An empty one tells that it has all."""
        delivery = self._deliveries.get((window, wanted))
        if delivery is None:
            return
        form = delivery.form
        piece = form.data[delivery.sent : delivery.sent + _PIECE * BYTES // form.bits]
        delivery.window.change_property(wanted, form.type, form.bits, piece)
        delivery.sent += len(piece)
        delivery.moved = time.monotonic()
        if not piece:
            delivery.holding.fetched.add(self.client(window))
            self._forget([(window, wanted)])
        with self.changed:
            delivery.holding.moved = delivery.moved
            self.changed.notify_all()

    def _forget_stalled(self) -> None:
        """Programs that stopped in the middle never take the rest."""
        oldest = time.monotonic() - _STALLED
        self._forget([key for key, one in self._deliveries.items() if one.moved <= oldest])

    def _forget(self, keys: list[tuple[int, int]]) -> None:
        for key in keys:
            delivery = self._deliveries.pop(key)
            if not any(window == key[0] for window, _ in self._deliveries):
                delivery.window.change_attributes(event_mask=X.NoEventMask)
            with self.changed:
                delivery.holding.under_way -= 1
                self.changed.notify_all()


def _pairs(values: object) -> Iterator[tuple[int, int]]:
    numbers = [int(value) for value in values] if hasattr(values, "__iter__") else []
    return zip(numbers[::2], numbers[1::2], strict=False)
