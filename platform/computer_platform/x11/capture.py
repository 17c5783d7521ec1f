"""Pictures of the screen: through memory shared with the X server, or through mss where there is none."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from computer_platform.x11.authority import authority
from computer_platform.x11.shared_memory import NoSharedMemory, SharedMemory

if TYPE_CHECKING:
    import mss
    from numpy import uint8
    from numpy.typing import NDArray

    from computer_platform.desktop import Area
    from computer_platform.x11.connection import Connection


class Camera:
    """Grabs areas of one display."""

    def __init__(self, connection: Connection, authority_file: str | None) -> None:
        self._connection = connection
        self._authority_file = authority_file
        self._mss: mss.MSS | None = None
        self._shared: SharedMemory | None = None
        with suppress(NoSharedMemory):
            self._shared = SharedMemory(connection)

    def grab(self, area: Area) -> NDArray[uint8] | None:
        """The pixels of the area, (height, width, 4); None when not all of it is on the screen."""
        if self._shared is not None:
            try:
                return self._shared.grab(area)
            except NoSharedMemory:  # it is used up
                self._shared = None
        return self._grab_through_socket(area)

    def close(self) -> None:
        """Let go of everything. Safe when the server is gone, and twice."""
        if self._shared is not None:
            self._shared.close()
        self._close_mss()

    def _grab_through_socket(self, area: Area) -> NDArray[uint8] | None:
        from mss.exception import ScreenShotError

        box = (area.left, area.top, area.right, area.bottom)
        try:
            shot = self._instance().grab(box)
        except (ScreenShotError, AssertionError):  # mss meets a lost connection in both ways
            self._close_mss()
            return None
        # Every grab has a buffer of its own, which the array keeps alive: no second copy.
        return np.frombuffer(shot.raw, np.uint8).reshape(shot.height, shot.width, 4)

    def _instance(self) -> mss.MSS:
        import mss

        if self._mss is None:  # a new one for each grab would cost ten times as much
            with authority(self._authority_file):
                self._mss = mss.MSS(display=self._connection.display)
        return self._mss

    def _close_mss(self) -> None:
        if self._mss is None:
            return
        from mss.exception import ScreenShotError

        with suppress(ScreenShotError):  # the server went first
            self._mss.close()
        self._mss = None
