"""Scripts that the smallest network does not know, on real pages."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from screens.lines_read import lines_read
from screens.truth import screens

from computer_vision.lines import find
from computer_vision.polyglot import PolyglotRecogniser, _doubtful
from computer_vision.ppocr import PpocrRecogniser
from computer_vision.reader import ReaderUnavailable
from computer_vision.screen import ScreenReader
from computer_vision.scripts import guessed, share_in
from computer_vision.tesseract import TesseractRecogniser

if TYPE_CHECKING:
    from screens.truth import Screen


def doubted(name: str) -> list[tuple[tuple[int, ...], bool]]:
    """Of each line of a screen its height and width, and whether the larger network is to read it too."""
    return [(crop.shape[:2], _doubtful(crop, reading)) for crop, reading in lines_read(name)]


def page(name: str) -> Screen:
    return next(screen for screen in screens("tuning") if screen.name == name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("forum_arabic", "منتدى الطبخ"),
        ("forum_arabic", "שיעורי גיטרה"),
        ("archive_alphabets", "کتابچه"),
        ("archive_alphabets", "Летопись города"),
        ("archive_alphabets", "Αναγνωστήριο"),
    ],
)
def test_other_alphabets_are_read_without_any_program(name: str, text: str) -> None:
    lines = ScreenReader(PolyglotRecogniser()).read(page(f"chromium_{name}").pixels)
    (hit,) = find(lines, text)[:1]
    assert hit.score >= 0.9


@pytest.mark.parametrize("text", ["電話をかける", "田中さくら", "ホテルに泊まる", "プレゼン練習"])
def test_japanese_is_read_without_any_program(text: str) -> None:
    lines = ScreenReader(PolyglotRecogniser()).read(page("chromium_calendar_ja").pixels)
    (hit,) = find(lines, text, exact=True)
    assert hit.score == 1.0


@pytest.mark.parametrize("name", ["gtk4_podcasts", "qt_invoices", "mousepad_repairs"])
def test_a_latin_screen_is_read_as_by_the_network_alone_but_for_its_icons(name: str) -> None:
    pixels = page(name).pixels
    alone = ScreenReader(PpocrRecogniser()).read(pixels)
    sure = [line for line in alone if all(word.score >= 0.8 for word in line.words)]
    assert len(sure) > len(alone) / 2
    assert set(sure) <= set(ScreenReader(PolyglotRecogniser()).read(pixels))


@pytest.mark.parametrize("text", ["Save", "保存", "7", ""])
def test_what_the_network_is_sure_of_is_of_a_script_that_it_knows(text: str) -> None:
    assert guessed(text, [0.99] * len(text)) is None


def test_hebrew_and_cyrillic_are_told_by_what_the_network_makes_of_them() -> None:
    assert guessed("nx7n9x-0nnn n77219n", [0.67] * 18) == "rtl"
    assert guessed("MaAarackap Mo3aMank", [0.78] * 18) == "cyrillic"


def test_cyrillic_that_may_as_well_be_latin_is_not_believed() -> None:
    assert share_in("cyrillic", "\u0410\u0440\u0440\u0443") == 0.0
    assert share_in("cyrillic", "\u0424\u0430\u0439\u043b 2") == 1.0


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs tesseract-ocr")
def test_the_engine_alone_says_which_language_is_missing() -> None:
    with pytest.raises(ReaderUnavailable, match='"xyz"'):
        TesseractRecogniser("xyz").recognise([page("qt_invoices").pixels[:40, :200, :3].copy()])


@pytest.mark.parametrize("text", ["찾아 바꾸기", "PDF로 내보내기", "연차 신청", "글자 모양"])
def test_korean_is_read_without_any_program(text: str) -> None:
    lines = ScreenReader(PolyglotRecogniser()).read(page("chromium_office_ko").pixels)
    assert find(lines, text, exact=True)


def test_a_text_with_a_character_that_no_network_knows_is_not_taken_for_another() -> None:
    reader = ScreenReader(PolyglotRecogniser())
    lines = reader.read(page("chromium_office_ko").pixels)
    assert reader.seek("\uc870\uc9c1\ub3c1") is lines  # the last is none of Korean's common syllables


def test_icons_are_not_read_again_by_the_larger_network() -> None:
    rows_of_icons = {(34, 106), (30, 94), (30, 93), (47, 189)}
    assert [again for size, again in doubted("libreoffice_sheet") if size in rows_of_icons] == [False] * 4
    a_printer_between_words = (33, 204)
    assert (a_printer_between_words, False) in doubted("gtk3_planner")


def test_characters_apart_that_are_read_half_surely_are_not_taken_for_icons() -> None:
    crop, row = next(line for line in lines_read("libreoffice_sheet") if line[0].shape[:2] == (34, 106))
    assert not _doubtful(crop, row)
    surer = [
        glyph._replace(text=letter, score=0.8) for glyph, letter in zip(row.glyphs, "郵便番号", strict=False)
    ]
    assert _doubtful(crop, row._replace(glyphs=tuple(surer)))


def test_korean_lines_are_not_taken_for_icons() -> None:
    assert sum(again for _, again in doubted("chromium_office_ko")) >= 20
