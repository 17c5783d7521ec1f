"""What stands beside every vendor's computer tool: the functions, and how a long history is told."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vendor_runs import SIZES, seen, told_step

from computer_agent.context.history import REMOVED
from computer_agent.models.coordinates import PIXELS, THOUSAND, Space
from computer_agent.models.dialect import Dialect
from computer_agent.models.dialects.anthropic_computer import AnthropicComputer
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.gemini_computer import GeminiComputer
from computer_agent.models.dialects.openai_computer import OpenAIComputer
from computer_agent.models.dialects.vendor_tools import Screen, call_beside, decision_beside, functions
from computer_api.actions import (
    Action,
    Click,
    ClipboardGet,
    Drag,
    Expect,
    ExpectFile,
    HoldKeys,
    KeyDown,
    Look,
    MouseDown,
    Move,
    OpenApp,
    PlaceWindow,
    PressKeys,
    RunCode,
    Scroll,
    Tick,
    TypeText,
    Wait,
    WaitForWindow,
    Zoom,
)
from computer_api.geometry import Pixel, Size
from computer_api.targets import ElementTarget, TextTarget, within

DIALECTS: dict[str, Callable[[], Dialect]] = {
    "20250124": AnthropicComputer,
    "toolset": lambda: AnthropicComputer(version="20260801"),
    "openai": OpenAIComputer,
    "preview": lambda: OpenAIComputer(tool="computer_use_preview"),
    "gemini": GeminiComputer,
}
SPACES = {"pixels": PIXELS, "thousandths": THOUSAND}


def call(name: str, **given: object) -> object:
    return decision_beside(name, given, Screen(PIXELS, Size(1280, 800)), "the tool computer")


@pytest.mark.parametrize(
    "action",
    [
        Click(target=TextTarget("Save", where=(within("Export"),)), count=2, keys=("Control_L",)),
        Click(),
        Tick(target=ElementTarget("Bold", "tick"), ticked=False),
        Move(target=TextTarget("File")),
        Drag(start=TextTarget("a.txt"), end=TextTarget("Bin")),
        Scroll(down=3, right=1),
        TypeText(text="Ada", into=ElementTarget("Name", "field"), secret=True),
        PressKeys(keys=("Tab",), times=40),
        HoldKeys(keys=("Shift_L",), seconds=2.0),
        KeyDown(keys=("Shift_L",)),
        MouseDown(button="right"),
        Wait(seconds=3.0),
        OpenApp(program="xterm", arguments=("-e", "ls")),
        WaitForWindow(title="Save"),
        ClipboardGet(),
        RunCode(language="python", code="1"),
        Expect(target=TextTarget("Saved")),
        ExpectFile(path="~/a.txt", holds="Ada"),
    ],
)
def test_what_has_no_place_is_called_and_read_again(action: Action) -> None:
    said = call_beside(action, Screen(PIXELS, Size(64, 40)), zoom=False)
    assert said is not None
    name, arguments = json.loads(json.dumps(said))
    assert call(name, **arguments) == action


@pytest.mark.parametrize(
    "action",
    [
        Click(target=Pixel(1, 2)),
        Drag(start=TextTarget("a.txt"), end=Pixel(1, 2)),
        Drag(start=TextTarget("a.txt"), via=(TextTarget("b"),), end=TextTarget("c")),
        PlaceWindow(title="Editor", width=300),
        Zoom(left=0, top=0, right=5, bottom=5),
        Look(),
    ],
)
def test_what_has_a_place_is_not(action: Action) -> None:
    assert call_beside(action, Screen(PIXELS, Size(64, 40)), zoom=False) is None


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@given(st.sampled_from(SIZES), st.data())
def test_a_part_to_zoom_into_comes_back_as_itself(space: Space, size: Size, data: st.DataObject) -> None:
    left, top = data.draw(st.integers(0, size.width - 1)), data.draw(st.integers(0, size.height - 1))
    right = data.draw(st.integers(left + 1, size.width))
    bottom = data.draw(st.integers(top + 1, size.height))
    zoom, screen = Zoom(left=left, top=top, right=right, bottom=bottom), Screen(space, size)
    said = call_beside(zoom, screen, zoom=True)
    assert said is not None
    assert decision_beside(*said, screen, "the tool computer") == zoom


@pytest.mark.parametrize(
    ("name", "given", "wrong"),
    [
        ("desktop", {"action": "click", "x": 5, "y": 6}, 'takes no places: name what you mean with "target"'),
        ("desktop", {"action": "drag", "target": "a", "to_target": "b", "path": [[1, 2]]}, "takes no places"),
        ("desktop", {"action": "click", "coordinate": [5, 6]}, "takes no places"),
        ("desktop", {"action": "click", "target": "a", "near": {"x": 5, "y": 6}}, "takes no places"),
        ("desktop", {"action": "place_window", "title": "Editor", "width": 300}, 'has no "place_window"'),
        ("desktop", {}, 'The tool "desktop" needs an "action"'),
        ("desktop", {"action": "zoom", "x": 0, "y": 0, "to_x": 5}, 'needs the number "to_y"'),
        ("desktop", {"action": "zoom", "x": 5, "y": 0, "to_x": 5, "to_y": 9}, "top left corner first"),
        ("dance", {}, 'There is no tool "dance"; there are: the tool computer, desktop, run_code'),
        ("run_code", {"language": "python"}, 'needs "code"'),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(name: str, given: dict[str, object], wrong: str) -> None:
    with pytest.raises(BadCall, match=wrong):
        call(name, **given)


def test_fields_that_are_filled_for_nothing_are_left_out() -> None:
    assert call("desktop", action="click", target="Save", x=0, y=0, path=[]) == Click(
        target=TextTarget("Save")
    )


def test_places_are_not_spoken_of_where_there_are_none() -> None:
    for one in functions("pixels", zoom=False):
        assert " x and y" not in json.dumps(one.parameters)
        assert not {"x", "y", "to_x", "to_y"} & one.parameters["properties"].keys()
    assert functions("pixels", zoom=True) == functions("pixels", zoom=True)


@pytest.mark.parametrize("make", DIALECTS.values(), ids=DIALECTS)
def test_all_that_was_dropped_is_in_the_pruned_zone_and_what_follows_it_stays(
    make: Callable[[], Dialect],
) -> None:
    past = [told_step(number, Click(target=Pixel(5, 6))) for number in range(1, 16)]
    before = make().prompt("Save it", past, seen(16))
    after = make().prompt("Save it", [*past, told_step(16, Click(target=Pixel(5, 6)))], seen(17))
    for prompt in (before, after):
        told = [json.dumps(message) for message in prompt.messages]
        assert 0 < prompt.pruned < len(told)
        assert any(REMOVED in text for text in told[: prompt.pruned])
        assert not any(REMOVED in text or "in words" in text for text in told[prompt.pruned :])
    assert before.pruned == after.pruned
    assert after.messages[: len(before.messages)] == before.messages


@pytest.mark.parametrize("make", DIALECTS.values(), ids=DIALECTS)
def test_what_a_step_was_broken_off_before_is_told_as_not_done(make: Callable[[], Dialect]) -> None:
    step = told_step(1, RunCode(language="python", code="1"), RunCode(language="python", code="2"))
    prompt = make().prompt("Save it", [replace(step, outcomes=step.outcomes[:1])], seen(2))
    told = json.dumps(prompt.messages)
    assert told.count("changed here") == 1
    assert told.count("Not done.") == 1


@pytest.mark.parametrize("make", DIALECTS.values(), ids=DIALECTS)
def test_no_place_of_the_history_is_guessed_where_no_screen_was_shown(make: Callable[[], Dialect]) -> None:
    blank = seen(5)
    prompt = make().prompt("Save it", [], blank)
    assert "desktop" not in json.dumps(prompt.tools)
    assert prompt.headers == {}
    assert "truncation" not in prompt.extra
