"""Wait until what the pointer came to has lit up: what shows only later would be put down to the click."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.settle import POLL_SECONDS, Looking
from computer_api.sight import window_under

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_api.geometry import Point
    from computer_api.movers import Movers
    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Desktop, Window
    from computer_vision.change import Squares

_LONGEST_SECONDS = 1.0  # that a program at work may take to notice the pointer
_UNQUIET_SECONDS = 0.25  # that what moves, and is not known to, is waited for once it has
_POLLS = 2  # pictures on which nothing is new, and times in a row that the program rests
_PAINTED = 3  # pictures on which a program that never rests has painted something
_NEVER_RESTING = 2  # waits in vain, one after the other, for one that does neither


class Lighting:
    """What the coming of the pointer changes. ``look`` gives the screen; ``check`` is called often and may raise."""

    def __init__(
        self,
        desktop: Desktop,
        look: Callable[[], Screenshot],
        movers: Movers,
        *,
        check: Callable[[], None],
    ) -> None:
        self._desktop = desktop
        self._look = look
        self._movers = movers
        self._check = check
        self._vain = 0

    @contextmanager
    def waited_for(self, start: Point, end: Point) -> Iterator[None]:
        """The pointer is moved within this context; it ends when what that lights up was painted, or time is over.

        What changed meanwhile at neither end of its way may be a clock's.
        """
        looking = Looking(self._look().frame, known=self._movers.moving())
        yield
        shot = self._wait(looking, end)
        ends = [Box(point.x, point.y, 1, 1) for point in (start, end)]
        elsewhere = [
            shot.box_of(region)
            for region in looking.regions(looking.ticking(1))
            if not any(shot.box_of(region).overlap(one) for one in ends)
        ]
        self._movers.suspect(_squares(shot, *elsewhere))

    def _wait(self, looking: Looking, point: Point) -> Screenshot:
        """Look until the program there has noticed the pointer and the screen is quiet; the last look.

        A program has noticed it that rests, or that has painted a few times since.
        """
        window = window_under(self._desktop, point)
        patience = _UNQUIET_SECONDS if self._vain >= _NEVER_RESTING else _LONGEST_SECONDS
        until = time.monotonic() + patience
        rested, painted, noticed = 0, 0, False
        while True:
            self._check()
            rested = 0 if self._desktop.activity(window) == "busy" else rested + 1
            time.sleep(POLL_SECONDS)
            shot = self._look()
            looking.look(shot.frame)
            painted += _paints(shot, looking, window)
            if not noticed and (rested >= _POLLS or painted >= _PAINTED):
                noticed, until = True, min(until, time.monotonic() + _UNQUIET_SECONDS)
            if (noticed and looking.quiet >= _POLLS) or time.monotonic() >= until:
                self._vain = 0 if noticed else self._vain + 1
                return shot


def _paints(shot: Screenshot, looking: Looking, window: Window | None) -> bool:
    """Whether the last picture has something new in the window."""
    latest = looking.latest
    place = shot.box if window is None else Box(*window.area)
    return latest is not None and bool((latest & _squares(shot, place)).any())


def _squares(shot: Screenshot, *boxes: Box) -> Squares:
    from computer_vision.change import squares_of

    height, width = shot.frame.pixels.shape[:2]
    return squares_of(map(shot.region_of, boxes), (width, height))
