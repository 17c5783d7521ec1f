"""Let no signal handler raise in the middle of a talk with the X server.

python-xlib takes locks and marks itself busy without undoing either on an exception: after a Ctrl-C at the
wrong moment its next call would wait for ever, and the keys that are down could not be released.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    _Handler = Callable[[int, FrameType | None], Any]

_SIGNALS: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)
if sys.platform != "win32":
    _SIGNALS += (signal.SIGHUP, signal.SIGTSTP)
_PATIENCE = 0.5  # seconds; any talk with a server that answers is over by then


class Uninterrupted:
    """Holds signals back while it is entered; nested entries are one. One object a connection.

    Ctrl-C pressed twice at once is one wish; pressed again after ``patience`` seconds it is an insisting one.
    ``torn`` says that somebody insisted and a handler raised in the middle of a talk: another would not end.
    """

    def __init__(self, patience: float = _PATIENCE) -> None:
        self._patience = patience
        self._since = 0.0
        self._depth = 0
        self.torn = False
        self._arrived: list[tuple[int, FrameType | None]] = []
        self._handlers: dict[int, _Handler] = {}

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Meanwhile a signal waits; its own handler runs at the end. One from somebody who insists does not wait."""
        if self._depth or threading.current_thread() is not threading.main_thread():
            yield
            return
        handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        held = {number: handler for number, handler in handlers.items() if callable(handler)}
        self._arrived, self._handlers = [], held
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

    def let_through(self) -> None:
        """Call the handlers of the signals that wait; they may raise, for nothing is half said here."""
        if self._depth and threading.current_thread() is threading.main_thread():
            while self._arrived:
                number, frame = self._arrived.pop(0)
                self._handlers[number](number, frame)

    def _arrive(self, handler: _Handler, number: int, frame: FrameType | None) -> None:
        if self._depth and not self._arrived:
            self._since = time.monotonic()
            self._arrived.append((number, frame))
            return
        if self._depth and time.monotonic() - self._since < self._patience:
            return
        during = self._depth > 0
        try:
            handler(number, frame)
        except BaseException:
            self.torn = self.torn or during
            raise
