"""Which pictures a model is still sent."""

from itertools import pairwise

from vendor_runs import done, screenshot

from computer_agent.context.history import History, Image, Stub, Turn
from computer_agent.step import Act, Observation, Step
from computer_api.actions import Zoom

ZOOM = Zoom(left=0, top=0, right=9, bottom=9)
SAME = Observation(screenshot=None, unchanged_since=1)


def zoomed(number: int, seen: Observation) -> Step:
    act = Act(thought="", actions=(ZOOM,))
    return Step(number=number, seen=seen, act=act, outcomes=(done(ZOOM),), seconds=0.1)


def kinds(turn: Turn) -> list[str]:
    return [type(part).__name__ for part in turn.parts if isinstance(part, Image | Stub)]


def test_the_screen_stays_however_often_it_is_looked_at_closely() -> None:
    first = Observation(screenshot=screenshot(3))
    past = [zoomed(1, first), *(zoomed(number, SAME) for number in range(2, 30))]
    for steps in range(1, len(past) + 1):
        turns = History().turns(past[:steps], SAME)
        assert kinds(turns[0]) == ["Image"]
        assert sum(kinds(turn).count("Image") for turn in turns) <= 8


def test_what_was_said_of_a_turn_changes_only_when_pictures_are_dropped() -> None:
    looks = [Observation(screenshot=screenshot(number)) for number in (3, 4, 5)]
    past = [zoomed(number, looks[number // 10] if number % 10 == 1 else SAME) for number in range(1, 30)]
    told = [
        [kinds(turn) for turn in History().turns(past[:steps], SAME)] for steps in range(1, len(past) + 1)
    ]
    changes = [before != now[: len(before)] for before, now in pairwise(told)]
    assert sum(changes) <= 6
    assert all(any("Image" in kind for kind in turns) for turns in told)
