"""Starting processes from a thread that stays: Linux kills what is to die with its parent when that thread ends."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Process = subprocess.Popen[bytes]
    Start = Callable[[], Process]


class Starter:
    """One thread, made when first used and ended by ``close``, which kills what dies with its parent."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[tuple[Start, Future[Process]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._lock = threading.Lock()

    def __call__(self, start: Start) -> Process:
        """Call it in that thread, and return or raise what it does."""
        with self._lock:
            if self._closed:
                raise UnsupportedError("The sandbox is closed, and starts nothing any more.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sandbox", daemon=True)
                self._thread.start()
            process: Future[Process] = Future()
            self._asked.put((start, process))
        return process.result()

    def close(self) -> None:
        """End the thread. Safe to call twice."""
        with self._lock:
            if self._thread is not None and not self._closed:
                self._asked.put(None)
                self._thread.join()
            self._closed = True

    def _run(self) -> None:
        while (asked := self._asked.get()) is not None:
            start, process = asked
            try:
                process.set_result(start())
            except (OSError, ValueError) as error:
                process.set_exception(error)
