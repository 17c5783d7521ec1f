"""The Python object for asyncio: chunks go in and come out while a turn goes on."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from computer_agent.python_object.interpreter import Interpreter

if TYPE_CHECKING:
    from computer_agent.lmc import Chunk

COMPLETE: Chunk = {"role": "server", "type": "status", "content": "complete"}


class AsyncInterpreter(Interpreter):
    """An ``Interpreter`` that is spoken to in chunks.

    ``await input(chunk)`` takes a flag, a piece of the person's message, or a command (``stop``, ``go``); the flag
    ``end`` begins the turn. ``await output()`` gives the next chunk, in the end ``complete`` of the role ``server``.
    Confirmations are not among them: without ``auto_run`` a turn ends with its code, and ``go`` runs that.
    ``stop_event`` ends a turn. ``unsent_messages`` holds what ``output`` has not given yet; with
    ``require_acknowledge`` each chunk has an ``id`` of its own.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.stop_event = threading.Event()
        self.require_acknowledge = False
        self.acknowledged_outputs: list[str] = []
        self.unsent_messages: deque[Chunk] = deque()
        self.context_mode = False
        self.id = uuid4().hex
        self.print = False
        self._lock = threading.Lock()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._responder: threading.Thread | None = None
        self._command: str | None = None

    async def input(self, chunk: Chunk | bytes) -> None:
        """Take a chunk in, or bytes of what was begun: a ``start`` ends a turn that goes on, an ``end`` begins one."""
        await asyncio.to_thread(self._put, chunk)

    async def output(self) -> Chunk:
        """The next chunk, as soon as there is one."""
        loop = asyncio.get_running_loop()
        while True:
            with self._lock:
                if self.unsent_messages:
                    return self.unsent_messages.popleft()
                arrived = loop.create_future()
                self._waiting.append((loop, arrived))
            await arrived

    def accumulate(self, chunk: Chunk | bytes) -> None:
        """Add a piece to the person's message: a start flag opens one, text and bytes are added to the last."""
        if isinstance(chunk, bytes):
            last = self.messages[-1]
            last["content"] = (last.get("content") or b"") + chunk
        elif chunk.get("start"):
            named = {key: value for key, value in chunk.items() if key != "start"}
            self.messages.append({"role": "user", "type": "message", **named, "content": ""})
        elif "content" in chunk:
            last = self.messages[-1] if self.messages else {}
            same = all(last.get(key) == chunk.get(key, usual) for key, usual in _USUAL.items())
            if same and isinstance(last.get("content"), str):
                last["content"] += chunk["content"]
            else:
                self.messages.append({**_USUAL, **chunk})

    def respond(self, run_code: bool | None = None) -> None:  # noqa: FBT001 - the classic's
        """Do a turn and put its chunks out; with ``run_code`` the code that waits is run, too.

        What goes wrong is put out as a chunk of the type ``error``.
        """
        go = bool(run_code)
        self.stop_event.clear()
        self.last_messages_count = len(self.messages)
        try:
            for chunk in self._chunks(None, "consumer"):
                if chunk["type"] == "confirmation":
                    if not (self.auto_run or go):
                        break
                    go = False  # it was said of one block
                    continue
                self._send(chunk)
        except Exception as error:  # noqa: BLE001 - whoever reads the chunks is told, there is nobody else
            self._send({"role": "server", "type": "error", "content": f"{type(error).__name__}: {error}"})
        self._send(dict(COMPLETE))

    def _put(self, chunk: Chunk | bytes) -> None:
        if isinstance(chunk, bytes):
            self.accumulate(chunk)
            return
        if chunk.get("start"):
            self._end_turn()
        if chunk.get("type") == "command":
            self._take_command(chunk)
            return
        self.accumulate(chunk)
        if chunk.get("end") and not self.context_mode:
            self._begin(run_code=None)

    def _take_command(self, chunk: Chunk) -> None:
        """``start``, the word, ``end``; a word without flags counts, too."""
        if chunk.get("start"):
            self._command = ""
        elif chunk.get("end"):
            self._obey(self._command or "")
            self._command = None
        elif self._command is None:
            self._obey(str(chunk.get("content", "")))
        else:
            self._command += str(chunk.get("content", ""))

    def _obey(self, command: str) -> None:
        if command.strip() == "stop":
            self._end_turn()
        elif command.strip() == "go":
            self._begin(run_code=True)

    def _begin(self, *, run_code: bool | None) -> None:
        self._end_turn()
        self._responder = threading.Thread(
            target=self.respond, kwargs={"run_code": run_code}, name="oi-respond", daemon=True
        )
        self._responder.start()

    def _end_turn(self) -> None:
        """Stop the turn that goes on, and forget what it put out and nobody has taken."""
        responder = self._responder
        if responder is None or not responder.is_alive():
            return
        self.stop_event.set()
        self.stop()
        responder.join()
        with self._lock:
            self.unsent_messages.clear()

    def _send(self, chunk: Chunk) -> None:
        if self.require_acknowledge:
            chunk = {**chunk, "id": uuid4().hex}
        with self._lock:
            self.unsent_messages.append(chunk)
            waiting, self._waiting = self._waiting, []
        for loop, arrived in waiting:
            with suppress(RuntimeError):  # that loop has ended
                loop.call_soon_threadsafe(_wake, arrived)

    def _stop_wished(self) -> bool:
        return self.stop_event.is_set()


def _wake(arrived: asyncio.Future[None]) -> None:
    if not arrived.done():  # whoever waited may have been cancelled
        arrived.set_result(None)


_USUAL: dict[str, Any] = {"role": "user", "type": "message"}
