"""Which script a line is written in, guessed from what a network that does not know the script makes of it.

PP-OCR's tiny network knows Latin, Greek and Chinese. Of another script it reads the characters that look most like
its own, and is unsure: Hebrew becomes "n327x", Cyrillic "An6aHna", kana "十又力". Which characters, in which order
and how sure tells the scripts apart. The table of weights beside the network's is ours: a linear classifier that was
fitted to the texts of programs in seventeen languages, as a browser draws them.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Script = Literal["kana", "hangul", "rtl", "cyrillic"]
SCRIPTS: Final[tuple[Script, ...]] = ("kana", "hangul", "rtl", "cyrillic")  # the columns of the table

TABLE: Final = "scripts.tsv"
SURE: Final = 0.95  # mean score: what the network is so sure of is of a script that it knows
UNSURE: Final = 0.6  # of a character
OFTEN: Final = 3  # a character that comes more often counts no more
HUNDREDTHS: Final = 100


class Extent(NamedTuple):
    """Where the characters of a script are in Unicode: first and last of each block."""

    blocks: tuple[tuple[str, str], ...]

    def __contains__(self, character: object) -> bool:
        return isinstance(character, str) and any(a <= character <= b for a, b in self.blocks)


HAN: Final = Extent((("\u2e80", "\u2fdf"), ("\u3005", "\u3007"), ("\u3400", "\u9fff"), ("\uf900", "\ufaff")))
KANA: Final = Extent((("\u3041", "\u30ff"), ("\u31f0", "\u31ff"), ("\uff66", "\uff9f")))
HANGUL: Final = Extent((("\u1100", "\u11ff"), ("\u3130", "\u318f"), ("\uac00", "\ud7af")))
RIGHT_TO_LEFT: Final = Extent((("\u0590", "\u08ff"), ("\ufb1d", "\ufdff"), ("\ufe70", "\ufeff")))
CYRILLIC: Final = Extent((("\u0400", "\u052f"),))
WRITTEN_IN: Final[Mapping[Script, tuple[Extent, ...]]] = {
    "kana": (KANA, HAN),
    "hangul": (HANGUL,),
    "rtl": (RIGHT_TO_LEFT,),
    "cyrillic": (CYRILLIC,),
}


def guessed(text: str, scores: Sequence[float]) -> Script | None:
    """The script that a line is likely written in of those the network does not know, by what it read and how surely.

    ``scores`` are those of the characters, 0 to 1. None where the network knows it, or it is no text.
    """
    if not scores or sum(scores) / len(scores) >= SURE:
        return None
    found = _features(text, scores)
    table = _table()
    sums = [
        sum(count * table[name][column] for name, count in found.items() if name in table)
        for column in range(len(SCRIPTS))
    ]
    best = max(range(len(SCRIPTS)), key=sums.__getitem__)
    return SCRIPTS[best] if sums[best] > 0 else None


def share_in(script: Script, text: str) -> float:
    """How much of the letters and digits of a text are of a script, 0 to 1."""
    letters = [character for character in text if character.isalnum()]
    own = sum(any(letter in extent for extent in WRITTEN_IN[script]) for letter in letters)
    return own / len(letters) if letters else 0.0


def _features(text: str, scores: Sequence[float]) -> dict[str, float]:
    """What the table has weights for: characters, pairs of kinds of characters, and doubts."""
    counted = Counter(f"c{character}" for character in text)
    kinds = "^" + "".join(map(_kind, text)) + "$"
    counted.update(f"k{one}{other}" for one, other in pairwise(kinds))
    found: dict[str, float] = {name: min(count, OFTEN) for name, count in counted.items()}
    found["s"] = 10 * (1 - sum(scores) / len(scores))
    found["low"] = 3 * sum(score < UNSURE for score in scores) / len(text)
    found["1"] = 1.0
    return found


def _kind(character: str) -> str:
    if character.isspace():
        return "_"
    if character in HAN:
        return "H"
    if character.isdigit():
        return "0"
    if not character.isalpha():
        return "."
    if character > "\u024f":  # beyond Latin
        return "x"
    return "U" if character.isupper() else "l"


@cache
def _table() -> dict[str, tuple[float, ...]]:
    """For each feature what it says for each script, against all that the network knows."""
    text = (resources.files("computer_vision") / "weights" / TABLE).read_text(encoding="utf-8")
    rows = (row.split("\t") for row in text.split("\n")[1:] if row)
    return {name: tuple(int(value) / HUNDREDTHS for value in values) for name, *values in rows}
