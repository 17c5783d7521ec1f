"""What changed between two pictures."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_vision.change import changes, share
from computer_vision.reader import Region
from computer_vision.regions import overlap

if TYPE_CHECKING:
    from computer_vision.reader import Pixels

WIDTH, HEIGHT = 157, 131  # no multiple of a tile, more than two bands high


def blank(width: int = WIDTH, height: int = HEIGHT) -> Pixels:
    return np.full((height, width, 4), 100, dtype=np.uint8)


def painted(*boxes: Region, level: int = 200) -> Pixels:
    pixels = blank()
    for box in boxes:
        pixels[box.top : box.bottom, box.left : box.right] = level
    return pixels


regions = st.builds(
    lambda left, top, width, height: Region(left, top, min(width, WIDTH - left), min(height, HEIGHT - top)),
    st.integers(0, WIDTH - 1),
    st.integers(0, HEIGHT - 1),
    st.integers(1, 60),
    st.integers(1, 60),
)


def test_equal_pictures_have_no_changes() -> None:
    assert changes(blank(), blank()) == ()


@given(regions)
def test_one_changed_box_is_returned_exactly(box: Region) -> None:
    assert changes(blank(), painted(box)) == (box,)
    assert changes(painted(box), blank()) == (box,)


@given(st.lists(regions, max_size=6), st.integers(0, 40))
def test_regions_hold_every_changed_pixel_and_do_not_overlap(boxes: list[Region], join: int) -> None:
    after = painted(*boxes)
    left = (after != blank()).any(axis=2)
    found = changes(blank(), after, join=join)
    for region in found:
        left[region.top : region.bottom, region.left : region.right] = False
    assert not left.any()
    assert not any(overlap(a, b) for index, a in enumerate(found) for b in found[index + 1 :])


@pytest.mark.parametrize("gap", [1, 5, 11])
def test_changes_nearer_than_the_join_are_one_region(gap: int) -> None:
    for left in range(10, 18):
        one, other = Region(left, 20, 10, 10), Region(left + 10 + gap, 20, 10, 10)
        assert changes(blank(), painted(one, other), join=12) == (Region(left, 20, 20 + gap, 10),)


def test_changes_far_apart_are_two_regions() -> None:
    one, other = Region(10, 20, 10, 10), Region(50, 20, 10, 10)
    assert changes(blank(), painted(one, other), join=12) == (one, other)


def test_small_differences_of_level_are_ignored_and_any_colour_counts() -> None:
    assert changes(blank(), painted(Region(5, 5, 9, 9), level=108)) == ()
    assert changes(blank(), painted(Region(5, 5, 9, 9), level=109)) == (Region(5, 5, 9, 9),)
    assert changes(blank(), painted(Region(5, 5, 9, 9), level=101), threshold=0) == (Region(5, 5, 9, 9),)
    for channel in range(3):
        after = blank()
        after[7, 9, channel] = 0
        assert changes(blank(), after) == (Region(9, 7, 1, 1),)


def test_the_fourth_byte_means_nothing() -> None:
    after = blank()
    after[:, :, 3] = 0
    assert changes(blank(), after) == ()


def test_pictures_of_different_sizes_have_changed_all_over() -> None:
    assert changes(blank(30, 40), blank(50, 20)) == (Region(0, 0, 50, 20),)


def test_noise_all_over_is_a_short_list() -> None:
    after = np.full((1080, 1920, 4), 100, dtype=np.uint8)
    before = after.copy()
    after[::40, ::40] = 0
    assert 1 <= len(changes(before, after)) <= 64


def test_an_unchanged_screen_is_seen_in_far_less_time_than_it_takes_to_capture_one() -> None:
    before = np.random.default_rng(1).integers(0, 255, (1080, 1920, 4), dtype=np.uint8)
    after = before.copy()
    started = time.process_time()
    for _ in range(20):
        changes(before, after)
    assert (time.process_time() - started) / 20 < 0.02


def test_the_share_of_the_picture() -> None:
    assert share([], (100, 50)) == 0
    assert share([Region(0, 0, 50, 50)], (100, 50)) == 0.5
    assert share([Region(90, 40, 20, 20)], (100, 50)) == 100 / 5000
    assert share([], (0, 0)) == 0
