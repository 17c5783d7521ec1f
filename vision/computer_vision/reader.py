"""The Reader seam: a picture in, lines of words with their boxes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

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
    """One word as it was read; ``score`` is the engine's confidence, 0 to 1.

    ``edges`` are the columns where its characters begin and the last one ends, from right to left in a word that is
    read so; empty where the engine does not say.
    """

    text: str
    region: Region
    score: float
    edges: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Words that stand on one line close enough to be read together, in the order in which they are read."""

    words: tuple[Word, ...]


class ReaderUnavailable(Exception):
    """The engine cannot run here; the message says what to install."""


class Reader(Protocol):
    """An OCR engine."""

    def read(self, pixels: Pixels) -> tuple[Line, ...]:
        """All lines of the picture, top to bottom. Raises ``ReaderUnavailable``."""
        ...


@runtime_checkable
class SeekingReader(Reader, Protocol):
    """An OCR engine that can be asked for a text that it did not read."""

    def seek(self, text: str) -> tuple[Line, ...]:
        """The lines of the last picture; those that it was not sure of and that can be read as the text, as it.

        The very same tuple that ``read`` returned where none can. Raises ``ReaderUnavailable``.
        """
        ...


EngineName = Literal["ppocr", "tesseract"]
ENGINES: tuple[EngineName, ...] = ("ppocr", "tesseract")


def open_reader(engine: EngineName | None = None) -> Reader:
    """A reader of screens with that engine.

    Without a name it is ``ppocr``, or ``tesseract`` where that cannot run.
    Nothing is loaded before the first picture; a missing program or package is told then.
    """
    from importlib.util import find_spec

    if engine is None:
        engine = "tesseract" if find_spec("onnxruntime") is None else "ppocr"
    if engine == "tesseract":
        from computer_vision.tesseract import TesseractReader

        return TesseractReader()
    from computer_vision.polyglot import PolyglotRecogniser
    from computer_vision.screen import ScreenReader

    return ScreenReader(PolyglotRecogniser())
