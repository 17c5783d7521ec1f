"""How families of models count places, written down a second time for the tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from model_server.pictures import Picture
    from model_server.speaking.speaker import Place


class Space(Protocol):
    """A way to count."""

    def of(self, place: Place, picture: Picture) -> tuple[float, float]:
        """The numbers that the model says for a pixel of the picture."""
        ...


@dataclass(frozen=True, slots=True)
class Pixels:
    """The pixels of the picture as it was received."""

    def of(self, place: Place, picture: Picture) -> tuple[float, float]:
        return place


@dataclass(frozen=True, slots=True)
class PerMille:
    """Whole thousandths of each side, ``most`` at most."""

    most: int = 1000

    def of(self, place: Place, picture: Picture) -> tuple[float, float]:
        across = (place[0] + 0.5) / picture.width * 1000
        down = (place[1] + 0.5) / picture.height * 1000
        return min(self.most, int(across)), min(self.most, int(down))


@dataclass(frozen=True, slots=True)
class Fractions:
    """Parts of each side, with four digits."""

    def of(self, place: Place, picture: Picture) -> tuple[float, float]:
        return (
            round((place[0] + 0.5) / picture.width, 4),
            round((place[1] + 0.5) / picture.height, 4),
        )


@dataclass(frozen=True, slots=True)
class Resized:
    """Pixels of the picture after Qwen's smart resize: multiples of ``factor``, an area within bounds."""

    factor: int = 28
    least: int = 56 * 56
    most: int = 14 * 14 * 4 * 16384

    def of(self, place: Place, picture: Picture) -> tuple[float, float]:
        width, height = self.size(picture.width, picture.height)
        return (
            int((place[0] + 0.5) * width / picture.width),
            int((place[1] + 0.5) * height / picture.height),
        )

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height after the resize."""
        wide = max(self.factor, round(width / self.factor) * self.factor)
        high = max(self.factor, round(height / self.factor) * self.factor)
        if wide * high > self.most:
            by = math.sqrt(width * height / self.most)
            return self._floor(width / by), self._floor(height / by)
        if wide * high < self.least:
            by = math.sqrt(self.least / (width * height))
            return self._ceil(width * by), self._ceil(height * by)
        return wide, high

    def _floor(self, side: float) -> int:
        return max(self.factor, math.floor(side / self.factor) * self.factor)

    def _ceil(self, side: float) -> int:
        return math.ceil(side / self.factor) * self.factor
