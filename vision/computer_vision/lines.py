"""Finding a text among the lines of a screen, whatever the reader made of some of its letters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, NamedTuple

from computer_vision.reader import Region
from computer_vision.regions import union

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_vision.reader import Line, Word

SAME, SAME_BUT_CASE, SAME_LETTERS, LOOKS_SAME = 1.0, 0.99, 0.97, 0.95
SIMILAR: Final = 0.9  # times the share of letters that are right
INSIDE: Final = 0.5  # times the share of the word that was asked for
PART: Final = 0.9  # of a longer phrase: "Save" in "Save changes?" is worth less than a button "Save"
WRAPPED: Final = 0.98  # over a line break

SPACE: Final = 1.6  # a gap wider than this, in heights, is between columns and not between words
ALONE: Final = 1.0  # a gap this wide sets a label apart from its neighbours
SHORTEST_INSIDE: Final = 3  # letters; anything contains a shorter text
UNLIKE: Final = 0.35  # similarity below which naming a text would not help

_LOOK_ALIKE: Final = str.maketrans({"1": "l", "i": "l", "|": "l", "!": "l", "0": "o", ",": ".", ";": ":"})
_EDGES: Final = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A place where a text stands; ``text`` as it was read, ``score`` 0 to 1, 1 for the same letters."""

    text: str
    region: Region
    score: float


def find(lines: Sequence[Line], query: str, *, exact: bool = False) -> tuple[Found, ...]:
    """The places where the query stands, best first, equal ones in reading order.

    A phrase may span words of one line, or the end of a line and the start of the one right below;
    words of different columns never make a phrase. Case, punctuation around words, letters that look
    alike and some slips in long texts are forgiven, at a lower score; a label that stands alone
    scores higher than the same words in a sentence. Parts of words are returned only when nothing
    else is. With ``exact``, only the very same characters count. Raises ``ValueError`` for a query
    without characters.
    """
    wanted = Wanted.of(query)
    graded = [(wanted.grade(run, exact=exact) * run.worth, run) for run in _runs(lines, wanted.longest)]
    hits = _without_shared_words([hit for hit in graded if hit[0] > 0])
    if not hits and not exact:
        return _inside_words(lines, wanted)
    return tuple(Found(text=run.text, region=run.region, score=round(score, 4)) for score, run in hits)


def closest(lines: Sequence[Line], query: str, n: int = 3) -> tuple[str, ...]:
    """The texts of the screen most like the query, best first, for a message that it was not found."""
    wanted = Wanted.of(query)
    matcher = SequenceMatcher(None, b=wanted.folded, autojunk=False)
    ratios: dict[str, float] = {}
    for run in _runs(lines, 2 * wanted.longest + 4):
        if not run.wrapped and (run.alone or len(run.words) == len(query.split())):
            matcher.set_seq1(run.text.casefold())
            ratios[run.text] = matcher.ratio() if matcher.quick_ratio() >= UNLIKE else 0.0
    likely = [text for text, ratio in ratios.items() if ratio >= UNLIKE]
    return tuple(sorted(likely, key=lambda text: -ratios[text])[:n])


class Run(NamedTuple):
    """Words that follow each other; ``places`` are their line and position, ``alone`` if set apart."""

    words: tuple[Word, ...]
    places: frozenset[tuple[int, int]]
    alone: bool
    wrapped: bool = False

    @property
    def text(self) -> str:
        """The words with single spaces."""
        return " ".join(word.text for word in self.words)

    @property
    def region(self) -> Region:
        """The smallest region around the words."""
        return union(word.region for word in self.words)

    @property
    def has_mark_at_an_end(self) -> bool:
        """Whether it begins or ends with what has no letters: the bullet, the tick box, the arrow."""
        return len(self.words) > 1 and (_is_mark(self.words[0]) or _is_mark(self.words[-1]))

    @property
    def worth(self) -> float:
        """What the way the words stand is worth, 0 to 1."""
        return (1.0 if self.alone else PART) * (WRAPPED if self.wrapped else 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A query in the forms in which texts are compared, from strict to loose."""

    printed: str
    folded: str
    letters: str
    shape: str
    slips: int

    @classmethod
    def of(cls, query: str) -> Wanted:
        """The forms of a query."""
        printed = " ".join(unicodedata.normalize("NFKC", query).split())
        if not printed:
            raise ValueError(f'The text to find is "{query}", which has no characters; give a word of it.')
        letters = _letters(printed)
        return cls(
            printed=printed,
            folded=printed.casefold(),
            letters=letters,
            shape=_shape(letters),
            slips=_slips_allowed(letters),
        )

    @property
    def longest(self) -> int:
        """The letters that a text may have and still be this one; "rn" may stand for "m"."""
        return len(self.printed.replace(" ", "")) + self.slips + 2 + self.folded.count("m")

    def grade(self, run: Run, *, exact: bool) -> float:
        """How much the run is the query, 0 for not at all."""
        printed = unicodedata.normalize("NFKC", run.text)
        if printed == self.printed:
            return SAME
        if exact:
            return 0.0
        if printed.casefold() == self.folded:
            return SAME_BUT_CASE
        if run.has_mark_at_an_end:
            return 0.0
        letters = _letters(printed)
        if letters == self.letters:
            return SAME_LETTERS
        shape = _shape(letters)
        if shape == self.shape:
            return LOOKS_SAME
        return self._similar(letters, shape)

    def _similar(self, letters: str, shape: str) -> float:
        if not self.slips or _digits(letters) != _digits(self.letters):
            return 0.0
        slips = _distance(self.shape, shape, self.slips)
        return 0.0 if slips > self.slips else SIMILAR * (1 - slips / len(self.shape))


def _letters(text: str) -> str:
    """Small letters without spaces or the punctuation around words; the text itself if it has no other."""
    words = [_EDGES.sub("", word) for word in text.casefold().split()]
    return "".join(words) or text.casefold().replace(" ", "")


def _shape(letters: str) -> str:
    """The letters with those that a reader confuses made one."""
    return letters.replace("rn", "m").replace("vv", "w").translate(_LOOK_ALIKE)


def _slips_allowed(letters: str) -> int:
    """Wrong letters forgiven: none in short words, where they make another word; digits never are."""
    length = len(letters) - len(_digits(letters))
    if length < 5:  # noqa: PLR2004 - "Save" is not "Same"
        return 0
    return 1 if length < 10 else min(length // 6, 4)  # noqa: PLR2004 - "Submit" one, "Submit Order" two


def _digits(letters: str) -> str:
    return "".join(character for character in letters if character.isdigit())


def _distance(one: str, other: str, limit: int) -> int:
    """The edits between two texts, or more than the limit as soon as that is certain."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    bags = Counter(one), Counter(other)
    if max((bags[0] - bags[1]).total(), (bags[1] - bags[0]).total()) > limit:
        return limit + 1
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        previous, row = row, [i]
        for j, b in enumerate(other, start=1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (a != b)))
    return row[-1]


def _runs(lines: Sequence[Line], longest: int) -> Iterator[Run]:
    """All runs of at most that many letters, on one line or over one line break."""
    phrases = [
        [(word, (number, position)) for position, word in part]
        for number, line in enumerate(lines)
        for part in _phrases(line)
    ]
    for phrase in phrases:
        for start in range(len(phrase)):
            yield from _from(phrase, start, longest)
    boxes = [union(word.region for word, _ in phrase) for phrase in phrases]
    for upper, lower in _line_breaks(boxes):
        yield from _over(phrases[upper], phrases[lower], longest)


Placed = tuple["Word", tuple[int, int]]


def _phrases(line: Line) -> list[list[tuple[int, Word]]]:
    """The words of a line with their positions, parted where the gap is too wide for a space."""
    parts: list[list[tuple[int, Word]]] = []
    for position, word in enumerate(line.words):
        if parts and _gap(parts[-1][-1][1], word) <= SPACE:
            parts[-1].append((position, word))
        else:
            parts.append([(position, word)])
    return parts


def _gap(left: Word, right: Word) -> float:
    """The space between two words in heights of the taller."""
    height = max(left.region.height, right.region.height, 1)
    return (right.region.left - left.region.right) / height


def _from(phrase: list[Placed], start: int, longest: int) -> Iterator[Run]:
    """The runs that start at one word."""
    for end in range(start + 1, len(phrase) + 1):
        words = tuple(word for word, _ in phrase[start:end])
        if end > start + 1 and sum(len(word.text) for word in words) > longest:
            return
        begins = start == 0 or _parts(phrase[start - 1][0], words[0])
        ends = end == len(phrase) or _parts(words[-1], phrase[end][0])
        yield Run(words, frozenset(place for _, place in phrase[start:end]), begins and ends)


def _parts(left: Word, right: Word) -> bool:
    """Whether the two are not of one label: far apart, or one is a mark."""
    return _gap(left, right) >= ALONE or _is_mark(left) or _is_mark(right)


def _is_mark(word: Word) -> bool:
    return not any(character.isalnum() for character in word.text)


def _line_breaks(boxes: Sequence[Region]) -> Iterator[tuple[int, int]]:
    """Which phrase continues in which: the next one below, near, and aligned left or centred."""
    order = sorted(range(len(boxes)), key=lambda index: boxes[index].top)
    for position, upper in enumerate(order):
        above = boxes[upper]
        for lower in order[position + 1 :]:
            below = boxes[lower]
            if below.top > above.bottom + above.height:
                break
            if _continues_below(above, below):
                yield upper, lower


def _continues_below(above: Region, below: Region) -> bool:
    low, high = sorted((above.height, below.height))
    near = -0.3 * low <= below.top - above.bottom <= 0.9 * low and high <= 2 * max(low, 1)
    centres = above.left + above.width / 2, below.left + below.width / 2
    return near and (abs(above.left - below.left) <= low or abs(centres[0] - centres[1]) <= low)


def _over(upper: list[Placed], lower: list[Placed], longest: int) -> Iterator[Run]:
    """The runs that end one phrase and begin the next."""
    for start in reversed(range(len(upper))):
        if sum(len(word.text) for word, _ in upper[start:]) > longest:
            return
        for end in range(1, len(lower) + 1):
            placed = upper[start:] + lower[:end]
            if sum(len(word.text) for word, _ in placed) > longest:
                break
            yield Run(
                tuple(word for word, _ in placed),
                frozenset(place for _, place in placed),
                alone=start == 0 and end == len(lower),
                wrapped=True,
            )


def _without_shared_words(hits: list[tuple[float, Run]]) -> list[tuple[float, Run]]:
    """Best first; a word that serves in a hit does not serve in a lower one."""
    taken: set[tuple[int, int]] = set()
    kept = []
    for score, run in sorted(hits, key=lambda hit: (-hit[0], min(hit[1].places))):
        if taken.isdisjoint(run.places):
            taken |= run.places
            kept.append((score, run))
    return kept


def _inside_words(lines: Sequence[Line], wanted: Wanted) -> tuple[Found, ...]:
    """Where the query is a part of a longer word, as when a reader glued two together."""
    if len(wanted.folded) < SHORTEST_INSIDE:
        return ()
    found = []
    for line in lines:
        for word in line.words:
            start = word.text.casefold().find(wanted.folded)
            if start >= 0:
                share = len(wanted.folded) / len(word.text)
                found.append(
                    Found(text=word.text, region=_part(word, start, share), score=round(INSIDE * share, 4))
                )
    return tuple(sorted(found, key=lambda hit: -hit.score))


def _part(word: Word, start: int, share: float) -> Region:
    """About where a part of a word stands, as if its letters were equally wide."""
    box = word.region
    left = box.left + round(box.width * start / len(word.text))
    return Region(left, box.top, max(1, round(box.width * share)), box.height)
