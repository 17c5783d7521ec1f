"""Characters that hide, shown: what a person approves must be what would run."""

from __future__ import annotations

import re
import unicodedata

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNSEEN_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters, by their category, that are drawn as nothing: fillers of Hangul and Khmer, the empty Braille cell."""
_VARIATION = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_HIDING_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zs", "Zl", "Zp"})
_PLAIN = re.compile(r"[\t\n -~]*")


def visible(code: str) -> str:
    r"""The code with every character that is not seen, or is seen as something else, as a mark like ⟨U+202E⟩.

    Tabs, line feeds and spaces stay; so does ``\r`` before a line feed. A mark of the code's own stays as it is.
    """
    if _PLAIN.fullmatch(code):
        return code
    return "".join(_mark(char) if _hides(char) else char for char in code.replace("\r\n", "\n"))


def visible_line(words: str) -> str:
    """The same for what stands in a line with other words: a line feed is a mark too."""
    return visible(words).replace("\r\n", "\n").replace("\n", _mark("\n"))


def has_bidi(code: str) -> bool:
    """Whether it holds a control that makes text run the other way, so that it reads otherwise than it runs."""
    return not code.isascii() and not _BIDI.isdisjoint(code)


def hides(code: str) -> bool:
    """Whether any of its characters would be shown as a mark."""
    return not _PLAIN.fullmatch(code) and any(_hides(char) for char in code.replace("\r\n", "\n"))


def _hides(char: str) -> bool:
    if char in "\t\n ":
        return False
    return (
        unicodedata.category(char) in _HIDING_CATEGORIES
        or char in _UNSEEN_LETTERS
        or _VARIATION.match(char) is not None
    )


def _mark(char: str) -> str:
    return f"⟨U+{ord(char):04X}⟩"
