"""Eyes on a desktop that a person uses: what it showed just before each thing that they did, and when it was quiet.

Two threads, each with a connection of its own, since programs may take their time to tell of their controls and the
pictures must not wait for that.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_agent.recording.programs import Process, process_of
from computer_agent.recording.still import Controls, View
from computer_api.errors import DesktopUnavailable
from computer_api.geometry import Size
from computer_api.movers import Movers
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Elements

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.desktop import Desktop, Display, Element, Frame, Popup, Window

_POLL_SECONDS = 0.04
_REST = 3  # times as long as a look takes: the person's machine is for their work
_WINDOWS_SECONDS = 0.5  # after which the windows are asked for though nothing changed
_QUIET_SECONDS = 0.12  # without a change, after which it is worth asking for the controls
_ANYWAY_SECONDS = 2.0  # after which they are asked for on a screen that never is quiet
_FOCUS_SECONDS = 0.05  # between two questions for the field that is typed into
_TYPED_SECONDS = 0.4  # after a key, for which it is asked what the field holds
_TOLD_SECONDS = 1.0  # that programs get
_SETTLED_SECONDS = 1.0  # without a change, after which an action has done what it does
_AT_MOST_SECONDS = 6.0  # that is waited for it
_LOOKS, _FOCUSES = 6, 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Look:
    seconds: float
    frame: Frame
    windows: tuple[Window, ...]
    popups: tuple[Popup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """The control that had the keyboard when that was asked, at ``seconds``; None where no program said."""

    seconds: float
    control: Element | None


class Eyes:
    """Looks from ``open`` to ``close``. ``desktop`` opens a desktop to look at; it is called twice.

    ``lost`` says why there is nothing to see any more; ``processes`` are those of all windows that were seen.
    Raises ``DesktopUnavailable``.
    """

    def __init__(self, desktop: Callable[[], Desktop]) -> None:
        self.lost = ""
        self.processes: dict[int, Process] = {}
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._movers = Movers()
        self._looks: deque[_Look] = deque(maxlen=_LOOKS)
        self._changed = time.monotonic()
        self._controls: Controls | None = None
        self._focuses: deque[Focus] = deque(maxlen=_FOCUSES)
        self._typed = -math.inf  # when a key was pressed last
        self._wanted = threading.Event()
        with ExitStack() as opened:
            self._camera, self._asking = desktop(), desktop()
            opened.callback(self._camera.close)
            opened.callback(self._asking.close)
            self.displays: tuple[Display, ...] = self._camera.displays()
            self.accessible = self._asking.accessibility is not None
            self._look()
            self._ask_controls()
            self._threads = [
                threading.Thread(target=self._until_lost, args=(step,), name="oi looks", daemon=True)
                for step in (self._look_again, self._ask_again)
            ]
            for thread in self._threads:
                thread.start()
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Look no more."""
        self._over.set()
        self._wanted.set()
        for thread in self._threads:
            thread.join()
        self._opened.close()

    def touched(self, *, typed: bool) -> None:
        """The person does something now: what changes from here on may be their doing."""
        self._movers.ours = True
        if typed:
            self._typed = time.monotonic()
            self._wanted.set()

    def view(self, before: float) -> View:
        """The last that was seen before that time."""
        with self._lock:
            looks = [look for look in self._looks if look.seconds < before]
            look = looks[-1] if looks else self._looks[0]
            height, width = look.frame.pixels.shape[:2]
            return View(
                seconds=look.seconds,
                screenshot=Screenshot(frame=look.frame, size=Size(width, height)),
                windows=look.windows,
                popups=look.popups,
                controls=self._controls,
                known=self._movers.moving(),
                clocks=self._movers.clocks(),
                blinking=self._movers.blinking(),
                still=self._movers.still(),
                suspects=self._movers.suspects(),
            )

    def settled(self, since: float, now: float) -> bool:
        """Whether what was done at ``since`` has shown all that it does: the screen is quiet, and read."""
        if now - since > _AT_MOST_SECONDS:
            return True
        with self._lock:
            if now - max(since, self._changed) < _SETTLED_SECONDS:
                return False
            controls = self._controls
            settled = controls is None or controls.asked >= self._changed
        if settled:
            self._movers.ours = False  # what changes from now on does so by itself
        return settled

    def focuses(self, first: float, last: float) -> list[Focus]:
        """What had the keyboard between these times, as far as it was asked."""
        with self._lock:
            return [focus for focus in self._focuses if first <= focus.seconds <= last]

    def _until_lost(self, step: Callable[[], None]) -> None:
        try:
            while not self._over.is_set():
                step()
        except DesktopUnavailable as lost:
            self.lost = str(lost)

    def _look_again(self) -> None:
        began = time.monotonic()
        self._look()
        self._over.wait(max(_POLL_SECONDS, _REST * (time.monotonic() - began)))

    def _look(self) -> None:
        import numpy as np

        began = time.monotonic()
        frame = self._camera.capture()
        last = self._looks[-1] if self._looks else None
        same = (
            last is not None
            and last.frame.pixels.shape == frame.pixels.shape
            and np.array_equal(last.frame.pixels, frame.pixels)
        )
        if last is not None and same and began - last.seconds < _WINDOWS_SECONDS:
            self._saw(frame)
            return
        manager = self._camera.windows
        look = _Look(
            seconds=began,
            frame=last.frame if last is not None and same else frame,
            windows=() if manager is None else manager.all(),
            popups=() if manager is None else manager.popups(),
        )
        self._saw(frame)
        for pid in {window.pid for window in look.windows if window.pid is not None} - self.processes.keys():
            self.processes[pid] = process_of(pid)  # soon: what asks a question may have ended by its answer
        with self._lock:
            if last is not None and same and (last.windows, last.popups) == (look.windows, look.popups):
                self._looks[-1] = replace(look, seconds=last.seconds)
                return
            self._looks.append(look)
            self._changed = began

    def _saw(self, frame: Frame) -> None:
        with self._lock:
            self._movers.saw(frame)

    def _ask_again(self) -> None:
        self._wanted.wait(_QUIET_SECONDS)
        self._wanted.clear()
        if time.monotonic() - self._typed < _TYPED_SECONDS:
            self._ask_focus()
            self._over.wait(_FOCUS_SECONDS)
            self._wanted.set()
        elif self._are_due():
            self._ask_controls()

    def _are_due(self) -> bool:
        """Whether the screen has changed since the controls were asked for, and is quiet."""
        now = time.monotonic()
        with self._lock:
            asked = 0.0 if self._controls is None else self._controls.asked
            quiet = now - self._changed >= _QUIET_SECONDS or now - asked > _ANYWAY_SECONDS
            return asked <= self._changed and quiet

    def _ask_controls(self) -> None:
        accessibility = self._asking.accessibility
        asked = time.monotonic()
        with self._lock:
            look = self._looks[-1]
        elements = Elements() if accessibility is None else accessibility.elements(seconds=_TOLD_SECONDS)
        focused = None if accessibility is None else accessibility.focused()
        with self._lock:
            self._controls = Controls(
                asked=asked, frame=look.frame, elements=elements, popups=look.popups, focused=focused
            )
            self._focuses.append(Focus(seconds=asked, control=focused))

    def _ask_focus(self) -> None:
        accessibility = self._asking.accessibility
        if accessibility is None:
            return
        asked = time.monotonic()
        with suppress(TimeoutError):
            focused = accessibility.focused()
            with self._lock:
                self._focuses.append(Focus(seconds=asked, control=focused))
