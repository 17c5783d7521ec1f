"""What there is to see on a desktop, told to whoever asks only when it is new."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from computer_platform.desktop import Area, DesktopUnavailable
from computer_vision.picture import jpeg

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.desktop import Desktop, Frame

_BUSY_SECONDS = 0.04  # between two looks while something moves
_IDLE_SECONDS = 0.2  # and at most, when nothing does
_SLOWER = 1.3


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """All that a page shows. ``version`` grows with every change, ``picture`` with every change of the picture.

    ``size`` is the picture's and ``pointer`` a place on it, in pixels. ``viewer`` has the desktop; ``run`` is the
    task of the run that works on it. ``gone`` says why there is nothing to see any more.
    """

    version: int = 0
    picture: int = 0
    size: tuple[int, int] = (0, 0)
    pointer: tuple[int, int] = (0, 0)
    viewer: str | None = None
    run: str | None = None
    gone: str = ""


class View:
    """Looks at ``desktop`` while somebody asks, and more seldom while nothing changes.

    ``surroundings`` gives who has the desktop, and the task of the run on it. For any number of threads.
    """

    def __init__(self, desktop: Desktop, surroundings: Callable[[], tuple[str | None, str | None]]) -> None:
        """Take a first look. Raises ``DesktopUnavailable``."""
        self._desktop = desktop
        self._surroundings = surroundings
        self._lock = threading.Lock()
        self._frame = desktop.capture()
        self._encoded: tuple[int, bytes] | None = None
        self._news = News(version=1, picture=1, size=_size(self._frame))
        self._pause = _BUSY_SECONDS
        self._next = 0.0
        self._stirred = threading.Event()

    @property
    def area(self) -> Area:
        """What the picture shows, in points of the desktop."""
        return self._frame.area

    def news(self, after: int, seconds: float, *, pictures: bool = True) -> News:
        """What is new since version ``after``; waits for it that long. Without ``pictures`` none is taken."""
        deadline = time.monotonic() + seconds
        while True:
            with self._lock:
                self._look(pictures=pictures)
                news, pause = self._news, self._pause
            left = deadline - time.monotonic()
            if news.version != after or left <= 0:
                return news
            self._stirred.wait(min(pause, left))

    def picture(self) -> bytes:
        """The picture as JPEG. Raises ``DesktopUnavailable``."""
        with self._lock:
            self._look(pictures=True)
            if self._news.gone:
                raise DesktopUnavailable(self._news.gone)
            number = self._news.picture
            if self._encoded is None or self._encoded[0] != number:
                self._encoded = number, jpeg(self._frame.pixels)
            return self._encoded[1]

    def stir(self) -> None:
        """Something is about to change: look at once, and often."""
        self._pause, self._next = _BUSY_SECONDS, 0.0
        self._stirred.set()
        self._stirred.clear()

    def _look(self, *, pictures: bool) -> None:
        now = time.monotonic()
        if now < self._next or self._news.gone:
            return
        before = self._news
        try:
            after = self._changed(before, pictures=pictures)
        except DesktopUnavailable as error:
            after = replace(before, gone=f"This desktop has ended. ({error})", run=None, viewer=None)
        if after != before:
            self._news = replace(after, version=before.version + 1)
            self._pause = _BUSY_SECONDS
        else:
            self._pause = min(self._pause * _SLOWER, _IDLE_SECONDS)
        self._next = now + self._pause

    def _changed(self, before: News, *, pictures: bool) -> News:
        viewer, run = self._surroundings()
        x, y = self._desktop.pointer()
        at = x - self.area.left, y - self.area.top
        after = replace(before, viewer=viewer, run=run, pointer=at)
        if not pictures:
            return after
        frame = self._desktop.capture()
        if np.array_equal(frame.pixels, self._frame.pixels):
            return after
        self._frame = frame
        return replace(after, picture=before.picture + 1, size=_size(frame))


def _size(frame: Frame) -> tuple[int, int]:
    height, width = frame.pixels.shape[:2]
    return width, height
