"""The Reader seam: a picture in, lines of words with their boxes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

    Pixels = NDArray[uint8]  # shape (height, width, 4), bytes B, G, R, X


class Region(NamedTuple):
    """A rectangle of a picture, in its pixels; ``right`` and ``bottom`` are just outside."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """First column to the right of the region."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """First row below the region."""
        return self.top + self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word as it was read; ``score`` is the engine's confidence, 0 to 1."""

    text: str
    region: Region
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Words that stand on one line close enough to be read together, left to right."""

    words: tuple[Word, ...]


class ReaderUnavailable(Exception):
    """The engine cannot run here; the message says what to install."""


class Reader(Protocol):
    """An OCR engine."""

    def read(self, pixels: Pixels) -> tuple[Line, ...]:
        """All lines of the picture, top to bottom. Raises ``ReaderUnavailable``."""
        ...
