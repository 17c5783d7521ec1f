"""The Python worker as the terminal sees it: start it, feed it cells, answer its calls."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from computer_api.terminal.call import Answer, Call, Reply
from computer_api.terminal.groups import signal_group
from computer_api.terminal.place import Place, Started, start
from computer_api.terminal.sandbox import Command
from computer_api.terminal.worker import GRACE, Block, Child, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

_WORKER = Path(__file__).with_name("python_worker.py")
_MOST_IMAGES = 16
_SENDING = 10.0  # seconds; the worker reads records in a thread, and one that does not is gone


class PythonWorker(Worker):
    """Runs cells of Python on the given interpreter."""

    title = "Python"

    def __init__(self, place: Place, answer: Answer | None, *, python: str, values: frozenset[str]) -> None:
        super().__init__(place, answer)
        self._python = python
        self._values = values
        self._control: socket.socket | None = None

    def start(self) -> Child:
        """Start the interpreter, its control channel a socket and its output a pipe."""
        with contextlib.ExitStack() as resources, contextlib.ExitStack() as handed_over:
            control, theirs = socket.socketpair()
            output, printed = os.pipe()
            lifeline, held = os.pipe()
            resources.enter_context(control)
            handed_over.enter_context(theirs)
            for stack, descriptor in (
                (resources, output),
                (resources, held),
                (handed_over, printed),
                (handed_over, lifeline),
            ):
                stack.callback(os.close, descriptor)
            started = self._spawn(theirs.fileno(), lifeline, printed)
            os.set_blocking(output, False)
            control.settimeout(_SENDING)
            self._control = control
            child = Child(
                process=started.process,
                leader=started.leader,
                output=output,
                records=control.fileno(),
                resources=resources.pop_all(),
            )
        self._send(child, {"values": sorted(self._values)})
        return child

    def _spawn(self, control: int, lifeline: int, printed: int) -> Started:
        command = Command(
            argv=(self._python, str(_WORKER), str(control), str(lifeline)),
            environment=self.place.environment,
            cwd=self.place.cwd,
            inherited=(control, lifeline),
            shared=(_WORKER,),
        )
        return start(self.place, command, output=printed)

    def begin(self, child: Child, code: str) -> None:
        """Send the cell."""
        self._send(child, {"run": code})

    def split(self, pending: bytearray) -> list[bytes]:
        """Take whole lines."""
        *lines, rest = pending.split(b"\n")
        pending[:] = rest
        return [bytes(line) for line in lines]

    def record(self, child: Child, block: Block, record: bytes) -> None:
        """Act on the begin or the end of the cell, a call or a picture; ignore what is none of these."""
        try:
            match json.loads(record):
                case {"began": True}:
                    self.began(child, block)
                case {"done": True, "ok": bool(ok), "exit": (int() | None) as code}:
                    self.ended(child, block, ok=ok, exit_code=code)
                case {"png": str(png)} if len(block.images) < _MOST_IMAGES:
                    block.images.append(base64.b64decode(png, validate=True))
                case {"call": list(path), "id": int(number), "args": list(args), "kwargs": dict(kwargs)}:
                    call = Call(path=tuple(map(str, path)), args=tuple(args), kwargs=kwargs)
                    self._send(child, {"reply": number, **_written(self.ask(block, call))})
                case _:
                    pass
        except (ValueError, RecursionError):
            return

    def stages(self, child: Child) -> tuple[tuple[float, Callable[[], None]], ...]:
        """Interrupt the cell and all it started; after the grace, kill them."""
        return (
            (0.0, lambda: signal_group(child.leader, signal.SIGINT)),
            (GRACE, lambda: self.end(child)),
        )

    def groups(self, child: Child) -> set[int]:
        """The one that the interpreter leads."""
        return {child.leader}

    def _send(self, child: Child, record: dict[str, Any]) -> None:
        if self._control is None:
            return
        try:
            self._control.sendall(json.dumps(record).encode() + b"\n")
        except TimeoutError:
            self.end(child)
        except OSError:
            return  # it died, which the loop notices


def _written(reply: Reply) -> dict[str, Any]:
    if reply.error is not None:
        return {"error": list(reply.error)}
    if reply.png is not None:
        return {"png": base64.b64encode(reply.png).decode()}
    return {"value": reply.value}
