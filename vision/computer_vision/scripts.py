"""Which script a line is written in, guessed from what a network that does not know the script makes of it.

PP-OCR's tiny network knows Latin, Greek and Chinese. Of another script it reads the characters that look most like
its own, and is unsure: Hebrew becomes "n327x", Cyrillic "An6aHna", kana "十又力". Which characters, in which order
and how sure tells the scripts apart. The table of weights beside the network's is ours: a linear classifier that was
fitted to the texts of programs in sixteen languages, as a browser draws them.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Script = Literal["kana", "hangul", "rtl", "cyrillic", "greek"]
SCRIPTS: Final[tuple[Script, ...]] = ("kana", "hangul", "rtl", "cyrillic")  # the columns of the table

ALPHABETIC: Final[frozenset[Script]] = frozenset({"rtl", "cyrillic", "greek"})  # of few letters

TABLE: Final = "scripts.tsv"
SURE: Final = 0.95  # mean score: what the network is so sure of is of a script that it knows
LEAST: Final = 0.35  # mean score: below, it is an icon or a half of a line
LIKELY: Final = 1.0  # what the table says of a script, at least, for it to be tried
UNSURE: Final = 0.6  # of a character
SHORTEST, SHORT, LONG = 2, 3, 20  # characters
OFTEN: Final = 3  # a character that comes more often counts no more
HUNDREDTHS: Final = 100


HAN: Final = re.compile("[\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff]")
KANA: Final = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]")
WRITTEN_IN: Final[Mapping[Script, re.Pattern[str]]] = {
    "kana": re.compile(f"{HAN.pattern}|{KANA.pattern}"),
    "hangul": re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"),
    "rtl": re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "greek": re.compile("[\u0370-\u03ff]"),
}
"""One character of each script."""

# Cyrillic letters that are drawn as Latin ones: A B E K M H O P C T Y X S I J, a e o p c y x s i j.
LATIN_LOOKING: Final = frozenset(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458"
)


def guessed(text: str, scores: Sequence[float]) -> Script | None:
    """The script that a line may be written in of those the network does not know, by what it read and how surely.

    ``scores`` are those of the characters, 0 to 1. None where the network knows the script, or it is no text.
    """
    letters = [character for character in text if character.isalnum()]
    if len(letters) < SHORTEST:
        return None  # more often an icon
    if not LEAST < sum(scores) / len(scores) < SURE:
        return None
    found, table = _features(text, scores), _table()
    sums = {
        script: sum(count * table[name][column] for name, count in found.items() if name in table)
        for column, script in enumerate(SCRIPTS)
    }
    best = max(SCRIPTS, key=sums.__getitem__)
    return best if sums[best] > LIKELY else None


def script_of(text: str) -> Script | None:
    """The script of the first letter that is not Latin; Chinese counts as Japanese."""
    return next(
        (script for letter in text for script in WRITTEN_IN if WRITTEN_IN[script].match(letter)),
        None,
    )


def share_in(script: Script, text: str) -> float:
    """How much of the letters of a text are of a script, 0 to 1; digits are of all.

    0 for Cyrillic that may as well be Latin.
    """
    letters = [character for character in text if character.isalpha()]
    if script == "cyrillic" and LATIN_LOOKING.issuperset(letters):
        return 0.0
    own = sum(WRITTEN_IN[script].match(letter) is not None for letter in letters)
    return own / len(letters) if letters else 0.0


def _features(text: str, scores: Sequence[float]) -> dict[str, float]:
    """What the table has weights for: characters, pairs of kinds of characters, and doubts."""
    counted = Counter(f"c{character}" for character in text)
    kinds = "^" + "".join(map(_kind, text)) + "$"
    counted.update(f"k{one}{other}" for one, other in pairwise(kinds))
    found: dict[str, float] = {name: min(count, OFTEN) for name, count in counted.items()}
    found["n"] = min(len(text), LONG) / 5
    found["short"] = float(len(text) < SHORT)
    found["s"] = 10 * (1 - sum(scores) / len(scores))
    found["low"] = 3 * sum(score < UNSURE for score in scores) / len(text)
    found["1"] = 1.0
    return found


def _kind(character: str) -> str:
    if character.isspace():
        return "_"
    if HAN.match(character):
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
