"""Which part of each screenshot a model is shown: all of it, or only what changed since the one before.

A part is told with its place, and is only sent while the whole picture that it belongs to is sent too. What is
decided for a step never changes later, so that a provider's cache of the messages holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.step import Observation
    from computer_api.screenshot import Screenshot
    from computer_vision.reader import Region

Pictures = Literal["full", "changed"]

KEPT = 3  # the newest pictures, always
CHUNK = 5  # old pictures are dropped this many at a time: each drop costs one reading of what follows

_MOST_OF_THE_PICTURE = 0.15  # a larger part is shown as a whole picture
_PARTS_IN_A_ROW = 5  # after so many the whole picture is shown again
_MARGIN = 24  # pixels around what changed, so that it can be told what it is
_SMALLEST = 96  # pixels of a side


@dataclass(slots=True)
class Economy:
    """Decides for each observation of one history, in order; what was decided is kept."""

    pictures: Pictures = "full"
    _seen: list[Observation] = field(default_factory=list, init=False, repr=False)
    _parts: list[Region | None] = field(default_factory=list, init=False, repr=False)

    def parts(self, seen: Sequence[Observation]) -> list[Region | None]:
        """For each observation the part of its picture to show, in the picture's pixels; None for all of it."""
        if any(one is not other for one, other in zip(self._seen, seen, strict=False)):
            self._seen, self._parts = [], []  # another history
        for observation in seen[len(self._seen) :]:
            self._parts.append(self._part(observation))
            self._seen.append(observation)
        return self._parts[: len(seen)]

    def _part(self, now: Observation) -> Region | None:
        if self.pictures == "full" or now.screenshot is None:
            return None
        shown = [
            (observation, part)
            for observation, part in zip(self._seen, self._parts, strict=True)
            if observation.screenshot is not None
        ]
        if not shown or all(part is not None for _, part in shown[-_PARTS_IN_A_ROW:]):
            return None
        before = shown[-1][0]
        if before.screenshot is None or before.screenshot.layout != now.screenshot.layout:
            return None
        if {window.id for window in before.windows} != {window.id for window in now.windows}:
            return None
        return changed(before.screenshot, now.screenshot)


def changed(before: Screenshot, now: Screenshot) -> Region | None:
    """The part of the picture around all that changed; None where that is too much of it to leave the rest out."""
    from computer_vision.change import changes
    from computer_vision.reader import Region
    from computer_vision.regions import union

    regions = changes(before.picture(), now.picture())
    size = now.size
    if not regions:  # what changed is covered
        return None
    whole = union(regions)
    left, right = _widened(whole.left, whole.right, size.width)
    top, bottom = _widened(whole.top, whole.bottom, size.height)
    part = Region(left, top, right - left, bottom - top)
    too_much = part.width * part.height > _MOST_OF_THE_PICTURE * size.width * size.height
    return None if too_much else part


def dropped(whole: Sequence[bool], kept: int = KEPT, chunk: int = CHUNK) -> int:
    """How many pictures, oldest first, are no longer sent: ``whole`` says of each whether it stands for itself.

    The newest ``kept`` always stay, the others go ``chunk`` at a time. What goes ends before a picture that stands for
    itself, so that no part is kept without the whole that it belongs to.
    """
    most = max(0, len(whole) - kept) // chunk * chunk
    while most > 0 and not whole[most]:
        most -= 1
    return most


def _widened(start: int, end: int, size: int) -> tuple[int, int]:
    """With a margin, at least as wide as makes a picture, and inside."""
    missing = max(0, _SMALLEST - (end - start) - 2 * _MARGIN)
    start = max(0, start - _MARGIN - missing // 2)
    end = min(size, max(end + _MARGIN + missing // 2, start + _SMALLEST))
    return max(0, min(start, end - _SMALLEST)), end
