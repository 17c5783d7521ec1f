from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import pytest

from computer_api.errors import Stopped
from computer_api.settle import alike, differ, settled
from computer_platform.desktop import Area, Frame
from computer_platform.memory import MemoryDesktop, Screen, Widget
from computer_vision.change import squares_of
from computer_vision.reader import Region

if TYPE_CHECKING:
    from collections.abc import Callable


def frame(*marks: Area, size: tuple[int, int] = (200, 100)) -> Frame:
    """A grey screen with black marks."""
    pixels = np.full((size[1], size[0], 4), 236, np.uint8)
    for mark in marks:
        pixels[mark.top : mark.bottom, mark.left : mark.right, :3] = 0
    return Frame(pixels=pixels, area=Area(0, 0, *size))


CARET = Area(20, 30, 1, 20)
BLOCK = Area(20, 30, 7, 16)  # the cursor of a terminal
PARAGRAPH = Area(20, 30, 100, 20)


def playing(show: Callable[[int], Frame]) -> Callable[[], Frame]:
    """A capture that shows one frame after the other."""
    turns = count()
    return lambda: show(next(turns))


def nothing() -> None:
    """No reason to stop."""


def test_a_screen_that_stands_still_is_quiet_at_once() -> None:
    began = time.monotonic()
    result = settled(lambda: frame(PARAGRAPH), seconds=30, check=nothing)
    assert not result.moving
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("cursor", [CARET, BLOCK])
def test_a_cursor_that_blinks_holds_nothing_up(cursor: Area) -> None:
    shown = playing(lambda turn: frame(cursor) if turn % 2 else frame())
    result = settled(shown, seconds=30, check=nothing)
    assert not result.moving


def test_a_screen_that_goes_on_moving_ends_as_moving_when_the_time_is_over() -> None:
    shown = playing(lambda turn: frame(Area(5 * turn % 100, 0, 100, 50)))
    began = time.monotonic()
    result = settled(shown, seconds=0.3, check=nothing)
    assert result.moving
    assert time.monotonic() - began >= 0.3


def test_a_spinner_holds_nothing_up_and_is_named() -> None:
    spinner = Area(100, 40, 45, 30)
    began = time.monotonic()
    shown = playing(lambda turn: frame(Area(spinner.left + 5 * (turn % 6), spinner.top, 20, 30)))
    result = settled(shown, seconds=30, check=nothing)
    assert not result.moving
    assert time.monotonic() - began < 20
    (animated,) = result.animated
    assert animated.left <= spinner.left < spinner.right <= animated.right


def test_what_was_known_to_move_holds_nothing_up_at_all() -> None:
    known = squares_of([Region(96, 32, 32, 32)], (200, 100))
    shown = playing(lambda turn: frame(Area(100, 40, 5 + turn % 15, 20)))
    result = settled(shown, seconds=30, polls=4, check=nothing, known=known)
    assert not result.moving
    assert not result.animated


def test_what_still_moves_when_the_time_is_over_is_named() -> None:
    shown = playing(lambda turn: frame(Area(5 * turn % 100, 0, 100, 16)))
    result = settled(shown, seconds=0.3, check=nothing)
    assert all(region.bottom <= 16 for region in result.moving)


def test_what_comes_back_is_the_picture_after_the_movement() -> None:
    shown = playing(lambda turn: frame(Area(10 * min(turn, 6), 0, 50, 50)))
    result = settled(shown, seconds=30, check=nothing)
    assert not result.moving
    assert alike(result.frame, frame(Area(60, 0, 50, 50)))


def test_a_program_gets_time_to_begin() -> None:
    began = time.monotonic()
    shown = playing(lambda _: frame(PARAGRAPH) if time.monotonic() - began > 0.25 else frame())
    result = settled(shown, first=0.4, seconds=30, check=nothing)
    assert not differ(result.frame, frame(PARAGRAPH))


def test_a_person_can_end_the_wait() -> None:
    turns = count()

    def check() -> None:
        if next(turns) == 3:
            raise Stopped("enough")

    with pytest.raises(Stopped, match="enough"):
        settled(playing(lambda turn: frame(Area(5 * turn % 100, 0, 100, 50))), seconds=30, check=check)


def test_pictures_of_two_sizes_differ_and_are_not_alike() -> None:
    assert differ(frame(), frame(size=(200, 101)))
    assert not alike(frame(), frame(size=(101, 200)))


def test_only_a_caret_leaves_two_screens_alike() -> None:
    assert alike(frame(), frame())
    assert alike(frame(), frame(CARET))
    assert not alike(frame(), frame(Area(20, 30, 8, 8)))
    assert not alike(frame(CARET), frame(Area(60, 30, 1, 20)))  # it went on: something was typed
    assert not alike(frame(), frame(PARAGRAPH))


def test_a_tick_is_a_difference_to_whoever_decides() -> None:
    boxes = (Widget(kind="checkbox", name="Window seat", area=Area(50, 50, 16, 16)),)
    desktop = MemoryDesktop((200, 100), [Screen(name="seats", widgets=boxes)])
    before = desktop.capture()
    desktop.move(58, 58)
    desktop.button("left", down=True)
    focused = desktop.capture()
    desktop.button("left", down=False)
    assert desktop.elements().items[0].value == ""
    assert not alike(focused, desktop.capture())
    assert not alike(before, desktop.capture())
