"""Reading all scripts: the network reads what it knows, Tesseract the lines that look like another script."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from computer_vision.ppocr import PpocrRecogniser
from computer_vision.reader import ReaderUnavailable
from computer_vision.recogniser import Span
from computer_vision.regions import union
from computer_vision.scripts import HAN, KANA, guessed, share_in
from computer_vision.tesseract import TesseractRecogniser, installed_languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_vision.ppocr import Reading
    from computer_vision.recogniser import Crop, Spans
    from computer_vision.scripts import Script

LANGUAGES: Final[dict[Script, tuple[str, ...]]] = {
    "kana": ("jpn",),
    "hangul": ("kor",),
    "rtl": ("ara", "heb"),
    "cyrillic": ("rus",),
}
NARROWEST: Final = 1.1  # heights: what is narrower is an icon, or one letter
OWN: Final = 0.6  # of the letters that Tesseract reads: less, and the line was of no such script
BELIEVED: Final = 0.5  # Tesseract's score for a line
SURER: Final = 0.85  # its score for a line that may as well be Chinese, which the network reads
CLOSE: Final = 0.5  # heights: characters of a script without spaces that are nearer are one text


class PolyglotRecogniser:
    """PP-OCR for the scripts that it knows, Tesseract for Japanese, Korean, Arabic, Hebrew and Cyrillic.

    Those need the program ``tesseract`` and its data for the language; where either is not installed, or fails, such
    lines are left as the network reads them. ``program`` is its name.
    """

    def __init__(self, *, program: str = "tesseract") -> None:
        self._program = program
        self._network = PpocrRecogniser()
        self._others: dict[Script, TesseractRecogniser | None] = {}

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        """The words of each line. Raises ``ReaderUnavailable`` when the network cannot run."""
        readings = self._network.readings(crops)
        found = [reading.spans for reading in readings]
        foreign: defaultdict[Script, list[int]] = defaultdict(list)
        for index, (crop, reading) in enumerate(zip(crops, readings, strict=True)):
            script = _script_of(crop, reading)
            if script is not None:
                foreign[script].append(index)
        for script, indexes in foreign.items():
            lines = self._read([crops[index] for index in indexes], script)
            for index, line in zip(indexes, lines, strict=False):
                if _believed(line, script):
                    found[index] = _joined(line)
        return found

    def _read(self, crops: Sequence[Crop], script: Script) -> list[Spans]:
        """What Tesseract makes of the lines; nothing where it cannot run."""
        with suppress(ReaderUnavailable):
            if script not in self._others:
                there = installed_languages(self._program)
                languages = "+".join(name for name in LANGUAGES[script] if name in there)
                self._others[script] = (
                    TesseractRecogniser(languages, program=self._program) if languages else None
                )
            other = self._others[script]
            return other.recognise(crops) if other is not None else []
        return []


def _script_of(crop: Crop, reading: Reading) -> Script | None:
    height, width = crop.shape[:2]
    if width < NARROWEST * height:
        return None
    text = "".join(glyph.text for glyph in reading.glyphs).strip()
    return guessed(text, [glyph.score for glyph in reading.glyphs if not glyph.text.isspace()])


def _believed(line: Spans, script: Script) -> bool:
    """Whether what Tesseract read is of that script, and it is sure enough."""
    text = "".join(span.text for span in line)
    if share_in(script, text) < OWN:
        return False
    score = sum(span.score * len(span.text) for span in line) / len(text)
    chinese = script == "kana" and not any(character in KANA for character in text)
    return score >= (SURER if chinese else BELIEVED)


def _joined(line: Spans) -> Spans:
    """The words of a line, those of scripts without spaces as one where no space is between them."""
    joined: list[list[Span]] = [[span] for span in line[:1]]
    for one, other in pairwise(line):
        gap = other.region.left - one.region.right
        close = gap <= CLOSE * max(one.region.height, other.region.height)
        if close and _without_spaces(one.text[-1]) and _without_spaces(other.text[0]):
            joined[-1].append(other)
        else:
            joined.append([other])
    return tuple(map(_one, joined))


def _without_spaces(character: str) -> bool:
    return character in HAN or character in KANA


def _one(parts: Sequence[Span]) -> Span:
    """Spans that stand beside each other as one."""
    if len(parts) == 1:
        return parts[0]
    edges = [parts[0].region.left]
    for part in parts:
        left, width, many = part.region.left, part.region.width, len(part.text)
        edges[-1] = max(edges[-1], left) if len(edges) > 1 else left
        edges += [left + round(width * (number + 1) / many) for number in range(many)]
    text = "".join(part.text for part in parts)
    score = sum(part.score * len(part.text) for part in parts) / len(text)
    return Span(text, union(part.region for part in parts), score, tuple(edges))
