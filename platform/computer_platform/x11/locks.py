"""Caps Lock and its like as states that are set, not as keys that are pressed.

Layouts put Caps Lock on other keys, or on none, and a tap of the key then does something else. The
XKEYBOARD extension sets the state itself; python-xlib lacks it, so its two requests are spelt out here.
"""

from __future__ import annotations

from contextlib import closing

from Xlib.protocol import rq

from computer_platform.x11.connection import Connection

_EXTENSION = "XKEYBOARD"
_CORE_KEYBOARD = 0x0100


class _UseExtension(rq.ReplyRequest):  # type: ignore[misc]  # python-xlib tells no types
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(0),
        rq.RequestLength(),
        rq.Card16("wanted_major"),
        rq.Card16("wanted_minor"),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("supported"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card16("server_major"),
        rq.Card16("server_minor"),
        rq.Pad(20),
    )


class _LatchLockState(rq.Request):  # type: ignore[misc]  # as above
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(5),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card8("affect_locks"),
        rq.Card8("locks"),
        rq.Card8("lock_group"),
        rq.Card8("group_lock"),
        rq.Card8("affect_latches"),
        rq.Card8("latches"),
        rq.Pad(1),
        rq.Card8("latch_group"),
        rq.Card16("group_latch"),
    )


def lock(display: str, authority_file: str | None, modifiers: int, *, on: bool) -> None:
    """Lock or unlock these modifiers, given as bits of the X state. It is done when this returns.

    Nothing happens where the server lacks XKEYBOARD. On a connection of its own: the server tells one that
    has used the extension no more of changes to the keyboard's map.
    """
    with closing(Connection(display, authority_file, outlives_us=False)) as connection, connection.talking():
        extension = connection.server.query_extension(_EXTENSION)
        if not extension or not extension.present:
            return
        opcode, server = int(extension.major_opcode), connection.server.display
        _UseExtension(display=server, opcode=opcode, wanted_major=1, wanted_minor=0)
        _LatchLockState(
            display=server,
            opcode=opcode,
            device=_CORE_KEYBOARD,
            affect_locks=modifiers,
            locks=modifiers if on else 0,
            lock_group=0,
            group_lock=0,
            affect_latches=0,
            latches=0,
            latch_group=0,
            group_latch=0,
        )
        connection.sync()
