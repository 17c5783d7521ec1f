"""When something happened by the clock of an X server, on ours: how fast a hand was does not depend on our haste."""

from __future__ import annotations

from math import inf

_BEGAN_ANEW_SECONDS = 3600.0  # nothing is heard of that late: the server's clock has 32 bits, and began anew


class ServerClock:
    """A server's milliseconds as ``time.monotonic()``."""

    def __init__(self) -> None:
        self._ahead = inf  # of the server's clock
        self._now = -inf
        self._last = -inf

    def heard(self, milliseconds: int, now: float) -> None:
        """An event of that time has come now: none comes before it was, so the quickest tells the clocks apart."""
        ahead = now - milliseconds / 1000
        began_anew = ahead - self._ahead > _BEGAN_ANEW_SECONDS
        self._ahead = ahead if began_anew else min(self._ahead, ahead)
        self._now = now

    def seconds(self, milliseconds: int) -> float:
        """When an event was that has been heard, and never before one that was asked for earlier."""
        here = min(milliseconds / 1000 + self._ahead, self._now)  # also of one before the clock began anew
        self._last = max(self._last, here)
        return self._last
