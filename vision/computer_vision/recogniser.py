"""The Recogniser seam: pictures of single lines in, what they say out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import uint8
    from numpy.typing import NDArray

    from computer_vision.reader import Region

    Crop = NDArray[uint8]  # shape (height, width, 3), bytes B, G, R


class Span(NamedTuple):
    """One word of a line, in pixels of the line's picture.

    ``score`` is 0 to 1. ``edges`` are the columns where its characters begin and the last one ends, in the order of
    the characters, from right to left in a word that is read so, where the engine knows them.
    """

    text: str
    region: Region
    score: float
    edges: tuple[int, ...] = ()


Spans = tuple[Span, ...]


class Recogniser(Protocol):
    """Reads lines, each by itself: what a line says depends on its own pixels only, never on its neighbours."""

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        """The words of each picture in the order in which they are read; none where it says nothing.

        Raises ``ReaderUnavailable`` when the engine cannot run.
        """
        ...


@runtime_checkable
class Seeker(Protocol):
    """Tells of lines whether they can be read as a text: surer than what they say, if one knows what to look for."""

    def seek(self, crops: Sequence[Crop], text: str) -> list[Spans]:
        """What each picture says that can be read as the text; none for others. Raises ``ReaderUnavailable``."""
        ...
