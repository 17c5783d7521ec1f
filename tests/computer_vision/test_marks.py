"""Pictures for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_vision.marks import RED, crop_with_target, numbered
from computer_vision.reader import Region

if TYPE_CHECKING:
    from computer_vision.reader import Pixels


def grey() -> Pixels:
    return np.full((100, 200, 4), 128, dtype=np.uint8)


def red_in(image: object) -> np.ndarray:
    return (np.asarray(image) == RED).all(axis=2)


def test_the_crop_shows_the_target_with_its_margin_and_leaves_its_inside_as_it_is() -> None:
    image = crop_with_target(grey(), Region(80, 40, 30, 20), margin=15)
    assert image.size == (60, 50)
    red = red_in(image)
    assert not red[15:35, 15:45].any()
    assert red[14, 15:45].all()
    assert red[35, 15:45].all()
    assert red[15:35, 14].all()
    assert red[15:35, 45].all()


def test_a_ring_goes_around_the_point_and_not_over_it() -> None:
    image = crop_with_target(grey(), (100, 50), margin=30)
    red = red_in(image)
    assert red.any()
    assert not red[25:36, 25:36].any()
    ys, xs = np.nonzero(red)
    assert abs(xs.mean() - 30) < 1
    assert abs(ys.mean() - 30) < 1


@given(st.integers(-5, 199), st.integers(-5, 99), st.integers(0, 300))
def test_the_crop_stays_inside_the_picture(left: int, top: int, margin: int) -> None:
    image = crop_with_target(grey(), Region(left, top, 10, 10), margin=margin)
    assert 1 <= image.width <= 200
    assert 1 <= image.height <= 100


@pytest.mark.parametrize("target", [(200, 50), (5, 100), Region(-10, 5, 10, 10), Region(5, 120, 10, 10)])
def test_a_target_outside_the_picture_is_refused(target: Region | tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="outside the picture of 200x100"):
        crop_with_target(grey(), target, margin=10)


def test_regions_are_outlined_and_numbered_and_the_picture_keeps_its_size() -> None:
    boxes = [Region(20, 40, 30, 20), Region(0, 0, 40, 20)]
    image = numbered(grey(), boxes)
    assert image.size == (200, 100)
    picture = np.asarray(image)
    marked = (picture != 128).any(axis=2)
    for box in boxes:
        inside = marked[box.top : box.bottom, box.left : box.right]
        assert not inside.any(), "what is inside stays visible while there is room outside"
    assert marked[39, 20:50].all(), "the outline is outside"
    assert (picture[25:40, 15:45] > 200).all(axis=2).any(), "a number stands above the box, in white"
    assert not (np.asarray(numbered(grey(), [])) != 128).any()


def test_a_hundred_numbers_stand_on_no_text_and_on_no_other_number() -> None:
    pixels = np.full((800, 1280, 4), 255, dtype=np.uint8)
    boxes = [Region(40 + 120 * column, 30 + 75 * row, 60, 18) for row in range(10) for column in range(10)]
    for box in boxes:  # something to read in each, and above it
        pixels[box.top + 4 : box.bottom - 4, box.left + 4 : box.right - 4 : 3] = 0
        pixels[box.top - 14 : box.top - 6, box.left : box.right : 3] = 0
    picture = np.asarray(numbered(pixels, boxes)).astype(int)
    dark = pixels[:, :, 0] == 0
    assert (picture[dark] == 0).all(), "every letter is still there"
    colours = (picture.max(axis=2) - picture.min(axis=2) > 60).astype(np.uint8)
    for box in boxes:  # what is coloured around each: its outline and one label of its own
        around = colours[box.top - 20 : box.bottom + 20, box.left - 20 : box.right + 30]
        assert around.sum() > 2 * (box.width + box.height) + 60


@given(
    st.lists(
        st.builds(
            Region, st.integers(-30, 220), st.integers(-30, 120), st.integers(0, 250), st.integers(0, 130)
        ),
        max_size=20,
    )
)
def test_any_regions_can_be_numbered_also_outside_the_picture(boxes: list[Region]) -> None:
    assert numbered(grey(), boxes).size == (200, 100)
