"""Reading a screen: lines are proposed first, and only those not seen before are recognised."""

from __future__ import annotations

import unicodedata
from collections import Counter, OrderedDict
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from computer_vision.reader import Line, Region, Word
from computer_vision.recogniser import Seeker
from computer_vision.regions import overlap, union
from computer_vision.scripts import WRITTEN_IN, script_of
from computer_vision.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from computer_vision.reader import Pixels
    from computer_vision.recogniser import Crop, Recogniser, Spans

CACHED: Final = 4000  # lines kept, some hundred bytes each
SOUGHT: Final = 150  # lines that are read again for a text that is not found
APART: Final = 1.0  # heights: words so far apart are not of one label
LONGER: Final = 3  # times as many letters as were read a text of another script may have
WORD: Final = 5  # letters; a shorter text is nearly somewhere in any long line
NARROW, BROAD = 0.12, 0.9  # of their height that letters may be wide,
MARKS: Final = 3  # and so many times it more what stands beside them
READABLE: Final = 0.85  # score of a word that is not just anything
LEGIBLE: Final = 0.7  # score of one character beside such words that is not just an icon,
BOXES: Final = frozenset("口囗回目田三二十不")  # as icons are read beside Latin words,
MARK: Final = "\u25cf"  # and what stands for one that is
STACKED: Final = 0.6  # of the wider of two halves of a line: so much they have in common
ROOM: Final = 3  # pixels at the sides of words
SURE: Final = 0.98  # score of a word that is not doubted,
CERTAIN: Final = 0.9999  # and in a script of which a character is one of thousands


class Read(NamedTuple):
    """A picture that was read: what each proposed region said, None for nothing, and all lines in order."""

    sheet: Sheet
    by_region: dict[Region, Line | None]
    lines: tuple[Line, ...]


class ScreenReader:
    """Reads screens with any recogniser; what did not change since the last one is not read again.

    ``cached`` is how many lines are remembered by their pixels: the result is the same with 0.
    Not for use by two threads at once.
    """

    def __init__(self, recogniser: Recogniser, *, cached: int = CACHED) -> None:
        self._recogniser = recogniser
        self._cached = cached
        self._known: OrderedDict[bytes, Spans] = OrderedDict()
        self._sought: OrderedDict[tuple[str, bytes], Spans] = OrderedDict()
        self._last: Read | None = None

    def read(self, pixels: Pixels) -> tuple[Line, ...]:
        """All lines of the picture, top to bottom, columns apart. Raises ``ReaderUnavailable``.

        The same as of a reader that has seen nothing before.
        """
        last, self._last = self._last, None  # until this one is read
        where = None if last is None else last.sheet.changed(pixels)
        if last is None or where is None:
            read = self._read(Sheet(pixels), {})
        elif not where:
            read = last
        else:
            touched = last.sheet.update(pixels, where)
            kept = {
                region: line
                for region, line in last.by_region.items()
                if not any(overlap(region, area) for area in touched)
            }
            read = self._read(last.sheet, kept)
        if self._cached:
            self._last = read
        return read.lines

    def seek(self, text: str) -> tuple[Line, ...]:
        """The lines of the last picture; those that it was not sure of and that can be read as the text, as it.

        The very same tuple that ``read`` returned where none can. Raises ``ReaderUnavailable``.
        """
        last, recogniser = self._last, self._recogniser
        if last is None or not isinstance(recogniser, Seeker):
            return () if last is None else last.lines
        latin = script_of(text) is None
        sure = SURE if latin else CERTAIN
        every = [part for region, line in last.by_region.items() for part in _parts(region, line)]
        parts = [part for part in every if not part.words or _doubted(part.words, sure) or _holds(part, text)]
        parts += [] if latin else _stacked(parts)
        unsure = [part for part in parts if _may_say(part, text)][:SOUGHT]
        crops = [_crop(last.sheet.bare, part.region) for part in unsure]
        keys = [(text, _key(crop)) for crop in crops]
        new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in self._sought}
        self._sought.update(zip(new, recogniser.seek(list(new.values()), text), strict=True))
        by_region = dict(last.by_region)
        for part, key in zip(unsure, keys, strict=True):
            if self._sought[key]:
                if part.below is not None:
                    by_region[part.below] = None
                by_region[part.line] = _replaced(by_region[part.line], part, self._sought[key])
        while len(self._sought) > self._cached:
            self._sought.popitem(last=False)
        if by_region == last.by_region:
            return last.lines
        return in_reading_order(line for line in by_region.values() if line)

    def _read(self, sheet: Sheet, kept: dict[Region, Line | None]) -> Read:
        """The lines of a sheet, of which some are known already."""
        new = [region for region in sheet.lines if region not in kept]
        spans = self._recognised([_crop(sheet.bare, region) for region in new])
        placed = {region: _placed(s, region) if s else None for region, s in zip(new, spans, strict=True)}
        by_region = {region: placed[region] if region in placed else kept[region] for region in sheet.lines}
        return Read(sheet, by_region, in_reading_order(line for line in by_region.values() if line))

    def _recognised(self, crops: list[Crop]) -> list[Spans]:
        """The words of each crop: the new ones are read, all are remembered."""
        keys = [_key(crop) for crop in crops]
        new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in self._known}
        read = dict(zip(new, self._recogniser.recognise(list(new.values())), strict=True))
        found = [read[key] if key in read else self._known[key] for key in keys]
        for key, spans in zip(keys, found, strict=True):
            self._known[key] = spans
            self._known.move_to_end(key)
        while len(self._known) > self._cached:
            self._known.popitem(last=False)
        return found


class Part(NamedTuple):
    """Words of a line that no wide gap parts, to be read again: where, and the line's own region.

    ``below`` is the region of the lower half of a line that was cut in two.
    """

    region: Region
    line: Region
    words: tuple[Word, ...]
    below: Region | None = None


def _parts(region: Region, line: Line | None) -> list[Part]:
    """The parts of a line; what says nothing is one that may say anything."""
    if line is None:
        return [Part(region, region, ())]
    words = sorted(line.words, key=lambda word: word.region.left)
    groups = [words[:1]]
    for one, other in pairwise(words):
        gap = other.region.left - one.region.right
        if gap >= APART * max(one.region.height, other.region.height):
            groups.append([])
        groups[-1].append(other)
    if len(groups) == 1:
        return [Part(region, region, line.words)]
    return [Part(_around(group, region), region, tuple(group)) for group in groups]


def _stacked(parts: Sequence[Part]) -> list[Part]:
    """Whole lines right below each other as one: syllables and dots are drawn with gaps like those between lines."""
    whole = sorted((part for part in parts if part.region == part.line), key=lambda part: part.region.top)
    found = []
    for position, upper in enumerate(whole):
        for lower in whole[position + 1 :]:
            if lower.region.top > upper.region.bottom:
                break
            across = min(upper.region.right, lower.region.right) - max(upper.region.left, lower.region.left)
            if across >= STACKED * max(upper.region.width, lower.region.width):
                region = union((upper.region, lower.region))
                found.append(Part(region, upper.region, (*upper.words, *lower.words), lower.region))
    return found


def _may_say(part: Part, text: str) -> bool:
    """Whether a part is worth reading for that text: about as long or longer, with half of its letters if known."""
    wanted, read = "".join(text.split()), "".join(word.text for word in part.words)
    script = script_of(text)
    legible = bool(read) and not _doubted(part.words, READABLE)
    if script == "rtl":
        known = legible and WRITTEN_IN[script].search(read) is not None
        return _has_room(part.region, wanted) and (not known or _shares_half(wanted, read))
    if script is not None and not WRITTEN_IN[script].search(read):  # what was read of it says little
        return not read or len(wanted) <= LONGER * len(read) + 1
    least = len(wanted) - max(1, len(wanted) // 3)
    most = LONGER * len(wanted) + 1 if script is None and len(wanted) < WORD else len(read)
    if least <= len(read) <= most and _nearly_holds(read, wanted):
        return True
    return not legible and _has_room(part.region, wanted)


def _holds(part: Part, text: str) -> bool:
    """Whether the text was read within longer words, which may be two that no space parts."""
    wanted, read = "".join(text.casefold().split()), "".join(word.text for word in part.words).casefold()
    return wanted in read and len(wanted) < len(read)


def _nearly_holds(read: str, wanted: str) -> bool:
    """Whether half of the letters were read somewhere, close together."""
    reach = 2 * len(wanted) + 1
    return any(
        _shares_half(wanted, read[start : start + reach]) for start in range(max(1, len(read) - reach + 1))
    )


def _shares_half(wanted: str, read: str) -> bool:
    """Whether half of the letters, of Korean of their parts, were read."""
    one, other = (unicodedata.normalize("NFD", text.casefold()) for text in (wanted, read))
    return 2 * (Counter(one) & Counter(other)).total() >= len(one)


def _has_room(region: Region, wanted: str) -> bool:
    """Whether letters of so many would neither be far too narrow nor leave most of the region."""
    return NARROW * len(wanted) <= region.width / region.height <= BROAD * len(wanted) + MARKS


def _doubted(words: Sequence[Word], sure: float) -> bool:
    return any(word.score < sure for word in words)


def _around(words: Sequence[Word], line: Region) -> Region:
    """Where the words are on their line, with a little room at their sides."""
    left = max(line.left, words[0].region.left - ROOM)
    right = min(line.right, max(word.region.right for word in words) + ROOM)
    return Region(left, line.top, right - left, line.height)


def _replaced(line: Line | None, part: Part, spans: Spans) -> Line:
    """The line with other words in that part."""
    kept = [word for word in line.words if word not in part.words] if line else []
    words = (*kept, *_placed(spans, part.region).words)
    return Line(words=tuple(sorted(words, key=lambda word: word.region.left)) if kept else words)


def _crop(pixels: Pixels, region: Region) -> Crop:
    return np.ascontiguousarray(pixels[region.top : region.bottom, region.left : region.right, :3])


def _key(crop: Crop) -> bytes:
    """What will be read, in 16 bytes."""
    return blake2b(crop.data, digest_size=16, salt=b"%d" % crop.shape[1]).digest()


def _placed(spans: Spans, crop: Region) -> Line:
    """The words where they stand on the picture."""
    return Line(
        words=_with_marks(
            Word(
                text=span.text,
                region=Region(
                    crop.left + span.region.left,
                    crop.top + span.region.top,
                    span.region.width,
                    span.region.height,
                ),
                score=span.score,
                edges=tuple(crop.left + edge for edge in span.edges),
            )
            for span in spans
        )
    )


def _with_marks(words: Iterable[Word]) -> tuple[Word, ...]:
    """The words, and for a character by itself before or after them that is an icon a mark."""
    known = tuple(words)
    others = "".join(word.text for word in known if len(word.text) > 1 and word.score >= READABLE)
    foreign = script_of(others) is not None

    def is_icon(word: Word) -> bool:
        if len(word.text) > 1 or not word.text.isalnum() or word.text in "123456789":
            return False
        return word.score < LEGIBLE or (word.text in BOXES and not foreign)

    ends = {0, len(known) - 1} if others else ()
    return tuple(
        replace(word, text=MARK) if at in ends and is_icon(word) else word for at, word in enumerate(known)
    )


def in_reading_order(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Row by row; lines whose middles are within half a line are one row, read from the left."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=_middle):
        if rows and _middle(line) - _middle(rows[-1][0]) <= line.words[0].region.height / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    return tuple(line for row in rows for line in sorted(row, key=lambda line: line.words[0].region.left))


def _middle(line: Line) -> float:
    first = line.words[0].region
    return first.top + first.height / 2
