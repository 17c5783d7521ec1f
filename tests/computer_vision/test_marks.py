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
    red = red_in(image)
    assert red[39, 20:50].all()
    assert red[25:37, 20].any(), "the number stands above the box"
    assert (np.asarray(image) > 200).all(axis=2)[20:40, 15:35].any(), "the number is white"
    assert not red_in(numbered(grey(), [])).any()
