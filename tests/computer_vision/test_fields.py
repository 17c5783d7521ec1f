"""The fields of real forms: GTK, Tk and Chromium, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from computer_vision.fields import field_beside, is_ticked, tick_beside
from computer_vision.reader import Region
from computer_vision.regions import overlap

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Load = Callable[[str], Any]

FORMS = [
    f"{form}_{theme}" for form in ("chromium_form", "tk_form", "zenity_form") for theme in ("light", "dark")
]


def alike(one: Region | None, other: Region) -> bool:
    """Whether the two cover mostly the same pixels."""
    if one is None:
        return False
    shared = overlap(one, other)
    return shared / (one.width * one.height + other.width * other.height - shared) > 0.7


def tight(label: Region) -> Region:
    """The label as a reader would give it: the truth's boxes are as high as the line, or the widget."""
    if label.height < 18:
        return label
    return Region(label.left + 4, label.top + 4, label.width - 8, label.height - 8)


@pytest.mark.parametrize("form", FORMS)
def test_every_labelled_field_is_found_and_its_side_need_not_be_said(form: str, screen: Load) -> None:
    shown = screen(form)
    assert len(shown.fields) >= 5
    for field in shown.fields:
        label = tight(field.label_region)
        assert alike(field_beside(shown.pixels, label), field.region), field.label
        assert alike(field_beside(shown.pixels, label, side=field.side), field.region), field.label


@pytest.mark.parametrize("form", FORMS)
def test_the_other_side_is_never_taken_for_the_field(form: str, screen: Load) -> None:
    shown = screen(form)
    for field in shown.fields:
        side = "right" if field.side == "below" else "below"
        got = field_beside(shown.pixels, tight(field.label_region), side=side)
        assert not alike(got, field.region), field.label


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tick_boxes_and_radio_buttons_are_found_left_of_their_labels(theme: str, screen: Load) -> None:
    shown = screen(f"chromium_form_{theme}")
    assert len(shown.ticks) == 4
    for tick in shown.ticks:
        box = tick_beside(shown.pixels, tick.label_region)
        assert box is not None, tick.label
        assert overlap(box, tick.region) >= 0.9 * tick.region.width * tick.region.height, tick.label


def test_a_label_without_a_tick_box_has_none(screen: Load) -> None:
    shown = screen("chromium_form_light")
    for field in shown.fields:
        assert tick_beside(shown.pixels, field.label_region) is None, field.label


def test_a_field_behind_another_label_belongs_to_that_label() -> None:
    pixels = np.full((60, 500, 4), 240, dtype=np.uint8)
    pixels[20:44, 300:450] = 255
    label, other = Region(10, 26, 40, 12), Region(200, 26, 48, 13)
    assert field_beside(pixels, label) == Region(300, 20, 150, 24)
    cv2.putText(pixels, "Street", (200, 38), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0))
    assert field_beside(pixels, label) is None
    assert field_beside(pixels, other) == Region(300, 20, 150, 24)


def test_a_colon_and_a_star_do_not_hide_the_field() -> None:
    pixels = np.full((60, 300, 4), 240, dtype=np.uint8)
    pixels[20:44, 100:250] = 255
    pixels[30:36, 54:56] = pixels[28:32, 62:66] = 0
    assert field_beside(pixels, Region(10, 26, 40, 12)) == Region(100, 20, 150, 24)


def test_the_nearer_of_two_fields_counts() -> None:
    pixels = np.full((60, 500, 4), 40, dtype=np.uint8)
    pixels[20:44, 100:200] = pixels[20:44, 220:320] = 60
    assert field_beside(pixels, Region(10, 26, 40, 12)) == Region(100, 20, 100, 24)


def test_a_page_without_fields_has_none() -> None:
    assert field_beside(np.full((200, 300, 4), 255, dtype=np.uint8), Region(10, 20, 50, 12)) is None


def test_a_label_at_the_edge_has_no_tick_box() -> None:
    assert tick_beside(np.full((40, 60, 4), 255, dtype=np.uint8), Region(0, 10, 40, 12)) is None


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("label", "ticked"),
    [("Send newsletter", False), ("Accept terms", True), ("Standard", False), ("Express", True)],
)
def test_a_tick_and_a_dot_are_seen_in_their_boxes(
    screen: Load,
    theme: str,
    label: str,
    ticked: bool,  # noqa: FBT001 - a parameter
) -> None:
    page = screen(f"chromium_form_{theme}")
    (tick,) = [tick for tick in page.ticks if tick.label == label]
    assert is_ticked(page.pixels, tick.region) is ticked
