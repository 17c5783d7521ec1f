"""Finding a text among the lines of a screen, whatever the reader made of some of its letters."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, deque
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from computer_vision.reader import Region
from computer_vision.regions import union
from computer_vision.scripts import WRITTEN_IN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from computer_vision.reader import Line, Word

SAME, SAME_BUT_CASE, SAME_LETTERS, LOOKS_SAME = 1.0, 0.99, 0.97, 0.95
UNMARKED: Final = 0.94  # without the arrow that was asked for
SIMILAR: Final = 0.9  # times the share of letters that are right
INSIDE: Final = 0.5  # times the share of the word that was asked for
PART: Final = 0.9  # of a longer phrase: "Save" in "Save changes?" is worth less than a button "Save"
WRAPPED: Final = 0.98  # over a line break

SPACE: Final = 1.6  # a gap wider than this, in heights, is between columns and not between words
ALONE: Final = 1.0  # a gap this wide sets a label apart from its neighbours
SHORTEST_INSIDE: Final = 3  # letters; anything contains a shorter text
REMEMBERED: Final = 4  # screens
LONG_KANA: Final = 5  # letters from which one that differs in its marks only is a slip and not another word
SURE_OF_THE_END: Final = (
    10  # letters below which one more or less at the end is another word: "Save" and "Saved"
)
UNLIKE: Final = 0.35  # similarity below which naming a text would not help

_LOOK_ALIKE: Final = str.maketrans({"1": "l", "i": "l", "|": "l", "!": "l", "0": "o", ",": ".", ";": ":"})
# What no reader can tell apart without the words around it: katakana and the Chinese character or hiragana that is
# drawn the same, small kana and large ones.
_DRAWN_ALIKE: Final = _LOOK_ALIKE | str.maketrans(
    "力口二夕八工才千卜一―—へべぺりァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎ",
    "カロニタハエオチトーーーヘベペリアイウエオツヤユヨワカケあいうえおつやゆよわ",
)
# Persian and Arabic forms of one letter, of which some are drawn the same.
_FORMS_ALIKE: Final = str.maketrans("یىکہھۀ", "ييكههة")
# Kana without the two small marks that a reader confuses where letters are small.
_VOICELESS: Final = str.maketrans(
    "がぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽガギグゲゴザジズゼゾダヂヅデドバビブベボパピプペポヴ",
    "かきくけこさしすせそたちつてとはひふへほはひふへほカキクケコサシスセソタチツテトハヒフヘホハヒフヘホウ",
)
_UNSPACED: Final = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]"
)
_ORNAMENT: Final = (
    "\u25a0-\u25ff\u2600-\u27bf\u2022"  # bullets, boxes, stars and arrows, which a reader glues to words
)
# What parts labels that stand beside each other, as in "Home>Garden", "Terms|Help", "Map/List" and "Ann,Bob".
_BETWEEN: Final = rf"[{_ORNAMENT}\u00ab\u00b7\u00bb\u2039\u203a\u2219\u2190-\u21ff<>|\u00a6]"
_LOOSE: Final = "/,"
_SEPARATOR: Final = rf"{_BETWEEN}+|(?<=[^\W\d]{{2}})[{_LOOSE}](?=[^\W\d]{{2}})"
_PARTS: Final = re.compile(
    rf"{_UNSPACED.pattern}|{_SEPARATOR}|(?:(?!{_SEPARATOR})[^{_UNSPACED.pattern[1:]})+"
)
"""A character of a script without spaces, what stands between labels, or all up to the next of these."""
_HANGUL: Final = re.compile("[\uac00-\ud7af]")
_RIGHT_TO_LEFT: Final = WRITTEN_IN["rtl"]
# Marks of direction and joining, and the vowels that Arabic and Hebrew mostly leave out.
_UNSEEN: Final = re.compile(
    "[\u00ad\u0640\u064b-\u0652\u0591-\u05bd\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
# Where a reader may have missed the space: as in "No.7", and where it read one of Arabic as a line.
_FULL_STOP: Final = re.compile(
    rf"(?<=[^\W\d])[.,](?=\w)|(?<={_RIGHT_TO_LEFT.pattern})_(?={_RIGHT_TO_LEFT.pattern})"
)
_SIGNED: Final = re.compile(r"[+\u2212\u2013-]")
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
    scores higher than the same words in a sentence. Chinese and Japanese need no spaces around what is
    sought, and text that runs from right to left is found however its characters are ordered. Parts of words
    are returned only when nothing else is. With ``exact``, only the very same characters count. Raises
    ``ValueError`` for a query without characters.
    """
    return _index_of(lines).find(query, exact=exact)


def closest(lines: Sequence[Line], query: str, n: int = 3) -> tuple[str, ...]:
    """The texts of the screen most like the query, best first, for a message that it was not found."""
    wanted = Wanted.of(query)
    matcher = SequenceMatcher(None, b=wanted.folded, autojunk=False)
    ratios: dict[str, float] = {}
    for run in _index_of(lines).runs(2 * wanted.longest + 4):
        if run.alone or len(run.text.split()) == len(query.split()):
            matcher.set_seq1(run.text.casefold())
            ratios[run.text] = matcher.ratio() if matcher.quick_ratio() >= UNLIKE else 0.0
    likely = [text for text, ratio in ratios.items() if ratio >= UNLIKE]
    return tuple(sorted(likely, key=lambda text: -ratios[text])[:n])


_recent: deque[tuple[tuple[Line, ...], Index]] = deque(maxlen=REMEMBERED)


def _index_of(lines: Sequence[Line]) -> Index:
    """The index of these lines; the one made before if they are the very same, as for the next question to a screen."""
    for known, index in tuple(_recent):  # another thread may add to it meanwhile
        if known is lines:
            return index
    index = Index(lines)
    if isinstance(lines, tuple):  # a list may become another
        _recent.append((lines, index))
    return index


class Index:
    """The words of a screen, arranged so that a question looks at few of them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._phrases = [
            tuple((word, (number, position)) for position, word in part)
            for number, line in enumerate(lines)
            for part in _phrases(_tokens(line))
        ]
        boxes = [union(word.region for word, _ in phrase) for phrase in self._phrases]
        self._breaks = list(_line_breaks(boxes))
        self._words = [(word, word.text.casefold()) for line in lines for word in line.words]
        forms = [Forms.of(_text(word for word, _ in phrase)) for phrase in self._phrases]
        self._text = Haystack(forms)
        self._wrapped = Haystack([forms[upper].then(forms[lower]) for upper, lower in self._breaks])
        self._answers: dict[tuple[str, bool], tuple[Found, ...]] = {}

    def find(self, query: str, *, exact: bool) -> tuple[Found, ...]:
        """As ``lines.find``; the same question again costs nothing."""
        if (query, exact) not in self._answers:
            self._answers[query, exact] = self._found(query, exact=exact)
        return self._answers[query, exact]

    def _found(self, query: str, *, exact: bool) -> tuple[Found, ...]:
        for wanted in Wanted.orders_of(query):
            graded = [(wanted.grade(run, exact=exact) * run.worth, run) for run in self._likely(wanted)]
            hits = _without_shared_words([hit for hit in graded if hit[0] > 0])
            if not hits and not exact:
                inside = self._inside_words(wanted)
                if inside:
                    return inside
            if hits:
                return tuple(
                    Found(text=run.text, region=run.region, score=round(score, 4)) for score, run in hits
                )
        return ()

    def _likely(self, wanted: Wanted) -> Iterator[Run]:
        """The runs of phrases that share letters with what is wanted."""
        for number in self._text.holding(wanted):
            for start in range(len(self._phrases[number])):
                yield from _from(self._phrases[number], start, wanted.longest)
        for number in self._wrapped.holding(wanted):
            upper, lower = self._breaks[number]
            yield from _over(self._phrases[upper], self._phrases[lower], wanted.longest)

    def runs(self, longest: int) -> Iterator[Run]:
        """All runs of at most that many letters on one line."""
        for phrase in self._phrases:
            for start in range(len(phrase)):
                yield from _from(phrase, start, longest)

    def _inside_words(self, wanted: Wanted) -> tuple[Found, ...]:
        """Where the query is a part of a longer word, as when a reader glued two together."""
        if len(wanted.folded) < SHORTEST_INSIDE:
            return ()
        found = []
        for word, folded in self._words:
            start = folded.find(wanted.folded)
            if start >= 0:
                share = min(1.0, len(wanted.folded) / len(word.text))
                region = _part(word, start, len(wanted.folded))
                found.append(Found(text=word.text, region=region, score=round(INSIDE * share, 4)))
        return tuple(sorted(found, key=lambda hit: -hit.score))


class Forms(NamedTuple):
    """A text without spaces in the forms in which it is sought: as printed, its letters, its shape."""

    folded: str
    letters: str
    shape: str

    @classmethod
    def of(cls, text: str) -> Forms:
        """The forms of a text."""
        printed = normal(text)
        letters = letters_of(printed)
        return cls(printed.casefold().replace(" ", ""), letters.translate(_LOOK_ALIKE), _shape(letters))

    def then(self, other: Forms) -> Forms:
        """The forms of the two texts one after the other."""
        return Forms(*(one + two for one, two in zip(self, other, strict=True)))


class Haystack:
    """Many texts, in which those that may hold a short one are found at once."""

    def __init__(self, forms: Sequence[Forms]) -> None:
        columns = [tuple(column) for column in zip(*forms, strict=True)]
        self._texts = ["\n".join(column) for column in columns]
        self._starts = [list(accumulate((len(text) + 1 for text in column), initial=0)) for column in columns]

    def holding(self, wanted: Wanted) -> list[int]:
        """The numbers of the texts that may hold what is wanted, in order."""
        numbers: set[int] = set()
        for text, starts, needles in zip(self._texts, self._starts, wanted.needles, strict=False):
            for needle in needles:
                at = text.find(needle)
                while at >= 0:
                    number = bisect_right(starts, at) - 1
                    numbers.add(number)
                    at = text.find(needle, starts[number + 1])
        return sorted(numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word, or a character of a script that puts no spaces between words; ``glued`` to the one before."""

    text: str
    region: Region
    glued: bool = False


class Run(NamedTuple):
    """Words that follow each other; ``places`` are their line and position, ``alone`` if set apart."""

    words: tuple[Token, ...]
    places: frozenset[tuple[int, int]]
    alone: bool
    wrapped: bool = False

    @property
    def text(self) -> str:
        """The words with single spaces, where their script has any."""
        return _text(self.words)

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
    def orders_of(cls, query: str) -> Iterator[Wanted]:
        """What may be meant by a query: of right-to-left text perhaps its characters as they stand on the screen."""
        yield cls.of(query)
        if _RIGHT_TO_LEFT.search(query):
            yield cls.of(normal(query)[::-1])

    @classmethod
    def of(cls, query: str) -> Wanted:
        """The forms of a query."""
        printed = normal(query)
        if not printed:
            raise ValueError(f'The text to find is "{query}", which has no characters; give a word of it.')
        letters = letters_of(printed)
        return cls(
            printed=printed,
            folded=printed.casefold(),
            letters=letters,
            shape=_shape(letters),
            slips=_slips_allowed(letters),
        )

    @property
    def needles(self) -> tuple[tuple[str, ...], ...]:
        """For each of the ``Forms`` the pieces of the query one of which a text must hold to be the query.

        Of one more piece than slips are allowed, at least one has none.
        """
        plain = self.letters.translate(_LOOK_ALIKE)
        pieces = self.slips + 1
        return (self.folded.replace(" ", ""),), _pieces(plain, pieces), _pieces(self.shape, pieces)

    @property
    def longest(self) -> int:
        """The letters that a text may have and still be this one; "rn" may stand for "m"."""
        return len(self.printed.replace(" ", "")) + self.slips + 2 + self.folded.count("m")

    def grade(self, run: Run, *, exact: bool) -> float:
        """How much the run is the query, 0 for not at all."""
        printed = normal(run.text)
        if printed == self.printed:
            return SAME
        if exact:
            return 0.0
        if printed.casefold() == self.folded:
            return SAME_BUT_CASE
        marked = _is_marked(self.printed)
        if run.has_mark_at_an_end and not marked:
            return 0.0
        letters = letters_of(printed)
        if letters == self.letters:
            return self._same_letters(printed, marked=marked)
        shape = _shape(letters)
        if shape != self.shape:
            return self._similar(letters, shape)
        if _drawn(letters) == _drawn(self.letters):
            return LOOKS_SAME
        return SIMILAR if len(shape) >= LONG_KANA else 0.0

    def _same_letters(self, printed: str, *, marked: bool) -> float:
        """What the same letters are worth: "57" is not "+57", and "Next >" is rather "Next>" than "Next"."""
        if letters_of(printed).isdigit() and bool(_SIGNED.match(printed)) != bool(
            _SIGNED.match(self.printed)
        ):
            return 0.0
        return UNMARKED if marked and not _is_marked(printed) else SAME_LETTERS

    def _similar(self, letters: str, shape: str) -> float:
        if not self.slips or _digits(letters) != _digits(self.letters) or _kept(shape) != _kept(self.shape):
            return 0.0
        if len(self.shape) < SURE_OF_THE_END and (
            shape.startswith(self.shape) or self.shape.startswith(shape)
        ):
            return 0.0
        slips = distance(self.shape, shape, self.slips)
        return 0.0 if slips > self.slips else SIMILAR * (1 - slips / len(self.shape))


def normal(text: str) -> str:
    """The text in one form of Unicode, with single spaces and without marks that are not seen."""
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFKC", text)).split())


def _text(tokens: Iterable[Token]) -> str:
    text = "".join(token.text if token.glued else f" {token.text}" for token in tokens)
    return text.removeprefix(" ")


def _pieces(text: str, count: int) -> tuple[str, ...]:
    """The text in that many pieces of about the same length."""
    ends = [round(len(text) * number / count) for number in range(count + 1)]
    return tuple(text[start:end] for start, end in pairwise(ends) if end > start)


def letters_of(text: str) -> str:
    """Small letters without spaces or the punctuation around words; the text itself if it has no other."""
    spaced = _UNSPACED.sub(r" \g<0> ", _FULL_STOP.sub(" ", text.casefold()))
    words = [_EDGES.sub("", word) for word in spaced.split()]
    return "".join(words) or text.casefold().replace(" ", "")


def _shape(letters: str) -> str:
    """The letters with those that a reader confuses made one, and Korean syllables taken apart."""
    shape = _drawn(letters).translate(_VOICELESS)
    return _HANGUL.sub(lambda syllable: unicodedata.normalize("NFD", syllable[0]), shape)


def _drawn(letters: str) -> str:
    """The letters with those that are drawn the same, or nearly, made one."""
    return letters.replace("rn", "m").replace("vv", "w").translate(_DRAWN_ALIKE).translate(_FORMS_ALIKE)


def _slips_allowed(letters: str) -> int:
    """Wrong letters forgiven: none in short words, where they make another word; digits never are.

    Nor are characters of a script without spaces, each of which is a word or nearly. Arabic and Hebrew leave out
    vowels, so that one other letter is another word sooner.
    """
    length = len(letters) - len(_digits(letters)) - len(_kept(letters))
    length -= len(_RIGHT_TO_LEFT.findall(letters)) // 2
    if length < 5:  # noqa: PLR2004 - "Save" is not "Same"
        return 0
    return 1 if length < 10 else min(length // 6, 4)  # noqa: PLR2004 - "Submit" one, "Submit Order" two


def _digits(letters: str) -> str:
    return "".join(character for character in letters if character.isdigit())


def _kept(letters: str) -> str:
    """The characters of scripts without spaces, in which no slip is forgiven."""
    return "".join(_UNSPACED.findall(letters))


def distance(one: str, other: str, limit: int) -> int:
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


Placed = tuple[Token, tuple[int, int]]


def _tokens(line: Line) -> list[Token]:
    """The words of a line, and of scripts without spaces between words the characters."""
    tokens = []
    for word in line.words:
        for part in _PARTS.finditer(word.text):
            whole = len(part[0]) == len(word.text)
            region = word.region if whole else _part(word, part.start(), len(part[0]))
            tokens.append(Token(text=part[0], region=region, glued=part.start() > 0))
    return tokens


def _phrases(tokens: Sequence[Token]) -> list[list[tuple[int, Token]]]:
    """The words of a line with their positions, parted where the gap is too wide for a space."""
    parts: list[list[tuple[int, Token]]] = []
    for position, word in enumerate(tokens):
        if parts and _gap(parts[-1][-1][1], word) <= SPACE:
            parts[-1].append((position, word))
        else:
            parts.append([(position, word)])
    return parts


def _gap(one: Token, other: Token) -> float:
    """The space between two words in heights of the taller, whichever stands on the left."""
    height = max(one.region.height, other.region.height, 1)
    return max(other.region.left - one.region.right, one.region.left - other.region.right) / height


def _from(phrase: Sequence[Placed], start: int, longest: int) -> Iterator[Run]:
    """The runs that start at one word."""
    for end in range(start + 1, len(phrase) + 1):
        words = tuple(word for word, _ in phrase[start:end])
        if end > start + 1 and sum(len(word.text) for word in words) > longest:
            return
        begins = start == 0 or _parts(phrase[start - 1][0], words[0])
        ends = end == len(phrase) or _parts(words[-1], phrase[end][0])
        yield Run(words, frozenset(place for _, place in phrase[start:end]), begins and ends)


def _parts(left: Token, right: Token) -> bool:
    """Whether the two are not of one label: far apart, or one is a mark; "TCP/IP" is more often one than two."""
    if right.glued and (left.text in _LOOSE or right.text in _LOOSE):
        return False
    return _gap(left, right) >= ALONE or _is_mark(left) or _is_mark(right)


def _is_marked(printed: str) -> bool:
    """Whether a text begins or ends with an arrow or an ornament."""
    return any(re.match(_BETWEEN, end) for end in (printed[0], printed[-1]))


def _is_mark(word: Token) -> bool:
    return not any(character.isalnum() for character in word.text)


def _line_breaks(boxes: Sequence[Region]) -> Iterator[tuple[int, int]]:
    """Which phrase continues in which: the next one below, near, and aligned at a side or centred."""
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
    middles = above.left + above.width / 2 - below.left - below.width / 2
    return near and min(abs(above.left - below.left), abs(middles), abs(above.right - below.right)) <= low


def _over(upper: Sequence[Placed], lower: Sequence[Placed], longest: int) -> Iterator[Run]:
    """The runs that end one phrase and begin the next."""
    for start in reversed(range(len(upper))):
        if sum(len(word.text) for word, _ in upper[start:]) > longest:
            return
        for end in range(1, len(lower) + 1):
            placed = (*upper[start:], *lower[:end])
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


def _part(word: Word, start: int, length: int) -> Region:
    """Where a part of a word stands; as if its letters were equally wide where the reader did not say."""
    box, many = word.region, len(word.text)
    end = min(start + length, many)
    if len(word.edges) == many + 1:
        left, right = sorted((word.edges[start], word.edges[end]))
    else:
        left, right = (box.left + round(box.width * position / many) for position in (start, end))
    return Region(left, box.top, max(1, right - left), box.height)
