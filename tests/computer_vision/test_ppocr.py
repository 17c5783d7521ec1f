"""Reading single lines with the network that comes with the package."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from screens.truth import screens

from computer_vision.lines import find
from computer_vision.networks import ROWS
from computer_vision.picture import from_image
from computer_vision.ppocr import LONGEST, STEP, PpocrRecogniser, page_of, parts
from computer_vision.screen import ScreenReader

if TYPE_CHECKING:
    from computer_vision.recogniser import Crop


def drawn(text: str, size: int = 16, *, gap: int = 0) -> Crop:
    """A line of black on white; at a bar there is a gap of so many pixels."""
    font = ImageFont.load_default(size)
    image = Image.new("RGB", (int(font.getlength(text)) + gap + 12, 2 * size), "white")
    x = 6.0
    for part in text.split("|"):
        ImageDraw.Draw(image).text((x, size // 3), part, fill="black", font=font)
        x += font.getlength(part) + gap
    return np.ascontiguousarray(from_image(image)[:, :, :3])


def read(*crops: Crop) -> list[list[str]]:
    return [[span.text for span in line] for line in PpocrRecogniser().recognise(crops)]


def test_a_line_is_read_as_its_words() -> None:
    assert read(drawn("Save the document")) == [["Save", "the", "document"]]


@pytest.mark.parametrize("size", [16, 10])
def test_each_word_has_its_box_and_each_character_its_edges(size: int) -> None:
    crop = drawn("Save the document", size)[: size * 3 // 2]
    ink = np.flatnonzero((cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY) < 128).any(axis=0))
    (line,) = PpocrRecogniser().recognise([crop])
    assert abs(line[0].region.left - ink[0]) <= 1
    assert abs(line[-1].region.right - ink[-1] - 1) <= 1
    for one, other in pairwise(line):
        assert one.region.right < other.region.left
    for span in line:
        assert len(span.edges) == len(span.text) + 1
        assert list(span.edges) == sorted(span.edges)


def test_what_a_line_says_does_not_depend_on_the_lines_beside_it() -> None:
    crops = [drawn("Save"), drawn("Save the document as"), drawn("Cancel", 13), drawn("Delete", 22)]
    recogniser = PpocrRecogniser()
    together = recogniser.recognise(crops)
    assert together == [recogniser.recognise([crop])[0] for crop in crops]
    assert recogniser.recognise(crops[::-1]) == together[::-1]


def test_lines_that_are_equally_wide_say_the_same_together_as_alone() -> None:
    texts = [
        "Save it",
        "Cancel",
        "Delete",
        "Reload",
        "Week 31",
        "Move up",
        "Rename",
        "Paste",
        "0.25",
        "kettle",
    ]
    crops = [np.ascontiguousarray(drawn(f"{text}{' ' * 40}")[:, :90]) for text in texts]
    recogniser = PpocrRecogniser()
    alone = [recogniser.readings([crop])[0].glyphs for crop in crops]
    for many in range(1, len(crops) + 1):
        assert [reading.glyphs for reading in recogniser.readings(crops[:many])] == alone[:many]
    assert len(set(alone)) == len(texts)


def test_small_letters_are_not_shown_larger_than_the_network_reads_them_well() -> None:
    crop = drawn("Save the document", 10)[:15]
    page = page_of(crop, 2.0)
    assert page.shape[2] == STEP * -(-2 * crop.shape[1] // STEP)
    written = np.flatnonzero((page.min(axis=0) < 0).any(axis=1))
    assert (ROWS - 30) // 2 <= written[0] < written[-1] < ROWS - (ROWS - 30) // 2


def test_what_may_be_one_character_is_shown_as_large_as_it_can_be() -> None:
    crop = drawn("8", 10)[:15]
    assert np.array_equal(page_of(crop, 2.0), page_of(crop))


@pytest.mark.parametrize("text", ["Gateway GX-240", "96.2 GB", "48 degrees", "Hardware address"])
def test_the_spaces_of_small_texts_are_read(text: str) -> None:
    shown = next(screen for screen in screens("tuning") if screen.name == "chromium_router_admin")
    assert find(ScreenReader(PpocrRecogniser()).read(shown.pixels), text, exact=True)


def test_a_wide_gap_parts_words_even_where_the_network_says_none() -> None:
    assert read(drawn("12:45|4.25", gap=14)) == [["12:45", "4.25"]]


def test_a_long_line_is_read_in_parts_to_its_end() -> None:
    text = "The quick brown fox jumps over the lazy dog and " * 4
    crop = drawn(text.strip())
    assert crop.shape[1] * 48 / crop.shape[0] > LONGEST
    assert " ".join(read(crop)[0]) == text.strip()


def test_a_line_without_a_gap_is_not_cut() -> None:
    assert parts(np.ones(5000, dtype=bool), 20) == [(0, 5000)]


def test_an_even_picture_says_nothing() -> None:
    assert read(np.full((20, 60, 3), 90, dtype=np.uint8)) == [[]]


def test_a_part_of_a_word_is_found_at_its_own_place() -> None:
    crop = drawn("Unsubscribe", 20)
    picture = np.full((100, 300, 4), 255, dtype=np.uint8)
    picture[30 : 30 + crop.shape[0], 20 : 20 + crop.shape[1], :3] = crop
    (match,) = find(ScreenReader(PpocrRecogniser()).read(picture), "subscribe")
    font = ImageFont.load_default(20)
    begins = 20 + 6 + font.getlength("Un")
    assert abs(match.region.left - begins) <= 5
