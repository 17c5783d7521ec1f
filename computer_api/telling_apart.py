"""What tells one of several like places from the others: its row, or the text right above or below it.

A "Delete" belongs to the row that says "Ada", a "Buy" to the card whose title stands over it. What stands around all
of them tells nothing, and neither does the order in which they stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.sight import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_api.geometry import Box
    from computer_api.sight import Sight
    from computer_api.targets import Anchors, Apart

_FURTHER = 2  # times as far as the text on the other side: it belongs to another place
_LOOK_ALIKE = str.maketrans({"1": "l", "i": "l", "|": "l", "!": "l", "0": "o"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What stands around a place: the words of its row, and the closest text of its column above or below.

    Of these two the much closer one, ``""`` for the other; ``""`` for both where neither is.
    """

    row: frozenset[str]
    above: str
    below: str


def setting_of(box: Box, row: Sequence[str], sight: Sight) -> Setting:
    """What stands around a place whose row holds those texts, from the left."""
    above, below = _captions(box, sight)
    return Setting(row=words_in(row), above=above, below=below)


def words_in(texts: Sequence[str]) -> frozenset[str]:
    """The words as they are compared, with signs made one that a reader takes for each other."""
    return frozenset(word for text in texts for word in _shape(text).split())


def what_tells(settings: Sequence[Setting], which: int, words: str) -> tuple[Apart, frozenset[str], str]:
    """What tells one place from its likes, the words that are in the row of each, and the text above or below.

    ``words`` are those that all the places have in common.
    """
    mine = settings[which]
    shared = mine.row.intersection(*(one.row for one in settings))
    rows = [one.row - shared for one in settings]
    if rows[which] and rows.count(rows[which]) == 1:
        return "row", shared, ""
    if _each_its_own([one.above for one in settings], words):
        return "above", shared, mine.above
    if _each_its_own([one.below for one in settings], words):
        return "below", shared, mine.below
    return "", shared, ""


def _each_its_own(captions: Sequence[str], words: str) -> bool:
    """Whether each place has a caption, as cards have: what stands over the first of a list is no title of it."""
    return "" not in captions and len(set(captions)) == len(captions) and _shape(words) not in captions


def stands_so(anchors: Anchors, setting: Setting, shared: frozenset[str]) -> bool:
    """Whether a place stands among what told the recorded one from its likes; ``shared`` is in the row of each now.

    All of it counts: the "Delete" beside "Ada Hall" is not the one that was beside "Ada Byron".
    """
    match anchors.apart:
        case "row":
            common = shared | words_in(anchors.shared)
            own = words_in(anchors.row) - common
            return bool(own) and own == setting.row - common
        case "above":
            return setting.above == anchors.caption
        case "below":
            return setting.below == anchors.caption
        case "":
            return False


def stands_elsewhere(row: Sequence[str], now: Setting) -> bool:
    """Whether the only place of its kind stands in the row of something else than it did.

    What a row begins with is what it is about: "Ada Hall" is not "Ada Byron". Rows without words are no sign.
    """
    return bool(now.row) and not words_in(row[:1]) <= now.row


def _captions(box: Box, sight: Sight) -> tuple[str, str]:
    """The closest texts above and below in the same column; ``""`` for one that is much farther off than the other."""
    window = sight.window_at(box.center)
    over = [
        (text, around)
        for text, around in sight.texts
        if around.left < box.right and box.left < around.right and sight.window_at(around.center) == window
    ]
    above = min(((box.top - one.bottom, text) for text, one in over if one.bottom <= box.top), default=None)
    below = min(((one.top - box.bottom, text) for text, one in over if one.top >= box.bottom), default=None)
    if above is not None and below is not None:
        if below[0] > _FURTHER * above[0]:
            below = None
        elif above[0] > _FURTHER * below[0]:
            above = None
        else:
            above = below = None  # between two: it may belong to either
    return "" if above is None else _shape(above[1]), "" if below is None else _shape(below[1])


def _shape(text: str) -> str:
    """The text's words with what a reader confuses made one; ``""`` where it has no letter and no digit."""
    words = (word.strip(".,:;*()[]'\"") for word in folded(text).split())
    return " ".join(
        word.translate(_LOOK_ALIKE) for word in words if any(sign.isalnum() for sign in word)
    ).replace("rn", "m")
