"""What a person did, each time with what they saw before it and what they saw when it had done what it does."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_agent.recording.merging import Merger

if TYPE_CHECKING:
    from collections.abc import Iterable

    from computer_agent.recording.eyes import Eyes
    from computer_agent.recording.merging import Gesture
    from computer_agent.recording.still import View
    from computer_platform.demonstration import InputEvent

STOP_KEYS = frozenset({"Control_L", "Alt_L"})
STOP_KEY = "End"
_UNDERWAY_SECONDS = 0.3  # that an event may be on its way to us on a busy machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """A gesture with what was seen before it and after it. ``next_press`` is when the next one began, if it has."""

    gesture: Gesture
    before: View
    after: View | None = None
    next_press: float = float("inf")


class Takes:
    """Collects takes from the events that are heard on one thread, for another that writes them down.

    ``wanted`` is set when there may be something to take, or to end: ``stopped`` says that the stop keys were pressed.
    """

    def __init__(self, eyes: Eyes) -> None:
        self.wanted = threading.Event()
        self.stopped = False
        self._eyes = eyes
        self._lock = threading.Lock()
        self._merger = Merger()
        self._views: dict[float, View] = {}
        self._waiting: deque[Take] = deque()

    def heard(self, event: InputEvent) -> None:
        """One more event. The stop keys and what comes after them are no part of the demonstration."""
        if self.stopped:
            return
        if event.kind == "key" and event.down and event.name == STOP_KEY and event.held >= STOP_KEYS:
            self.stopped = True
            self.wanted.set()
            return
        with self._lock:
            self._take(event)
        self.wanted.set()

    def tick(self, now: float) -> None:
        """Time has passed."""
        with self._lock:
            self._add(self._merger.until(now - _UNDERWAY_SECONDS))
            for place, take in enumerate(self._waiting):
                if take.after is None and self._eyes.settled(take.gesture.ended, now):
                    self._waiting[place] = replace(take, after=self._eyes.view(now))

    def finish(self) -> None:
        """Nothing more comes."""
        with self._lock:
            self._add(self._merger.finish())

    def next(self) -> Take | None:
        """The oldest take that is complete; None while it is not."""
        with self._lock:
            if not self._waiting or self._waiting[0].after is None:
                return None
            return self._waiting.popleft()

    @property
    def waiting(self) -> int:
        """How many takes have not been taken."""
        with self._lock:
            return len(self._waiting)

    def _take(self, event: InputEvent) -> None:
        if event.kind == "wheel" or (event.kind in ("key", "button") and event.down):
            self._eyes.touched(typed=event.kind == "key")
            self._views[event.seconds] = self._eyes.view(event.seconds)
        self._add(self._merger.take(event))
        view = self._views.get(event.seconds)
        if view is not None and not _is_modifier(event):
            self._over_for_others(event, view)
        beginnings = self._merger.beginnings
        self._views = {began: one for began, one in self._views.items() if began in beginnings}

    def _add(self, gestures: Iterable[Gesture]) -> None:
        for gesture in gestures:
            before = self._views.get(gesture.began) or self._eyes.view(gesture.began)
            self._waiting.append(Take(gesture=gesture, before=before))

    def _over_for_others(self, event: InputEvent, view: View) -> None:
        """What was done before has had its time: what is seen now is what it has done."""
        for place, take in enumerate(self._waiting):
            if take.after is None and take.gesture.ended < event.seconds:
                self._waiting[place] = replace(take, after=view, next_press=event.seconds)


def _is_modifier(event: InputEvent) -> bool:
    return event.kind == "key" and event.name in (
        "Control_L",
        "Alt_L",
        "Super_L",
        "Shift_L",
        "ISO_Level3_Shift",
    )
