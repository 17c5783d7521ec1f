"""Letters of different alphabets that are drawn the same: a network is taught their shape, context tells which it is.

Capitals of Greek and Cyrillic look like Latin ones, and Persian writes some letters of Arabic with other code points.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_CYRILLIC: Final = dict(zip("АВЕКМНОРСТХІЅЈаеорсухіѕјЁё", "ABEKMHOPCTXISJaeopcyxisjËë", strict=True))
_GREEK: Final = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοΓΠΦ", "ABEZHIKMNOPTYXoГПФ", strict=True))
_PERSIAN: Final = dict(zip("کہھەٱۃ۰۱۲۳۷۸۹", "كهههاة٠١٢٣٧٨٩", strict=True))
_SHAPES: Final = str.maketrans(_CYRILLIC | _GREEK | _PERSIAN)

_ARABIC_LETTER: Final = "[\u0620-\u064a\u066e-\u06d3]"
_YEH: Final = "\u06cc"  # of Persian: with dots within a word, without at its end
_INNER_YEH: Final = re.compile(f"{_YEH}(?={_ARABIC_LETTER})")
_INNER, _LAST = "\u064a", "\u0649"

_ONLY_CYRILLIC: Final = re.compile("[БДЖЗИЙЛУЦЧШЩЪЫЬЭЮЯЂЃЄЇЉЊЋЌЎЏҐбвгджзийклмнптфцчшщъыьэюяђѓєїљњћќўџґҒ-ӿ]")
_ONLY_GREEK: Final = re.compile("[ΆΈΉΊΌΎΏΔΘΛΞΣΨΩά-ξπ-ώ]")
_ONLY_LATIN: Final = re.compile("[DFGLQRUVWbdfghklmnqrtuvwzÀ-ÊÌ-Öß-êì-öø-ſ]")
_CYRILLIC_OR_GREEK: Final = re.compile("[ГПФ]")
_ONLY_PERSIAN: Final = re.compile("[پچژگٹڈڑںے۴۵۶]")


def shapes(text: str) -> str:
    """The text as its letters are drawn, each shape by one character. As long as the text is."""
    return _INNER_YEH.sub(_INNER, text).replace(_YEH, _LAST).translate(_SHAPES)


def spelled(line: str) -> str:
    """What a line of shapes says: each word in the alphabet of its letters that only one has, or else of the line's.

    As long as the line is, space by space.
    """
    whole = _alphabet(line)
    return " ".join(word.translate(_alphabet(word) or whole or _guessed(word)) for word in line.split(" "))


def _alphabet(text: str) -> Mapping[int, str]:
    """From shapes to the letters of the alphabet that the text is written in; empty where nothing tells."""
    cyrillic, greek = len(_ONLY_CYRILLIC.findall(text)), len(_ONLY_GREEK.findall(text))
    if max(cyrillic, greek) > len(_ONLY_LATIN.findall(text)) // 2:
        return _TO_CYRILLIC if cyrillic >= greek else _TO_GREEK
    if _ONLY_LATIN.search(text):
        return _TO_LATIN
    return _TO_PERSIAN if _ONLY_PERSIAN.search(text) else {}


def _guessed(word: str) -> Mapping[int, str]:
    """The alphabet of a word without a letter that only one has, on a line without any."""
    return _TO_CYRILLIC if _CYRILLIC_OR_GREEK.search(word) else _TO_LATIN


_TO_LATIN: Final[Mapping[int, str]] = {ord("A"): "A"}  # as they are drawn
_TO_CYRILLIC: Final = str.maketrans(
    {shape: letter for letter, shape in _CYRILLIC.items()} | dict(zip("κρα", "кра", strict=True))
)
_TO_GREEK: Final = str.maketrans(
    {shape: letter for letter, shape in _GREEK.items()} | dict(zip("кpva", "κρνα", strict=True))
)
_TO_PERSIAN: Final = str.maketrans(
    {shape: letter for letter, shape in _PERSIAN.items() if letter not in "ہھەٱۃ"}
    | {_INNER: _YEH, _LAST: _YEH}
)
