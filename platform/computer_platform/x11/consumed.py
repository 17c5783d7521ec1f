"""Whether the programs that had the keyboard have dealt with the keys they were sent.

A key that is bound anew before the program has looked up what it meant turns into another
character, and on a busy machine no fixed wait is long enough. Most toolkits answer a ping in the
order of events. Others (xterm, Tk) are watched: a program whose every thread rests, while the
server has nothing left to tell it, has read all there was.
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
    from collections.abc import Iterable

    from Xlib.xobject import drawable

    from computer_platform.x11.connection import Connection

_SECONDS = 5.0  # a program that takes longer hangs
_RESTS = 0.0015  # seconds of rest, in which the server would have answered a program that waits for it
_LOOK = 0.002
_AT_WORK = 3.0  # seconds after which a program that never rests for long (an animation) has read all
_ROUNDS = 40  # if it has gone to rest that often meanwhile
_MIXING = ("libreoffice", "soffice")
_UNKNOWN = 0.15  # seconds, for a program that neither answers nor can be watched


def keyboard_window(connection: Connection) -> int | None:
    """The number of the window to which keys go now: a part of a program's window, or all of it."""
    focus = connection.server.get_input_focus().focus
    if focus == X.NONE:
        return None
    if isinstance(focus, int):  # wherever the pointer is
        focus = connection.root
    if focus.id != connection.root.id:
        return int(focus.id)
    under = connection.root.query_pointer().child
    return None if under == X.NONE else int(under.id)


def wait_until_consumed(connection: Connection, windows: Iterable[int | None]) -> bool:
    """Return when the keys that went to these windows have been looked up, as far as that can be known.

    False when one of the programs was not done within five seconds.
    """
    done = [_consumed(connection, window) for window in windows]  # all of them, also after one that hangs
    return all(done)


def mixes_order(connection: Connection, number: int | None) -> bool:
    """Whether the program of that window deals with some keys later than with those that follow them.

    LibreOffice does what Return and Tab mean when it has no more events to read.
    """
    chain = [] if number is None else _upwards(connection, number)
    classes = [found for window in chain if (found := window.get_wm_class())]
    return any(name.casefold().startswith(_MIXING) for found in classes for name in found)


def wait_until_idle(connection: Connection, number: int) -> None:
    """Return when the program of that window has nothing left to do, as far as that can be known."""
    if _consumed(connection, number):
        _watch(connection, process_of(connection, number))


def _consumed(connection: Connection, number: int | None) -> bool:
    if number is None:
        return True  # nobody has the keyboard, so nobody looks anything up
    chain = _upwards(connection, number)
    if not chain:
        return True  # it closed
    ping = connection.atom("_NET_WM_PING")
    answering = next(
        (window for window in chain if ping in _numbers(connection, window, "WM_PROTOCOLS")), None
    )
    if answering is not None and _ping(connection, answering):
        return True  # some say that they answer, and never do
    return _watch(connection, process_of(connection, number))


def _ping(connection: Connection, window: drawable.Window) -> bool:
    protocols, ping = connection.atom("WM_PROTOCOLS"), connection.atom("_NET_WM_PING")
    mark = time.monotonic_ns() // 1000 & 0x7FFFFFFF
    message = Xlib.protocol.event.ClientMessage(
        window=window, client_type=protocols, data=(32, [ping, mark, window.id, 0, 0])
    )
    # Where answers are sent, and where Qt 5 sends its own.
    connection.root.change_attributes(event_mask=X.SubstructureNotifyMask | X.StructureNotifyMask)
    window.send_event(message)
    try:
        answer = connection.wait_for(
            lambda event: (
                event.type & 0x7F == X.ClientMessage
                and event.client_type == protocols
                and list(event.data[1])[:2] == [ping, mark]
            ),
            _SECONDS,
        )
    finally:
        connection.root.change_attributes(event_mask=X.NoEventMask)
    return answer is not None


def _watch(connection: Connection, pid: int | None) -> bool:
    """Wait until the program rests for no other reason than that it has nothing to do.

    False when it has been stopped and does not go on. It also rests while it waits for an answer of the server.
    So the server is asked in the meantime: when it has answered us it has answered the program, too, which would
    have gone on.
    """
    if pid is None or _rest(pid) == {}:
        connection.pause(_UNKNOWN)
        return True
    began = time.monotonic()
    rests: set[tuple[tuple[str, str], ...]] = set()
    while (passed := time.monotonic() - began) < _SECONDS:
        if passed > _AT_WORK and len(rests) > _ROUNDS:
            return True
        before = _rest(pid)
        if before is None:
            connection.pause(_LOOK)
            continue
        rests.add(tuple(sorted(before.items())))
        connection.sync()
        connection.pause(_RESTS)
        connection.sync()
        if _rest(pid) == before:
            return True
    return not _stopped(pid)  # one that is always at work cannot be known better


def _stopped(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"
    except OSError:
        return False


def _rest(pid: int) -> dict[str, str] | None:
    """How often each thread of the process has gone to rest; None when one is at work, empty for an ended one."""
    rests: dict[str, str] = {}
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            facts = dict(
                line.split(":", 1) for line in (thread / "status").read_text().splitlines() if ":" in line
            )
            if facts["State"].strip()[:1] not in "SI":
                return None
            rests[thread.name] = facts["voluntary_ctxt_switches"]
    except (OSError, KeyError):
        return rests if rests and Path(f"/proc/{pid}").exists() else {}
    return rests


def _upwards(connection: Connection, number: int) -> list[drawable.Window]:
    """The window and those it lies in, the root excepted."""
    chain: list[drawable.Window] = []
    window = connection.server.create_resource_object("window", number)
    try:
        while window != X.NONE and window.id != connection.root.id:
            parent = window.query_tree().parent
            chain.append(window)
            window = parent
    except Xlib.error.XError:
        pass  # it closed meanwhile
    return chain


def _numbers(connection: Connection, window: drawable.Window, name: str) -> list[int]:
    try:
        found = window.get_full_property(connection.atom(name), X.AnyPropertyType)
    except Xlib.error.XError:
        return []  # the window closed meanwhile
    return [int(value) for value in found.value] if found else []
