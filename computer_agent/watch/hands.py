"""One viewer at a time has the mouse and the keyboard of the watched desktop, for as long as they are heard of."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from computer_agent.watch.inputs import deed
from computer_platform.desktop import DesktopUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from computer_platform.desktop import Area, Desktop

SILENCE_SECONDS = 4.0  # without a word from whoever has the desktop; a page says something every second
_BEAT_SECONDS = 0.5
_NOTICED = 12  # points that are more than the jitter of a desk, so that the agent pauses
_SEEN_SECONDS = 0.06  # a motion there and back again in less is none


class NotInCharge(Exception):
    """The viewer has not taken over, or no longer has; the message says which."""


class Hands:
    """The mouse and keyboard of ``desktop``, by which a person uses it from elsewhere.

    ``area`` is what the picture shows. ``shared`` says whether an agent is at work: while a viewer has the desktop
    the pointer then moves a point now and then, as a hand on the mouse would, so that the agent keeps waiting.
    After ``silence`` seconds without a word they have it no more.
    """

    def __init__(
        self,
        desktop: Desktop,
        area: Callable[[], Area],
        shared: Callable[[], bool],
        *,
        silence: float = SILENCE_SECONDS,
    ) -> None:
        self._desktop = desktop
        self._area = area
        self._shared = shared
        self._silence = silence
        self._lock = threading.Lock()
        self._viewer: str | None = None
        self._heard = 0.0
        self._turn = 1
        self._closed = threading.Event()
        self._beat: threading.Thread | None = None

    @property
    def viewer(self) -> str | None:
        """Who has the desktop."""
        return self._viewer

    def take(self, viewer: str) -> None:
        """This viewer has it from now on, and nobody else. Raises ``DesktopUnavailable``."""
        with self._lock:
            before, self._viewer, self._heard = self._viewer, viewer, time.monotonic()
            if before is not None and before != viewer:
                self._let_go()
            if self._beat is None:
                self._beat = threading.Thread(target=self._watch_over, name="oi watch: hands", daemon=True)
                self._beat.start()
            if self._shared():
                self._be_noticed()

    def give(self, viewer: str) -> None:
        """This viewer wants it no more; nothing stays pressed."""
        with self._lock:
            if self._viewer == viewer:
                self._end()

    def perform(self, viewer: str, inputs: Iterable[object]) -> None:
        """Do these, in their order; those before one that cannot be done are done.

        Raises ``NotInCharge``, ``BadInput``, ``UnknownKeyError``, ``CannotType`` and ``DesktopUnavailable``.
        """
        with self._lock:
            if self._viewer != viewer:
                why = "Another window has it now." if self._viewer else "Press Take over first."
                raise NotInCharge(f"You do not have this desktop. {why}")
            try:
                for data in inputs:
                    deed(data, self._area())(self._desktop)
            finally:
                self._heard = time.monotonic()

    def close(self) -> None:
        """Nothing stays pressed, and nobody has it any more. Safe to call twice."""
        with self._lock:
            if not self._closed.is_set():
                self._closed.set()
                self._end()
                self._desktop.close()

    def _watch_over(self) -> None:
        while not self._closed.wait(_BEAT_SECONDS):
            with self._lock:
                if self._viewer is None or self._closed.is_set():
                    continue
                if time.monotonic() - self._heard > self._silence:
                    self._end()
                else:
                    self._keep_noticed()

    def _end(self) -> None:
        self._viewer = None
        self._let_go()

    def _let_go(self) -> None:
        with suppress(DesktopUnavailable):
            self._desktop.release_all()

    def _keep_noticed(self) -> None:
        with suppress(DesktopUnavailable):
            if self._shared() and not self._desktop.held():
                self._turn = -self._turn
                x, y = self._desktop.pointer()
                self._desktop.move(x + self._turn, y)

    def _be_noticed(self) -> None:
        """The agent pauses as soon as a viewer takes over, and not only when they do something."""
        x, y = self._desktop.pointer()
        area = self._area()
        aside = x - _NOTICED if x - _NOTICED > area.left else x + _NOTICED
        self._desktop.move(aside, y)
        time.sleep(_SEEN_SECONDS)
        self._desktop.move(x, y)
