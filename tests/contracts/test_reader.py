"""What every reader must do, run against each one that can run here."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from computer_vision.lines import find
from computer_vision.reader import ENGINES, open_reader

if TYPE_CHECKING:
    from computer_vision.reader import Pixels, Reader

SCREENS = Path(__file__).parents[2] / "fixtures" / "screens"


@pytest.fixture(params=ENGINES)
def reader(request: pytest.FixtureRequest) -> Reader:
    if request.param == "tesseract" and shutil.which("tesseract") is None:
        pytest.skip("tesseract is not installed")
    return open_reader(request.param)


def pixels(name: str) -> Pixels:
    return np.asarray(
        cv2.cvtColor(cv2.imread(str(SCREENS / f"{name}.png")), cv2.COLOR_BGR2BGRA), dtype=np.uint8
    )


def test_words_are_inside_the_picture_and_have_an_extent(reader: Reader) -> None:
    picture = pixels("chromium_form_dark")
    height, width = picture.shape[:2]
    words = [word for line in reader.read(picture) for word in line.words]
    assert len(words) > 30
    for word in words:
        box = word.region
        assert 0 <= box.left < box.right <= width, word
        assert 0 <= box.top < box.bottom <= height, word
        assert 0 <= word.score <= 1
        assert word.text == word.text.strip() != ""


def test_no_line_is_empty_and_its_words_go_from_left_to_right(reader: Reader) -> None:
    for line in reader.read(pixels("mousepad_menu_light")):
        assert line.words
        assert all(a.region.left <= b.region.left for a, b in pairwise(line.words))


def test_lines_come_from_top_to_bottom(reader: Reader) -> None:
    lines = reader.read(pixels("mousepad_text_light"))
    tops = [find(lines, text)[0].region.top for text in ("File", "Dear Ada,", "Please call", "Total")]
    order = [
        next(i for i, line in enumerate(lines) if any(word.region.top == top for word in line.words))
        for top in tops
    ]
    assert order == sorted(order)


def test_a_picture_without_text_has_no_lines(reader: Reader) -> None:
    assert reader.read(np.full((300, 400, 4), 200, dtype=np.uint8)) == ()


def test_a_tiny_picture_has_no_lines(reader: Reader) -> None:
    assert reader.read(np.zeros((1, 1, 4), dtype=np.uint8)) == ()


def test_the_picture_is_left_as_it_was(reader: Reader) -> None:
    picture = pixels("tk_form_light")
    before = picture.copy()
    reader.read(picture)
    assert np.array_equal(picture, before)


def test_a_part_of_a_larger_array_is_read_like_a_copy_of_it(reader: Reader) -> None:
    picture = pixels("tk_form_light")
    part = picture[:120, 20:700]
    assert reader.read(part) == reader.read(np.ascontiguousarray(part))
