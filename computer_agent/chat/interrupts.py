"""Ctrl-C in a conversation: once stops what is being done, twice within a second leaves."""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

TWICE_SECONDS = 1.0


@dataclass(slots=True)
class Interrupts:
    """Hears signals while ``listening``. ``leaves`` says whether the person wants to leave."""

    leaves: bool = False
    _heard: float = field(default=float("-inf"), init=False)
    _aside: bool = field(default=False, init=False)  # a program of the person's has the terminal
    _writing: bool = field(
        default=False, init=False
    )  # what is broken off would stand there by halves, or twice
    _wished: bool = field(default=False, init=False)  # a Ctrl-C that waits until it is written

    def pressed(self) -> bool:
        """Take note of a Ctrl-C; whether it is the second."""
        now = time.monotonic()
        again = now - self._heard < TWICE_SECONDS
        self._heard = now
        self.leaves = self.leaves or again
        return again

    @property
    def was_pressed(self) -> bool:
        """Whether Ctrl-C was pressed since the person said something."""
        return self._heard > float("-inf")

    def forget(self) -> None:
        """The person has said something since: the next Ctrl-C is the first."""
        self._heard = float("-inf")

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Meanwhile signals are heard here. What wants the process to end raises ``KeyboardInterrupt`` and leaves."""
        ends = [signal.SIGTERM]
        if sys.platform != "win32":
            ends.append(signal.SIGHUP)
        before = {number: signal.getsignal(number) for number in [signal.SIGINT, *ends]}
        signal.signal(signal.SIGINT, self._on_interrupt)
        for number in ends:
            if before[number] is not signal.SIG_IGN:  # as under `nohup`
                signal.signal(number, self._on_end)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Meanwhile Ctrl-C is for a program that the person runs."""
        self._aside = True
        try:
            yield
        finally:
            self._aside = False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Meanwhile a first Ctrl-C waits until all is written; where that gets stuck, a second breaks it off."""
        if threading.current_thread() is not threading.main_thread():  # where no signal is heard
            yield
            return
        self._writing = True
        try:
            yield
        finally:
            self._writing = False
            wished, self._wished = self._wished, False
        if wished:
            raise KeyboardInterrupt

    def _on_interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self._aside:
            return
        again = self.pressed()
        if self._writing and not again:
            self._wished = True
        # The second must not break off what the first has begun: keys released, the record written.
        elif not again or self._wished:
            self._wished = False
            raise KeyboardInterrupt

    def _on_end(self, _number: int, _frame: FrameType | None) -> None:
        if not self.leaves:
            self.leaves = True
            raise KeyboardInterrupt
