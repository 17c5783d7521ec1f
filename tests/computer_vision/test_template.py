"""A picture that somebody gave is found, at whatever scale, and nothing else is."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from computer_vision.reader import Region
from computer_vision.template import find_picture

RNG = np.random.default_rng(5)
NOISE = RNG.integers(0, 255, (300, 400, 4), dtype=np.uint8)
SCREEN = cv2.GaussianBlur(NOISE, (0, 0), 2.5)


def mark(size: int = 36) -> np.ndarray:
    """A ring with a bar, red and blue on white."""
    picture = np.full((144, 144, 4), 255, np.uint8)
    cv2.circle(picture, (72, 72), 52, (30, 30, 200, 255), 18)
    cv2.rectangle(picture, (20, 62), (90, 82), (200, 60, 0, 255), -1)
    return cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA)


def with_mark(*places: tuple[int, int], size: int = 36) -> np.ndarray:
    screen = SCREEN.copy()
    for left, top in places:
        screen[top : top + size, left : left + size] = mark(size)
    return screen


@settings(max_examples=20, deadline=None)
@given(left=st.integers(0, 364), top=st.integers(0, 264))
def test_it_is_found_to_the_pixel_wherever_it_is(left: int, top: int) -> None:
    found = find_picture(with_mark((left, top)), mark())
    assert [place.region for place in found] == [Region(left, top, 36, 36)]
    assert found[0].score > 0.99


@pytest.mark.parametrize("size", [18, 27, 45, 54, 72])
def test_it_is_found_smaller_and_larger(size: int) -> None:
    found = find_picture(with_mark((101, 77), size=size), mark())
    assert len(found) == 1
    assert abs(found[0].region.left - 101) <= 2
    assert abs(found[0].region.width - size) <= 2


def test_every_place_is_told_once() -> None:
    found = find_picture(with_mark((10, 10), (200, 50), (60, 220)), mark())
    assert sorted(place.region[:2] for place in found) == [(10, 10), (60, 220), (200, 50)]


def test_what_is_not_there_is_not_found() -> None:
    assert find_picture(SCREEN, mark()) == ()


def test_only_the_region_is_searched() -> None:
    screen = with_mark((10, 10), (200, 50))
    found = find_picture(screen, mark(), region=Region(150, 0, 250, 300))
    assert [place.region for place in found] == [Region(200, 50, 36, 36)]


def test_what_is_transparent_may_look_like_anything() -> None:
    template = mark()
    outside = template[:, :, :3].astype(int).sum(axis=2) > 700
    template[outside, 3] = 0
    screen = SCREEN.copy()
    part = screen[100:136, 100:136]
    part[~outside] = template[~outside]
    found = find_picture(screen, template)
    assert [place.region for place in found] == [Region(100, 100, 36, 36)]


def test_a_picture_that_cannot_be_told_from_others_is_refused() -> None:
    with pytest.raises(ValueError, match="all of one colour"):
        find_picture(SCREEN, np.full((20, 20, 4), 255, np.uint8))
    with pytest.raises(ValueError, match='"2x9" pixels is too small'):
        find_picture(SCREEN, NOISE[:9, :2])


def test_a_picture_larger_than_the_screen_is_sought_smaller() -> None:
    assert find_picture(SCREEN[:30, :30], mark(144)) == ()
