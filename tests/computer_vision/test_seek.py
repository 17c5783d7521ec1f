"""Asking a reader for a text that it did not read: whether a line can be read as it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from computer_vision.alignment import aligned
from computer_vision.lines import find
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
