"""A person at the same desktop: their stop keys, and that they use it themselves. Asked between and inside actions."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from computer_api.errors import PersonActiveError, Stopped
from computer_api.gestures import Activity, Doings, StopGestures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from computer_platform.desktop import Display, Person, PersonEvent

__all__ = ["Doings", "Presence"]


class Presence:
    """Listens to a desktop's people from ``begin`` to ``close``; ``None`` is a desktop where nobody can be heard.

    A stop gesture sets ``stopped`` to the sentence that says which, and calls ``on_stop`` on the thread that heard
    it. ``pausing`` says whether a person's own work breaks an action off, and ``released`` holds the keys and buttons
    that were let go of for it since ``go_on``.
    """

    def __init__(self, person: Person | None) -> None:
        self._person = person
        self._lock = threading.RLock()  # the handler of a signal may come in between
        self._gestures = StopGestures()
        self._activity = Activity(time.monotonic())
        self._asking = 0
        self.stopped = ""
        self.on_stop: Callable[[], None] = lambda: None
        self.pausing = False
        self.released: frozenset[str] = frozenset()

    def begin(self) -> None:
        """Listen from now on."""
        self.go_on()
        if self._person is not None:
            self._person.listen(self.heard)

    def close(self) -> None:
        """Listen no more. Safe to call twice."""
        if self._person is not None:
            self._person.stop()

    def watch(self, displays: Iterable[Display]) -> None:
        """These monitors have the corners from now on."""
        areas = [display.area for display in displays]
        with self._lock:
            self._gestures.watch(areas)

    def heard(self, event: PersonEvent) -> None:
        """A person did that. Called on a thread of its own."""
        with self._lock:
            words = self._gestures.take(event)
            if not self._asking:
                self._activity.take(event)
            stopping = words is not None and not self.stopped
            if stopping:
                self.stopped = words or ""
        if stopping:
            self.on_stop()

    def interrupt(self) -> None:
        """Take it that the person has used the keyboard just now."""
        now = time.monotonic()
        with self._lock:
            self._activity.doings = self._activity.doings or Doings(began=now, ended=now, keys=1)

    def check(self) -> None:
        """Raise ``Stopped`` after a stop gesture, and ``PersonActiveError`` while a person is to have the desktop."""
        self.check_stop()
        if self.pausing and (doings := self.doings()) is not None:
            raise PersonActiveError(doings.tools())

    def check_stop(self) -> None:
        """Raise ``Stopped`` after a stop gesture."""
        if self.stopped:
            raise Stopped(self.stopped)

    def doings(self) -> Doings | None:
        """What the person did since ``go_on``, or ``None``."""
        with self._lock:
            return self._activity.doings

    def quiet_seconds(self) -> float:
        """How long the person has done nothing."""
        with self._lock:
            return time.monotonic() - self._activity.last

    def go_on(self) -> None:
        """What was done until now is dealt with."""
        self.released = frozenset()
        with self._lock:
            self._activity.begin(time.monotonic())

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Meanwhile the person answers a question: what they do is no interruption, but a stop is one."""
        with self._lock:
            self._asking += 1
        try:
            yield
        finally:
            with self._lock:
                self._asking -= 1
                if self._activity.doings is None:  # the hand that answered is still moving
                    self._activity.begin(time.monotonic())
