"""OpenAI's computer tools: every action there and back, safety checks, and runs that keep the protocol."""

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import Call, ComputerCall, Reply, SafetyCheck
from model_server.received import assert_prefix_stable
from vendor_runs import SIZES, Run, fails_at, screenshot, told_step

from computer_agent import step as steps
from computer_agent.models.coordinates import PIXELS
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.openai_actions import action_of, actions_of
from computer_agent.models.dialects.openai_computer import OpenAIComputer, Tool
from computer_agent.models.dialects.vendor_tools import Screen
from computer_agent.models.wires.responses import ResponsesWire
from computer_agent.step import Act, Answer, Observation
from computer_api.actions import (
    Action,
    Button,
    Click,
    Drag,
    Expect,
    Look,
    MouseDown,
    Move,
    PressKeys,
    RunCode,
    Scroll,
    TypeText,
    Wait,
    Zoom,
)
from computer_api.geometry import Pixel, Size
from computer_api.targets import TextTarget

TOOLS: tuple[Tool, ...] = ("computer", "computer_use_preview")
OTHERS = ["desktop", "finish", "run_code", "answer_prompt", "browser"]
CLICK: dict[str, object] = {"type": "click", "x": 5, "y": 6, "button": "left"}


def read(**given: object) -> tuple[Action, ...]:
    return actions_of(given, Screen(PIXELS, Size(1280, 800)))


def asks(
    tool: Tool, *actions: dict[str, object], text: str = "", checks: tuple[SafetyCheck, ...] = ()
) -> Reply:
    """A reply with these actions: one call, or with the preview a call each."""
    if tool == "computer":
        calls: tuple[ComputerCall, ...] = (ComputerCall(actions=actions, checks=checks),)
    else:
        calls = tuple(ComputerCall(actions=(one,), checks=checks, batched=False) for one in actions)
    return Reply(text=text, calls=calls, thinking="Hm.", signature="c2lnbmVk")


def code(language: str = "python", text: str = "1") -> Reply:
    return Reply(calls=(Call("run_code", {"language": language, "code": text}),), signature="c2lnbmVk")


# ------------------------------------------------------------------ actions, there and back


def sayable(at: Pixel, to: Pixel) -> list[Action]:
    return [
        Move(target=at),
        *(Click(target=at, button=button) for button in get_args(Button)),
        Click(target=at, keys=("Shift_L", "Control_L")),
        Click(target=at, count=2, keys=("Alt_L",)),
        Drag(start=at, end=to),
        Drag(start=at, via=(to, at), end=Pixel(0, 0), keys=("Shift_L",)),
        *(Scroll(down=down, right=right, target=at) for down, right in ((3, 0), (-30, 0), (0, 2), (1, -1))),
        Scroll(down=1, target=to, keys=("Control_L",)),
        *(PressKeys(keys=keys) for keys in (("Control_L", "s"), ("Return",), ("Page_Up",), ("+",), ("7",))),
        PressKeys(keys=("Control_L", "Shift_L", "Escape")),
        TypeText(text="Ада\n\t“é”"),
        Wait(seconds=1.0),
        Look(),
    ]


def test_every_action_comes_back_as_itself_at_every_size() -> None:
    for size in SIZES:
        screen = Screen(PIXELS, size)
        for at in (Pixel(0, 0), Pixel(size.width - 1, size.height - 1), Pixel(size.width // 2, 7)):
            for action in sayable(at, Pixel(size.width // 3, size.height - 1)):
                said = action_of(action, screen)
                assert said is not None, action
                assert actions_of(json.loads(json.dumps(said)), screen) == (action,)


@pytest.mark.parametrize(
    "action",
    [
        Click(),
        Click(target=Pixel(1, 1), count=3),
        Click(target=TextTarget("Save")),
        MouseDown(),
        Zoom(left=0, top=0, right=5, bottom=5),
        Scroll(down=31, target=Pixel(1, 1)),
        Scroll(down=1),
        PressKeys(keys=("Tab",), times=2),
        PressKeys(keys=("S",)),
        Wait(seconds=3),
        TypeText(text="x", into=Pixel(1, 1)),
    ],
)
def test_what_the_tool_lacks_is_not_said_as_if_it_had_it(action: Action) -> None:
    assert action_of(action, Screen(PIXELS, Size(64, 40))) is None


@given(st.integers(-100_000, 100_000).filter(bool))
def test_wheel_pixels_are_at_least_one_notch_and_at_most_thirty(pixels: int) -> None:
    (scroll,) = read(type="scroll", x=1, y=2, scroll_x=0, scroll_y=pixels)
    assert isinstance(scroll, Scroll)
    assert scroll.down * pixels > 0
    assert abs(scroll.down) == min(30, -(-abs(pixels) // 120))


@pytest.mark.parametrize(
    ("keys", "actions"),
    [
        (["CTRL", "S"], [PressKeys(keys=("Control_L", "s"))]),
        (["ctrl+s"], [PressKeys(keys=("Control_L", "s"))]),
        (["CTRL", "-"], [PressKeys(keys=("Control_L", "-"))]),
        (["CTRL", "+"], [PressKeys(keys=("Control_L", "+"))]),
        (["S"], [PressKeys(keys=("s",))]),
        (["ARROWDOWN"], [PressKeys(keys=("Down",))]),
        (["DOWN", "DOWN", "ENTER"], [PressKeys(keys=("Down",), times=2), PressKeys(keys=("Return",))]),
        (["SHIFT", "TAB", "TAB"], [PressKeys(keys=("Shift_L", "Tab"), times=2)]),
    ],
)
def test_a_keypress_is_one_combination_unless_a_key_is_in_it_twice(
    keys: list[str], actions: list[Action]
) -> None:
    assert list(read(type="keypress", keys=keys)) == actions


@pytest.mark.parametrize(
    ("given", "action"),
    [
        (CLICK | {"keys": None}, Click(target=Pixel(5, 6))),
        (CLICK | {"keys": [], "button": ""}, Click(target=Pixel(5, 6))),
        ({"type": "drag", "path": [[1, 2], [3, 4]]}, Drag(start=Pixel(1, 2), end=Pixel(3, 4))),
        ({"type": "wait", "ms": 2500}, Wait(seconds=2.5)),
        ({"type": "scroll", "x": 1, "y": 2, "scroll_y": "240"}, Scroll(down=2, target=Pixel(1, 2))),
    ],
)
def test_usual_slips_are_understood(given: dict[str, object], action: Action) -> None:
    assert read(**given) == (action,)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"type": "click", "x": 1280, "y": 5}, r"\(1280, 5\) is outside of the picture, which is 1280x800"),
        ({"type": "click", "x": 5}, '"x" and "y" together'),
        ({"type": "double_click"}, 'needs "x" and "y"'),
        ({"type": "click", "x": 5, "y": 6, "button": "thumb"}, 'no mouse button "thumb"'),
        ({"type": "click", "x": 5, "y": 6, "times": 4}, 'does not take "times"'),
        ({"type": "drag", "path": [{"x": 1, "y": 2}]}, "two places or more"),
        ({"type": "drag", "path": ["Save", "Bin"]}, "two places or more"),
        ({"type": "drag", "path": ["Save", [1, 2], [3, 4]]}, "two places or more"),
        ({"type": "scroll", "x": 5, "y": 6, "scroll_x": 0, "scroll_y": 0}, "in pixels"),
        ({"type": "keypress", "keys": ["HYPERSPACE"]}, 'no key "HYPERSPACE"'),
        ({"type": "keypress", "keys": []}, 'needs "keys"'),
        ({"type": "move", "x": 5, "y": 6, "keys": ["SHIFT"]}, "takes no keys"),
        ({"type": "zoom"}, 'There is no action "zoom"; there are: click, double_click'),
        ({}, 'There is no action ""'),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(given: dict[str, object], wrong: str) -> None:
    with pytest.raises(BadCall, match=wrong):
        read(**given)


# ------------------------------------------------------------------ requests


def test_the_batched_tool_has_no_fields_and_the_preview_its_size() -> None:
    now = Observation(screenshot=screenshot(9, Size(1280, 800)))
    prompt = OpenAIComputer().prompt("Save it", [], now)
    assert prompt.tools[0] == {"type": "computer"}
    assert prompt.extra == {}
    preview = OpenAIComputer(tool="computer_use_preview", environment="windows").prompt("Save it", [], now)
    size = {"display_width": 1280, "display_height": 800}
    assert preview.tools[0] == {"type": "computer_use_preview", **size, "environment": "windows"}
    assert preview.extra == {"truncation": "auto"}
    for one in (prompt, preview):
        assert [tool["name"] for tool in one.tools[1:]] == OTHERS


def test_without_a_screen_there_is_only_code() -> None:
    run = Run(OpenAIComputer(), ResponsesWire(), see=lambda _: Observation(screenshot=None))
    run.play(code(), code())
    assert run.requests[1].tool_names() == ["finish", "run_code", "answer_prompt", "browser"]


# ------------------------------------------------------------------ runs


def thirty(tool: Tool) -> list[Reply]:
    batch = [CLICK, {"type": "type", "text": "Ada"}] if tool == "computer" else [CLICK]
    kinds = [
        asks(tool, *batch, text="I fill it."),
        asks(tool, {"type": "screenshot"}),
        code(),
        asks(tool, {"type": "keypress", "keys": ["DOWN", "DOWN", "ENTER"]}),
        Reply(calls=(*asks(tool, CLICK).calls, *code().calls), signature="c2lnbmVk"),
        asks(tool, {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 9, "y": 9}]}),
        asks(tool, CLICK, checks=(SafetyCheck(id="cu_sc_1"),)),
        Reply(calls=(Call("desktop", {"action": "zoom", "x": 0, "y": 0, "to_x": 9, "to_y": 9}),)),
        Reply(
            calls=(*asks(tool, CLICK).calls, Call("finish", {"done": True, "text": "x"})), signature="c2ln"
        ),
    ]
    replies = [kinds[number % len(kinds)] for number in range(30)]
    return [_with_ids(reply, f"call_{number}") for number, reply in enumerate(replies, 100)]


def _with_ids(reply: Reply, own: str) -> Reply:
    """The server numbers the calls that it sees; those that are told in words are not among them."""
    return replace(
        reply, calls=tuple(replace(call, id=f"{own}_{place}") for place, call in enumerate(reply.calls))
    )


@pytest.mark.parametrize("tool", TOOLS)
def test_a_run_of_thirty_steps_keeps_the_protocol_and_its_prefix(tool: Tool) -> None:
    run = Run(OpenAIComputer(tool=tool), ResponsesWire())
    run.play(*thirty(tool))
    assert len(run.past) == 30
    last = run.requests[-1]
    assert len(last.pictures()) <= 9
    assert_prefix_stable(run.requests, drops=8)
    outputs = [item for item in last.messages if item.get("type") == "computer_call_output"]
    assert outputs
    sizes = {(picture.width, picture.height) for picture in last.pictures() if picture.role == "tool"}
    assert sizes == {(64, 40)}, "a screenshot is the screen, never a stand-in"
    assert any("Step 2, in words:" in text for text in last.texts("user"))


def test_a_call_is_answered_by_one_screenshot_after_its_whole_batch() -> None:
    run = Run(OpenAIComputer(), ResponsesWire(), perform=fails_at(1))
    run.play(asks("computer", CLICK, {"type": "type", "text": "Ada"}, CLICK), code())
    last = run.requests[-1]
    (output,) = [item for item in last.messages if item.get("type") == "computer_call_output"]
    assert output["output"]["type"] == "computer_screenshot"
    assert "acknowledged_safety_checks" not in output
    assert last.texts("user")[-1] == (
        "What the actions did:\n1. changed here\n2. Failed: it is not there\n"
        "3. Not done: an action before it was not done"
    )


def test_on_an_unchanged_screen_the_newest_screenshot_is_sent_again() -> None:
    first = Observation(screenshot=screenshot(9))
    run = Run(
        OpenAIComputer(),
        ResponsesWire(),
        see=lambda number: first if number == 1 else Observation(screenshot=None, unchanged_since=1),
    )
    run.play(asks("computer", CLICK), asks("computer", CLICK))
    at_first, again = run.requests[-1].pictures()
    assert at_first.data == again.data
    assert "the screen has not changed since step 1" in run.requests[-1].texts("user")[-1]


def test_on_a_screen_that_stays_unchanged_the_same_picture_is_not_sent_without_end() -> None:
    first = Observation(screenshot=screenshot(9))
    same = Observation(screenshot=None, unchanged_since=1)
    run = Run(OpenAIComputer(), ResponsesWire(), see=lambda number: first if number == 1 else same)
    run.play(
        *(_with_ids(asks("computer", CLICK), f"call_{number}") for number in range(100, 120)),
    )
    counts = [len(request.pictures()) for request in run.requests]
    assert counts[:8] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert max(counts) == 8
    assert_prefix_stable(run.requests, drops=3)


@pytest.mark.parametrize("tool", TOOLS)
def test_checks_reach_the_person_and_are_acknowledged_only_after_that(tool: Tool) -> None:
    check = SafetyCheck(id="cu_sc_7", code="sensitive_domain", message="This is a bank.")
    run = Run(OpenAIComputer(tool=tool), ResponsesWire())
    act = run.play(asks(tool, CLICK, checks=(check,)))
    assert isinstance(act, Act)
    assert act.checks == (
        steps.SafetyCheck(message="This is a bank.", id="cu_sc_7", code="sensitive_domain"),
    )
    run.play(asks(tool, CLICK))
    (output,) = [item for item in run.requests[-1].messages if item.get("type") == "computer_call_output"]
    assert [one["id"] for one in output["acknowledged_safety_checks"]] == ["cu_sc_7"]


def test_a_bad_call_with_a_check_is_corrected_without_acknowledging_it() -> None:
    run = Run(OpenAIComputer(), ResponsesWire())
    outside = asks("computer", CLICK | {"x": 64}, checks=(SafetyCheck(id="cu_sc_1"),))
    act = run.play(outside, asks("computer", CLICK))
    assert isinstance(act, Act)
    assert act.checks == ()
    told = run.requests[1].texts("user")[-1]
    assert '"x": 64' in told
    assert "Nothing was done. (64, 6) is outside of the picture, which is 64x40 pixels" in told
    assert "acknowledged" not in json.dumps(run.requests[1].body)


def test_a_bad_function_call_is_answered() -> None:
    run = Run(OpenAIComputer(), ResponsesWire())
    broken = Reply(calls=(Call("run_code", '{"language": "python", "code'),), signature="c2lnbmVk")
    act = run.play(
        broken, Reply(text="Hm.", thinking="Hm."), Reply(calls=(Call("desktop", {"action": "look"}),))
    )
    assert isinstance(act, Act)
    assert act.actions == (Look(),)
    assert "are no JSON object" in run.requests[1].texts("tool")[0]
    assert "That was no tool call." in run.requests[2].texts("user")[-1]


@pytest.mark.parametrize("tool", TOOLS)
def test_the_steps_of_others_are_told_as_calls_or_in_words(tool: Tool) -> None:
    run = Run(OpenAIComputer(tool=tool), ResponsesWire())
    run.past = [
        told_step(1, Click(target=Pixel(5, 6))),
        told_step(2, RunCode(language="python", code="1"), Expect(target=TextTarget("Saved"))),
        told_step(3, Click(target=Pixel(5, 6)), Expect(target=TextTarget("Saved"))),
        told_step(4, Click(target=Pixel(5, 6)), TypeText(text="Ada")),
        told_step(5, thought=""),
    ]
    run.play(asks(tool, CLICK))
    calls = [(name, given) for name, given, _ in run.requests[0].calls()]
    names = [name for name, _ in calls]
    assert names == ["computer", "run_code", "desktop", *(["computer"] if tool == "computer" else [])]
    said = "\n".join(run.requests[0].texts("user"))
    assert "Step 3, in words:" in said
    assert ("Step 4, in words:" in said) == (tool == "computer_use_preview")


def test_a_run_goes_on_with_the_other_tool() -> None:
    run = Run(OpenAIComputer(tool="computer"), ResponsesWire())
    run.play(*thirty("computer")[:6])
    run.dialect = OpenAIComputer(tool="computer_use_preview")
    run.play(asks("computer_use_preview", CLICK))
    assert len(run.past) == 7


def test_finish_ends_the_run() -> None:
    run = Run(OpenAIComputer(), ResponsesWire())
    answer = run.play(Reply(calls=(Call("finish", {"done": False, "text": "No printer."}),)))
    assert isinstance(answer, Answer)
    assert (answer.text, answer.done) == ("No printer.", False)


def test_what_is_sent_back_is_what_came() -> None:
    run = Run(OpenAIComputer(), ResponsesWire())
    run.play(asks("computer", CLICK, text="I click."), code())
    items: list[dict[str, Any]] = run.requests[-1].messages
    assert [item.get("type", "message") for item in items] == [
        *("message", "reasoning", "message", "computer_call", "computer_call_output", "message")
    ]
    assert run.requests[-1].body["store"] is False
    assert run.requests[-1].body["include"] == ["reasoning.encrypted_content"]
