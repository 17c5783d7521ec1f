"""How long traces are kept: by age, by number, by size."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.trace.storage import Kept

__all__ = ["BadRetention", "Retention", "days", "outlived", "retention", "size"]

_SECONDS = {"h": 3600.0, "d": 86400.0, "w": 604800.0}
_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([hdw])", re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?B)", re.IGNORECASE)


class BadRetention(Exception):
    """How long traces are to be kept cannot be read; the message says what would work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What may go: what is ``older`` than that many seconds, beyond the newest ``keep``, and beyond ``over`` bytes."""

    older: float | None = None
    keep: int | None = None
    over: int | None = None


def days(text: str) -> float:
    """``30d``, ``12h`` or ``2w`` in seconds. Raises ``BadRetention``."""
    read = _TIME.fullmatch(text.strip())
    if read is None:
        raise BadRetention(
            f'An age is a number of hours, days or weeks, such as 12h, 30d or 2w, not "{text}".'
        )
    return float(read[1]) * _SECONDS[read[2].casefold()]


def size(text: str) -> int:
    """``2GB`` or ``500MB`` in bytes. Raises ``BadRetention``."""
    read = _SIZE.fullmatch(text.strip())
    if read is None:
        raise BadRetention(f'A size is a number with its unit, such as 500MB or 2GB, not "{text}".')
    return int(float(read[1]) * _BYTES[read[2].upper()])


def retention(text: str) -> Retention:
    """``30d, 100, 2GB``: an age, a number of traces, a size; each may be missing. Raises ``BadRetention``."""
    said = Retention()
    for word in filter(None, (part.strip() for part in text.split(","))):
        if word.isascii() and word.isdecimal():
            said = replace(said, keep=int(word))
        elif _TIME.fullmatch(word):
            said = replace(said, older=days(word))
        elif _SIZE.fullmatch(word):
            said = replace(said, over=size(word))
        else:
            raise BadRetention(
                f'OI_TRACES_KEEP holds an age, a number or a size, such as "30d, 100, 2GB", not "{word}".'
            )
    return said


def outlived(traces: Sequence[Kept], limits: Retention, now: float) -> tuple[Kept, ...]:
    """Which of the traces, the newest first, may go now (seconds since 1970); never one that is being written."""
    gone, room = [], 0
    for place, one in enumerate(traces):
        too_many = limits.keep is not None and place >= limits.keep
        too_old = limits.older is not None and one.began < now - limits.older
        too_large = limits.over is not None and room + one.size > limits.over
        if one.ending != "going" and (too_many or too_old or too_large):
            gone.append(one)
        else:
            room += one.size
    return tuple(gone)
