"""Reading Arabic, Persian, Hebrew, Cyrillic and Greek, and Latin once more, with a network of our own.

It has the form of PP-OCR's smallest one, but an answer for every four columns, since Arabic letters are narrow, and it
names the shapes of letters from left to right: which letters these are, and in which order they are read, is told by
the letters around them. How it was taught: ``tests/screens/alphabets_network.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from computer_vision.direction import as_read, on_the_line
from computer_vision.look_alikes import shapes, spelled
from computer_vision.networks import File, Weights
from computer_vision.ppocr import PpocrRecogniser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_vision.recogniser import Crop, Spans

ALPHABETS: Final = Weights(
    File("alphabets_rec.onnx", "399515b7361ad0d794311ed0a596717b2cd3040d0007f9b16f9fd50f9881a234"),
    File("alphabets_dict.txt", "a80308663ab4857fc732c59a217869c6594c095f3087054af1974c8fed6a1b16"),
)


class AlphabetRecogniser:
    """Reads all alphabets of Europe and the Near East, in one thread. The weights are loaded at the first line."""

    def __init__(self) -> None:
        self._network = PpocrRecogniser(ALPHABETS)

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        """The words of each line. Raises ``ReaderUnavailable`` when onnxruntime or the weights are missing."""
        return [_spelled(spans) for spans in self._network.recognise(crops)]

    def seek(self, crops: Sequence[Crop], text: str) -> list[Spans]:
        """The words of the text for each line that can be read as it; none for others. Raises as ``recognise`` does."""
        wanted = on_the_line(shapes(text))
        return [_spelled(spans) for spans in self._network.seek(crops, wanted, patient=True)]


def _spelled(spans: Spans) -> Spans:
    """The words of shapes, which are in the order of the line, as they are read."""
    if not spans:
        return ()
    words = as_read(spans)
    letters = spelled(" ".join(word.text for word in words)).split(" ")
    return tuple(word._replace(text=text) for word, text in zip(words, letters, strict=True))
