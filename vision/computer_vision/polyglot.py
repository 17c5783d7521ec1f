"""Reading all scripts: networks read what they know, Tesseract the lines that look like another script."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from computer_vision.lines import INSIDE, find
from computer_vision.ppocr import SMALL, PpocrRecogniser
from computer_vision.reader import Line, ReaderUnavailable, Word
from computer_vision.scripts import HAN, guessed, script_of, share_in
from computer_vision.tesseract import WIDE_MARGIN, TesseractRecogniser, installed_languages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_vision.ppocr import Reading
    from computer_vision.recogniser import Crop, Spans
    from computer_vision.scripts import Script

LANGUAGES: Final[dict[Script, tuple[str, ...]]] = {
    "rtl": ("ara", "heb"),
    "cyrillic": ("rus",),
}
NARROWEST: Final = 1.1  # heights: what is narrower is an icon, or one letter
OWN: Final = 0.6  # of the letters that Tesseract reads: less, and the line was of no such script
BELIEVED: Final = 0.5  # Tesseract's score for a line
LESS: Final = 0.05  # so much less sure than the network it may be
DOUBT: Final = 0.95  # the score of the least sure character of a line that looks Chinese: with more it is
SOME, LITTLE = 0.5, 0.8  # the score of a line of which the smallest network makes something, but not much
ICONS: Final = frozenset("口日曰目田回国区网三同二上")  # what icons are read as
CLEAR: Final = 0.6  # the larger network's score for a line


class PolyglotRecogniser:
    """The smallest network for Latin and Chinese, a larger one for what that is unsure of and may be Japanese.

    Arabic, Hebrew and Cyrillic are read by Tesseract. Those need the program ``tesseract`` and its data for the
    language; where either is not installed, or fails, such lines are left as the networks read them. ``program`` is
    its name.
    """

    def __init__(self, *, program: str = "tesseract") -> None:
        self._program = program
        self._network, self._larger = PpocrRecogniser(), PpocrRecogniser(SMALL)
        self._others: dict[Script, TesseractRecogniser | None] = {}

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        """The words of each line. Raises ``ReaderUnavailable`` when the network cannot run."""
        readings = self._read_twice(crops)
        found = [reading.spans for reading in readings]
        foreign: defaultdict[Script, list[int]] = defaultdict(list)
        for index, reading in enumerate(readings):
            script = _script_of(crops[index], reading)
            if script is not None:
                foreign[script].append(index)
        for script, indexes in foreign.items():
            lines = self._read([crops[index] for index in indexes], script)
            for index, line in zip(indexes, lines, strict=False):
                if _believed(line, script, readings[index]):
                    found[index] = line
        return found

    def _read_twice(self, crops: Sequence[Crop]) -> list[Reading]:
        """What the smallest network makes of each line, or where that may be wrong and it is surer, the larger one."""
        readings = self._network.readings(crops)
        doubtful = [index for index, reading in enumerate(readings) if _doubtful(crops[index], reading)]
        for index, again in zip(
            doubtful, self._larger.readings([crops[index] for index in doubtful]), strict=True
        ):
            if again.score >= max(CLEAR, readings[index].score - LESS):
                readings[index] = again
        return readings

    def seek(self, crops: Sequence[Crop], text: str) -> list[Spans]:
        """What each line says that can be read as the text; none for others. Raises as ``recognise`` does.

        Which script to try need not be guessed here: it is the text's own.
        """
        found = self._network.seek(crops, text)
        self._fill(found, crops, lambda left: self._larger.seek(left, text))
        script = script_of(text)
        if script in LANGUAGES:
            self._fill(
                found,
                crops,
                lambda left: [line if says(line, text) else () for line in self._read(left, script)],
            )
        return found

    def _fill(
        self, found: list[Spans], crops: Sequence[Crop], read: Callable[[Sequence[Crop]], list[Spans]]
    ) -> None:
        """Read the lines of which nothing was found, those that are wide enough for more than one letter."""
        left = [index for index, line in enumerate(found) if not line and _is_wide(crops[index])]
        for index, line in zip(left, read([crops[index] for index in left]), strict=False):
            found[index] = line

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


def _doubtful(crop: Crop, reading: Reading) -> bool:
    """Whether a line may be in a script that only the larger network knows."""
    scores = _scores(reading)
    if not _is_wide(crop) or not scores:
        return False
    script, chinese = guessed(reading.text, scores), HAN.findall(reading.text)
    if script in ("kana", "hangul", "rtl"):
        return script != "rtl"
    if ICONS.issuperset(chinese) and reading.score < LITTLE:
        return sum(map(str.isalnum, reading.text)) > len(chinese) + 1 and reading.score > SOME
    return min(scores) < DOUBT if chinese else False


def _script_of(crop: Crop, reading: Reading) -> Script | None:
    """The script that a line may be written in which the networks do not know."""
    script = guessed(reading.text, _scores(reading)) if _is_wide(crop) else None
    return script if script in LANGUAGES else None


def _scores(reading: Reading) -> list[float]:
    return [glyph.score for glyph in reading.glyphs if not glyph.text.isspace()]


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
    return score >= max(BELIEVED, reading.score - LESS)
