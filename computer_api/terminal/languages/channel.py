"""Workers that are talked to over a socket: one JSON object a line, in both directions."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from computer_api.terminal.call import Call
from computer_api.terminal.worker import Worker

if TYPE_CHECKING:
    import socket

    from computer_api.terminal.call import Answer, Reply
    from computer_api.terminal.place import Place
    from computer_api.terminal.worker import Child

_PNG = b"\x89PNG\r\n\x1a\n"

SENDING = 10.0  # seconds; the worker reads records in a thread, and one that does not is gone


class ChannelWorker(Worker):
    """A worker with a control channel. ``control`` is our end of it, while the process is there."""

    def __init__(self, place: Place, answer: Answer | None) -> None:
        super().__init__(place, answer)
        self.control: socket.socket | None = None

    def split(self, pending: bytearray) -> list[bytes]:
        """Take whole lines."""
        *lines, rest = pending.split(b"\n")
        pending[:] = rest
        return [bytes(line) for line in lines]

    def send(self, child: Child, record: dict[str, Any]) -> None:
        """Write one record; a worker that does not read is ended."""
        if self.control is None:
            return
        try:
            self.control.sendall(json.dumps(record).encode() + b"\n")
        except TimeoutError:
            self.end(child)
        except OSError:
            return  # it died, which the loop notices


def told(record: bytes) -> Any:  # noqa: ANN401 - what JSON has
    """What a record says, or None: the code in the worker may write anything there."""
    try:
        return json.loads(record)
    except (ValueError, RecursionError):
        return None


def call_of(record: dict[str, Any]) -> Call | None:
    """What a record asks of the computer, or None when it is no such record."""
    match record:
        case {"call": list(path), "args": list(args), "kwargs": dict(kwargs)} if all(
            isinstance(name, str) for name in path
        ):
            return Call(path=tuple(path), args=tuple(args), kwargs=kwargs)
    return None


def png_of(text: str) -> bytes | None:
    """The picture that a record carries, or None when it is none."""
    try:
        png = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return png if png.startswith(_PNG) else None


def written(reply: Reply) -> dict[str, Any]:
    """A reply as the fields of a record."""
    if reply.error is not None:
        return {"error": list(reply.error)}
    if reply.png is not None:
        return {"png": base64.b64encode(reply.png).decode()}
    return {"value": reply.value}
