"""What a page that watches a desktop may send, who has the desktop, and what the command understands."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xvfb import until

from computer_agent.watch.bridge import accept_key, unmasked
from computer_agent.watch.command import BadWords, Wish, read
from computer_agent.watch.hands import Hands, NotInCharge
from computer_agent.watch.inputs import BadInput, deed
from computer_api.keys import UnknownKeyError
from computer_platform.desktop import Area
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = (400, 300)
AREA = Area(0, 0, *SIZE)
HOLDING = (
    {"kind": "button", "name": "left", "down": True, "x": 5, "y": 6},
    {"kind": "key", "name": "Shift", "down": True},
)


@pytest.fixture
def desktop() -> MemoryDesktop:
    return MemoryDesktop(SIZE)


@pytest.fixture
def hands(desktop: MemoryDesktop) -> Iterator[Hands]:
    found = Hands(desktop, lambda: AREA, lambda: False)
    yield found
    found.close()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("move", 'An input is an object such as {"kind": "move", "x": 5, "y": 5}, not "move".'),
        ({}, 'There is no input "None".'),
        ({"kind": ["move"]}, "Kinds are move, button, wheel, key, text, paste, release."),
        ({"kind": "move", "x": 400, "y": 0}, '"x" is a whole number from 0 to 399, in pixels of the picture'),
        ({"kind": "move", "x": 0, "y": -1}, '"y" is a whole number from 0 to 299'),
        ({"kind": "move", "x": 1.5, "y": 0}, 'not "1.5"'),
        ({"kind": "move", "x": True, "y": 0}, 'not "True"'),
        ({"kind": "move", "x": 10**30, "y": 0}, "whole number"),
        ({"kind": "button", "name": "side", "down": True, "x": 0, "y": 0}, "left, middle, right, back, forward"),
        ({"kind": "button", "name": [], "down": True, "x": 0, "y": 0}, "There is no mouse button"),
        ({"kind": "button", "name": "left", "down": 1, "x": 0, "y": 0}, '"down" is true or false, not "1".'),
        ({"kind": "wheel", "right": 0, "down": 101, "x": 0, "y": 0}, "from -100 to 100, notches"),
        ({"kind": "key", "name": 5, "down": True}, '"name" is a text of 1 to 100000 characters, not "5".'),
        ({"kind": "text", "text": ""}, "not 0 characters"),
        ({"kind": "paste", "text": "a" * 100_001}, "not 100001 characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said_in_a_sentence(data: object, words: str) -> None:
    with pytest.raises(BadInput) as wrong:
        deed(data, AREA)
    assert words in str(wrong.value)


def test_an_unknown_key_is_said_with_the_nearest() -> None:
    with pytest.raises(UnknownKeyError, match='There is no key "Entre"; the nearest is "enter"'):
        deed({"kind": "key", "name": "Entre", "down": True}, AREA)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["kind", "x", "y", "name", "down", "text", "right"]), inner)
        ),
    )
)
def test_whatever_is_sent_is_done_or_refused(data: object) -> None:
    with suppress(BadInput, UnknownKeyError):
        deed(data, AREA)(MemoryDesktop(SIZE))


def test_a_place_is_a_pixel_of_the_picture_wherever_that_lies_on_the_desktop() -> None:
    desktop = MemoryDesktop(SIZE)
    deed({"kind": "move", "x": 3, "y": 4}, Area(100, 50, 200, 100))(desktop)
    assert desktop.pointer() == (103, 54)


@pytest.mark.parametrize(
    ("name", "held"),
    [("ArrowLeft", "Left"), ("ControlRight", "Control_R"), ("a", "a"), ("F5", "F5"), ("Meta", "Super_L")],
)
def test_keys_have_the_names_that_browsers_give_them(desktop: MemoryDesktop, name: str, held: str) -> None:
    deed({"kind": "key", "name": name, "down": True}, AREA)(desktop)
    assert desktop.held() == {held}


def test_whoever_gives_the_desktop_back_leaves_nothing_pressed(desktop: MemoryDesktop, hands: Hands) -> None:
    hands.take("me")
    hands.perform("me", HOLDING)
    assert desktop.held() == {"left", "Shift_L"}
    hands.give("another")
    assert desktop.held()
    hands.give("me")
    assert desktop.held() == frozenset()
    with pytest.raises(NotInCharge, match="Press Take over first"):
        hands.perform("me", HOLDING)


def test_whoever_is_silent_has_it_no_more(desktop: MemoryDesktop) -> None:
    hands = Hands(desktop, lambda: AREA, lambda: False, silence=0.3)
    hands.take("me")
    hands.perform("me", HOLDING)
    assert until(lambda: hands.viewer is None)
    assert desktop.held() == frozenset()
    hands.take("me")
    assert hands.viewer == "me"
    hands.close()


def test_the_pointer_shows_a_working_agent_that_a_person_is_there(desktop: MemoryDesktop) -> None:
    hands = Hands(desktop, lambda: AREA, lambda: True)
    desktop.move(50, 50)
    hands.take("me")
    assert desktop.pointer() == (50, 50)
    places = set()
    assert until(lambda: places.add(desktop.pointer()) or len(places) == 2)
    assert all(abs(x - 50) <= 1 and y == 50 for x, y in places)
    hands.close()


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ([], Wish()),
        ([":5"], Wish(display=":5")),
        (["--plain", ":12", "--port", "6080"], Wish(display=":12", plain=True, port=6080)),
    ],
)
def test_the_words_of_the_command(words: list[str], wish: Wish) -> None:
    assert read(words) == wish


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["5"], '"oi watch 5" names no display.'),
        ([":1", ":2"], '"oi watch :1 :2" names no display.'),
        (["--port"], '--port takes a number from 1 to 65535, not "".'),
        (["--port", "0"], 'not "0"'),
        (["--port", "65536"], 'not "65536"'),
    ],
)
def test_other_words_are_answered_with_what_works(words: list[str], said: str) -> None:
    with pytest.raises(BadWords) as wrong:
        read(words)
    assert said in str(wrong.value)


@given(st.binary(max_size=300), st.binary(min_size=4, max_size=4))
def test_a_mask_is_taken_off_as_it_was_put_on(payload: bytes, mask: bytes) -> None:
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
    assert unmasked(masked, mask) == payload


def test_a_websocket_is_accepted_with_the_answer_of_the_standard() -> None:
    assert accept_key("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="  # RFC 6455, section 1.3
