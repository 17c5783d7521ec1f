"""Ctrl-C in the middle of running code: what a signal handler raises waits until all is in order.

A handler may raise between any two lines: after a process was started and before anybody knows of it,
while a thread is being waited for. So meanwhile the exception is kept, somebody is told to come to an
end, and it is raised then.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

Given = TypeVar("Given")
Returned = TypeVar("Returned")

_SIGNALS: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)
if sys.platform != "win32":
    _SIGNALS += (signal.SIGHUP,)


class Shield:
    """Keeps what handlers of SIGINT, SIGTERM and SIGHUP raise; on other threads than the main one it does nothing."""

    def __init__(self) -> None:
        self._lifted = False
        self._raised: BaseException | None = None

    @contextlib.contextmanager
    def __call__(self, told: Callable[[], None]) -> Iterator[None]:
        """Meanwhile handlers run at once, but what one raises is raised at the end; ``told`` hears of each."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        handlers = {number: signal.getsignal(number) for number in _SIGNALS}
        taken = {number: handler for number, handler in handlers.items() if callable(handler)}
        over = False

        def arrive(number: int, frame: FrameType | None) -> None:
            try:
                _call(taken[number], number, frame)
            except BaseException as error:
                if over or self._lifted:
                    raise
                self._raised = error
                told()

        try:
            for number in taken:
                signal.signal(number, arrive)
            yield
        finally:
            over = True
            raised, self._raised = self._raised, None
            try:
                _install(taken)
            except BaseException as error:  # noqa: BLE001 - raised below; one handler was back before the others
                _install(taken)  # should it raise again, what stays there calls what was
                raised = error if raised is None else raised
            if raised is not None:
                raise raised

    def lift(self, function: Callable[[Given], Returned], given: Given) -> Returned:
        """Call the caller's own code, into which handlers may raise."""
        self._lifted = True
        try:
            return function(given)
        finally:
            self._lifted = False


def _install(handlers: Mapping[int, Callable[[int, FrameType | None], Any]]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _call(handler: Any, number: int, frame: FrameType | None) -> None:  # noqa: ANN401 - as typeshed has it
    handler(number, frame)
