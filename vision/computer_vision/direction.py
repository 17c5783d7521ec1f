"""Text that runs from right to left: from how it stands on a line to how it is read, and back.

The Unicode Bidirectional Algorithm (UAX 9) for one line without explicit marks: letters of Arabic and Hebrew run to the
left, what is Latin or a number among them keeps its own direction, and brackets face the other way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_vision.recogniser import Span, Spans

_RTL: Final = "\u0590-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufeff"
RIGHT_TO_LEFT: Final = re.compile(f"[{_RTL}]")
_LEFT_TO_RIGHT: Final = re.compile(rf"(?![{_RTL}])[^\W\d_]")
_LATIN: Final = rf"(?![{_RTL}])[^\W\d_](?:[^{_RTL}]*(?![{_RTL}])\w)?"  # words, and what is between them
_AMOUNT: Final = "$€£₪%#°"  # stands with a number on whichever side it is, but not in Arabic
_KEPT: Final = re.compile(rf"{_LATIN}|[{_AMOUNT}]*\d+(?:[.,:/+-]\d+)*[{_AMOUNT}]*")
"""What runs from left to right among letters that run to the left,"""
_KEPT_IN_ARABIC: Final = re.compile(rf"{_LATIN}|\d+(?:[.,:/\u066b\u066c]\d+)*")
"""and the same among letters of Arabic, where signs part numbers."""
_ARABIC: Final = re.compile("[\u0600-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb50-\ufdff\ufe70-\ufeff]")
_RUN: Final = re.compile(rf"[{_RTL}](?:(?:(?![^\W\d_]).|[{_RTL}])*[{_RTL}])?")
"""Letters that run to the left among others, and what stands between them."""
_MIRRORED: Final = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def on_the_line(text: str) -> str:
    """The characters of a text from left to right as they stand on a line."""
    return _spelled(text, reading_order(text))


def as_read(words: Spans) -> Spans:
    """Words from left to right in the order in which they are read, each with its characters in theirs."""
    line = " ".join(word.text for word in words)
    if not RIGHT_TO_LEFT.search(line):
        return words
    order = reading_order(line)
    place = {index: position for position, index in enumerate(order)}
    read: list[tuple[int, Span]] = []
    start = 0
    for word in words:
        inside = sorted(range(start, start + len(word.text)), key=place.__getitem__)
        read.append((min(map(place.__getitem__, inside)), _turned(word, line, start, inside)))
        start += len(word.text) + 1
    return tuple(word for _, word in sorted(read, key=lambda one: one[0]))


def reading_order(characters: str) -> list[int]:
    """In which order the characters of a line are read that are given from left to right.

    The same of a text that is given as it is read is the order in which it stands on a line. The line as a whole runs
    as most of its letters do.
    """
    left = len(RIGHT_TO_LEFT.findall(characters))
    if left >= len(_LEFT_TO_RIGHT.findall(characters)):
        return _reversed(characters, 0, len(characters)) if left else list(range(len(characters)))
    order: list[int] = []
    for run in _RUN.finditer(characters):
        order += [*range(len(order), run.start()), *_reversed(characters, *run.span())]
    return [*order, *range(len(order), len(characters))]


def _reversed(characters: str, start: int, stop: int) -> list[int]:
    """From right to left, but for what keeps its own direction."""
    pieces: list[Sequence[int]] = []
    done = start
    those = _KEPT_IN_ARABIC if _ARABIC.search(characters, start, stop) else _KEPT
    for kept in those.finditer(characters, start, stop):
        pieces += [[index] for index in range(done, kept.start())]
        pieces.append(range(*kept.span()))
        done = kept.end()
    pieces += [[index] for index in range(done, stop)]
    return [index for piece in reversed(pieces) for index in piece]


def _turned(word: Span, line: str, start: int, inside: Sequence[int]) -> Span:
    """A word with its characters, whose places on the line are given, in the order in which they are read."""
    own = [index - start for index in inside]
    if own == list(range(len(own))):
        return word
    backwards = own == list(reversed(range(len(own))))
    edges = word.edges[::-1] if backwards else ()  # of a word that turns about they say nothing
    return word._replace(text=_spelled(line, inside), edges=edges)


def _spelled(characters: str, order: Sequence[int]) -> str:
    """The characters in that order; brackets among what was turned about face the other way."""
    return "".join(_facing(characters, order))


def _facing(characters: str, order: Sequence[int]) -> Iterator[str]:
    for position, index in enumerate(order):
        before, after = order[max(0, position - 1)], order[min(len(order) - 1, position + 1)]
        turned = before > index or index > after
        yield characters[index].translate(_MIRRORED) if turned else characters[index]
