"""Whether the program that has the keyboard has dealt with the keys it was sent.

A key that is bound anew before the program has looked up what it meant turns into another
character, and on a busy machine no fixed wait is long enough. Most toolkits answer a ping in the
order of events. Others are watched: a process that rests has nothing left to read.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import Xlib.error
import Xlib.protocol.event
from Xlib import X

from computer_platform.x11.clients import process_of

if TYPE_CHECKING:
    from Xlib.xobject import drawable

    from computer_platform.x11.connection import Connection

_SECONDS = 2.0  # a program that takes longer hangs
_RESTS = 0.02  # seconds without running
_TIMES = 4  # that a program with an animation has gone to rest; once or twice may be for the server
_LOOK = 0.005
_UNKNOWN = 0.15  # seconds, for a program that neither answers nor can be watched


def wait_until_consumed(connection: Connection) -> None:
    """Return when the keys sent so far have been looked up, as far as that can be known; within 2 s."""
    window = _focused(connection)
    if window is None:
        time.sleep(_UNKNOWN)
    elif connection.atom("_NET_WM_PING") in _numbers(connection, window, "WM_PROTOCOLS"):
        _ping(connection, window)
    else:
        _watch(process_of(connection, window.id))


def _ping(connection: Connection, window: drawable.Window) -> None:
    protocols, ping = connection.atom("WM_PROTOCOLS"), connection.atom("_NET_WM_PING")
    mark = time.monotonic_ns() // 1000 & 0x7FFFFFFF
    message = Xlib.protocol.event.ClientMessage(
        window=window, client_type=protocols, data=(32, [ping, mark, window.id, 0, 0])
    )
    connection.root.change_attributes(event_mask=X.SubstructureNotifyMask)  # where the answer is sent
    window.send_event(message)
    connection.wait_for(
        lambda event: (
            event.type & 0x7F == X.ClientMessage
            and event.client_type == protocols
            and list(event.data[1])[:2] == [ping, mark]
        ),
        _SECONDS,
    )
    connection.root.change_attributes(event_mask=X.NoEventMask)


def _watch(pid: int | None) -> None:
    """Wait until the process has rested for a while, or has gone to rest several times.

    A program rests only when it has dealt with all its events, or for an answer of the server. On a
    busy machine it may have to wait for its turn, and that is not resting.
    """
    begin = since = time.monotonic()
    first = seen = _activity(pid)
    if first is None or seen is None:
        time.sleep(_UNKNOWN)
        return
    while (now := _activity(pid)) is not None and time.monotonic() - begin < _SECONDS:
        if now != seen:
            seen, since = now, time.monotonic()
        rested = now[0] == "S" and time.monotonic() - since > _RESTS
        if rested or (now[1] - first[1] >= _TIMES and time.monotonic() - begin > _RESTS):
            return
        time.sleep(_LOOK)


def _activity(pid: int | None) -> tuple[str, int] | None:
    """The state of the process, ``S`` when it rests, and how often it has gone to rest."""
    if pid is None:
        return None
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    return facts["State"].strip()[:1], int(facts["voluntary_ctxt_switches"])


def _focused(connection: Connection) -> drawable.Window | None:
    """The window that has the keyboard, as the window manager knows it."""
    active = _numbers(connection, connection.root, "_NET_ACTIVE_WINDOW")
    if not active or not active[0]:
        return None
    return connection.server.create_resource_object("window", active[0])


def _numbers(connection: Connection, window: drawable.Window, name: str) -> list[int]:
    try:
        found = window.get_full_property(connection.atom(name), X.AnyPropertyType)
    except Xlib.error.XError:
        return []  # the window closed meanwhile
    return [int(value) for value in found.value] if found else []
