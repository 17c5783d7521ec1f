"""Reading a screen: lines are proposed first, and only those not seen before are recognised."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from computer_vision.carets import without_carets
from computer_vision.proposals import propose
from computer_vision.reader import Line, Region, Word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from computer_vision.reader import Pixels
    from computer_vision.recogniser import Crop, Recogniser, Spans

CACHED: Final = 4000  # lines kept, some hundred bytes each


class ScreenReader:
    """Reads screens with any recogniser; what did not change since the last one is not read again.

    ``cached`` is how many lines are remembered by their pixels: the result is the same with 0.
    Not for use by two threads at once.
    """

    def __init__(self, recogniser: Recogniser, *, cached: int = CACHED) -> None:
        self._recogniser = recogniser
        self._cached = cached
        self._known: OrderedDict[bytes, Spans] = OrderedDict()
        self._last: tuple[Pixels, tuple[Line, ...]] | None = None

    def read(self, pixels: Pixels) -> tuple[Line, ...]:
        """All lines of the picture, top to bottom, columns apart. Raises ``ReaderUnavailable``."""
        if self._last is not None and np.array_equal(self._last[0], pixels):
            return self._last[1]
        lines = self._read(pixels)
        if self._cached:
            self._last = pixels.copy(), lines
        return lines

    def _read(self, shown: Pixels) -> tuple[Line, ...]:
        pixels = without_carets(shown)
        colours = pixels[:, :, :3]
        regions = propose(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY), dtype=np.uint8))
        crops = [colours[region.top : region.bottom, region.left : region.right] for region in regions]
        spans = self._recognised([np.ascontiguousarray(crop) for crop in crops])
        return in_reading_order(_placed(s, region) for s, region in zip(spans, regions, strict=True) if s)

    def _recognised(self, crops: list[Crop]) -> list[Spans]:
        """The words of each crop: the new ones are read, all are remembered."""
        keys = [_key(crop) for crop in crops]
        new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in self._known}
        read = dict(zip(new, self._recogniser.recognise(list(new.values())), strict=True))
        found = [read[key] if key in read else self._known[key] for key in keys]
        for key, spans in zip(keys, found, strict=True):
            self._known[key] = spans
            self._known.move_to_end(key)
        while len(self._known) > self._cached:
            self._known.popitem(last=False)
        return found


def _key(crop: Crop) -> bytes:
    """What will be read, in 16 bytes."""
    return blake2b(crop.data, digest_size=16, salt=b"%d" % crop.shape[1]).digest()


def _placed(spans: Spans, crop: Region) -> Line:
    """The words where they stand on the picture."""
    return Line(
        words=tuple(
            Word(
                text=span.text,
                region=Region(
                    crop.left + span.region.left,
                    crop.top + span.region.top,
                    span.region.width,
                    span.region.height,
                ),
                score=span.score,
                edges=tuple(crop.left + edge for edge in span.edges),
            )
            for span in spans
        )
    )


def in_reading_order(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Row by row; lines whose middles are within half a line are one row, read from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=_middle):
        if rows and _middle(line) - _middle(rows[-1][0]) <= line.words[0].region.height / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    return tuple(line for row in rows for line in sorted(row, key=lambda line: line.words[0].region.left))


def _middle(line: Line) -> float:
    first = line.words[0].region
    return first.top + first.height / 2
