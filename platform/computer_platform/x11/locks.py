"""Caps Lock as a state that is set, not as a key that is pressed.

Layouts put Caps Lock on other keys, or on none, and a tap of the key then does something else. The
XKEYBOARD extension sets the state itself; python-xlib lacks it, so its two requests are spelt out here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from Xlib import X
from Xlib.protocol import rq

if TYPE_CHECKING:
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


class Locks:
    """The locking modifiers of the keyboard; nothing can be set where the server lacks XKEYBOARD."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        extension = connection.server.query_extension(_EXTENSION)
        self._opcode = int(extension.major_opcode) if extension and extension.present else None
        if self._opcode is not None:
            _UseExtension(
                display=connection.server.display, opcode=self._opcode, wanted_major=1, wanted_minor=0
            )

    def set_caps(self, *, on: bool) -> None:
        """Switch Caps Lock on or off."""
        if self._opcode is None:
            return
        _LatchLockState(
            display=self._connection.server.display,
            opcode=self._opcode,
            device=_CORE_KEYBOARD,
            affect_locks=X.LockMask,
            locks=X.LockMask if on else 0,
            lock_group=0,
            group_lock=0,
            affect_latches=0,
            latches=0,
            latch_group=0,
            group_latch=0,
        )
