"""Reading all scripts: the network reads what it knows, Tesseract the lines that look like another script."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from computer_vision.lines import INSIDE, find
from computer_vision.ppocr import PpocrRecogniser
from computer_vision.reader import Line, ReaderUnavailable, Word
from computer_vision.recogniser import Span
from computer_vision.regions import union
from computer_vision.scripts import KANA, WRITTEN_IN, guessed, script_of, share_in
from computer_vision.tesseract import WIDE_MARGIN, TesseractRecogniser, installed_languages

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
LESS: Final = 0.05  # so much less sure than the network it may be
BELIEVED_KANA: Final = 0.8  # the same for Japanese, which it reads well and finds everywhere
SURER: Final = 0.85  # its score for a line that may as well be Chinese, which the network reads
UNSURE: Final = 0.8  # the network's score for a character of Chinese: if all are above, it is right
TRIED: Final = 2  # scripts for one line
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
        tries = [_scripts_of(crop, reading) for crop, reading in zip(crops, readings, strict=True)]
        for turn in range(max(map(len, tries), default=0)):
            foreign: defaultdict[Script, list[int]] = defaultdict(list)
            for index, scripts in enumerate(tries):
                if turn < len(scripts):
                    foreign[scripts[turn]].append(index)
            for script, indexes in foreign.items():
                lines = self._read([crops[index] for index in indexes], script)
                for index, line in zip(indexes, lines, strict=False):
                    if _believed(line, script, readings[index]):
                        found[index], tries[index] = _joined(line), ()
        return found

    def seek(self, crops: Sequence[Crop], text: str) -> list[Spans]:
        """What each line says that can be read as the text; none for others. Raises as ``recognise`` does.

        Which script to try need not be guessed here: it is the text's own.
        """
        found = self._network.seek(crops, text)
        script = script_of(text)
        left = [index for index, line in enumerate(found) if not line and _is_wide(crops[index])]
        if script is None or not left:
            return found
        for index, line in zip(left, self._read([crops[index] for index in left], script), strict=False):
            words = _joined(line)
            if words and says(words, text):
                found[index] = words
        return found

    def _read(self, crops: Sequence[Crop], script: Script) -> list[Spans]:
        """What Tesseract makes of the lines; nothing where it cannot run."""
        with suppress(ReaderUnavailable):
            if script not in self._others:
                there = installed_languages(self._program)
                languages = "+".join(name for name in LANGUAGES[script] if name in there)
                self._others[script] = (
                    TesseractRecogniser(languages, program=self._program, margin=WIDE_MARGIN)
                    if languages
                    else None
                )
            other = self._others[script]
            return other.recognise(crops) if other is not None else []
        return []


def _scripts_of(crop: Crop, reading: Reading) -> tuple[Script, ...]:
    """The scripts that a line may be written in which the network does not know, at most two."""
    if not _is_wide(crop):
        return ()
    scores = [glyph.score for glyph in reading.glyphs if not glyph.text.isspace()]
    return guessed(reading.text, scores)[:TRIED]


def _is_wide(crop: Crop) -> bool:
    """Whether a line is wide enough for more than one letter."""
    height, width = crop.shape[:2]
    return bool(width >= NARROWEST * height)


def says(words: Spans, text: str) -> bool:
    """Whether the words of a line are the text, or hold it."""
    line = Line(words=tuple(Word(text=one.text, region=one.region, score=one.score) for one in words))
    return any(hit.score > INSIDE for hit in find((line,), text))


def _believed(line: Spans, script: Script, reading: Reading) -> bool:
    """Whether what Tesseract read is of that script, and it is sure enough."""
    text = "".join(span.text for span in line)
    if share_in(script, text) < OWN:
        return False
    score = sum(span.score * len(span.text) for span in line) / len(text)
    if script != "kana":
        return score >= max(BELIEVED, reading.score - LESS)
    if KANA.search(text):
        return score >= BELIEVED_KANA
    unsure = min((glyph.score for glyph in reading.glyphs if not glyph.text.isspace()), default=0.0) < UNSURE
    return unsure and score >= SURER and len(text) == len(reading.text.replace(" ", ""))


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
    return WRITTEN_IN["kana"].match(character) is not None


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
