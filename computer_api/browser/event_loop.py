"""An event loop in a thread of its own, for a library that only works in one; calls wait for it, and can be stopped."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from computer_api.errors import TimedOutError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")

_POLL_SECONDS = 0.05
_END_SECONDS = 5.0


class EventLoop:
    """Runs coroutines one after the other; ``check`` is called meanwhile and may raise, which cancels the one."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name="browser", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def run(self, coroutine: Coroutine[Any, Any, T], *, seconds: float, late: str, checked: bool = True) -> T:
        """What the coroutine returns or raises. Raises ``TimedOutError``, saying ``late``, when it is not done."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        deadline = time.monotonic() + seconds
        try:
            while True:
                try:
                    return future.result(timeout=_POLL_SECONDS)
                except FutureTimeout:
                    if future.done():
                        raise
                if checked:
                    self._check()
                if time.monotonic() > deadline:
                    raise TimedOutError(late)
        except CancelledError:
            raise TimedOutError(late) from None
        finally:
            future.cancel()

    def close(self) -> None:
        """End the thread."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_END_SECONDS)
