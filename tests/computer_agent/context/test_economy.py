"""Which part of a screenshot is sent, and that what is sent can be understood without what is not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.context.economy import Economy, dropped
from computer_agent.context.history import History
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.step import Act, Observation, Step
from computer_api.actions import Look
from computer_api.geometry import Size
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Frame, Window

WIDTH, HEIGHT = 640, 400


def observed(*marks: tuple[int, int, int, int], windows: tuple[Window, ...] = ()) -> Observation:
    """A grey screen with black rectangles: left, top, width, height."""
    pixels = np.full((HEIGHT, WIDTH, 4), 200, dtype=np.uint8)
    for left, top, width, height in marks:
        pixels[top : top + height, left : left + width] = 0
    frame = Frame(pixels=pixels, area=Area(0, 0, WIDTH, HEIGHT))
    return Observation(screenshot=Screenshot(frame=frame, size=Size(WIDTH, HEIGHT)), windows=windows)


def window(number: int) -> Window:
    area = Area(0, 0, 100, 100)
    return Window(id=number, title="", app="", pid=None, area=area, active=False, hidden=False)


def test_a_small_change_is_sent_as_a_part_that_holds_all_of_it() -> None:
    first, second = observed(), observed((100, 80, 40, 12), (160, 100, 9, 9))
    whole, part = Economy("changed").parts([first, second])
    assert whole is None
    assert part is not None
    assert part.left <= 100
    assert part.top <= 80
    assert part.right >= 169
    assert part.bottom >= 109
    assert part.width * part.height < 0.15 * WIDTH * HEIGHT


def test_by_default_every_picture_is_whole() -> None:
    assert Economy().parts([observed(), observed((5, 5, 5, 5))]) == [None, None]


def test_a_large_change_a_new_window_and_every_sixth_picture_are_sent_whole() -> None:
    large = observed((0, 0, 400, 300))
    assert Economy("changed").parts([observed(), large]) == [None, None]
    assert Economy("changed").parts([observed(), observed((5, 5, 5, 5), windows=(window(1),))]) == [
        None,
        None,
    ]
    many = [observed((10 * number, 10, 5, 5)) for number in range(13)]
    parts = Economy("changed").parts(many)
    assert [part is None for part in parts] == [number % 6 == 0 for number in range(13)]


@given(st.lists(st.tuples(st.integers(0, 630), st.integers(0, 390), st.integers(1, 30)), max_size=4))
def test_a_part_lies_in_the_picture_and_shows_every_changed_pixel(places: list[tuple[int, int, int]]) -> None:
    seen = [observed(), *(observed((left, top, side, side)) for left, top, side in places)]
    parts = Economy("changed").parts(seen)
    for before, now, part in zip(seen[:-1], seen[1:], parts[1:], strict=True):
        if part is None or before.screenshot is None or now.screenshot is None:
            continue
        assert part.left >= 0
        assert part.top >= 0
        assert part.right <= WIDTH
        assert part.bottom <= HEIGHT
        differing = (before.screenshot.frame.pixels != now.screenshot.frame.pixels).any(axis=2)
        differing[part.top : part.bottom, part.left : part.right] = False
        assert not differing.any()


@given(st.lists(st.booleans(), max_size=60))
def test_no_part_is_kept_without_the_whole_that_it_belongs_to(rest: list[bool]) -> None:
    whole = [True, *rest]
    gone = dropped(whole)
    assert whole[gone]
    assert len(whole) - gone >= min(3, len(whole))
    assert gone <= dropped([*whole, True]), "what is gone stays gone"


def test_what_was_decided_for_a_step_never_changes_as_the_history_grows() -> None:
    seen = [observed((10 * number, 10, 5, 5)) for number in range(20)]
    economy = Economy("changed")
    growing = [economy.parts(seen[:length])[-1] for length in range(1, 21)]
    assert growing == Economy("changed").parts(seen)


def test_the_model_is_told_where_the_part_lies_and_that_places_are_those_of_the_whole() -> None:
    first, second = observed(), observed((300, 200, 20, 10))
    past = [Step(number=1, seen=first, act=Act(thought="", actions=(Look(),)), outcomes=(), seconds=0.1)]
    dialect = FunctionCalling(system="Work.", history=History(pictures="changed"))
    (words, *_) = [
        part["text"]
        for part in dialect.prompt("t", past, second).messages[-1]["content"]
        if part["type"] == "text" and part["text"].startswith("Screenshot")
    ]
    assert "Its left top corner is at 262,157 of the whole 640x400 pixels" in words, words
    assert "add 262 and 157" in words
