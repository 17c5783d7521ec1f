"""The order of characters on a line that runs from right to left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_vision.direction import as_read, on_the_line
from computer_vision.reader import Region
from computer_vision.recogniser import Span

HEBREW = [chr(code) for code in range(0x5D0, 0x5EB)]
ARABIC = [chr(code) for code in range(0x621, 0x63B)]


@pytest.mark.parametrize(
    ("read", "stands"),
    [
        ("אבג", "גבא"),
        ("אב גד", "דג בא"),
        ("מחיר 12.50", "12.50 ריחמ"),  # a number keeps its own direction,
        ("שמור PDF חדש", "שדח PDF רומש"),  # and so does what is Latin,
        ("תיקיית My PC", "My PC תייקית"),  # of several words too
        ("אב (גד)", "(דג) בא"),  # brackets face the other way
        ("فتح ملف", "فلم حتف"),
        ("فتح ٢٣", "٢٣ حتف"),
        ("אב 12-50", "12-50 בא"),
        ("فتح 12-50", "50-12 حتف"),  # there a sign parts numbers
        ("Save the קובץ now", "Save the ץבוק now"),  # most letters run to the right
        ("Save (as) 12.5 %", "Save (as) 12.5 %"),
    ],
)
def test_a_text_stands_on_the_line_as_unicode_says(read: str, stands: str) -> None:
    assert on_the_line(read) == stands
    assert on_the_line(stands) == read


@given(
    st.lists(
        st.lists(st.sampled_from(HEBREW + ARABIC), min_size=1, max_size=6).map("".join)
        | st.from_regex(r"[A-Z][a-z]{1,5}|[1-9]\d{0,3}", fullmatch=True),
        min_size=1,
        max_size=5,
    )
)
def test_no_character_is_lost(words: list[str]) -> None:
    text = " ".join(words)
    assert sorted(on_the_line(text)) == sorted(text)


@given(st.lists(st.sampled_from(HEBREW), min_size=1, max_size=12).map("".join))
def test_letters_of_one_direction_are_turned_about(text: str) -> None:
    assert on_the_line(text) == text[::-1]


def word(text: str, left: int) -> Span:
    """A word of letters ten pixels wide."""
    wide = 10 * len(text)
    return Span(text, Region(left, 0, wide, 12), 0.9, tuple(range(left, left + wide + 1, 10)))


def test_words_are_read_from_the_right_with_the_places_of_their_letters() -> None:
    second, first = as_read((word("דג", 0), word("בא", 30)))[::-1]
    assert (first.text, first.edges) == ("אב", (50, 40, 30))
    assert (second.text, second.edges) == ("גד", (20, 10, 0))


def test_a_number_among_them_is_read_as_it_stands() -> None:
    words = as_read((word("12", 0), word("בא", 30)))
    assert [one.text for one in words] == ["אב", "12"]
    assert words[1].edges == (0, 10, 20)


def test_of_a_word_of_both_directions_the_places_of_letters_are_not_told() -> None:
    (mixed,) = as_read((word("PDFגב", 0),))
    assert (mixed.text, mixed.edges) == ("PDFבג", ())


def test_words_from_left_to_right_stay() -> None:
    words = (word("Save", 0), word("as", 50))
    assert as_read(words) is words
