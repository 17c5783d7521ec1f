"""Reading all scripts: a small network reads what it knows, others the lines that look like another script."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from computer_vision.alphabets import AlphabetRecogniser
from computer_vision.clipped import is_clipped
from computer_vision.edges import runs_of
from computer_vision.networks import SMALL
from computer_vision.ppocr import PpocrRecogniser
from computer_vision.scripts import ALPHABETIC, HAN, guessed, script_of, share_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_vision.ppocr import Ink, Reading
    from computer_vision.recogniser import Crop, Spans

NARROWEST: Final = 1.1  # heights: what is narrower is an icon, or one letter
GREEK: Final = 0.2  # of the letters that the smallest network reads, which confuses them with Latin ones
OWN: Final = 0.6  # of the letters that are read: less, and the line was of no such script
BELIEVED: Final = 0.5  # score of a line in another script
LESS: Final = 0.05  # so much less sure than the network it may be
DOUBT: Final = 0.95  # the score of the least sure character of a line that looks Chinese: with more it is
SOME, LITTLE = 0.5, 0.8  # the score of a line of which the smallest network makes something, but not much
ICONS: Final = frozenset("口日曰目田回国区网三同二上一八九")  # what icons, bars and chevrons are read as
AMID: Final = re.compile(rf"(?<!\S)[{''.join(sorted(ICONS))}](?!\S)")  # an icon by itself
APART, WIDEST = 0.35, 1.3  # heights of what is drawn: gaps between icons at least, and their widths at most
SHAKY: Final = 0.6  # the score of a row of icons, at most
CLEAR: Final = 0.6  # the larger network's score for a line


class PolyglotRecogniser:
    """The smallest network for Latin and Chinese, others for what that does not know.

    A larger one reads Japanese and Korean, and one of our own Arabic, Hebrew, Cyrillic and Greek.
    """

    def __init__(self) -> None:
        self._network, self._larger = PpocrRecogniser(), PpocrRecogniser(SMALL)
        self._alphabets = AlphabetRecogniser()

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        """The words of each line. Raises ``ReaderUnavailable`` when the network cannot run."""
        readings = self._read_twice(crops)
        found = [reading.spans for reading in readings]
        foreign = [index for index, reading in enumerate(readings) if _is_alphabetic(crops[index], reading)]
        lines = self._alphabets.recognise([crops[index] for index in foreign])
        for index, line in zip(foreign, lines, strict=True):
            if _believed(line, readings[index]):
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
        script = script_of(text)
        if script in ALPHABETIC:
            found: list[Spans] = [()] * len(crops)
            self._fill(found, crops, lambda left: self._alphabets.seek(left, text))
            return found
        # The smallest takes one Chinese character for another sooner than the larger one does.
        found = self._network.seek(crops, text) if script is None else [()] * len(crops)
        self._fill(found, crops, lambda left: self._larger.seek(left, text, patient=True))
        return found

    def _fill(
        self, found: list[Spans], crops: Sequence[Crop], read: Callable[[Sequence[Crop]], list[Spans]]
    ) -> None:
        """Read the lines of which nothing was found, those that are wide enough for more than one letter."""
        left = [index for index, line in enumerate(found) if not line and _is_wide(crops[index])]
        for index, line in zip(left, read([crops[index] for index in left]), strict=False):
            found[index] = line


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
    if reading.score < SHAKY and _is_row_of_icons(reading.ink):
        return False
    return min(scores) < DOUBT if HAN.search(AMID.sub("", reading.text)) else False


def _is_row_of_icons(ink: Ink) -> bool:
    """Whether several things are drawn on a line, each no wider than an icon and well apart from the next."""
    drawn, height = runs_of(ink.columns), int(ink.pixels.any(axis=1).sum())
    gaps = [other[0] - one[1] for one, other in pairwise(drawn)]
    widest = max((right - left for left, right in drawn), default=0)
    return bool(gaps) and min(gaps) >= APART * height and widest <= WIDEST * height


def _is_alphabetic(crop: Crop, reading: Reading) -> bool:
    """Whether a line may be written in letters that only the network of alphabets knows well."""
    if not _is_wide(crop):
        return False
    return share_in("greek", reading.text) > GREEK or guessed(reading.text, _scores(reading)) in ALPHABETIC


def _scores(reading: Reading) -> list[float]:
    return [glyph.score for glyph in reading.glyphs if not glyph.text.isspace()]


def _is_wide(crop: Crop) -> bool:
    """Whether a line is wide enough for more than one letter."""
    height, width = crop.shape[:2]
    return bool(width >= NARROWEST * height)


def _believed(line: Spans, reading: Reading) -> bool:
    """Whether what was read is of such a script, and surely enough."""
    text = "".join(span.text for span in line)
    if max(share_in(script, text) for script in ALPHABETIC) < OWN:
        return False
    score = sum(span.score * len(span.text) for span in line) / len(text)
    return score >= max(BELIEVED, reading.score - LESS)
