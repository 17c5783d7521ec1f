"""What a person's keys and mouse mean: stop, the person is at work, or nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.actions import HoldKeys, KeyDown, PressKeys, Wait
from computer_api.computer import Computer
from computer_api.errors import PersonActiveError, Stopped
from computer_api.gestures import ESC_TWICE, INTO_CORNER, Activity, StopGestures
from computer_api.presence import Presence
from computer_platform.desktop import Area, PersonEvent
from computer_platform.memory import MemoryDesktop, MemoryPerson, form

if TYPE_CHECKING:
    from collections.abc import Iterable

    from computer_vision.tesseract import TesseractReader

LEFT, RIGHT = Area(-1920, 100, 1920, 1080), Area(0, 0, 1280, 800)
CORNERS = [(-1920, 100), (-1, 1179), (0, 0), (1279, 0), (1279, 799)]


def key(name: str, seconds: float, *, down: bool = True) -> PersonEvent:
    return PersonEvent(kind="key", at=(5, 5), name=name, down=down, seconds=seconds)


def tap(name: str, seconds: float) -> list[PersonEvent]:
    return [key(name, seconds), key(name, seconds + 0.01, down=False)]


def way(places: Iterable[tuple[int, int]], *, began: float = 10.0, each: float = 0.02) -> list[PersonEvent]:
    """The pointer's way over these places, one motion between any two."""
    return [
        PersonEvent(
            kind="motion", at=end, by=(end[0] - start[0], end[1] - start[1]), seconds=began + number * each
        )
        for number, (start, end) in enumerate(pairwise(places))
    ]


def said(events: Iterable[PersonEvent], gestures: StopGestures | None = None) -> list[str]:
    judge = gestures or StopGestures([LEFT, RIGHT])
    return [words for event in events if (words := judge.take(event)) is not None]


# Esc twice.


def test_esc_twice_within_half_a_second_stops() -> None:
    assert said([*tap("Escape", 1.0), *tap("Escape", 1.4)]) == [ESC_TWICE]


@pytest.mark.parametrize(
    "events",
    [
        tap("Escape", 1.0),
        [*tap("Escape", 1.0), *tap("Escape", 1.6)],
        [*tap("Escape", 1.0), *tap("", 1.1), *tap("Escape", 1.2)],
        [*tap("Escape", 1.0), *tap("F1", 1.1), *tap("Escape", 1.2)],
        [*tap("", 1.0), *tap("", 1.1)],
    ],
    ids=["once", "too slowly", "a letter between", "a key between", "two letters"],
)
def test_no_other_keys_stop(events: list[PersonEvent]) -> None:
    assert said(events) == []


def test_esc_that_is_held_and_repeats_is_pressed_once() -> None:
    held = [key("Escape", 1.0 + 0.03 * number) for number in range(10)]
    assert said([*held, key("Escape", 1.4, down=False)]) == []


# Into a corner.


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("off", [0, 1])
def test_the_pointer_pushed_into_a_corner_of_any_monitor_stops(corner: tuple[int, int], off: int) -> None:
    x, y = corner[0] + off, corner[1] - off
    places = [(x + step * 60, y + step * 40) for step in range(5, -1, -1)]
    assert said(way(places)) == [INTO_CORNER]


def test_a_push_that_is_repeated_at_once_stops_though_it_begins_in_the_corner() -> None:
    push = [(step * 60, step * 40) for step in range(5, -1, -1)]
    assert said(way([(0, 0), *push])) == [INTO_CORNER]


def test_a_pointer_that_rests_in_a_corner_or_trembles_there_means_nothing() -> None:
    assert said(way([(0, 0), (1, 0), (0, 0), (0, 1), (0, 0)] * 50)) == []


def test_a_pointer_that_goes_slowly_into_a_corner_means_nothing() -> None:
    assert said(way([(step * 60, step * 40) for step in range(12, -1, -1)], each=0.15)) == []


def test_what_is_dragged_into_a_corner_means_nothing_until_it_is_let_go() -> None:
    press = PersonEvent(kind="button", at=(300, 200), name="left", down=True, seconds=9.9)
    places = [(step * 60, step * 40) for step in range(5, -1, -1)]
    gestures = StopGestures([RIGHT])
    assert said([press, *way(places)], gestures) == []
    assert said([PersonEvent(kind="button", at=(0, 0), name="left", seconds=11.0)], gestures) == []
    assert said(way(places, began=12.0), gestures) == [INTO_CORNER]


def test_what_we_moved_ourselves_is_no_way_that_the_person_came() -> None:
    nudged = [PersonEvent(kind="motion", at=(0, 0), by=(-3, 0), seconds=10.0 + 0.02 * n) for n in range(20)]
    far = PersonEvent(kind="motion", at=(900, 700), by=(2, 0), seconds=9.99)
    assert said([far, *nudged]) == []


@given(st.lists(st.tuples(st.integers(10, 1270), st.integers(10, 790)), min_size=2, max_size=60))
def test_no_way_that_stays_out_of_the_corners_stops(places: list[tuple[int, int]]) -> None:
    assert said(way(places), StopGestures([RIGHT])) == []


def test_a_monitor_that_is_unplugged_takes_its_corners_along() -> None:
    gestures = StopGestures([LEFT, RIGHT])
    gestures.watch([RIGHT])
    assert said(way([(-1920 + step * 60, 100 + step * 40) for step in range(5, -1, -1)]), gestures) == []


# At work.


def worked(events: Iterable[PersonEvent], *, since: float = 0.0) -> Activity:
    activity = Activity(since)
    for event in events:
        activity.take(event)
    return activity


def test_a_key_a_button_and_the_wheel_are_work_at_once_and_are_counted() -> None:
    wheel = PersonEvent(kind="wheel", at=(5, 5), name="down", down=True, seconds=10.2)
    press = PersonEvent(kind="button", at=(5, 5), name="left", down=True, seconds=10.3)
    release = PersonEvent(kind="button", at=(5, 5), name="left", seconds=10.4)
    doings = worked([*tap("", 10.0), wheel, wheel, press, release]).doings
    assert doings is not None
    assert (doings.keys, doings.notches, doings.buttons, doings.points) == (1, 2, 1, 0)
    assert (doings.began, doings.ended) == (10.0, 10.3)
    assert doings.tools() == "the mouse and the keyboard"


def test_a_mouse_is_at_work_when_it_has_gone_more_than_a_few_points() -> None:
    assert worked(way([(100 + step, 100) for step in range(9)])).doings is None
    doings = worked(way([(100 + step, 100) for step in range(13)])).doings
    assert doings is not None
    assert (doings.points, doings.keys, doings.tools()) == (12, 0, "the mouse")


def test_a_desk_that_is_bumped_now_and_then_is_nobody_at_work() -> None:
    bumps = [
        event for second in range(2, 200) for event in way([(100, 100), (105, 100)], began=float(second))
    ]
    assert worked(bumps).doings is None


def test_what_is_still_going_on_at_the_beginning_does_not_count_but_what_comes_after_a_pause_does() -> None:
    enter = key("", 10.05, down=False)
    still = way([(100 + 20 * step, 100) for step in range(40)], began=10.1)
    activity = worked([enter, *still], since=10.0)
    assert activity.doings is None
    activity.take(key("", still[-1].seconds + 1.0))
    assert activity.doings is not None


def test_somebody_who_just_goes_on_is_at_work_after_a_while() -> None:
    assert (
        worked(way([(100 + 2 * step, 100) for step in range(200)], began=10.1), since=10.0).doings is not None
    )


# A computer and the person at it.


def computer_with(reader: TesseractReader, *, pausing: bool = False) -> tuple[Computer, MemoryPerson]:
    desktop = MemoryDesktop((640, 400), form())
    computer = Computer(desktop, reader=reader, receipts=False)
    computer.presence.watch(desktop.displays())
    computer.presence.begin()
    computer.presence.pausing = pausing
    return computer, desktop.person


def does(person: MemoryPerson, events: Iterable[PersonEvent]) -> None:
    for event in events:
        person.did(event)


def test_after_esc_twice_nothing_is_done_and_nothing_stays_pressed(reader: TesseractReader) -> None:
    computer, person = computer_with(reader)
    computer.perform(KeyDown(keys=("Shift_L",)))
    does(person, [*tap("Escape", 1.0), *tap("Escape", 1.1)])
    with pytest.raises(Stopped, match=ESC_TWICE):
        computer.perform(PressKeys(keys=("a",)))
    assert not computer.desktop.held()
    with pytest.raises(Stopped):
        computer.perform(Wait(seconds=0.0))


def test_a_stop_ends_the_action_that_is_going_on(reader: TesseractReader) -> None:
    computer, person = computer_with(reader)
    asked = 0

    def stop_in_the_middle() -> None:
        nonlocal asked
        asked += 1
        if asked == 3:
            does(person, way([(step * 60, step * 40) for step in range(5, -1, -1)]))

    computer.stop_when(stop_in_the_middle)
    with pytest.raises(Stopped, match="corner"):
        computer.perform(HoldKeys(keys=("Control_L",), seconds=60.0))
    assert not computer.desktop.held()


def test_work_of_the_person_breaks_off_what_is_going_on_only_where_that_is_wanted(
    reader: TesseractReader,
) -> None:
    computer, person = computer_with(reader)
    later = computer.presence._activity.last + 10
    does(person, tap("", later))
    computer.perform(PressKeys(keys=("a",)))
    computer, person = computer_with(reader, pausing=True)
    does(person, tap("", later))
    with pytest.raises(PersonActiveError, match="used the keyboard before it began") as before:
        computer.perform(PressKeys(keys=("a",)))
    assert not before.value.begun
    computer.presence.go_on()
    computer.perform(PressKeys(keys=("a",)))
    later = computer.presence._activity.last + 10
    computer.stop_when(lambda: does(person, tap("", later)) if computer.desktop.held() else None)
    with pytest.raises(PersonActiveError, match="in the middle of it") as middle:
        computer.perform(HoldKeys(keys=("Control_L",), seconds=60.0))
    assert middle.value.begun
    assert not computer.desktop.held()


def test_a_wait_has_sent_nothing_and_can_be_begun_again(reader: TesseractReader) -> None:
    computer, person = computer_with(reader, pausing=True)
    later = computer.presence._activity.last + 10
    computer.stop_when(lambda: does(person, tap("", later)))
    with pytest.raises(PersonActiveError) as active:
        computer.perform(Wait(seconds=60.0))
    assert not active.value.begun


def test_while_a_question_is_asked_work_does_not_count_and_a_stop_does() -> None:
    presence = Presence(MemoryPerson())
    stops: list[str] = []
    presence.on_stop = lambda: stops.append(presence.stopped)
    presence.begin()
    later = presence._activity.last + 10
    with presence.asking():
        presence.heard(key("", later))
        assert presence.doings() is None
        for event in [*tap("Escape", later), *tap("Escape", later + 0.1), *tap("Escape", later + 0.2)]:
            presence.heard(event)
    assert stops == [ESC_TWICE]


def test_where_nobody_can_be_heard_nothing_is_different() -> None:
    presence = Presence(None)
    presence.begin()
    presence.check()
    presence.close()
