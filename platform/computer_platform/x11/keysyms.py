"""Characters and key names as keysyms, the numbers that X gives to what is printed on keys."""

from __future__ import annotations

import importlib
import re
import sys

_UNICODE = 0x01000000
_LATIN1 = frozenset((*range(0x20, 0x7F), *range(0xA0, 0x100)))
_CONTROLS = frozenset((*range(0x20), *range(0x7F, 0xA0)))
_HALVES = range(0xD800, 0xE000)  # of characters, as UTF-16 writes them
_HEXADECIMAL = re.compile("U[0-9A-Fa-f]{4,6}")
_TYPED_AS_KEYS = {"\n": 0xFF0D, "\r": 0xFF0D, "\t": 0xFF09}

_KEYPAD = {
    0xFF80: " ",
    0xFFBD: "=",
    **{0xFFAA + place: sign for place, sign in enumerate("*+,-./0123456789")},
}
_NAME_GROUPS = ("miscellany", "latin1", "xkb", "xf86", "latin2", "greek", "cyrillic")

# Keysyms older than Unicode: the second byte names a code page, the first a character of it.
# Only code pages that agree with the keysym table on every letter; what is left out is typed
# through a scratch key, which is slower and just as right.
_CODE_PAGES = {
    0x01: ("iso8859_2", 0xA1),
    0x05: ("iso8859_6", 0xC1),
    0x06: ("koi8_r", 0xC0),
    0x0C: ("iso8859_8", 0xE0),
    0x0D: ("iso8859_11", 0xA1),
}
_OTHER_LEGACY = {
    0x20AC: "\N{EURO SIGN}",
    0x13BC: "\N{LATIN CAPITAL LIGATURE OE}",
    0x13BD: "\N{LATIN SMALL LIGATURE OE}",
    0x13BE: "\N{LATIN CAPITAL LETTER Y WITH DIAERESIS}",
    0x0AA9: "\N{EM DASH}",
    0x0AAA: "\N{EN DASH}",
    0x0AAE: "\N{HORIZONTAL ELLIPSIS}",
    0x0AD0: "\N{LEFT SINGLE QUOTATION MARK}",
    0x0AD1: "\N{RIGHT SINGLE QUOTATION MARK}",
    0x0AD2: "\N{LEFT DOUBLE QUOTATION MARK}",
    0x0AD3: "\N{RIGHT DOUBLE QUOTATION MARK}",
    0x0AFD: "\N{SINGLE LOW-9 QUOTATION MARK}",
    0x0AFE: "\N{DOUBLE LOW-9 QUOTATION MARK}",
    0x06A3: "\N{CYRILLIC SMALL LETTER IO}",
    0x06B3: "\N{CYRILLIC CAPITAL LETTER IO}",
    0x06A4: "\N{CYRILLIC SMALL LETTER UKRAINIAN IE}",
    0x06B4: "\N{CYRILLIC CAPITAL LETTER UKRAINIAN IE}",
    0x06A6: "\N{CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I}",
    0x06B6: "\N{CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I}",
    0x06A7: "\N{CYRILLIC SMALL LETTER YI}",
    0x06B7: "\N{CYRILLIC CAPITAL LETTER YI}",
    0x06B0: "\N{NUMERO SIGN}",
    0x07F2: "\N{GREEK SMALL LETTER SIGMA}",
    0x07F3: "\N{GREEK SMALL LETTER FINAL SIGMA}",
}
_GREEK = ((0x07C1, 0x07D1), (0x07D4, 0x07D9), (0x07E1, 0x07F1), (0x07F4, 0x07F9))


def of_character(character: str) -> int | None:
    """The keysym of one character; newline is Return, tab is Tab. None for what no key can carry."""
    if character in _TYPED_AS_KEYS:
        return _TYPED_AS_KEYS[character]
    code = ord(character)
    if code in _LATIN1:
        return code
    if code in _CONTROLS or code in _HALVES:
        return None
    return _UNICODE | code


def character_of(keysym: int) -> str | None:
    """The character that the keysym writes, that of a keypad's key included; None for keys that write none."""
    keysym = canonical(keysym)
    if keysym in _LATIN1:
        return chr(keysym)
    if keysym & 0xFF000000 == _UNICODE and keysym & 0xFFFFFF <= sys.maxunicode:
        return chr(keysym & 0xFFFFFF)
    return _KEYPAD.get(keysym)


def of_name(name: str) -> int | None:
    """The keysym of a key name: ``Return``, ``XF86AudioPlay``, a single character, or ``U20AC``."""
    if len(name) == 1:
        return of_character(name) if name.isprintable() else None
    if _HEXADECIMAL.fullmatch(name):
        return _of_code(int(name[1:], 16))
    attribute = "XK_XF86_" + name[4:] if name.startswith("XF86") else "XK_" + name
    for group in _NAME_GROUPS:
        keysym = getattr(importlib.import_module(f"Xlib.keysymdef.{group}"), attribute, None)
        if keysym is not None:
            return int(keysym)
    return None


def canonical(keysym: int) -> int:
    """The keysym by which ``of_character`` knows the same character: layouts use older ones, too."""
    if keysym & 0xFF000000 == _UNICODE:
        return _of_code(keysym & 0xFFFFFF) or keysym
    character = _OTHER_LEGACY.get(keysym) or _by_code_page(keysym)
    return of_character(character) or keysym if character else keysym


def _of_code(code: int) -> int | None:
    return of_character(chr(code)) if code <= sys.maxunicode and code not in _CONTROLS else None


def _by_code_page(keysym: int) -> str | None:
    if any(first <= keysym <= last for first, last in _GREEK):
        return bytes([keysym & 0xFF]).decode("iso8859_7")
    page, first = _CODE_PAGES.get(keysym >> 8, ("", 0x100))
    if not page or keysym & 0xFF < first:
        return None
    try:
        return bytes([keysym & 0xFF]).decode(page)
    except UnicodeDecodeError:
        return None
