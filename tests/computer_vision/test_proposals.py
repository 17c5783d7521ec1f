"""Where lines of text may stand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from computer_vision.proposals import propose
from computer_vision.reader import Region
from computer_vision.regions import overlap

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Load = Callable[[str], Any]


def grey(pixels: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(pixels, cv2.COLOR_BGRA2GRAY)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("room", ["chromium_form", "mousepad_menu", "zenity_question", "xterm"])
def test_every_text_is_in_boxes(room: str, theme: str, screen: Load) -> None:
    shown = screen(f"{room}_{theme}")
    boxes = propose(grey(shown.pixels))
    for text, region in shown.texts:
        covered = sum(overlap(box, region) for box in boxes)
        assert covered >= 0.6 * region.width * min(region.height, 13), text


def test_text_on_both_sides_of_a_border_is_two_lines() -> None:
    picture = np.full((40, 300), 255, dtype=np.uint8)
    cv2.putText(picture, "First", (20, 26), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 0, 1, cv2.LINE_AA)
    cv2.putText(picture, "name", (64, 26), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 0, 1, cv2.LINE_AA)
    assert len(propose(picture)) == 1
    picture[:, 60] = 128
    boxes = propose(picture)
    assert len(boxes) == 2
    assert boxes[0].right <= 64
    assert boxes[1].left >= 57


def test_borders_alone_are_no_text() -> None:
    picture = np.full((200, 300), 240, dtype=np.uint8)
    cv2.rectangle(picture, (20, 20), (280, 50), 100)
    cv2.rectangle(picture, (20, 70), (80, 100), 255, -1)
    picture[150] = 0
    assert propose(picture) == ()


def pill(picture: np.ndarray, left: int, words: str, *, wide: int, high: int = 28, filled: bool) -> Region:
    """A button that is round at both ends, with words in its middle; where these are."""
    top, radius = 20, high // 2
    ends = ((left + radius, top + radius), (left + wide - radius, top + radius))
    cv2.line(picture, *ends, 60 if filled else 120, high, cv2.LINE_AA)
    if not filled:
        cv2.line(picture, *ends, 245, high - 2, cv2.LINE_AA)
    (width, height), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, 0.4, 1)
    at = (left + (wide - width) // 2, top + radius + height // 2)
    cv2.putText(picture, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, 255 if filled else 20, 1, cv2.LINE_AA)
    return Region(at[0], at[1] - height, width, height)


@pytest.mark.parametrize("filled", [True, False])
def test_the_words_in_pills_beside_each_other_are_lines_of_their_own(*, filled: bool) -> None:
    picture = np.full((70, 320), 245, dtype=np.uint8)
    places = [(10, "Log in", 62), (78, "Register", 80), (164, "Help me out", 100)]
    texts = [pill(picture, left, words, wide=wide, filled=filled) for left, words, wide in places]
    boxes = propose(picture)
    assert len(boxes) == len(texts)
    for box, text in zip(sorted(boxes, key=lambda one: one.left), texts, strict=True):
        assert overlap(box, text) >= 0.9 * text.width * text.height
        assert box.height <= text.height + 12
        assert box.width <= text.width + 16


@pytest.mark.parametrize("size", [0.7, 0.9, 1.1, 1.4, 1.8])
@pytest.mark.parametrize("thick", [1, 2, 3, 4])
def test_large_round_letters_are_no_outlines(size: float, thick: int) -> None:
    words = "BOOK 80 o@oe Q69"
    (width, height), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    picture = np.full((height + 60, width + 60), 255, dtype=np.uint8)
    cv2.putText(picture, words, (30, height + 30), cv2.FONT_HERSHEY_SIMPLEX, size, 0, thick, cv2.LINE_AA)
    boxes = propose(picture)
    for column in np.flatnonzero((picture < 128).any(axis=0)).tolist():
        assert any(box.left <= column < box.right for box in boxes), column


@pytest.mark.parametrize("gap", [0, 3, 12])
def test_the_words_in_small_buttons_beside_each_other_are_lines_of_their_own(gap: int) -> None:
    picture, left, texts = np.full((70, 320), 245, dtype=np.uint8), 10, []
    for words in ("11", "Go", "12", "13", "Next"):
        (width, height), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, 0.4, 1)
        wide = width + 12
        cv2.rectangle(picture, (left, 20), (left + wide, 43), 120)
        at = left + 6, 31 + height // 2
        cv2.putText(picture, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, 20, 1, cv2.LINE_AA)
        texts.append(Region(at[0], at[1] - height, width, height))
        left += wide + gap
    boxes = sorted(propose(picture), key=lambda one: one.left)
    assert len(boxes) == len(texts)
    for box, text in zip(boxes, texts, strict=True):
        assert overlap(box, text) >= 0.9 * text.width * text.height
        assert box.height <= text.height + 12


@pytest.mark.parametrize("size", [18, 24, 28])
@pytest.mark.parametrize("inner", ["box", "strokes", "none"])
def test_characters_that_are_boxes_are_no_frames(size: int, inner: str) -> None:
    picture = np.full((size + 40, 3 * size + 60), 255, dtype=np.uint8)
    for left in (20, 24 + size, 28 + 2 * size):
        cv2.rectangle(picture, (left, 20), (left + size - 2, 20 + size), 0)
        if inner == "box":  # as \u56de
            part = size // 3
            cv2.rectangle(picture, (left + part, 20 + part), (left + size - part, 20 + size - part), 0)
        if inner == "strokes":  # as \u56fd
            for row in (3, size // 2, size - 3):
                picture[20 + row, left + 4 : left + size - 5] = 0
            picture[23 : 17 + size, left + size // 2] = 0
    boxes = propose(picture)
    for column in np.flatnonzero((picture < 128).any(axis=0)).tolist():
        assert any(box.left <= column < box.right for box in boxes), column
    assert max(box.height for box in boxes) >= size


def test_a_picture_smaller_than_a_letter_has_none() -> None:
    for shape in ((1, 1), (3, 200), (200, 2)):
        assert propose(np.zeros(shape, dtype=np.uint8)) == ()


def test_a_page_full_of_small_text_takes_no_more_time_than_its_words_are_many() -> None:
    picture = np.full((1080, 1920), 255, dtype=np.uint8)
    for top in range(12, 1080, 15):
        cv2.putText(picture, "word and word " * 18, (4, top), cv2.FONT_HERSHEY_SIMPLEX, 0.4, 0, 1)
    started = time.process_time()
    boxes = propose(picture)
    assert len(boxes) >= 60
    assert time.process_time() - started < 2
    assert all(isinstance(box, Region) for box in boxes)
