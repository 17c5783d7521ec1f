"""Places that programs tell in units of their own, put right by what the window system knows of their windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from computer_platform.boxes import (
    AS_TOLD,
    Placement,
    placement_in_border,
    placement_in_holder,
    placement_of,
    whole_factor,
)
from computer_platform.desktop import Area, Window

if TYPE_CHECKING:
    from collections.abc import Callable

PLACES = st.builds(
    Area, st.integers(-2000, 4000), st.integers(-500, 2000), st.integers(120, 2000), st.integers(120, 1500)
)


def window(area: Area, title: str = "Form", number: int = 1) -> Window:
    return Window(id=number, title=title, app="app", pid=7, area=area, active=True, hidden=False)


@dataclass(frozen=True)
class Told:
    """What is measured of a toolkit: a window's true area, and it and a button in it as the toolkit tells them."""

    toolkit: str
    factor: float
    real: Area
    told: Area
    button: Area
    button_real: Area


MEASURED = [
    Told("Qt 2", 2, Area(1, 20, 1400, 1000), Area(1, 10, 700, 500), Area(71, 34, 32, 31), Area(141, 68, 64, 62)),
    Told("Qt 1.5", 1.5, Area(275, 132, 1050, 750), Area(183, 88, 700, 500), Area(253, 112, 32, 31),
         Area(380, 168, 48, 46)),
    Told("Qt 1", 1, Area(450, 257, 700, 500), Area(450, 257, 700, 500), Area(520, 281, 32, 31),
         Area(520, 281, 32, 31)),
    Told("Chromium 2", 2, Area(20, 20, 1200, 800), Area(10, 10, 600, 400), Area(104, 61, 54, 24),
         Area(208, 122, 108, 48)),
    Told("Chromium 1.5", 1.5, Area(15, 15, 900, 600), Area(10, 10, 600, 400), Area(104, 61, 54, 24),
         Area(156, 92, 81, 36)),
]  # fmt: skip


@pytest.mark.parametrize("case", MEASURED, ids=lambda case: case.toolkit)
def test_what_was_measured_of_real_toolkits_comes_out_right(case: Told) -> None:
    placement = placement_of("Form", case.told, [window(case.real)])
    assert placement is not None
    assert placement.factor == pytest.approx(case.factor)
    found = placement.area(case.button)
    assert all(abs(one - other) <= 1 for one, other in zip(found, case.button_real, strict=True))


@given(PLACES, st.sampled_from([1.0, 1.25, 1.5, 1.75, 2.0, 3.0]), st.booleans())
def test_any_window_told_in_larger_units_is_found_again_with_its_factor(
    real: Area,
    factor: float,
    at_corner: bool,  # noqa: FBT001 - drawn
) -> None:
    told = Area(
        0 if at_corner else round(real.left / factor),
        0 if at_corner else round(real.top / factor),
        round(real.width / factor),
        round(real.height / factor),
    )
    placement = placement_of("Form", told, [window(real)])
    assert placement is not None
    assert placement.factor == pytest.approx(factor, rel=0.02)
    area = placement.area(told)
    assert area[:2] == real[:2]
    assert abs(area.width - real.width) <= 4
    assert abs(area.height - real.height) <= 4


@given(PLACES, PLACES)
def test_a_told_window_of_another_shape_is_nobody_s(real: Area, told: Area) -> None:
    assume(abs(real.width / told.width - real.height / told.height) > 0.1)
    assert placement_of("Form", told, [window(real)]) is None
    assert placement_of("Form", told, []) is None


def test_of_several_windows_the_one_of_that_title_is_meant_and_none_where_they_cannot_be_told_apart() -> None:
    one, two = window(Area(0, 0, 800, 600), "One"), window(Area(900, 100, 800, 600), "Two", 2)
    told = Area(0, 0, 400, 300)
    named = placement_of("Two", told, [one, two])
    assert named is not None
    assert (named.real, named.factor) == ((900, 100), 2.0)
    assert placement_of("Three", told, [one, two]) is None
    other = placement_of("Three", told, [one, window(Area(900, 100, 333, 600), "Two", 2)])
    assert other is not None
    assert other.real == (0, 0)


def test_a_window_with_a_shadow_is_meant_with_it_or_without_it_whichever_fits() -> None:
    content, whole = window(Area(28, 20, 1184, 792)), window(Area(20, 20, 1200, 800))
    with_it = placement_of("Form", Area(10, 10, 600, 400), [content, whole])
    without_it = placement_of("Form", Area(14, 10, 592, 396), [content, whole])
    assert with_it is not None
    assert without_it is not None
    assert (with_it.real, without_it.real) == ((20, 20), (28, 20))


@given(PLACES, st.sampled_from([1, 2, 3]), st.integers(0, 9))
def test_a_border_that_only_the_program_knows_is_found_by_being_the_same_on_all_sides(
    inner: Area, factor: int, border: int
) -> None:
    real = Area(
        100, 50, inner.width * factor + 2 * border * factor, inner.height * factor + 2 * border * factor
    )
    placement = placement_in_border("Form", Area(0, 0, inner.width, inner.height), [window(real)])
    assert placement == Placement(
        factor=factor, told=(0, 0), real=(100 + border * factor, 50 + border * factor)
    )


@given(PLACES, st.sampled_from([1, 2, 3]), st.integers(0, 4), st.integers(0, 30))
def test_a_framed_window_told_in_whole_units_of_the_screen_gives_away_their_size(
    content: Area, factor: int, side: int, top: int
) -> None:
    content = Area(*(abs(number) * factor for number in content))
    frame = Area(
        (content.left - side * factor) // factor,
        (content.top - top * factor) // factor,
        (content.width + 2 * side * factor) // factor,
        (content.height + (top + side) * factor) // factor,
    )
    assert whole_factor([frame], [window(content)]) == factor
    assert whole_factor([Area(0, 0, 1, 1), frame], [window(content)]) == factor


@pytest.mark.parametrize("unfit", [[], [Area(0, 0, 10, 10)], [Area(500, 500, 300, 200)]])
def test_without_a_window_that_fits_no_factor_is_made_up(unfit: list[Area]) -> None:
    assert whole_factor(unfit, [window(Area(5, 5, 400, 300))]) is None
    assert placement_in_border("Form", Area(0, 0, 333, 20), [window(Area(5, 5, 400, 300))]) is None


@pytest.mark.parametrize("how", [placement_of, placement_in_border])
def test_a_window_without_a_size_is_nobody_s(how: Callable[..., Placement | None]) -> None:
    assert how("Form", Area(0, 0, 0, 0), [window(Area(0, 0, 400, 300))]) is None


@given(PLACES, st.integers(-60, 60), st.integers(-60, 60), st.integers(1, 3))
def test_a_pane_told_from_another_corner_lies_where_the_panel_lies_that_it_fills(
    panel: Area, across: int, down: int, factor: int
) -> None:
    assume((across, down) != (0, 0))
    told = Area(panel.left + across, panel.top + down, panel.width, panel.height)
    around = Area(panel.left, panel.top, panel.width, panel.height + 27)
    placement = placement_in_holder(told, [around, panel], Placement(factor=factor))
    assert placement is not None
    assert placement.area(told) == Area(*(factor * number for number in panel))


@pytest.mark.parametrize(
    "panels",
    [
        [],
        [Area(0, 48, 1280, 751)],
        [Area(0, 21, 1280, 752)],
        [Area(0, 48, 1280, 752), Area(5, 48, 1280, 752)],
    ],
    ids=["none", "of another size", "where it is told", "two"],
)
def test_a_pane_that_fills_no_panel_or_several_is_left_where_it_is_told(panels: list[Area]) -> None:
    assert placement_in_holder(Area(0, 21, 1280, 752), panels, AS_TOLD) is None
