"""The pointer as a hand moves it: the ways it takes, and when it waits."""

from __future__ import annotations

import time
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.actions import Click, Drag, MouseDown, MouseUp, Scroll
from computer_api.computer import Computer
from computer_api.errors import Stopped
from computer_api.geometry import Box, Pixel, Point
from computer_api.pointer import Pointer, glide, stroke
from computer_platform.desktop import Area
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.desktop import Activity, Window
    from computer_vision.tesseract import TesseractReader

SIDES = st.integers(1, 4000)
CORNERS = st.integers(-3000, 3000)
BOXES = st.builds(Box, CORNERS, CORNERS, SIDES, SIDES)
POINTS = st.builds(Point, CORNERS, CORNERS)


@st.composite
def glides(draw: st.DrawFn) -> tuple[Point, Point, Box]:
    box = draw(BOXES)
    across, down = st.integers(box.left, box.right - 1), st.integers(box.top, box.bottom - 1)
    return draw(st.builds(Point, across, down)), draw(st.builds(Point, across, down)), box


@given(glides())
def test_a_glide_ends_exactly_on_its_point_and_never_leaves_the_desktop(
    ends: tuple[Point, Point, Box],
) -> None:
    start, end, box = ends
    way = glide(start, end, within=box)
    assert way[-1] == end
    assert 8 <= len(way) <= 40
    assert all(point in box for point in way)
    assert way == glide(start, end, within=box)


@given(glides())
def test_a_glide_begins_and_ends_slowly_and_bows_only_a_little(ends: tuple[Point, Point, Box]) -> None:
    start, end, box = ends
    way = glide(start, end, within=box)
    length = distance(start, end)
    jumps = [distance(one, other) for one, other in pairwise((start, *way))]
    assert max(jumps) <= length / 4 + 3
    assert jumps[0] <= length / 12 + 3
    assert all(distance(start, point) + distance(point, end) <= length * 1.05 + 4 for point in way)


@given(st.lists(POINTS, min_size=2, max_size=6))
def test_a_drag_goes_over_each_point_of_its_path_in_order_in_short_steps(path: list[Point]) -> None:
    moves = stroke(path)
    rest = iter(moves)
    assert all(point in rest for point in path[1:])  # each is found after the one before it
    assert moves[-1] == path[-1]
    assert len(moves) >= 8
    assert all(distance(one, other) <= 43 for one, other in pairwise((path[0], *moves)))
    assert distance(path[0], moves[0]) <= 6  # a nudge
    assert all(beside(moves, path))


def beside(moves: tuple[Point, ...], path: list[Point]) -> list[bool]:
    """For each move, whether it lies on the path, but for the rounding."""
    return [
        any(
            distance(start, point) + distance(point, end) <= distance(start, end) + 1.5
            for start, end in pairwise(path)
        )
        for point in moves
    ]


def distance(start: Point, end: Point) -> float:
    return hypot(end.x - start.x, end.y - start.y)


def pressed(desktop: MemoryDesktop) -> list[bool]:
    return [bool(event.arguments[1]) for event in desktop.log if event.verb == "button"]


@pytest.fixture
def desktop() -> MemoryDesktop:
    desktop = MemoryDesktop()
    desktop.move(0, 0)
    return desktop


def seconds(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def test_a_second_click_on_one_spot_waits_until_it_is_a_click_of_its_own(desktop: MemoryDesktop) -> None:
    pointer = Pointer(desktop, check=lambda: None)
    assert seconds(pointer.click) < 0.4
    desktop.move(5, 5)
    assert seconds(pointer.click) >= 0.5


def test_a_drag_waits_as_a_click_does(desktop: MemoryDesktop) -> None:
    pointer = Pointer(desktop, check=lambda: None)
    pointer.click()
    assert seconds(lambda: pointer.drag([Point(0, 0), Point(90, 0)], "left")) >= 0.6


def test_another_button_another_place_and_a_double_click_do_not_wait(desktop: MemoryDesktop) -> None:
    pointer = Pointer(desktop, check=lambda: None)
    pointer.click()
    assert seconds(lambda: pointer.click("right", 2)) < 0.4
    desktop.move(40, 0)
    assert seconds(lambda: pointer.click("right", 3)) < 0.4
    assert pressed(desktop) == [True, False] * 6


def test_a_wait_between_clicks_can_be_stopped(desktop: MemoryDesktop) -> None:
    asked = iter([None, None])

    def check() -> None:
        if next(asked, "stop") == "stop":
            raise Stopped("enough")

    pointer = Pointer(desktop, check=check)
    pointer.click()
    with pytest.raises(Stopped):
        pointer.click()
    assert pressed(desktop) == [True, False]


def test_with_glide_the_pointer_goes_over_the_desktop_and_without_it_is_there_at_once(
    reader: TesseractReader,
) -> None:
    for wanted in (False, True):
        areas = [Area(0, 0, 640, 400), Area(-320, 0, 320, 200)]
        desktop = MemoryDesktop(displays=areas)
        computer = Computer(desktop, reader=reader, receipts=False, glide=wanted)
        computer.perform(Click(target=Pixel(900, 399)))
        moves = [event.arguments for event in desktop.log if event.verb == "move"]
        assert moves[-1] == (580, 399)
        assert (len(moves) >= 8) is wanted
        assert all(-320 <= x < 640 and 0 <= y < 400 for x, y in moves)  # type: ignore[misc] # they are numbers


def test_a_glide_can_be_stopped_on_the_way(desktop: MemoryDesktop) -> None:
    asked = iter(range(4))

    def check() -> None:
        if next(asked, None) is None:
            raise Stopped("enough")

    pointer = Pointer(desktop, check=check, glide=True)
    with pytest.raises(Stopped):
        pointer.move(Point(1000, 700))
    assert 0 < desktop.pointer()[0] < 900


@pytest.mark.parametrize("steps", [0, 1, 3, 9, 30])
def test_a_drag_that_is_stopped_anywhere_releases_button_and_keys(
    reader: TesseractReader, steps: int
) -> None:
    desktop = MemoryDesktop()
    computer = Computer(desktop, reader=reader, receipts=False)
    asked = iter(range(steps + 1))  # once before the action begins

    def check() -> None:
        if next(asked, None) is None:
            raise Stopped("enough")

    computer.stop_when(check)
    with pytest.raises(Stopped):
        computer.perform(
            Drag(start=Pixel(5, 5), end=Pixel(1200, 700), via=(Pixel(600, 5),), keys=("Shift_L",))
        )
    assert desktop.held() == frozenset()


def test_a_key_that_was_held_before_stays_held_after_an_action_that_holds_it_too(
    reader: TesseractReader,
) -> None:
    desktop = MemoryDesktop()
    computer = Computer(desktop, reader=reader, receipts=False)
    computer.keyboard.down("ctrl")
    computer.perform(Click(target=Pixel(5, 5), keys=("Control_L", "Shift_L")))
    assert desktop.held() == {"Control_L"}
    computer.perform(Scroll(down=2, keys=("Control_L",)))
    assert desktop.held() == {"Control_L"}


def test_a_button_pressed_on_purpose_is_not_waited_for(reader: TesseractReader) -> None:
    computer = Computer(MemoryDesktop(), reader=reader, receipts=False)
    computer.perform(Click(target=Pixel(5, 5)))
    assert seconds(lambda: computer.perform(MouseDown())) < 0.4
    computer.perform(MouseUp())


class AtWork(MemoryDesktop):
    """Its program is at work after each notch until it was looked at so often."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks
        self.left = 0
        self.joined = 0  # notches that came while it was at work

    def scroll(self, right: int, down: int) -> None:
        super().scroll(right, down)
        self.joined += self.left > 0
        self.left = self.looks

    def activity(self, window: Window | None) -> Activity:
        self.left = max(0, self.left - 1)
        return "busy" if self.left else super().activity(window)


def test_the_wheel_waits_for_a_program_that_is_at_work() -> None:
    desktop = AtWork(looks=5)
    Pointer(desktop, check=lambda: None).scroll(0, -20)
    assert [event.verb for event in desktop.log].count("scroll") == 20
    assert desktop.joined == 0


def test_the_wheel_turns_although_a_program_is_always_at_work() -> None:
    desktop = AtWork(looks=1_000_000)
    assert 0.5 < seconds(lambda: Pointer(desktop, check=lambda: None).scroll(40, 2)) < 5
    assert [event.verb for event in desktop.log].count("scroll") == 40


def test_the_wheel_can_be_stopped_between_notches(reader: TesseractReader) -> None:
    desktop = MemoryDesktop()
    asked = iter(range(3))

    def check() -> None:
        if next(asked, None) is None:
            raise Stopped("enough")

    with pytest.raises(Stopped):
        Pointer(desktop, check=check).scroll(0, -1000)
    turned = [event.arguments[1] for event in desktop.log if event.verb == "scroll"]
    assert turned == [-1] * 3
