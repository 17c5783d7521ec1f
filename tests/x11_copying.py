"""A program that has copied something, as an X client that a test makes answer in any way, or not at all."""

from __future__ import annotations

import select
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from Xlib import X, Xatom
from Xlib.protocol.event import SelectionNotify
from xvfb import connected, until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from Xlib.display import Display
    from Xlib.protocol import rq

PIECE = 60_000

Forms = dict[str, tuple[str, bytes]]
Deliveries = dict[tuple[int, int], tuple[int, list[bytes]]]


@dataclass(slots=True, kw_only=True)
class Copied:
    """What it offers for each target (a type and bytes), and how it behaves.

    ``answering`` is cleared to let requests wait until it is set again. What has more than a piece goes in pieces,
    of which no more than ``pieces`` are given. ``asked`` tells the targets that were asked for, in order.
    """

    forms: Mapping[str, tuple[str, bytes]]
    tells_targets: bool = True
    pieces: int = 1_000_000
    answering: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    lost: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)


@contextmanager
def copied(
    display: str, copy: Copied, *, selection: str = "CLIPBOARD", answering: bool = True
) -> Iterator[Copied]:
    """The program owns the selection until the end, or until ``ended`` is set: then it hangs up at once."""
    if answering:
        copy.answering.set()
    owning = threading.Event()
    thread = threading.Thread(target=_run, args=(display, copy, selection, owning), daemon=True)
    thread.start()
    try:
        assert owning.wait(20)
        yield copy
    finally:
        copy.ended.set()
        thread.join(20)
    assert not thread.is_alive()


def _run(name: str, copy: Copied, selection: str, owning: threading.Event) -> None:
    with connected(name) as display:
        window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, X.InputOnly)
        window.set_selection_owner(display.intern_atom(selection), X.CurrentTime)
        display.sync()
        owning.set()
        waiting: list[rq.Event] = []
        deliveries: Deliveries = {}
        while not copy.ended.is_set():
            select.select([display], [], [], 0.01)
            waiting += [display.next_event() for _ in range(display.pending_events())]
            if copy.answering.is_set():
                for event in waiting:
                    _answer(display, copy, event, deliveries)
                waiting.clear()
                display.sync()


def _answer(display: Display, copy: Copied, event: rq.Event, deliveries: Deliveries) -> None:
    if event.type == X.SelectionClear:
        copy.lost.set()
    if event.type == X.PropertyNotify and event.state == X.PropertyDelete:
        kind, pieces = deliveries.get((event.window.id, event.atom), (0, []))
        if pieces:
            event.window.change_property(event.atom, kind, 8, pieces.pop(0))
    if event.type != X.SelectionRequest:
        return
    target = display.get_atom_name(event.target)
    copy.asked.append(target)
    given = False
    if target == "TARGETS" and copy.tells_targets:
        atoms = [display.intern_atom(name) for name in ("TARGETS", *copy.forms)]
        event.requestor.change_property(event.property, Xatom.ATOM, 32, atoms)
        given = True
    elif target in copy.forms:
        name, data = copy.forms[target]
        kind = display.intern_atom(name)
        if len(data) > PIECE:
            pieces = [data[at : at + PIECE] for at in range(0, len(data), PIECE)]
            deliveries[event.requestor.id, event.property] = kind, [*pieces, b""][: copy.pieces]
            event.requestor.change_attributes(event_mask=X.PropertyChangeMask)
            event.requestor.change_property(event.property, display.intern_atom("INCR"), 32, [len(data)])
        else:
            event.requestor.change_property(event.property, kind, 8, data)
        given = True
    told = SelectionNotify(
        time=event.time,
        requestor=event.requestor,
        selection=event.selection,
        target=event.target,
        property=event.property if given else X.NONE,
    )
    event.requestor.send_event(told)


def owner_of(display: Display, selection: str = "CLIPBOARD") -> int:
    """The number of the window that owns the selection, 0 for none."""
    owner = display.get_selection_owner(display.intern_atom(selection))
    return 0 if owner == X.NONE else int(owner.id)


def lost(copy: Copied) -> bool:
    """Whether the program has heard that another one copied."""
    return until(copy.lost.is_set)
