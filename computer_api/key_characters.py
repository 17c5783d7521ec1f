"""The names that X gives to the characters on keys (``adiaeresis``, ``Cyrillic_zhe``, ``EuroSign``), as characters.

From X11's keysymdef.h. Case matters in these names: ``Adiaeresis`` is the capital.
"""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    "grave": "GRAVE",
    "acute": "ACUTE",
    "circumflex": "CIRCUMFLEX",
    "tilde": "TILDE",
    "diaeresis": "DIAERESIS",
    "ring": "RING ABOVE",
    "cedilla": "CEDILLA",
    "caron": "CARON",
    "ogonek": "OGONEK",
    "abovedot": "DOT ABOVE",
    "breve": "BREVE",
    "macron": "MACRON",
    "doubleacute": "DOUBLE ACUTE",
    "stroke": "STROKE",
    "slash": "STROKE",
}
_ACCENTED = re.compile(rf"([A-Za-z])({'|'.join(_ACCENTS)})")
_GREEK_ACCENTS = {
    "accent": " WITH TONOS",
    "accentdieresis": " WITH DIALYTIKA AND TONOS",
    "dieresis": " WITH DIALYTIKA",
    "diaeresis": " WITH DIALYTIKA",
    "": "",
}
_GREEK = re.compile(r"Greek_([A-Z]+|[a-z]+?)(accentdieresis|accent|di?aeresis|dieresis|)")
_CYRILLIC = re.compile(r"(?:Cyrillic|Byelorussian|Ukrainian|Ukranian|Serbian|Macedonia)_([A-Z]+|[a-z]+)")
_CYRILLIC_LETTERS = {
    "shorti": "SHORT I",
    "shortu": "SHORT U",
    "hardsign": "HARD SIGN",
    "softsign": "SOFT SIGN",
    "dse": "DZE",
}
_GREEK_LETTERS = {"lambda": "LAMDA"}  # as Unicode spells it
# Where a letter's name depends on whose it is.
_CYRILLIC_NAMES = {
    "ukrainian_i": "BYELORUSSIAN-UKRAINIAN I",
    "ukrainian_ie": "UKRAINIAN IE",
    "ukrainian_yi": "YI",
    "ukranian_i": "BYELORUSSIAN-UKRAINIAN I",
    "ukranian_je": "UKRAINIAN IE",
    "ukranian_yi": "YI",
}
_PAIRS = """
AE Æ  ae æ  ETH Ð  Eth Ð  eth ð  THORN Þ  Thorn Þ  thorn þ  ssharp ß  Ooblique Ø  oslash ø  ooblique ø  OE Œ
oe œ  ENG Ŋ  eng ŋ  idotless ı  kra ĸ  kappa ĸ  acute ´  cedilla ¸  diaeresis ¨  macron ¯  abovedot ˙
breve ˘  caron ˇ  doubleacute ˝  ogonek ˛  brokenbar ¦  cent ¢  copyright ©  currency ¤  degree °  division ÷
exclamdown ¡  questiondown ¿  guillemotleft «  guillemotright »  masculine º  ordfeminine ª  mu µ  multiply ×
notsign ¬  onehalf ½  onequarter ¼  threequarters ¾  onesuperior ¹  twosuperior ²  threesuperior ³
paragraph ¶  periodcentered ·  plusminus ±  registered ®  section §  sterling £  yen ¥  EuroSign €
numerosign №  trademark ™  emdash —  endash –  ellipsis …  leftdoublequotemark “  rightdoublequotemark ”
leftsinglequotemark ‘  rightsinglequotemark ’  Greek_finalsmallsigma ς
"""
_SIGNS = dict(zip(_PAIRS.split()[::2], _PAIRS.split()[1::2], strict=True))
_SIGNS["nobreakspace"] = "\N{NO-BREAK SPACE}"
_UNICODE = re.compile(r"[Uu]\+?([0-9A-Fa-f]{4,6})")


def character_named(name: str) -> str | None:
    """The character that X, or ``U20AC`` and ``U+20AC``, calls so; None for the names of other keys."""
    if name in _SIGNS:
        return _SIGNS[name]
    if (found := _ACCENTED.fullmatch(name)) is not None:
        return _looked_up("LATIN", found[1], f"{found[1].upper()} WITH {_ACCENTS[found[2]]}")
    if (found := _UNICODE.fullmatch(name)) is not None:
        code = int(found[1], 16)
        character = chr(code) if code < 0x110000 else "\0"  # noqa: PLR2004 - where Unicode ends
        return character if character.isprintable() and not character.isspace() else None
    if (found := _GREEK.fullmatch(name)) is not None:
        letter = _GREEK_LETTERS.get(found[1].casefold(), found[1].upper())
        return _looked_up("GREEK", found[1], letter + _GREEK_ACCENTS.get(found[2], ""))
    if (found := _CYRILLIC.fullmatch(name)) is not None:
        return _cyrillic(name, found[1])
    return None


def _cyrillic(name: str, letter: str) -> str | None:
    known = _CYRILLIC_NAMES.get(name.casefold()) or _CYRILLIC_LETTERS.get(letter.casefold())
    return _looked_up("CYRILLIC", letter, known or letter.upper())


def _looked_up(script: str, letter: str, name: str) -> str | None:
    """The letter of that Unicode name, in the case in which X wrote it."""
    case = "CAPITAL" if letter.isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"{script} {case} LETTER {name}")
    except KeyError:
        return None
