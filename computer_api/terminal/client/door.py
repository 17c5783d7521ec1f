"""Where ``oi-computer`` comes in: one socket that all programs of a shell inherit, and a line of its own for each.

A client makes a pair of sockets and passes one of them over the shared socket; the request and the reply go over
that pair. So clients that ask at the same time do not mix, and no path is needed where the shell runs.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from computer_api.terminal.call import Call, Reply

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

CLIENT = Path(__file__).with_name("oi_computer.py")
_WAIT = 2.0  # seconds for a client to send what it wants, or to take the reply
_LONGEST = 16 * 1024 * 1024
_MOST_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """One client that waits for its reply."""

    line: socket.socket

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.line.close()

    def call(self) -> Call | None:
        """What it asks, None when that is no call; whoever is in the shell may have written it."""
        data = bytearray()
        try:
            while not data.endswith(b"\n"):
                some = self.line.recv(1 << 16)
                if not some or len(data) > _LONGEST:
                    return None
                data += some
            match json.loads(data):
                case {"call": [*path], "args": list(args), "kwargs": dict(kwargs)}:
                    return Call(path=tuple(map(str, path)), args=tuple(args), kwargs=kwargs)
                case _:
                    return None
        except (OSError, ValueError, RecursionError):
            return None

    def reply(self, reply: Reply) -> None:
        """Tell it what came of it, if it is still there."""
        record: dict[str, Any] = {"value": reply.value}
        if reply.error is not None:
            record = {"error": list(reply.error)}
        elif reply.png is not None:
            record = {"png": base64.b64encode(reply.png).decode()}
        with suppress(OSError):
            self.line.sendall(json.dumps(record, default=str).encode() + b"\n")


class Door:
    """Our end of the shared socket, and the other end until the shell has it."""

    def __init__(self) -> None:
        self._ours, self.theirs = socket.socketpair()
        self._ours.settimeout(0)

    def fileno(self) -> int:
        """The descriptor that is readable when somebody asks."""
        return self._ours.fileno()

    def let_in(self) -> list[Asked] | None:
        """Those who ask now, None when nobody can any more."""
        if sys.platform == "win32":
            return None
        clients: list[Asked] = []
        while len(clients) < _MOST_AT_ONCE:
            try:
                data, descriptors, _, _ = socket.recv_fds(self._ours, 1, 1)
            except BlockingIOError:
                break
            except OSError:
                return clients or None
            if not data:
                return clients or None
            clients += [asked for descriptor in descriptors if (asked := _client(descriptor)) is not None]
        return clients

    def close(self) -> None:
        """Let go of both ends."""
        self._ours.close()
        self.theirs.close()


def _client(descriptor: int) -> Asked | None:
    try:
        line = socket.socket(fileno=descriptor)
    except OSError:  # it passed something else
        os.close(descriptor)
        return None
    line.settimeout(_WAIT)
    return Asked(line)
