"""Raw events become what a person meant by them, however they are handed over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.recording.merging import (
    DOUBLE_CLICK_SECONDS,
    TYPING_SECONDS,
    Clicked,
    Dragged,
    Gesture,
    Merger,
    Pressed,
    Scrolled,
    Typed,
    merged,
)
from computer_platform.demonstration import InputEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MODIFIERS = ("Control_L", "Alt_L", "Super_L", "Shift_L", "ISO_Level3_Shift")
NOTCHES = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}
PAUSE = TYPING_SECONDS + 1


class Person:
    """Does things, and keeps the events of that."""

    def __init__(self) -> None:
        self.events: list[InputEvent] = []
        self.now = 100.0
        self._at = (0, 0)
        self._held: tuple[str, ...] = ()

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def button(self, name: str, *, down: bool, at: tuple[int, int]) -> None:
        self._at = at
        self._add(InputEvent(kind="button", at=at, seconds=self.now, name=name, down=down))

    def move(self, at: tuple[int, int]) -> None:
        self._at = at
        self._add(InputEvent(kind="motion", at=at, seconds=self.now))

    def click(self, at: tuple[int, int], button: str = "left", times: int = 1) -> None:
        for _ in range(times):
            self.button(button, down=True, at=at)
            self.wait(0.05)
            self.button(button, down=False, at=at)
            self.wait(0.1)

    def drag(self, start: tuple[int, int], end: tuple[int, int], button: str = "left") -> None:
        self.button(button, down=True, at=start)
        self.move(((start[0] + end[0]) // 2, (start[1] + end[1]) // 2))
        self.move(end)
        self.button(button, down=False, at=end)

    def wheel(self, way: str, times: int, at: tuple[int, int]) -> None:
        for _ in range(times):
            self._at = at
            self._add(InputEvent(kind="wheel", at=at, seconds=self.now, name=way))
            self.wait(0.05)

    def key(self, name: str, text: str | None = None) -> None:
        self._key(name, down=True, text=text)
        self._key(name, down=False)

    def write(self, text: str) -> None:
        for character in text:
            self.key("space" if character == " " else character.lower(), character)
            self.wait(0.05)

    def hold(self, *names: str) -> None:
        for name in names:
            self._key(name, down=True)
            self._held += (name,)

    def let_go(self) -> None:
        for name in reversed(self._held):
            self._key(name, down=False)
            self._held = self._held[:-1]

    def _key(self, name: str, *, down: bool, text: str | None = None) -> None:
        self._add(
            InputEvent(kind="key", at=self._at, seconds=self.now, name=name, down=down, text=text, window=1)
        )

    def _add(self, event: InputEvent) -> None:
        self.events.append(replace(event, held=frozenset(self._held)))


def plain(gestures: Iterable[Gesture]) -> list[Gesture]:
    """The gestures without their times."""
    return [replace(gesture, began=0.0, ended=0.0) for gesture in gestures]


def clicked(at: tuple[int, int], **more: object) -> Gesture:
    return replace(Clicked(began=0, ended=0, at=at, button="left"), **more)  # type: ignore[arg-type]  # one of each


def typed(text: str) -> Gesture:
    return Typed(began=0, ended=0, text=text, window=1)


def pressed(*keys: str, times: int = 1) -> Gesture:
    return Pressed(began=0, ended=0, keys=keys, times=times, window=1)


def test_presses_close_together_are_a_double_or_a_triple_click() -> None:
    for times in (1, 2, 3):
        person = Person()
        person.click((10, 20), times=times)
        assert plain(merged(person.events)) == [clicked((10, 20), count=times)]


def test_the_second_press_of_a_double_click_may_take_its_time() -> None:
    person = Person()
    person.click((10, 20))
    person.button("left", down=True, at=(10, 20))
    person.wait(2)
    person.button("left", down=False, at=(10, 20))
    assert plain(merged(person.events)) == [clicked((10, 20), count=2)]


def test_a_fourth_press_begins_anew() -> None:
    person = Person()
    person.click((10, 20), times=5)
    assert plain(merged(person.events)) == [clicked((10, 20), count=3), clicked((10, 20), count=2)]


@pytest.mark.parametrize(
    ("second", "pause", "button"),
    [((10, 20), DOUBLE_CLICK_SECONDS + 0.2, "left"), ((30, 20), 0.0, "left"), ((10, 20), 0.0, "right")],
    ids=["later", "elsewhere", "another button"],
)
def test_clicks_that_do_not_belong_together_are_two(
    second: tuple[int, int], pause: float, button: str
) -> None:
    person = Person()
    person.click((10, 20))
    person.wait(pause)
    person.click(second, button)
    assert plain(merged(person.events)) == [clicked((10, 20)), clicked(second, button=button)]


def test_a_hand_that_shakes_clicks_and_one_that_moves_on_drags() -> None:
    person = Person()
    person.drag((10, 20), (13, 22))
    person.wait(1)
    person.drag((10, 20), (60, 20))
    assert plain(merged(person.events)) == [
        clicked((10, 20)),
        Dragged(began=0, ended=0, start=(10, 20), end=(60, 20), button="left"),
    ]


def test_a_drag_that_comes_back_to_where_it_began_is_one() -> None:
    person = Person()
    person.button("left", down=True, at=(10, 20))
    person.move((90, 20))
    person.move((10, 20))
    person.button("left", down=False, at=(10, 20))
    assert [type(one) for one in merged(person.events)] == [Dragged]


def test_notches_of_the_wheel_are_one_scroll_until_a_pause() -> None:
    person = Person()
    person.wheel("down", 3, (10, 20))
    person.wheel("up", 1, (10, 20))
    person.wait(1)
    person.wheel("right", 2, (10, 20))
    assert plain(merged(person.events)) == [
        Scrolled(began=0, ended=0, at=(10, 20), right=0, down=2),
        Scrolled(began=0, ended=0, at=(10, 20), right=2, down=0),
    ]


def test_keys_held_belong_to_the_click_and_to_the_scroll() -> None:
    person = Person()
    person.hold("Control_L", "Shift_L")
    person.click((10, 20))
    person.wheel("down", 1, (10, 20))
    person.let_go()
    keys = ("Control_L", "Shift_L")
    assert plain(merged(person.events)) == [
        clicked((10, 20), keys=keys),
        Scrolled(began=0, ended=0, at=(10, 20), right=0, down=1, keys=keys),
    ]


def test_what_is_deleted_again_was_not_typed() -> None:
    person = Person()
    person.write("Adax")
    person.key("BackSpace")
    person.write("?")
    assert plain(merged(person.events)) == [typed("Ada?")]


def test_a_backspace_beyond_what_was_typed_is_a_key() -> None:
    person = Person()
    person.write("ab")
    for _ in range(4):
        person.key("BackSpace")
    assert plain(merged(person.events)) == [pressed("BackSpace", times=2)]


def test_a_character_that_is_being_composed_ends_no_text() -> None:
    person = Person()
    person.write("caf")
    person.key("dead_acute", "")
    person.key("e", "é")
    person.write("s")
    assert plain(merged(person.events)) == [typed("cafés")]


def test_combinations_and_keys_that_write_nothing_stand_between_texts() -> None:
    person = Person()
    person.write("a")
    person.hold("Control_L")
    person.key("s")
    person.let_go()
    person.key("Tab")
    person.hold("Shift_L")
    person.write("B")
    person.key("Tab")
    person.let_go()
    for _ in range(3):
        person.key("Down")
    assert plain(merged(person.events)) == [
        typed("a"),
        pressed("Control_L", "s"),
        pressed("Tab"),
        typed("B"),
        pressed("Shift_L", "Tab"),
        pressed("Down", times=3),
    ]


def test_only_modifiers_that_open_something_mean_something_alone() -> None:
    person = Person()
    for name in MODIFIERS:
        person.hold(name)
        person.let_go()
    assert plain(merged(person.events)) == [pressed("Alt_L"), pressed("Super_L")]


def test_a_pause_ends_a_text_and_another_window_does() -> None:
    person = Person()
    person.write("one")
    person.wait(PAUSE)
    person.write("two")
    elsewhere = [replace(event, window=2) for event in person.events[-6:]]
    later = [replace(event, seconds=event.seconds + 0.2) for event in elsewhere]
    found = merged([*person.events, *later])
    assert [(one.text, one.window) for one in found if isinstance(one, Typed)] == [
        ("one", 1),
        ("two", 1),
        ("two", 2),
    ]


def test_locks_and_releases_without_a_press_mean_nothing() -> None:
    person = Person()
    person.key("Caps_Lock")
    person.events = person.events[1:]
    person.button("left", down=False, at=(1, 1))
    assert merged(person.events) == []


places = st.tuples(st.integers(0, 1279), st.integers(0, 799))
words = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0x24F, categories=("L", "N", "P", "Zs")),
    min_size=1,
    max_size=8,
)


@st.composite
def doings(draw: st.DrawFn) -> Person:
    """What a person may do, with pauses of any length."""
    person = Person()
    for _ in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            person.hold(*draw(st.lists(st.sampled_from(MODIFIERS), unique=True, max_size=2)))
        match draw(st.integers(0, 4)):
            case 0:
                person.click(
                    draw(places), draw(st.sampled_from(["left", "middle", "right"])), draw(st.integers(1, 4))
                )
            case 1:
                person.drag(draw(places), draw(places))
            case 2:
                person.wheel(draw(st.sampled_from(list(NOTCHES))), draw(st.integers(1, 4)), draw(places))
            case 3:
                person.write(draw(words))
            case _:
                person.key(draw(st.sampled_from(["Tab", "Return", "BackSpace", "Down", "F5", "a"])))
        person.let_go()
        person.wait(draw(st.floats(0, 5)))
    return person


@given(doings(), st.data())
def test_it_does_not_matter_when_the_events_are_handed_over(person: Person, data: st.DataObject) -> None:
    merger, found, last = Merger(), list[Gesture](), 0.0
    for event in person.events:
        if data.draw(st.booleans()):  # somebody looks at the clock in between
            found += merger.until(data.draw(st.floats(last, event.seconds)))
        found += merger.take(event)
        last = event.seconds
    found += merger.until(person.now + data.draw(st.floats(0, 9)))
    found += merger.finish()
    assert found == merged(person.events)


def done_again(gestures: Iterable[Gesture]) -> Person:
    """A person who does just that."""
    person = Person()
    for gesture in gestures:
        _do(person, gesture)
        person.wait(PAUSE)
    return person


def _do(person: Person, gesture: Gesture) -> None:
    match gesture:
        case Clicked(keys=keys) | Dragged(keys=keys) | Scrolled(keys=keys):
            person.hold(*keys)
        case Pressed(keys=(*modifiers, _)):
            person.hold(*modifiers)
        case _:
            pass
    match gesture:
        case Clicked():
            person.click(gesture.at, gesture.button, gesture.count)
        case Dragged():
            person.drag(gesture.start, gesture.end, gesture.button)
        case Scrolled():
            for way, amount in _ways(gesture):
                person.wheel(way, amount, gesture.at)
        case Typed():
            person.write(gesture.text)
        case Pressed():
            for _ in range(gesture.times):
                person.key(gesture.keys[-1])
    person.let_go()


def _ways(scrolled: Scrolled) -> Iterator[tuple[str, int]]:
    for way, (right, down) in NOTCHES.items():
        amount = scrolled.right * right + scrolled.down * down
        if amount > 0:
            yield way, amount


held = st.lists(st.sampled_from(MODIFIERS), unique=True, max_size=2).map(
    lambda names: tuple(name for name in MODIFIERS if name in names)
)
far = st.tuples(places, places).filter(lambda both: abs(both[0][0] - both[1][0]) > 20)
simple = st.one_of(
    st.builds(
        lambda at, button, count, keys: Clicked(
            began=0, ended=0, at=at, button=button, count=count, keys=keys
        ),
        places, st.sampled_from(["left", "middle", "right"]), st.integers(1, 3), held,
    ),
    st.builds(
        lambda both, keys: Dragged(
            began=0, ended=0, start=both[0], end=both[1], button="left", keys=keys
        ),
        far, held,
    ),
    st.builds(
        lambda at, down, keys: Scrolled(began=0, ended=0, at=at, right=0, down=down, keys=keys),
        places, st.integers(1, 5), held,
    ),
    st.builds(typed, words),
    st.builds(
        lambda keys, key, times: pressed(*keys, key, times=times),
        held, st.sampled_from(["Tab", "Return", "F5", "Down", "Delete"]), st.integers(1, 3),
    ),
)  # fmt: skip


@given(st.lists(simple, max_size=6))
def test_what_is_done_again_is_the_same(gestures: list[Gesture]) -> None:
    assert plain(merged(done_again(gestures).events)) == gestures
