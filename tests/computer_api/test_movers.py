from __future__ import annotations

import numpy as np
import pytest

from computer_api.movers import Movers
from computer_platform.desktop import Area, Frame

SIZE = (320, 160)


def frame(*marks: Area, shade: int = 0) -> Frame:
    """A grey screen with marks of one shade."""
    pixels = np.full((SIZE[1], SIZE[0], 4), 236, np.uint8)
    for mark in marks:
        pixels[mark.top : mark.bottom, mark.left : mark.right, :3] = shade
    return Frame(pixels=pixels, area=Area(0, 0, *SIZE))


PLACE = Area(64, 32, 20, 16)


def looked_at(*frames: Frame) -> Movers:
    movers = Movers()
    for one in frames:
        movers.saw(one)
    return movers


def test_what_changes_again_and_again_by_itself_moves() -> None:
    movers = looked_at(*(frame(PLACE, shade=10 * turn) for turn in range(6)))
    moving = movers.moving()
    assert moving is not None
    assert moving[2, 4]
    assert moving.sum() == 2  # the two squares that it lies in, and no other


def test_one_change_makes_something_suspect_and_no_more() -> None:
    movers = looked_at(frame(), frame(PLACE))
    assert movers.moving() is None
    suspects = movers.suspects()
    assert suspects is not None
    assert suspects.sum() == 2


def test_what_we_did_is_no_movement() -> None:
    movers = looked_at(frame())
    movers.ours = True
    for turn in range(6):
        movers.saw(frame(PLACE, shade=10 * turn))
    assert movers.moving() is None
    suspects = movers.suspects()
    assert suspects is not None
    assert not suspects.any()


def test_what_has_two_looks_in_turn_blinks_and_the_other_look_is_kept() -> None:
    movers = looked_at(*(frame(PLACE) if turn % 2 else frame() for turn in range(7)))
    assert movers.moving() is None
    blinking = movers.blinking()
    assert blinking is not None
    assert blinking.squares.sum() == 2
    assert (blinking.pixels[32:48, 64:84, :3] == 0).all()  # what it looked like before it looked as now


def test_a_screen_of_another_size_is_begun_anew() -> None:
    movers = looked_at(*(frame(PLACE, shade=10 * turn) for turn in range(6)))
    movers.saw(Frame(pixels=np.zeros((80, 80, 4), np.uint8), area=Area(0, 0, 80, 80)))
    assert movers.moving() is None
    assert movers.age == 0


@pytest.mark.parametrize("shape", [(3, 3), (100, 100)])
def test_squares_of_another_screen_are_not_learned(shape: tuple[int, int]) -> None:
    movers = looked_at(frame(), frame())
    movers.learn(np.ones(shape, np.bool_), 1.0)
    movers.suspect(np.ones(shape, np.bool_))
    assert movers.moving() is None


def test_what_changes_with_every_action_is_suspect_and_never_said_to_move_by_itself() -> None:
    movers = looked_at(frame(), frame())
    place = np.zeros((10, 20), np.bool_)
    place[2, 4] = True
    for _ in range(6):
        movers.suspect(place)
    assert movers.moving() is None
    suspects = movers.suspects()
    assert suspects is not None
    assert suspects[2, 4]
    assert suspects.sum() == 1


def test_what_ticks_is_a_clock_and_what_turns_quickly_is_none() -> None:
    movers = looked_at(frame(), frame())
    ticking, turning = np.zeros((10, 20), np.bool_), np.zeros((10, 20), np.bool_)
    ticking[2, 4] = turning[6, 9] = True
    movers.learn(ticking, 1.0)
    movers.learn(turning, 0.06)
    clocks = movers.clocks()
    assert clocks is not None
    assert (clocks == ticking).all()
