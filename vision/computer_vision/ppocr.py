"""Reading lines of text with a network, the smallest one of PP-OCR unless told otherwise.

Only pieces of lines that are equally wide run together, and none is made wider for that, so that a line's text cannot
depend on the lines that happen to be read with it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

from computer_vision.alignment import Aligned, aligned
from computer_vision.edges import runs_of
from computer_vision.networks import ROWS, SPACE, TINY, loaded
from computer_vision.reader import Region
from computer_vision.recogniser import Span
from computer_vision.scripts import ALPHABETIC, WRITTEN_IN, script_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from computer_vision.alignment import Chances
    from computer_vision.networks import Alphabet, Network, Weights
    from computer_vision.recogniser import Crop, Spans

    Answer = tuple[
        list[Chances], float
    ]  # by alphabet what each step is, and how many columns of the line it is wide
    Columns = NDArray[np.bool_]  # for each column of a line whether there is ink in it


STEP: Final = 8  # columns for each of its answers
NARROW: Final = 1.5  # heights: what is no wider may be one character, of which the largest is seen best
LONGEST: Final = 1200  # columns; of what is wider it loses letters
TOGETHER: Final = 4  # pieces that run at once at most,
ROOMY: Final = 1280  # and columns of them all: more leave the processor's cache, and are slower again
SURE: Final = 0.5  # the mean of a line's characters; below, it is an icon or an ornament

DOUBT: Final = -3.5  # logarithm: a text so much less likely than what is read may be what a line says
LETTERS_PER_DOUBT: Final = 6  # one such doubt more for so many letters
HANGUL_DOUBT: Final = -6.0  # the same for Korean, of which the network knows well what it does not know
OTHER_DOUBT: Final = -2.0  # the same for any text, when the line is looked at otherwise,
HOPELESS: Final = -18.0  # and what is so unlikely is not
STRETCHED: Final = 1.25  # times as wide a line is shown
STRONGEST: Final = 99  # percent of a line's pixels are fainter than its full ink
ASIDE: Final = 0.2  # heights of the line: a wider gap sets apart what is drawn beside a text
DRAWN: Final = frozenset("OoQvVxX口ロ回囗日目田三ミ二√")  # as radio buttons, ticks and menus are read,
MARK: Final = "●"  # and what they are then
CERTAIN: Final = 0.5  # chance: a digit with less is another; a wrong number is worse than none
KNOWN: Final = 0.5  # of the letters that are sought: with fewer, anything could be read so

_UNSPACED: Final = WRITTEN_IN["kana"]
HANGUL: Final = WRITTEN_IN["hangul"]

FAINT, SHARE = 12, 0.25  # grey levels, and of the strongest edge: what is less is no ink
WORDS: Final = 0.4  # heights of the line: a wider gap parts words
IDEOGRAPHS: Final = 0.6  # the same between Chinese characters, which stand farther apart
APART: Final = 0.3  # heights of the line: a wider gap is no space between the letters of one word


class Glyph(NamedTuple):
    """One character, the column of the line where it is, and how sure it is."""

    text: str
    x: float
    score: float


class Reading(NamedTuple):
    """The characters of a line, and where there is ink on it."""

    glyphs: tuple[Glyph, ...]
    ink: Ink

    @property
    def text(self) -> str:
        """The characters."""
        return "".join(glyph.text for glyph in self.glyphs).strip()

    @property
    def score(self) -> float:
        """How sure the network is of the line, 0 to 1."""
        scores = [glyph.score for glyph in self.glyphs if not glyph.text.isspace()]
        return sum(scores) / len(scores) if scores else 0.0

    @property
    def weight(self) -> float:
        """How much the network sees: the scores of the characters, added up."""
        return sum(glyph.score for glyph in self.glyphs if not glyph.text.isspace())

    @property
    def spans(self) -> Spans:
        """The line's words; none where the network is not sure."""
        return spans(self.glyphs, self.ink) if self.score >= SURE else ()


class PpocrRecogniser:
    """Reads Latin and Chinese text, with ``SMALL`` also Japanese, in one thread.

    The weights are loaded at the first line.
    """

    def __init__(self, weights: Weights = TINY) -> None:
        self._weights = weights

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        """The words of each line. Raises ``ReaderUnavailable`` when onnxruntime or the weights are missing."""
        return [reading.spans for reading in self.readings(crops)]

    def readings(self, crops: Sequence[Crop]) -> list[Reading]:
        """What the network makes of each line, sure or not. Raises as ``recognise`` does."""
        if not crops:
            return []
        network = loaded(self._weights)
        inks = [inked(crop) for crop in crops]
        cuts = [parts(ink.columns, crop.shape[0]) for crop, ink in zip(crops, inks, strict=True)]
        pieces = [crop[:, left:right] for crop, cut in zip(crops, cuts, strict=True) for left, right in cut]
        answers = iter(_all_chances(pieces, network))
        lines = [[(left, next(answers)) for left, _ in cut] for cut in cuts]
        return [_read(ink, line, network) for ink, line in zip(inks, lines, strict=True)]

    def seek(self, crops: Sequence[Crop], text: str, *, patient: bool = False) -> list[Spans]:
        """The words of the text for each line that as a whole can be read as it; none for others.

        With ``patient``, lines that nearly can are looked at otherwise too. Raises as ``recognise`` does.
        """
        if not crops:
            return []
        network = loaded(self._weights)
        texts = list(dict.fromkeys((text, text.upper())))  # many a label is drawn in capitals
        readings = (_sought(crop, texts, network, patient=patient) for crop in crops)
        return [spans(reading.glyphs, reading.ink) if reading else () for reading in readings]


def _read(ink: Ink, pieces: Sequence[tuple[int, Answer]], network: Network) -> Reading:
    """A line of that ink in the alphabet in which most of it can be read; of its pieces, where they begin."""
    readings = []
    for number, alphabet in enumerate(network.alphabets):
        glyphs: list[Glyph] = []
        for left, (answer, width) in pieces:
            if glyphs:
                glyphs.append(Glyph(" ", left, 1.0))
            glyphs += [glyph._replace(x=glyph.x + left) for glyph in _glyphs(answer[number], width, alphabet)]
        readings.append(Reading(tuple(_spaced(glyphs, ink)), ink))
    first, *others = readings
    return max((first, *(one for one in others if HANGUL.search(one.text))), key=lambda one: one.weight)


def _spaced(glyphs: Sequence[Glyph], ink: Ink) -> Iterator[Glyph]:
    """The characters with a space where the network said none and there is too wide a gap for none."""
    height = len(ink.pixels)
    for one, other in pairwise([*glyphs, Glyph(" ", ink.columns.size, 1.0)]):
        yield one
        if not (one.text.isspace() or other.text.isspace()):
            start, stop = _gap(ink.columns, one.x, other.x)
            wide = IDEOGRAPHS if _UNSPACED.match(one.text) and _UNSPACED.match(other.text) else WORDS
            if stop - start > wide * height:
                yield Glyph(" ", (start + stop) / 2, 1.0)


def _glyphs(chances: Chances, column: float, alphabet: Alphabet) -> list[Glyph]:
    best = chances.argmax(axis=1)
    new = np.flatnonzero((best != 0) & (np.diff(best, prepend=0) != 0))
    return [
        Glyph(alphabet.characters[best[step]], (int(step) + 0.5) * column, float(chances[step, best[step]]))
        for step in new
    ]


def _sought(crop: Crop, texts: Sequence[str], network: Network, *, patient: bool) -> Reading | None:
    """The line as one of the texts, in the alphabet that knows it best, as it is or as another look shows it."""
    letters = "".join(texts[0].split())
    number = _knowing(letters, network)
    if number is None:
        return None
    alphabet, ink = network.alphabets[number], inked(crop)
    most = _most_doubt(letters)
    for picture, stretched in _looks(crop, ink) if patient else [(crop, 1.0)]:
        answer, width = _all_chances([picture], network, whole=True)[0]
        seen = Seen(answer[number], width / stretched, alphabet, ink)
        text, found = max(((text, seen.aligned(text)) for text in texts), key=lambda one: one[1].doubt)
        if found.doubt >= most:
            return _read_as(text, found, seen)
        if found.doubt < HOPELESS:
            return None
        most = OTHER_DOUBT
    return None


def _knowing(letters: str, network: Network) -> int | None:
    """The number of the alphabet that knows most of the letters; None where any other would be taken for one."""
    known = [sum(letter in alphabet.columns for letter in letters) for alphabet in network.alphabets]
    number = known.index(max(known))
    columns = network.alphabets[number].columns
    if known[number] < KNOWN * len(letters):
        return None
    foreign = any(letter not in columns and script_of(letter) is not None for letter in letters)
    return None if foreign else number


def _looks(crop: Crop, ink: Ink) -> Iterator[tuple[Crop, float]]:
    """The line as it is and as it may be read better, and how many times as wide.

    Its rows of ink only, so that small letters are larger; black on white; wider letters.
    """
    yield crop, 1.0
    rows = np.flatnonzero(ink.pixels.any(axis=1))
    if not rows.size:
        return
    yield crop[max(0, int(rows[0]) - 1) : int(rows[-1]) + 2], 1.0
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    distance = np.abs(grey - np.median(grey))
    full = np.clip(distance / max(FAINT, float(np.percentile(distance, STRONGEST))), 0, 1)
    yield (
        np.asarray(cv2.cvtColor((255 * (1 - full)).astype(np.uint8), cv2.COLOR_GRAY2BGR), dtype=np.uint8),
        1.0,
    )
    wide = cv2.resize(crop, None, fx=STRETCHED, fy=1.0, interpolation=cv2.INTER_CUBIC)
    yield np.asarray(wide, dtype=np.uint8), STRETCHED


class Seen(NamedTuple):
    """What the network says of a line: the chances of each step, how many columns it is wide, and the line's ink."""

    chances: Chances
    width: float
    alphabet: Alphabet
    ink: Ink

    def columns_of(self, letters: str) -> list[int | None]:
        """The numbers of the letters in the chances."""
        return [self.alphabet.columns.get(letter) for letter in letters]

    def aligned(self, text: str) -> Aligned:
        """The likeliest way to read the text here, which may be impossible."""
        columns = self.columns_of("".join(text.split()))
        found = aligned(self.chances, columns, self.alphabet.columns[SPACE], self.cuts)
        return Aligned(-math.inf, [], 0, 0) if found is None else found

    @property
    def read(self) -> list[Glyph]:
        """What is likeliest."""
        return _glyphs(self.chances, self.width, self.alphabet)

    @property
    def cuts(self) -> set[int]:
        """The steps at which a text may begin or end within the line: beside spaces, marks and gaps."""
        return {round(cut / self.width) for cut in _cuts(self.read, self.ink)}


def _read_as(text: str, found: Aligned, seen: Seen) -> Reading | None:
    """The line as that text; what is drawn before and after it, or stands apart, stays as it was read."""
    words = text.split()
    letters = "".join(words)
    scores = [
        0.0 if column is None else float(seen.chances[step, column])
        for step, column in zip(found.begins, seen.columns_of(letters), strict=True)
    ]
    if any(letter.isdigit() and score < CERTAIN for letter, score in zip(letters, scores, strict=True)):
        return None
    glyphs = [
        Glyph(letter, (step + 0.5) * seen.width, score)
        for letter, step, score in zip(letters, found.begins, scores, strict=True)
    ]
    for end in reversed(list(accumulate(map(len, words[:-1])))):
        glyphs.insert(end, Glyph(" ", (glyphs[end - 1].x + glyphs[end].x) / 2, 1.0))
    before, after = _before(seen.read, found.start * seen.width), _after(seen.read, found.stop * seen.width)
    return Reading((*before, *glyphs, *after), seen.ink)


def _most_doubt(letters: str) -> float:
    """The logarithm of how much less likely than what is read a text may be that a line says."""
    if HANGUL.search(letters):
        return HANGUL_DOUBT
    if script_of(letters) in ALPHABETIC:
        return DOUBT  # of Arabic and its like one letter more makes another word, however long it is
    return DOUBT * max(1, len(letters) // LETTERS_PER_DOUBT)


def _cuts(glyphs: Sequence[Glyph], ink: Ink) -> Iterator[float]:
    """The columns at which a text may begin or end within a line: beside spaces, marks and gaps."""
    for one, other in pairwise(glyph for glyph in glyphs if not glyph.text.isspace()):
        start, stop = _gap(ink.columns, one.x, other.x)
        if not (one.text.isalnum() and other.text.isalnum()) or stop - start >= ASIDE * len(ink.pixels):
            yield (start + stop) / 2


def _before(glyphs: Sequence[Glyph], column: float) -> tuple[Glyph, ...]:
    """What is read before a column, and a space; a letter by itself is drawn and not written."""
    kept = tuple(glyph for glyph in glyphs if glyph.x < column)
    return (*_as_drawn(kept), Glyph(" ", column, 1.0)) if kept else ()


def _after(glyphs: Sequence[Glyph], column: float) -> tuple[Glyph, ...]:
    """What is read from a column on, and a space before it."""
    kept = tuple(glyph for glyph in glyphs if glyph.x >= column)
    return (Glyph(" ", column, 1.0), *_as_drawn(kept)) if kept else ()


def _as_drawn(glyphs: tuple[Glyph, ...]) -> tuple[Glyph, ...]:
    """What stands beside a text, where it is one character as icons are read, as the mark that it must be."""
    seen = [glyph for glyph in glyphs if not glyph.text.isspace()]
    if len(seen) != 1 or seen[0].text not in DRAWN:
        return glyphs
    return (seen[0]._replace(text=MARK),)


def _all_chances(crops: Sequence[Crop], network: Network, *, whole: bool = False) -> list[Answer]:
    """How likely each character is at each step, and how many columns of the line a step is wide, of each line.

    Those that are equally wide for the network run together. With ``whole``, characters that come seldom too.
    """
    pages = [page_of(crop, network.larger) for crop in crops]
    alike: defaultdict[int, list[int]] = defaultdict(list)
    for index, page in enumerate(pages):
        alike[page.shape[2]].append(index)
    answers: dict[int, Answer] = {}
    for width, indexes in alike.items():
        many = max(1, min(TOGETHER, ROOMY // width))
        for start in range(0, len(indexes), many):
            batch = indexes[start : start + many]
            first = pages[batch[0]][np.newaxis]
            shown = np.stack([pages[index] for index in batch]) if len(batch) > 1 else first
            for index, chances in zip(batch, network.run(shown, whole=whole), strict=True):
                shrunk = crops[index].shape[0] / _rows(crops[index], network.larger)
                answers[index] = chances, width / len(chances[0]) * shrunk
    return [answers[index] for index in range(len(crops))]


def page_of(crop: Crop, larger: float = math.inf) -> NDArray[np.float32]:
    """The line as the network takes it: of shape (3, rows, columns), -1 to 1, the columns full steps.

    It is shown so many times larger at most, and in the middle of the rows.
    """
    height, width = crop.shape[:2]
    rows = _rows(crop, larger)
    across = max(1, round(width * rows / height))
    way = cv2.INTER_CUBIC if height < rows else cv2.INTER_AREA
    shown = cv2.resize(crop, (across, rows), interpolation=way)
    above = (ROWS - rows) // 2
    framed = cv2.copyMakeBorder(shown, above, ROWS - rows - above, 0, 0, cv2.BORDER_REPLICATE)
    page = np.zeros((3, ROWS, -(-across // STEP) * STEP), dtype=np.float32)
    page[:, :, :across] = (np.asarray(framed, dtype=np.float32) / 127.5 - 1).transpose(2, 0, 1)
    return page


def _rows(crop: Crop, larger: float) -> int:
    """How many of the network's rows a line has; all of them where it may be a single character."""
    height, width = crop.shape[:2]
    return ROWS if height * larger >= ROWS or width < NARROW * height else round(height * larger)


class Ink(NamedTuple):
    """Where a line has edges, by pixel, and the columns in which it has any."""

    pixels: NDArray[np.bool_]
    columns: Columns


def inked(crop: Crop) -> Ink:
    """Where something is drawn on a line, whatever its colours."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
    edges = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    strong = (edges > max(FAINT, SHARE * float(edges.max()))).astype(np.uint8)
    ink = np.asarray(cv2.erode(strong, np.ones((3, 3), np.uint8)), dtype=bool)  # an edge is a pixel wider
    return Ink(ink, np.asarray(ink.any(axis=0)))


def parts(ink: Columns, height: int) -> list[tuple[int, int]]:
    """A line in pieces that the network reads well, cut at the widest gap near the middle of what is too long."""
    longest = LONGEST * height // ROWS
    whole = [(0, len(ink))]
    done: list[tuple[int, int]] = []
    while whole:
        left, right = whole.pop()
        width = right - left
        cut = None if width <= longest else _cut(ink[left:right])
        if cut is None:
            done.append((left, right))
        else:
            whole += [(left + cut, right), (left, left + cut)]
    return done


def _width(run: tuple[int, int]) -> int:
    return run[1] - run[0]


def _cut(ink: Columns) -> int | None:
    """The middle of the widest gap in the middle half."""
    quarter = len(ink) // 4
    gaps = runs_of(~ink[quarter:-quarter])
    if not gaps:
        return None
    left, right = max(gaps, key=_width)
    return quarter + (left + right) // 2


def spans(glyphs: Sequence[Glyph], ink: Ink) -> Spans:
    """The characters as words, each with its box drawn closely around its ink."""
    words: list[list[Glyph]] = [[]]
    for glyph in glyphs:
        if glyph.text.isspace():
            words.append([])
        else:
            words[-1].append(glyph)
    words = [word for word in words if word]
    starts = [_outer(ink, words[0][0].x, -1)]
    ends: list[int] = []
    for one, other in pairwise(words):
        end, start = _gap(ink.columns, one[-1].x, other[0].x)
        ends.append(end)
        starts.append(start)
    ends.append(_outer(ink, words[-1][-1].x, 1))
    return tuple(map(_span, words, starts, ends, [ink] * len(words)))


def _outer(ink: Ink, x: float, way: int) -> int:
    """Where the ink ends that begins at a column, going left (-1) or right (1)."""
    height, width = len(ink.pixels), len(ink.columns)
    gap = max(2, round(APART * height))
    here = min(max(int(x), 0), width - 1)
    along = ink.columns[here::way] if way > 0 or here > 0 else ink.columns[:1]
    marked = np.flatnonzero(along)
    if not marked.size or marked[0] > gap:
        return here if way < 0 else here + 1
    stops = np.flatnonzero(np.diff(marked) > gap)
    last = int(marked[stops[0]] if stops.size else marked[-1])
    return here - last if way < 0 else here + last + 1


def _gap(ink: Columns, left: float, right: float) -> tuple[int, int]:
    """The widest gap between two characters: where it begins and ends; their middle where there is none."""
    begin, end = int(left), max(int(left) + 1, int(right) + 1)
    between = ink[begin:end].tobytes()  # some thousand times a picture: sooner than with arrays
    widest = max(between.split(b"\1"), key=len)
    if not widest:
        middle = (begin + end) // 2
        return middle, middle
    start = begin + between.index(widest)
    return start, start + len(widest)


def _span(word: Sequence[Glyph], start: int, end: int, ink: Ink) -> Span:
    height, width = ink.pixels.shape
    left = min(max(start, 0), width - 1)
    right = min(max(end, left + 1), width)
    rows = np.flatnonzero(ink.pixels[:, left:right].any(axis=1))
    top, bottom = (int(rows[0]), int(rows[-1]) + 1) if rows.size else (0, height)
    between = [round((one.x + other.x) / 2) for one, other in pairwise(word)]
    edges = [left]
    for glyph, edge in zip(word, [*between, right], strict=True):
        inside = min(max(edge, edges[-1]), right)
        edges += [inside] * len(glyph.text)  # one answer may stand for several characters
    score = sum(glyph.score for glyph in word) / len(word)
    text = "".join(glyph.text for glyph in word)
    return Span(text, Region(left, top, right - left, bottom - top), min(1.0, score), tuple(edges))
