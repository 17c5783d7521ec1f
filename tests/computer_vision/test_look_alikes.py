"""Letters of several alphabets that are drawn the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_vision.look_alikes import shapes, spelled

LETTERS = [*map(chr, range(0x391, 0x3CA)), *map(chr, range(0x400, 0x460)), *"SaveCopyfgh", *"كيىیکپچہ", " "]


@pytest.mark.parametrize(
    "text",
    [
        "Копировать файл",
        "ФОТО",
        "МОСКВА ПОЛЬША",
        "Αρχείο ΝΕΟ",
        "ΓΠΦ Θ",
        "Save HOT",
        "Google Поиск",
        "ملف جديد",
        "پرونده یک",
        "قسم على",
    ],
)
def test_what_was_drawn_is_spelled_by_the_letters_around(text: str) -> None:
    assert spelled(shapes(text)) == text


def test_letters_that_are_drawn_the_same_have_one_shape() -> None:
    assert shapes("АВЕ") == shapes("ABE") == shapes("ΑΒΕ") == "ABE"
    assert shapes("یک") == shapes("يك")
    assert shapes("نمایشی") == "نمايشى"  # at the end of a word it has no dots


def test_a_word_of_shapes_alone_is_of_the_alphabet_of_its_line() -> None:
    assert spelled(shapes("НОТ БАЗА")) == "НОТ БАЗА"
    assert spelled("HOT") == "HOT"


@given(st.text(LETTERS, max_size=20))
def test_a_text_stays_as_long_as_it_is_and_its_shapes_stay(text: str) -> None:
    drawn = shapes(text)
    assert len(drawn) == len(text)
    assert shapes(drawn) == drawn
    assert [len(word) for word in spelled(drawn).split(" ")] == [len(word) for word in drawn.split(" ")]
