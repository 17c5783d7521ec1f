"""Let no signal handler raise in the middle of a talk with the X server.

python-xlib takes locks and marks itself busy without undoing either on an exception: after a Ctrl-C at the
wrong moment its next call would wait for ever, and the keys that are down could not be released.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_SIGNALS: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)


class Uninterrupted:
    """Holds signals back while it is entered; nested entries are one. One object a connection."""

    def __init__(self) -> None:
        self._depth = 0
        self._arrived: list[tuple[int, FrameType | None]] = []

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Meanwhile a signal waits; its own handler runs at the end. A second one does not wait: somebody insists."""
        if self._depth or threading.current_thread() is not threading.main_thread():
            yield
            return
        handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        held = [number for number, handler in handlers.items() if callable(handler)]
        for number in held:
            signal.signal(number, lambda number, frame: self._arrive(handlers[number], number, frame))
        self._depth = 1
        try:
            yield
        finally:
            self._depth = 0
            for number in held:
                signal.signal(number, handlers[number])
            arrived, self._arrived = self._arrived, []
            for number, frame in arrived[:1]:
                _call(handlers[number], number, frame)

    def _arrive(self, handler: Any, number: int, frame: FrameType | None) -> None:  # noqa: ANN401 - as typeshed has it
        if self._arrived:
            _call(handler, number, frame)
        self._arrived.append((number, frame))


def _call(handler: Any, number: int, frame: FrameType | None) -> None:  # noqa: ANN401 - as typeshed has it
    handler(number, frame)
