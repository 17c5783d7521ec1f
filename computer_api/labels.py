"""Whether words are all of a label, or a part of a longer one: a click on "Save" must not press "Save As"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

from computer_api.geometry import Box
from computer_api.sight import folded, holds, smallest
from computer_api.verifying import WRITTEN
from computer_vision.regions import union

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_api.sight import Sight
    from computer_vision.reader import Line, Region, Word

_LONGEST = 8  # words of a label that no program tells; what has more is a sentence, of which a part is enough
_SENTENCE = 3  # words before the last of a label that make it a sentence
_SHORT = 4  # words that are a label on any control, and not a line of what one holds
_MOST_OF = 0.8  # of a control's name: words that are so much of it are its label
_APART = 1.0  # of its height: a gap that parts labels
_ROUND = 4  # heights of its text that a button may have, and widths of it
_DRAWN_BEFORE = frozenset("+\uff0b√≡")  # as an icon before a label is read; before a number they are a sign
_ARROWS = frozenset("←↑→↓↔↗↘▶◀▷◁")  # which count as mathematics
# What stands after a label and changes: how many there are; and an arrow that opens or sorts, as it is read.
_BESIDE = re.compile(r"^\(?\d{1,4}\+?\)?$|^[v4▾▴]$")
_MODIFIER = r"(?:ctrl|control|strg|alt|shift|super|meta|cmd)"
_ACCELERATOR = re.compile(rf"\(?(?:(?:{_MODIFIER}\s*[+-]\s*)+\w+|f\d{{1,2}}|del|esc|tab|enter)\)?|\(\w\)")


def longer_label(sight: Sight, region: Region, words: str) -> str | None:
    """The whole label of the control that the words at that region (captured pixels) are only a part of; else None."""
    whole, around = phrase_around(sight.lines, region)
    rest = _rest(folded(whole), folded(words))
    if rest is None or _ACCELERATOR.fullmatch(rest):
        return None
    if _is_control(sight, whole, sight.screenshot.box_of(around)):
        return whole
    return whole if len(whole.split()) <= _LONGEST and is_drawn_button(sight, around) else None


def other_label(sight: Sight, region: Region, words: str) -> str | None:
    """The whole label of another field, of which the words at that region are the end: "Last name" is no "Name".

    "Name (optional)" and "E-mail address" begin with the words, and a sentence that ends in them asks for just that.
    """
    whole, _ = phrase_around(sight.lines, region)
    before, found, _ = folded(whole).partition(folded(words))
    return whole if found and 0 < len(before.split()) < _SENTENCE and before.strip(" .…:*") else None


def phrase_around(lines: Sequence[Line], region: Region) -> tuple[str, Region]:
    """The words there with those beside them that no wide gap and no mark parts from them, and the region of all."""
    for line in lines:
        at = [number for number, word in enumerate(line.words) if _overlap(word.region, region)]
        if not at:
            continue
        first, last = at[0], at[-1]
        while first > 0 and _together(line.words[first - 1], line.words[first]):
            first -= 1
        while last + 1 < len(line.words) and _together(line.words[last], line.words[last + 1]):
            last += 1
        words = line.words[first : last + 1]
        return " ".join(word.text for word in words), union(word.region for word in words)
    return "", region


def _rest(whole: str, part: str) -> str | None:
    """What the whole has beside the part; None where the part is all of it, or is not in it."""
    before, found, after = whole.partition(part)
    after = _BESIDE.sub("", after.strip())
    if before.strip() in _DRAWN_BEFORE and part[0].isalpha():
        before = ""
    rest = "".join(sign for sign in f"{before} {after}" if not _is_ornament(sign)).strip(" .…:*")
    return rest if found and rest else None


def _is_ornament(sign: str) -> bool:
    """Whether it is drawn beside words and not a part of them: a star, an arrow; the signs of "C++" are none."""
    return category(sign) == "So" or sign in _ARROWS


def _is_control(sight: Sight, words: str, box: Box) -> bool:
    """Whether the words are what a program wrote on a control, or an entry of an open menu.

    Many words are only when they are about all of its name: a card may be one button with sentences on it.
    """
    if any(box.center in Box(*popup.area) for popup in sight.popups if popup.kind == "menu"):
        return True
    holding = [element for element in sight.elements if holds(Box(*element.area), box)]
    inner = smallest(holding)
    if inner is None or inner.role not in WRITTEN:
        return False
    return len(words.split()) <= _SHORT or len(words) >= _MOST_OF * len(inner.name) > 0


def is_drawn_button(sight: Sight, text: Region) -> bool:
    """Whether a box is drawn around the text, with the text in its middle; a bar that goes on to its sides is none."""
    from computer_vision.fields import boxes_near

    pixels = sight.screenshot.frame.pixels
    left, top = max(0, text.left - 2 * _ROUND * text.height), max(0, text.top - _ROUND * text.height)
    right, bottom = text.right + 2 * _ROUND * text.height, text.bottom + _ROUND * text.height
    here = text._replace(left=text.left - left, top=text.top - top)
    near = pixels[top:bottom, left:right]
    width = near.shape[1]
    return any(_hugs(box, here) for box in boxes_near(near, here) if box.left >= 0 and box.right <= width)


def _hugs(box: Region, text: Region) -> bool:
    margins = text.left - box.left, box.right - text.right
    high = text.top - box.top, box.bottom - text.bottom
    return (
        min(*margins, *high) >= 0
        and abs(margins[0] - margins[1]) <= max(8, box.width // 10)
        and box.height <= _ROUND * text.height
    )


def _overlap(one: Region, other: Region) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    return across > 0 and 2 * down > min(one.height, other.height)


def _together(left: Word, right: Word) -> bool:
    gap = right.region.left - left.region.right
    height = max(left.region.height, right.region.height, 1)
    return gap < _APART * height and all(any(map(str.isalnum, word.text)) for word in (left, right))
