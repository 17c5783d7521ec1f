"""The JavaScript worker as the terminal sees it: start Node.js, feed it cells, answer their calls."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.groups import signal_group
from computer_api.terminal.languages.channel import SENDING, ChannelWorker, call_of, png_of, told, written
from computer_api.terminal.languages.javascript_imports import prepared
from computer_api.terminal.place import Place, Started, start
from computer_api.terminal.sandbox import Command
from computer_api.terminal.worker import GRACE, Block, Child

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_api.terminal.call import Answer

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

_WORKER = Path(__file__).with_name("javascript_worker.js")
_OLDEST = 18
_MOST_IMAGES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaScriptLanguage:
    """JavaScript, run by Node.js; ``values`` names what of the ``computer`` is read without a call."""

    values: frozenset[str] = frozenset()
    name: str = "javascript"
    aliases: tuple[str, ...] = ("js", "node", "nodejs")

    def missing(self, environment: Mapping[str, str]) -> str | None:
        """One sentence when there is no Node.js on the PATH, or one that is too old."""
        node = _node(environment)
        if node is None:
            return f'JavaScript needs "node", which is not on the PATH; install Node.js {_OLDEST} or newer.'
        version = _version(node)
        if version is None or version < _OLDEST:
            found = "does not tell its version" if version is None else f"is version {version}"
            return f'JavaScript needs Node.js {_OLDEST} or newer, and "{node}" {found}; install a newer one.'
        return None

    def worker(self, place: Place, answer: Answer | None) -> JavaScriptWorker:
        """A worker that starts Node.js with its first cell."""
        missing = self.missing(place.environment)
        node = _node(place.environment)
        if missing is not None or node is None:
            raise UnsupportedError(missing)
        return JavaScriptWorker(place, answer, node=node, values=self.values)


def _node(environment: Mapping[str, str]) -> str | None:
    return shutil.which("node", path=environment.get("PATH"))


@functools.cache
def _version(node: str) -> int | None:
    """The first number of its version."""
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    number = re.match(r"v(\d+)\.", told.stdout)
    return int(number[1]) if number else None


class JavaScriptWorker(ChannelWorker):
    """Runs cells of JavaScript on the given Node.js."""

    title = "JavaScript"

    def __init__(self, place: Place, answer: Answer | None, *, node: str, values: frozenset[str]) -> None:
        super().__init__(place, answer)
        self._node = node
        self._values = values
        # Of this process. What an interrupt ends may send a record a second time.
        self._cells = 0
        self._calls = 0

    def start(self) -> Child:
        """Start Node.js, its control channel a socket and its output a pipe."""
        with contextlib.ExitStack() as resources, contextlib.ExitStack() as handed_over:
            control, theirs = socket.socketpair()
            output, printed = os.pipe()
            resources.enter_context(control)
            handed_over.enter_context(theirs)
            resources.callback(os.close, output)
            handed_over.callback(os.close, printed)
            started = self._spawn(theirs.fileno(), printed)
            os.set_blocking(output, False)
            control.settimeout(SENDING)
            self.control = control
            self._cells = self._calls = 0
            child = Child(
                process=started.process,
                leader=started.leader,
                output=output,
                records=control.fileno(),
                resources=resources.pop_all(),
            )
        self.send(child, {"values": sorted(self._values)})
        return child

    def _spawn(self, control: int, printed: int) -> Started:
        command = Command(
            # Ending code in a timer leaves the bookkeeping of Node.js behind; its check would end the process.
            argv=(self._node, "--no-force-async-hooks-checks", str(_WORKER), str(control)),
            environment=self.place.environment,
            cwd=self.place.cwd,
            inherited=(control,),
            shared=(_WORKER,),
        )
        return start(self.place, command, output=printed)

    def begin(self, child: Child, code: str) -> None:
        """Send the cell."""
        self._cells += 1
        cell = prepared(code)
        self.send(child, {"run": cell.code, "first": cell.first})

    def record(self, child: Child, block: Block, record: bytes) -> None:
        """Act on the begin or the end of the cell, a call or a picture; ignore what is none of these."""
        match told(record):
            case {"began": True}:
                self.began(child, block)
            case {"done": self._cells, "ok": bool(ok), "exit": (int() | None) as code}:
                self.ended(child, block, ok=ok, exit_code=code)
            case {"png": str(text)} if len(block.images) < _MOST_IMAGES and (png := png_of(text)) is not None:
                block.images.append(png)
            case {"call": _, "id": int(number)} as asked if (
                number > self._calls and (call := call_of(asked)) is not None
            ):
                self._calls = number
                self.send(child, {"reply": number, **written(self.ask(block, call))})
            case _:
                pass

    def stages(self, child: Child) -> tuple[tuple[float, Callable[[], None]], ...]:
        """End the code that runs and interrupt the programs it waits for; after the grace, kill them."""

        def interrupt() -> None:
            # First: code that is told that its program was interrupted must not start the next.
            self.send(child, {"interrupt": True})
            programs()

        def programs() -> None:
            signal_group(child.leader, signal.SIGINT)

        return (
            (0.0, interrupt),
            (0.2, programs),
            (0.6, programs),
            (1.2, programs),
            (GRACE, lambda: self.end(child)),
        )

    def groups(self, child: Child) -> set[int]:
        """The one that Node.js leads."""
        return {child.leader}
