"""The screen in words, and numbers in a call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_agent.context.numbers import placed
from computer_agent.context.words import in_words
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.function_tools import TOOLS, decision_of, with_fields
from computer_agent.step import Observation
from computer_api.actions import Click, Drag, TypeText
from computer_api.elements import ScreenElement, ScreenElements
from computer_api.geometry import Box, Pixel


def element(number: int, role: str = "button", name: str = "Save", **rest: object) -> ScreenElement:
    fields: dict[str, object] = {
        "value": "",
        "box": Box(10 * number, 20, 8, 6),
        "area": (10 * number, 20, 8, 6),
        "states": (),
        "source": "accessibility",
        "window": "Editor",
    }
    return ScreenElement(number=number, role=role, name=name, **(fields | rest))  # type: ignore[arg-type] - its fields


def listed(*items: ScreenElement, truncated: bool = False) -> ScreenElements:
    return ScreenElements(items=items, truncated=truncated)


def test_a_line_says_number_kind_name_value_place_and_the_states_that_matter() -> None:
    told = in_words(
        listed(
            element(1),
            element(2, "field", "City", value="Zürich\nHB", states=("focused",)),
            element(3, "tick", "Seat", states=("ticked", "disabled")),
            element(4, "text", "Elsewhere", window=""),
        )
    )
    assert told.splitlines() == [
        'Window "Editor":',
        '[1] button "Save" 14,23',
        '[2] field "City" = "Zürich\\nHB" 24,23 focused',
        '[3] tick "Seat" 34,23 ticked disabled',
        "Outside all windows:",
        '[4] text "Elsewhere" 44,23',
    ]


def test_what_is_left_out_is_said_and_texts_go_before_controls() -> None:
    items = [element(n, "text", f"word {n} " * 5) for n in range(1, 60)] + [element(n) for n in range(60, 70)]
    told = in_words(listed(*items), most_tokens=300)
    assert len(told) <= 900
    assert told.count("button") == 10
    assert 0 < told.count("text") < 59
    assert told.splitlines()[-1].startswith("(More elements")
    assert in_words(listed(element(1), truncated=True)).splitlines()[-1].startswith("(More elements")


@given(st.text(max_size=300), st.text(max_size=900), st.text(max_size=99))
def test_what_the_screen_says_never_leaves_its_line(name: str, value: str, window: str) -> None:
    told = in_words(listed(element(1, "field", name, value=value, window=window)))
    assert len(told.split("\n")) == 2
    assert len(told) < 1400


@given(
    st.lists(st.tuples(st.sampled_from(["text", "button"]), st.text(max_size=90)), max_size=80),
    st.integers(60, 900),
)
def test_a_list_never_takes_more_than_it_may(rows: list[tuple[str, str]], tokens: int) -> None:
    items = [element(n, role, name) for n, (role, name) in enumerate(rows, 1)]
    assert len(in_words(listed(*items), most_tokens=tokens)) <= 3 * tokens


SEEN = Observation(screenshot=None, elements=listed(element(1), element(2), element(12)))


@pytest.mark.parametrize("number", [12, "12", "[12]", "#12"])
def test_a_number_means_the_middle_of_its_element(number: object) -> None:
    arguments, meant = placed({"action": "click", "element": number}, SEEN)
    assert decision_of("computer", arguments) == Click(target=Pixel(124, 23))
    assert [one.number for one in meant] == [12]


def test_numbers_work_for_typing_and_for_both_ends_of_a_drag() -> None:
    arguments, _ = placed({"action": "type", "element": 2, "text": "x"}, SEEN)
    assert decision_of("computer", arguments) == TypeText(text="x", into=Pixel(24, 23))
    arguments, meant = placed({"action": "drag", "element": 1, "to_element": 2}, SEEN)
    assert decision_of("computer", arguments) == Drag(start=Pixel(14, 23), end=Pixel(24, 23))
    assert [one.number for one in meant] == [1, 2]


@pytest.mark.parametrize(
    ("number", "seen", "why"),
    [
        (99, SEEN, "No element has the number 99 on the newest screen; they go from 1 to 12."),
        (
            3,
            Observation(screenshot=None),
            "No element has the number 3 on the newest screen; none was shown.",
        ),
        ("the third", SEEN, "\"element\" is the number of an element, such as 12, not 'the third'."),
        (True, SEEN, '"element" is the number of an element, such as 12, not True.'),
    ],
)
def test_a_number_that_was_not_shown_is_refused_with_those_there_are(
    number: object, seen: Observation, why: str
) -> None:
    with pytest.raises(BadCall) as refused:
        placed({"action": "click", "element": number}, seen)
    assert str(refused.value) == why


def test_a_call_without_numbers_stays_as_it_is() -> None:
    call = {"action": "click", "x": 3, "y": 4, "element": 0, "to_element": None}
    assert placed(call, SEEN) == ({"action": "click", "x": 3, "y": 4}, ())


def test_the_tool_offers_numbers_only_where_they_are_shown() -> None:
    fields = {"element": ("integer", "The number.")}
    more = with_fields(fields)
    assert "element" not in TOOLS[0]["function"]["parameters"]["properties"]
    assert "element" in more[0]["function"]["parameters"]["properties"]
    assert more[1:] == TOOLS[1:]
