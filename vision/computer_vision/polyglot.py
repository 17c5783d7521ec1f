"""Reading all scripts: networks read what they know, Tesseract the lines that look like another script."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from computer_vision.clipped import is_clipped
from computer_vision.lines import INSIDE, distance, find, normal
from computer_vision.ppocr import SMALL, PpocrRecogniser
from computer_vision.reader import Line, ReaderUnavailable, Word
from computer_vision.scripts import HAN, guessed, script_of, share_in
from computer_vision.tesseract import (
    LINES,
    SECOND_LOOKS,
    WIDE_MARGIN,
    TesseractRecogniser,
    installed_languages,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_vision.ppocr import Reading
    from computer_vision.recogniser import Crop, Spans
    from computer_vision.scripts import Script
    from computer_vision.tesseract import Look

    Languages = tuple[str, ...]  # by Tesseract's names

LANGUAGES: Final[dict[Script, Languages]] = {
    "rtl": ("ara", "heb"),
    "cyrillic": ("rus",),
}
HEBREW: Final = re.compile("[\u0590-\u05ff\ufb1d-\ufb4f]")
NARROWEST: Final = 1.1  # heights: what is narrower is an icon, or one letter
OWN: Final = 0.6  # of the letters that Tesseract reads: less, and the line was of no such script
BELIEVED: Final = 0.5  # Tesseract's score for a line
LESS: Final = 0.05  # so much less sure than the network it may be
DOUBT: Final = 0.95  # the score of the least sure character of a line that looks Chinese: with more it is
SOME, LITTLE = 0.5, 0.8  # the score of a line of which the smallest network makes something, but not much
ICONS: Final = frozenset("口日曰目田回国区网三同二上一八九")  # what icons, bars and chevrons are read as
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
        self._others: dict[tuple[Languages, Look], TesseractRecogniser | None] = {}

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
            lines = self._read([crops[index] for index in indexes], LANGUAGES[script])
            for index, line in zip(indexes, lines, strict=False):
                if _believed(line, script, readings[index]):
                    found[index] = line
        return found

    def _read_twice(self, crops: Sequence[Crop]) -> list[Reading]:
        """What the smallest network makes of each line, or where that may be wrong and it is surer, the larger one."""
        readings = self._network.readings(crops)
        doubtful = [
            index
            for index, reading in enumerate(readings)
            if _doubtful(crops[index], reading)
            and not is_clipped(crops[index])  # of which neither makes much
        ]
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
        # The smallest takes one Chinese character for another sooner than the larger one does.
        latin = script_of(text) is None
        found: list[Spans] = self._network.seek(crops, text) if latin else [()] * len(crops)
        self._fill(found, crops, lambda left: self._larger.seek(left, text, patient=True))
        languages = _languages_of(text)
        if languages:
            self._fill(found, crops, lambda left: self._looked_at(left, text, languages))
        return found

    def _looked_at(self, crops: Sequence[Crop], text: str, languages: Languages) -> list[Spans]:
        """What each line says that is the text at the first look, or for what is not clear then, at others."""
        first = self._read(crops, languages)
        found: list[Spans] = [line if says(line, text) else () for line in first]
        unclear = [
            index for index, line in enumerate(first) if not found[index] and not _is_other(line, text)
        ]
        again = [crops[index] for index in unclear]
        looks = [lines for look in SECOND_LOOKS if (lines := self._read(again, languages, look))]
        for index, *readings in zip(unclear, *looks, strict=True) if looks else ():
            found[index] = agreed(readings, text)
        return found

    def _fill(
        self, found: list[Spans], crops: Sequence[Crop], read: Callable[[Sequence[Crop]], list[Spans]]
    ) -> None:
        """Read the lines of which nothing was found, those that are wide enough for more than one letter."""
        left = [index for index, line in enumerate(found) if not line and _is_wide(crops[index])]
        for index, line in zip(left, read([crops[index] for index in left]), strict=False):
            found[index] = line

    def _read(self, crops: Sequence[Crop], languages: Languages, look: Look = LINES) -> list[Spans]:
        """What Tesseract makes of the lines; nothing where it cannot run."""
        with suppress(ReaderUnavailable):
            if (languages, look) not in self._others:
                there = installed_languages(self._program)
                known = "+".join(name for name in languages if name in there)
                self._others[languages, look] = (
                    TesseractRecogniser(known, program=self._program, margin=WIDE_MARGIN, look=look)
                    if known
                    else None
                )
            other = self._others[languages, look]
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
    return script if script in LANGUAGES and not is_clipped(crop) else None


def _scores(reading: Reading) -> list[float]:
    return [glyph.score for glyph in reading.glyphs if not glyph.text.isspace()]


def _is_wide(crop: Crop) -> bool:
    """Whether a line is wide enough for more than one letter."""
    height, width = crop.shape[:2]
    return bool(width >= NARROWEST * height)


def _languages_of(text: str) -> Languages:
    """Tesseract's languages for a text that the networks do not know: only its own, which reads better and sooner."""
    script = script_of(text)
    if script == "rtl":
        return ("heb",) if HEBREW.search(text) else ("ara",)
    return LANGUAGES.get(script, ()) if script is not None else ()


def _is_other(line: Spans, text: str) -> bool:
    """Whether a line was clearly read, and as something else: less than half of the letters are the text's."""
    wanted, read = _own_letters(text), _own_letters("".join(word.text for word in line))
    alike = (Counter(wanted) & Counter(read)).total()
    return 2 * alike < max(len(wanted), 1) and bool(line) and min(word.score for word in line) >= CLEAR


def agreed(readings: Sequence[Spans], text: str) -> Spans:
    """The reading of a line that is the text, unless more of them are one and the same text that is nearly it."""
    agreeing = [reading for reading in readings if says(reading, text)]
    wanted = _own_letters(text)
    near = Counter(
        other
        for reading in readings
        if 0 < distance(other := _own_letters("".join(word.text for word in reading)), wanted, 1) <= 1
    )
    others = max(near.values(), default=0)
    return agreeing[0] if len(agreeing) > 0 and len(agreeing) >= others else ()


def _own_letters(text: str) -> str:
    """The letters of a text, without marks and digits."""
    return "".join(filter(str.isalpha, normal(text)))


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
