"""Which process a window belongs to, as the X server knows it: many programs do not say it themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import Xlib.error

if TYPE_CHECKING:
    from computer_platform.x11.connection import Connection

_PID = 2  # of the kinds of identity in the X-Resource extension, the process id on this machine


def process_of(connection: Connection, window: int) -> int | None:
    """The process id of the program that made the window; None when it runs on another machine."""
    if not connection.server.has_extension("X-Resource"):
        return None
    version = connection.server.res_query_version()
    if (version.server_major, version.server_minor) < (1, 2):
        return None
    try:
        found = connection.server.res_query_client_ids([{"client": window, "mask": _PID}]).ids
    except Xlib.error.XError:
        return None  # the window closed meanwhile
    values = [int(value) for identity in found for value in identity.value]
    return values[0] if values and values[0] > 0 else None
