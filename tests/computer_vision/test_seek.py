"""Asking a reader for a text that it did not read: whether a line can be read as it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from screens.truth import screens

from computer_vision.alignment import aligned
from computer_vision.lines import find
from computer_vision.polyglot import PolyglotRecogniser
from computer_vision.ppocr import DOUBT, _most_doubt
from computer_vision.reader import Region
from computer_vision.recogniser import Span
from computer_vision.screen import ScreenReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_vision.alignment import Chances
    from computer_vision.reader import Pixels
    from computer_vision.recogniser import Crop, Spans

SPACE = 3


def chances(*steps: dict[int, float]) -> Chances:
    """For each step the chances of some characters; the rest are impossible."""
    table = np.zeros((len(steps), SPACE + 1), np.float32)
    for step, known in enumerate(steps):
        for column, chance in known.items():
            table[step, column] = chance
    return table


def test_what_is_likeliest_costs_nothing() -> None:
    read = aligned(chances({1: 1.0}, {0: 1.0}, {2: 1.0}), [1, 2], SPACE)
    assert read is not None
    assert read[0] == pytest.approx(0.0)
    assert read[1] == [0, 2]


def test_a_second_choice_costs_as_much_as_it_is_less_likely() -> None:
    read = aligned(chances({1: 1.0}, {2: 0.8, 1: 0.2}), [1, 1], SPACE)
    assert read is None or read[0] < -5  # the same character twice needs a gap
    second = aligned(chances({1: 1.0}, {0: 1.0}, {2: 0.8, 1: 0.2}), [1, 1], SPACE)
    assert second is not None
    assert second[0] == pytest.approx(np.log(0.2 / 0.8))


def test_a_text_longer_than_the_line_has_steps_is_not_read() -> None:
    assert aligned(chances({1: 1.0}), [1, 2], SPACE) is None


def test_a_character_that_is_left_out_costs_much() -> None:
    read = aligned(chances({1: 1.0}, {2: 1.0}), [1], SPACE)
    assert read is not None
    assert read[0] < -5


LETTERS = 4
tables = arrays(
    np.float32, st.tuples(st.integers(1, 14), st.just(LETTERS + 2)), elements=st.floats(0.0625, 1.0, width=32)
)


def spelled(table: Chances) -> list[int]:
    """What the likeliest column of each step spells."""
    best = [int(column) for column in table.argmax(axis=1)]
    new = [one for before, one in zip([0, *best], best, strict=False) if one != before]
    return [one for one in new if one not in (0, LETTERS + 1)]


@given(tables)
def test_what_the_likeliest_way_spells_is_as_likely_as_it(table: Chances) -> None:
    assume(spelled(table))
    read = aligned(table, spelled(table), LETTERS + 1)
    assert read is not None
    assert read.doubt == pytest.approx(0.0, abs=1e-6)


@given(tables, st.data())
def test_a_text_with_an_unlikely_character_is_less_likely(table: Chances, data: st.DataObject) -> None:
    unlikely = LETTERS + 1
    table = np.insert(table, unlikely, 0.001, axis=1)  # a character that is nowhere
    text = spelled(np.delete(table, unlikely, axis=1))
    text.insert(data.draw(st.integers(0, len(text))), unlikely)
    read = aligned(table, text, LETTERS + 2)
    assert read is None or read.doubt <= np.log(0.001 / 0.0625) / 2


@given(tables, st.sets(st.integers(0, 14)))
def test_more_places_to_begin_and_end_make_nothing_less_likely(table: Chances, cuts: set[int]) -> None:
    text = [1, 2]
    whole, part = aligned(table, text, LETTERS + 1), aligned(table, text, LETTERS + 1, cuts)
    assert whole is None or (part is not None and part.doubt >= whole.doubt - 1e-9)
    assert part is None or 0 <= part.start <= part.begins[0] < part.stop <= len(table)


def test_a_part_of_a_line_is_read_between_its_cuts_only() -> None:
    line = chances({2: 1.0}, {0: 1.0}, {1: 1.0}, {0: 1.0}, {2: 1.0})
    part = aligned(line, [1], SPACE, {1, 4})
    assert part is not None
    assert (part.doubt, part.begins, part.start, part.stop) == (0.0, [2], 1, 4)
    whole = aligned(line, [1], SPACE)
    assert whole is not None
    assert whole.doubt < -5


class Doubtful:
    """Reads every line as one unsure word, and finds in it what it can be read as; counts what it was asked."""

    def __init__(self, text: str, score: float, may_be: str) -> None:
        self.text, self.score, self.may_be = text, score, may_be
        self.asked = 0

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        return [(Span(self.text, Region(0, 0, crop.shape[1], crop.shape[0]), self.score),) for crop in crops]

    def seek(self, crops: Sequence[Crop], text: str) -> list[Spans]:
        self.asked += len(crops)
        size = [(crop.shape[1], crop.shape[0]) for crop in crops]
        return [(Span(text, Region(0, 0, *one), 0.4),) if text == self.may_be else () for one in size]


def screen() -> Pixels:
    """One line of text on white."""
    pixels = np.full((60, 200, 4), 255, np.uint8)
    cv2.putText(pixels, "File", (20, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0, 255), 1)
    return pixels


def test_an_unsure_line_is_found_as_what_it_may_say() -> None:
    reader = ScreenReader(Doubtful("Eile", 0.9, "File"))
    lines = reader.read(screen())
    assert not find(lines, "File")
    assert [hit.text for hit in find(reader.seek("File"), "File")] == ["File"]
    assert reader.read(screen()) is lines  # what the screen says is as before


def test_a_line_that_can_not_be_read_as_the_text_stays() -> None:
    reader = ScreenReader(Doubtful("Eile", 0.9, "File"))
    lines = reader.read(screen())
    assert reader.seek("Edit") is lines


def test_a_text_in_a_long_line_is_sought_where_half_of_its_letters_are() -> None:
    recogniser = Doubtful("Budget,Ouartet:Reoorts,Transfers", 0.9, "Reports")
    reader = ScreenReader(recogniser)
    reader.read(screen())
    assert find(reader.seek("Reports"), "Reports")
    recogniser.asked = 0
    reader.seek("Uhuhaha")  # whose letters are not together anywhere
    assert recogniser.asked == 0


class Spelled:
    """Reads every line as the same words with their scores."""

    def __init__(self, *words: tuple[str, float]) -> None:
        self.words = words

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        return [
            tuple(
                Span(text, Region(30 * at, 0, 26, 12), score) for at, (text, score) in enumerate(self.words)
            )
            for _ in crops
        ]


def first_word_of(*words: tuple[str, float]) -> str:
    return ScreenReader(Spelled(*words)).read(screen())[0].words[0].text


@pytest.mark.parametrize("icon", [("k", 0.33), ("0", 0.6), ("口", 0.99), ("三", 0.9)])
def test_an_icon_that_is_read_as_a_character_beside_a_label_is_a_mark(icon: tuple[str, float]) -> None:
    assert first_word_of(icon, ("Legal", 1.0)) == "●"


@pytest.mark.parametrize("character", [("A", 0.95), ("4", 0.5), ("年", 0.99)])
def test_a_character_that_may_be_of_a_label_is_none(character: tuple[str, float]) -> None:
    assert first_word_of(character, ("Legal", 1.0)) == character[0]


def test_a_box_beside_chinese_words_or_by_itself_may_be_a_character() -> None:
    assert first_word_of(("口", 0.99), ("罩厂家", 1.0)) == "口"
    assert first_word_of(("口", 0.99)) == "口"


def test_a_character_between_words_is_a_word() -> None:
    (line,) = ScreenReader(Spelled(("4", 0.9), ("h", 0.6), ("ago", 0.9))).read(screen())
    assert [word.text for word in line.words] == ["4", "h", "ago"]


def test_a_short_text_is_not_sought_within_long_lines() -> None:
    recogniser = Doubtful("Budget,Ouartet:Reoorts,Rews", 0.9, "Raws")
    reader = ScreenReader(recogniser)
    reader.read(screen())
    reader.seek("Raws")
    assert recogniser.asked == 0


def test_a_sure_line_is_not_read_again() -> None:
    recogniser = Doubtful("Eile", 1.0, "File")
    reader = ScreenReader(recogniser)
    lines = reader.read(screen())
    assert reader.seek("File") is lines
    assert recogniser.asked == 0


def test_the_same_question_about_the_same_pixels_is_answered_from_memory() -> None:
    recogniser = Doubtful("Eile", 0.9, "File")
    reader = ScreenReader(recogniser)
    reader.read(screen())
    reader.seek("File")
    asked = recogniser.asked
    reader.seek("File")
    assert recogniser.asked == asked > 0


class Halves:
    """Reads nothing, and says of a line as high as both halves of one what it is asked."""

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        return [() for _ in crops]

    def seek(self, crops: Sequence[Crop], text: str) -> list[Spans]:
        sizes = [(crop.shape[1], crop.shape[0]) for crop in crops]
        return [(Span(text, Region(0, 0, *one), 0.9),) if one[1] > 30 else () for one in sizes]


def test_a_line_that_was_cut_in_two_is_read_as_one() -> None:
    pixels = np.full((120, 200, 4), 255, np.uint8)
    for top in (40, 58):  # two rows of strokes, as of syllables with a gap within them
        pixels[top : top + 14, 40:140:6] = 0
    reader = ScreenReader(Halves())
    reader.read(pixels)
    (hit,) = find(reader.seek("\uc815\ub82c"), "\uc815\ub82c")
    assert hit.region.height > 30
    assert not find(reader.seek("Sort"), "Sort")  # no letter is drawn so


@pytest.fixture(scope="module")
def small_korean() -> ScreenReader:
    """A page with letters too small to be read well, and read."""
    page = next(screen for screen in screens("tuning") if screen.name == "chromium_office_ko")
    reader = ScreenReader(PolyglotRecogniser())
    reader.read(cv2.resize(page.pixels, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA))
    return reader


def test_texts_that_were_misread_are_found_at_another_look(small_korean: ScreenReader) -> None:
    texts = ["표 삽입", "결재 요청"]
    assert not any(find(small_korean.seek("Zz"), text) for text in texts)
    found = [text for text in texts if find(small_korean.seek(text), text, exact=True)]
    assert found == texts


@pytest.mark.parametrize(
    "text", ["표 섭입", "표 습입", "PDF로 내보네기", "PDF로 네보내기", "PDF로 내보내기 7"]
)
def test_what_differs_in_one_stroke_of_a_syllable_stays_not_found(
    small_korean: ScreenReader, text: str
) -> None:
    assert not find(small_korean.seek(text), text, exact=True)


def test_a_long_text_may_be_doubted_more_in_latin_but_not_in_arabic() -> None:
    assert _most_doubt("Cancelsubscription") < _most_doubt("Cancel") == DOUBT
    assert _most_doubt("تعيينالتطبيقالافتراضي") == _most_doubt("Переместитьвкорзину") == DOUBT
