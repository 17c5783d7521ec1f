from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from computer_api.evidence import Evidence, Scene, evidence
from computer_api.geometry import Box, Size
from computer_api.screenshot import Screenshot
from computer_api.settle import Looking
from computer_api.targets import Match
from computer_platform.desktop import Area, Frame

if TYPE_CHECKING:
    from computer_vision.change import Squares

SIZE = Size(640, 320)
BUTTON = Match(box=Box(40, 40, 80, 30), text="Go", score=1.0, source="text")
SECOND = Area(320, 160, 20, 14)  # of a clock that reads 12:00:59


def screen(*marks: Area) -> Frame:
    pixels = np.full((SIZE.height, SIZE.width, 4), 236, np.uint8)
    for mark in marks:
        pixels[mark.top : mark.bottom, mark.left : mark.right, :3] = 0
    return Frame(pixels=pixels, area=Area(0, 0, SIZE.width, SIZE.height))


def squares_of(looking: Looking, *marks: Area) -> Squares:
    squares = np.zeros_like(looking.known)
    for mark in marks:
        squares[mark.top // 16 : -(-mark.bottom // 16), mark.left // 16 : -(-mark.right // 16)] = True
    return squares


def seen(
    *marks: Area, clock: Area | None = None, still: bool = True, outlasted: tuple[Area, ...] = ()
) -> Evidence:
    """What a click on the button is said to have changed when those marks came."""
    frames = screen(), screen(*marks)
    looking = Looking(frames[0])
    looking.look(frames[1])
    ticking = squares_of(looking, *([] if clock is None else [clock]))
    before, after = (
        Scene(
            screenshot=Screenshot(frame=frame, size=SIZE),
            still=~ticking & still,
            known=ticking,
            clocks=ticking,
        )
        for frame in frames
    )
    return evidence(
        before, after, looking, (BUTTON,), outlasted=[squares_of(looking, mark) for mark in outlasted]
    )


def effect_of(mark: Area, clock: Area | None = SECOND) -> str:
    found = seen(mark, clock=clock)
    return found.receipt((BUTTON,), busy=False, moving=(), where="").effect


def test_the_minute_of_a_clock_whose_second_is_known_proves_nothing() -> None:
    assert effect_of(Area(296, 160, 10, 14)) == "nothing"
    assert effect_of(Area(296, 160, 10, 14), None) == "elsewhere"


@pytest.mark.parametrize(
    "mark",
    [Area(320, 60, 10, 14), Area(150, 160, 10, 14), Area(280, 130, 20, 60), Area(100, 40, 10, 14)],
    ids=["in another line", "far away", "higher than the clock", "at the button"],
)
def test_what_is_not_in_the_line_of_a_clock_is_the_effect_of_a_click(mark: Area) -> None:
    assert effect_of(mark) in {"here", "elsewhere"}


def test_a_change_that_outlasted_a_clock_counts_beside_one_that_ticks_on() -> None:
    label, ticks = Area(400, 60, 10, 14), Area(60, 240, 10, 14)
    assert seen(label, ticks, still=False).sure == ()
    found = seen(label, ticks, still=False, outlasted=(label,))
    assert [box.left for box in found.sure] == [label.left]
    assert [region.left for region in found.unsure] == [ticks.left]
