"""Pictures of the screen, through one long-lived mss instance for each thread."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import mss
import numpy as np
from mss.exception import ScreenShotError

from computer_platform.desktop import DesktopUnavailable, Frame
from computer_platform.x11.authority import authority

if TYPE_CHECKING:
    from computer_platform.desktop import Area

_FAILURES = (ScreenShotError, AssertionError)  # mss meets a lost connection in both ways


class Camera:
    """Grabs areas of one display; a new mss for each grab would cost ten times as much."""

    def __init__(self, display: str, authority_file: str | None) -> None:
        self._display = display
        self._authority_file = authority_file
        self._own = threading.local()
        self._all: list[mss.MSS] = []

    def grab(self, area: Area) -> Frame:
        """The picture of the area, which must lie on the screen. Raises ``DesktopUnavailable``."""
        box = (area.left, area.top, area.right, area.bottom)
        try:
            shot = self._instance().grab(box)
        except _FAILURES:
            # An mss cannot grab more than the screen had when it was made; a new one knows its size now.
            self.close()
            try:
                shot = self._instance().grab(box)
            except _FAILURES as error:
                raise DesktopUnavailable(
                    f'The screen "{self._display}" gave no picture: {error}. If it still runs, run this again.'
                ) from error
        # Every grab has a buffer of its own, which the array keeps alive: no second copy.
        pixels = np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)
        return Frame(pixels=pixels, area=area)

    def close(self) -> None:
        """Let go of all instances. Safe when the server is gone."""
        while self._all:
            with suppress(ScreenShotError):  # the server went first
                self._all.pop().close()
        self._own = threading.local()

    def _instance(self) -> mss.MSS:
        instance: mss.MSS | None = getattr(self._own, "instance", None)
        if instance is None:
            with authority(self._authority_file):
                instance = mss.MSS(display=self._display)
            self._own.instance = instance
            self._all.append(instance)
        return instance
