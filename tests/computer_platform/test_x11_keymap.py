"""Keysyms, the map of a keyboard, and old titles: pure values."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from Xlib import XK

from computer_platform.desktop import Area
from computer_platform.x11 import compound_text, keysyms, screens
from computer_platform.x11.keymap import Keymap, Stroke

LEGACY_GROUPS = ("latin1", "latin2", "greek", "cyrillic")
ROWS = st.dictionaries(
    st.integers(9, 255), st.lists(st.sampled_from([0, 0, 0x61, 0x41, 0x010004D6, 0xFFE1]), max_size=7)
)


@given(st.characters())
def test_a_character_has_a_keysym_unless_it_is_a_control_or_half_a_one(character: str) -> None:
    keysym = keysyms.of_character(character)
    if character in "\n\r\t":
        assert keysym in {XK.XK_Return, XK.XK_Tab}
    elif unicodedata.category(character) in {"Cc", "Cs"}:
        assert keysym is None
    else:
        assert keysym in {ord(character), 0x01000000 | ord(character)}
        assert keysyms.canonical(0x01000000 | ord(character)) == keysym


@pytest.mark.parametrize("group", LEGACY_GROUPS)
def test_older_keysyms_mean_the_character_that_their_name_says(group: str) -> None:
    """Letters only: their X names are close enough to Unicode's to be compared."""
    module = __import__(f"Xlib.keysymdef.{group}", fromlist=["_"])
    told = {"Cyrillic_zhe": "ж", "Cyrillic_YA": "Я", "Greek_OMEGA": "Ω", "Greek_finalsmallsigma": "ς",
            "lstroke": "ł", "Scaron": "Š", "odoubleacute": "ő", "eacute": "é", "Ukrainian_yi": "ї"}  # fmt: skip
    known = {name: character for name, character in told.items() if hasattr(module, f"XK_{name}")}
    assert known
    for name, character in known.items():
        assert keysyms.canonical(getattr(module, f"XK_{name}")) == keysyms.of_character(character)
    for name, keysym in vars(module).items():
        meant = keysyms.canonical(keysym) if name.startswith("XK_") else keysym
        if meant != keysym and (name[3:].startswith(("Cyrillic_", "Greek_"))):
            script, letter = name[3:].split("_", 1)
            character = chr(meant & 0xFFFFFF)
            assert unicodedata.name(character).startswith(script.upper())
            assert letter.isupper() == character.isupper()


@pytest.mark.parametrize(
    ("name", "keysym"),
    [
        ("Return", 0xFF0D), ("a", 0x61), ("A", 0x41), ("plus", 0x2B), ("+", 0x2B), ("é", 0xE9), ("F24", 0xFFD5),
        ("XF86AudioPlay", 0x1008FF14), ("ISO_Level3_Shift", 0xFE03), ("U20AC", 0x010020AC), ("U0041", 0x41),
        ("Page_Down", 0xFF56), ("KP_Enter", 0xFF8D), ("dead_acute", 0xFE51),
    ],
)  # fmt: skip
def test_names_are_those_of_x(name: str, keysym: int) -> None:
    assert keysyms.of_name(name) == keysym


@pytest.mark.parametrize(
    "name", ["", "PageDown", "cmd", "ctrl+a", "U110000", "UD800", "U0007", "\n", "__name__"]
)
def test_other_names_are_none(name: str) -> None:
    assert keysyms.of_name(name) is None


def test_plain_keys_come_before_shifted_ones_and_altgr_only_where_there_is_such_a_key() -> None:
    rows = {10: (0x31, 0x21, 0, 0, 0xB9, 0xA1), 11: (0x21, 0x32), 12: (0xFE03,)}
    strokes = Keymap(rows=rows, modifiers=frozenset({12})).strokes()
    assert strokes[0x21] == Stroke(11)
    assert strokes[0x32] == Stroke(11, shift=True)
    assert strokes[0xB9] == Stroke(10, level3=True)
    assert strokes[0xA1] == Stroke(10, shift=True, level3=True)
    del rows[12]
    assert 0xB9 not in Keymap(rows=rows, modifiers=frozenset()).strokes()


def test_the_layout_in_use_decides_what_a_key_gives() -> None:
    rows = {38: (0x61, 0x41, 0x06C6, 0x06E6), 36: (0xFF0D, 0, 0xFF0D, 0)}
    russian = Keymap(rows=rows, modifiers=frozenset(), group=1).strokes()
    assert russian[keysyms.of_character("ф") or 0] == Stroke(38)
    assert russian[keysyms.of_character("Ф") or 0] == Stroke(38, shift=True)
    assert russian[0xFF0D] == Stroke(36)
    assert 0x61 not in russian


@given(ROWS, st.dictionaries(st.integers(9, 255), st.just((0x62, 0x62)), min_size=1))
def test_one_request_makes_all_changes_and_no_other(
    rows: dict[int, list[int]], changes: dict[int, tuple[int, int]]
) -> None:
    keymap = Keymap(rows={code: tuple(row) for code, row in rows.items()}, modifiers=frozenset())
    first, span = keymap.span(changes)
    width = max((len(row) for row in rows.values()), default=2)
    assert (first, first + len(span) - 1) == (min(changes), max(changes))
    for code, row in enumerate(span, first):
        wanted = list(changes.get(code, rows.get(code, ())))
        assert list(row) == (wanted + [0] * width)[:width]


@given(ROWS)
def test_spare_keys_mean_nothing_and_no_key_with_more_levels_lies_between_them(
    rows: dict[int, list[int]],
) -> None:
    keymap = Keymap(rows={code: tuple(row) for code, row in rows.items()}, modifiers=frozenset({100}))
    free = keymap.free()
    assert all(not any(rows[code]) for code in free)
    assert not {8, 100, 225} & set(free)
    if free:
        assert not any(any(rows.get(code, [])[4:]) for code in range(free[0], free[-1] + 1))


AREAS = st.builds(Area, *[st.integers(-3000, 3000)] * 2, *[st.integers(0, 4000)] * 2)


@given(AREAS, AREAS)
def test_a_clipped_area_lies_in_both(area: Area, bounds: Area) -> None:
    clipped = screens.clipped(area, bounds)
    common = {
        (x, y)
        for x in (area.left, area.right - 1, bounds.left, bounds.right - 1)
        for y in (area.top, area.bottom - 1, bounds.top, bounds.bottom - 1)
        if all(one.left <= x < one.right and one.top <= y < one.bottom for one in (area, bounds))
    }
    if not common:
        assert clipped.width == 0 or clipped.height == 0
    else:
        assert (clipped.left, clipped.top) == (min(x for x, _ in common), min(y for _, y in common))
        assert clipped.right - 1 == max(x for x, _ in common)
        assert clipped.bottom - 1 == max(y for _, y in common)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        (b"\xdcbersicht", "Übersicht"),
        (b"\x1b$(ADc\x1b$(B9%\x1b(B!", "你好!"),
        (b"\x1b-L\xdf\xe0\xd8 \xd2\xd5\xe2", "при вет"),
        (b"a\x1b%G\xf0\x9f\x99\x82\x1b%@\xe9", "a🙂é"),
        (b"\x1b$)C\xb4\xeb", "대"),
    ],
)
def test_titles_from_before_unicode_are_read(data: bytes, text: str) -> None:
    assert compound_text.decoded(data) == text


@given(st.binary())
def test_no_title_is_too_broken_to_read(data: bytes) -> None:
    assert isinstance(compound_text.decoded(data), str)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_a_title_in_unicode_is_read_as_it_is(text: str) -> None:
    assert compound_text.decoded(b"\x1b%G" + text.encode() + b"\x1b%@") == text


def test_every_code_point_has_a_canonical_keysym() -> None:
    assert keysyms.canonical(0x01000000 | sys.maxunicode) == 0x01000000 | sys.maxunicode
    assert keysyms.canonical(0x01000000 | (sys.maxunicode + 1)) == 0x01000000 | (sys.maxunicode + 1)
