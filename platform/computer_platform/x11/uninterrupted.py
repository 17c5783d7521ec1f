"""Let no signal handler raise in the middle of a talk with the X server.

python-xlib takes locks and marks itself busy without undoing either on an exception: after a Ctrl-C at the
wrong moment its next call would wait for ever, and the keys that are down could not be released.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_SIGNALS: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)


class Uninterrupted:
    """Holds signals back while it is entered; nested entries are one. One object a connection.

    ``torn`` says that somebody insisted and a handler raised in the middle of a talk: another would not end.
    """

    def __init__(self) -> None:
        self._depth = 0
        self.torn = False
        self._arrived: list[tuple[int, FrameType | None]] = []

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Meanwhile a signal waits; its own handler runs at the end. A second one does not wait: somebody insists."""
        if self._depth or threading.current_thread() is not threading.main_thread():
            yield
            return
        handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        held = {number: handler for number, handler in handlers.items() if callable(handler)}
        self._arrived = []
        try:
            self._depth = 1
            for number, handler in held.items():
                signal.signal(number, partial(self._arrive, handler))
            yield
        finally:
            self._depth = 0  # from here on ours only pass on: one that raises may leave the other in place
            for number, handler in held.items():
                signal.signal(number, handler)
            for number, frame in self._arrived:
                held[number](number, frame)

    def _arrive(
        self, handler: Callable[[int, FrameType | None], Any], number: int, frame: FrameType | None
    ) -> None:
        if self._depth and not self._arrived:
            self._arrived.append((number, frame))
            return
        during = self._depth > 0
        try:
            handler(number, frame)
        except BaseException:
            self.torn = self.torn or during
            raise
