"""How far a picture's content moved, on pictures made for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from computer_vision.motion import motion

if TYPE_CHECKING:
    from computer_vision.reader import Pixels

WIDTH, HEIGHT = 420, 360
HEADER, SIDE = 40, 64


def text(seed: int, *, width: int = WIDTH, height: int = 2400) -> Pixels:
    """A page of lines of different words, with blank rows between them, as a program draws them."""
    choose = np.random.default_rng(seed)
    page: Pixels = np.full((height, width, 4), 255, dtype=np.uint8)
    for row in range(18, height, 22):
        words = "".join(chr(97 + letter) for letter in choose.integers(0, 26, width // 8))
        cv2.putText(page, words, (6, row), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (30, 20, 10, 255), 1)
    return page


def table(columns: int = 6) -> Pixels:
    """Columns whose cells begin alike and end differently."""
    choose = np.random.default_rng(5)
    page: Pixels = np.full((HEIGHT, columns * 300, 4), 255, dtype=np.uint8)
    for row in range(18, HEIGHT, 22):
        for left in range(0, columns * 300, 300):
            rest = "".join(chr(97 + letter) for letter in choose.integers(0, 26, 14))
            cell = f"the cell of row {row} {rest}"
            cv2.putText(page, cell, (left, row), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (30, 20, 10, 255), 1)
    return page


PAGES = {seed: text(seed) for seed in range(3)}
WIDE = {seed: text(seed, width=2400, height=HEIGHT) for seed in range(3)}
TABLE = table()


def window(page: Pixels, at: int) -> Pixels:
    return page[at : at + HEIGHT].copy()


def furnished(view: Pixels, *, thumb: int, caret: bool) -> Pixels:
    """The view with what stands still around it, a scroll bar whose thumb goes the other way, and a caret."""
    view[:HEADER] = 200
    view[10:30, 20:200:7] = 40  # the heading's words
    view[:, :SIDE] = 230
    view[60:300:9, 8:50] = 90  # the side bar's
    view[:, -14:] = 210
    view[thumb : thumb + 30, -12:-2] = 120
    if caret:
        view[150:166, 200] = 0
    return view


@settings(max_examples=60)
@given(st.sampled_from(sorted(PAGES)), st.integers(0, 1500), st.integers(1, 250), st.booleans())
def test_the_shift_of_a_page_is_found_exactly_both_ways(seed: int, at: int, by: int, caret: bool) -> None:  # noqa: FBT001
    before = furnished(window(PAGES[seed], at), thumb=60, caret=caret)
    after = furnished(window(PAGES[seed], at + by), thumb=60 + by // 8, caret=not caret)
    assert motion(before, after, "down", 1).pixels == by
    assert motion(after, before, "down", -1).pixels == -by


@settings(max_examples=30)
@given(st.sampled_from(sorted(WIDE)), st.integers(0, 1500), st.integers(1, 250))
def test_so_is_a_shift_sideways(seed: int, at: int, by: int) -> None:
    before, after = (WIDE[seed][:, left : left + WIDTH].copy() for left in (at, at + by))
    for view in (before, after):
        view[:, :SIDE] = 230
    assert motion(before, after, "right", 1).pixels == by
    assert motion(after, before, "right", -1).pixels == -by


@given(st.sampled_from(sorted(PAGES)), st.integers(0, 1000))
def test_what_stands_still_has_not_moved(seed: int, at: int) -> None:
    view = window(PAGES[seed], at)
    assert motion(view, view.copy(), "down", 1) == (0, 0)


@settings(max_examples=30)
@given(st.integers(0, 1000), st.integers(0, 1000), st.sampled_from(["down", "right"]))
def test_of_another_page_nobody_says_how_far_it_moved(
    at: int, other: int, way: Literal["down", "right"]
) -> None:
    before, after = window(PAGES[0], at), window(PAGES[1], other)
    assert motion(before, after, way, 1).pixels is None


def test_the_extent_is_that_of_the_pane_that_moved() -> None:
    before, after = window(PAGES[0], 0), window(PAGES[0], 0)
    before[100:300] = PAGES[1][500:700]
    after[100:300] = PAGES[1][540:740]
    found = motion(before, after, "down", 1)
    assert found.pixels == 40
    assert 180 <= found.extent <= 200


def test_a_wrong_direction_is_not_made_to_fit() -> None:
    assert motion(window(PAGES[0], 100), window(PAGES[0], 160), "down", -1).pixels is None


@pytest.mark.parametrize("period", [4, 20])
def test_of_a_pattern_that_repeats_itself_nobody_says_how_far_it_moved(period: int) -> None:
    before: Pixels = np.full((HEIGHT, WIDTH, 4), 255, dtype=np.uint8)
    before[::period] = 0
    after = np.roll(before, -3, axis=0)
    assert motion(before, after, "down", 1).pixels is None


@pytest.mark.parametrize("by", [360, 420, 500, 800])
def test_of_columns_that_look_much_alike_none_is_taken_for_one_that_is_out_of_sight(by: int) -> None:
    before, after = (TABLE[:, left : left + WIDTH].copy() for left in (40, 40 + by))
    assert motion(before, after, "right", 1).pixels is None
    assert motion(after, before, "right", -1).pixels is None


@pytest.mark.parametrize("by", [20, 90, 200, 280])
def test_one_that_is_still_in_sight_is_found(by: int) -> None:
    before, after = (TABLE[:, left : left + WIDTH].copy() for left in (40, 40 + by))
    assert motion(before, after, "right", 1).pixels == by


def test_pictures_of_different_sizes_tell_nothing() -> None:
    assert motion(PAGES[0][:100], PAGES[0][:120], "down", 1) == (None, 120)
