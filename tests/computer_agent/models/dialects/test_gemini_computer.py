"""Gemini's computer use: every function there and back, safety decisions, and runs that keep the protocol."""

import json
from typing import Any, get_args

import pytest
from model_server import Call, Reply
from model_server.received import assert_prefix_stable
from vendor_runs import SIZES, Run, fails_at, screenshot, told_step

from computer_agent.context.history import REMOVED
from computer_agent.models.coordinates import THOUSAND
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.gemini_actions import (
    Environment,
    Generation,
    actions_of,
    call_of,
    functions_of,
)
from computer_agent.models.dialects.gemini_computer import GeminiComputer
from computer_agent.models.dialects.vendor_tools import Screen
from computer_agent.models.wires.gemini import GeminiWire
from computer_agent.step import Act, Answer, Observation, SafetyCheck
from computer_api.actions import (
    Action,
    Click,
    Drag,
    Expect,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    OpenApp,
    PressKeys,
    RunCode,
    Scroll,
    TypeText,
    Wait,
    Zoom,
)
from computer_api.geometry import Pixel, Size
from computer_api.targets import TextTarget

GENERATIONS: tuple[Generation, ...] = get_args(Generation)
CONFIRM: dict[str, object] = {"decision": "require_confirmation", "explanation": "This accepts terms."}
ENTER = PressKeys(keys=("Return",))
AT: dict[str, object] = {"x": 500, "y": 250}
PIXEL = Pixel(640, 200)


def read(name: str, given: dict[str, object]) -> list[Action]:
    return list(actions_of(name, given, Screen(THOUSAND, Size(1280, 800))))


def run_of(dialect: GeminiComputer, **fields: Any) -> Run:  # noqa: ANN401 - fields of Run
    return Run(dialect, GeminiWire(), base="/v1beta", **fields)


def asks(*calls: tuple[str, dict[str, object]], text: str = "") -> Reply:
    return Reply(text=text, calls=tuple(Call(*call) for call in calls), signature="c2lnbmVk")


# ------------------------------------------------------------------ actions, there and back


def sayable(generation: Generation, at: Pixel, to: Pixel) -> list[Action]:
    if generation == "2.5":
        return [
            *(Click(target=at), Move(target=at), Drag(start=at, end=to), Wait(seconds=5.0)),
            *(TypeText(text="Ада\n“é”", into=at), PressKeys(keys=("Control_L", "s")), ENTER),
            *(Scroll(down=way * 333, target=at, unit="pixels") for way in (1, -1)),
            *(Scroll(right=way * 17, target=at, unit="pixels") for way in (1, -1)),
        ]
    return [
        *(Click(target=at, count=count) for count in (1, 2, 3)),
        *(Click(target=at, button="middle"), Click(target=at, button="right"), Move(target=at)),
        *(MouseDown(), MouseUp(), Drag(start=at, end=to), TypeText(text="Ада\n“é”"), Wait(seconds=2.5)),
        *(ENTER, PressKeys(keys=("Control_L", "+")), PressKeys(keys=("Shift_L", "Page_Up")), Look()),
        *(KeyDown(keys=("Shift_L",)), KeyUp(keys=("Shift_L",))),
        *(Scroll(down=3, target=at), Scroll(right=-2), Scroll(down=-333, target=to, unit="pixels")),
    ]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_action_comes_back_as_itself_at_every_size(generation: Generation) -> None:
    said_names = set()
    for size in SIZES:
        screen = Screen(THOUSAND, size)
        for at in (Pixel(0, 0), Pixel(size.width - 1, size.height - 1), Pixel(size.width // 2, 7)):
            for action in sayable(generation, at, Pixel(size.width // 3, size.height - 1)):
                said = call_of(action, generation, screen)
                assert said is not None, action
                name, given = json.loads(json.dumps(said))
                assert all(0 <= given[field] <= 1000 for field in ("x", "y") if field in given)
                assert actions_of(name, given, screen) == (action,)
                said_names.add(name)
    # What is left has no number, or is several of our actions.
    made_of_others = {"open_web_browser", "search", "navigate", "go_back", "go_forward", "scroll_document"}
    assert set(functions_of(generation, "browser")) - said_names <= made_of_others


@pytest.mark.parametrize(
    ("name", "given", "actions"),
    [
        ("click_at", AT | {"intent": "to open it"}, [Click(target=PIXEL)]),
        ("click", {"x": "500", "y": 250.0}, [Click(target=PIXEL)]),
        ("click", {"x": 0, "y": 0}, [Click(target=Pixel(0, 0))]),
        ("click", {"x": 999, "y": 1000}, [Click(target=Pixel(1278, 799))]),
        ("type_text_at", AT | {"text": "Ada"}, [TypeText(text="Ada", into=PIXEL)]),
        (
            "type_text_at",
            AT | {"text": "Ada", "press_enter": True},
            [TypeText(text="Ada", into=PIXEL), ENTER],
        ),
        (
            "type_text_at",
            AT | {"text": "Ada", "clear_before_typing": False, "press_enter": "true"},
            [Click(target=PIXEL), TypeText(text="Ada"), ENTER],
        ),
        ("type", {"text": "Ada", "press_enter": True}, [TypeText(text="Ada"), ENTER]),
        (
            "drag_and_drop",
            AT | {"destination_x": 0, "destination_y": 0},
            [Drag(start=PIXEL, end=Pixel(0, 0))],
        ),
        (
            "drag_and_drop",
            {"start_x": 500, "start_y": 250, "end_x": 0, "end_y": 0},
            [Drag(start=PIXEL, end=Pixel(0, 0))],
        ),
        ("scroll_at", AT | {"direction": "down"}, [Scroll(down=640, target=PIXEL, unit="pixels")]),
        (
            "scroll_at",
            AT | {"direction": "LEFT", "magnitude": 100},
            [Scroll(right=-128, target=PIXEL, unit="pixels")],
        ),
        ("scroll", AT | {"direction": "up", "magnitude_in_wheel_clicks": 2}, [Scroll(down=-2, target=PIXEL)]),
        ("scroll", {"direction": "up", "magnitude_in_pixels": 90}, [Scroll(down=-90, unit="pixels")]),
        ("scroll_document", {"direction": "down"}, [Scroll(down=640, target=Pixel(640, 400), unit="pixels")]),
        ("key_combination", {"keys": "control+shift+t"}, [PressKeys(keys=("Control_L", "Shift_L", "t"))]),
        ("hotkey", {"keys": ["control", "c"]}, [PressKeys(keys=("Control_L", "c"))]),
        ("press_key", {"key": "enter"}, [ENTER]),
        ("mouse_down", AT, [Move(target=PIXEL), MouseDown()]),
        ("open_web_browser", {}, [OpenApp(program="Web Browser")]),
        ("go_back", {}, [PressKeys(keys=("Alt_L", "Left"))]),
        (
            "navigate",
            {"url": "https://example.org/a"},
            [PressKeys(keys=("Primary", "l")), TypeText(text="https://example.org/a"), ENTER],
        ),
        ("wait", {}, [Wait(seconds=1.0)]),
        ("wait_5_seconds", {"safety_decision": CONFIRM}, [Wait(seconds=5.0)]),
    ],
)
def test_each_function_is_what_its_maker_means(
    name: str, given: dict[str, object], actions: list[Action]
) -> None:
    assert read(name, given) == actions


@pytest.mark.parametrize(
    ("name", "given", "wrong"),
    [
        ("click", {"x": 1001, "y": 5}, r"\(1001, 5\) is outside of the picture: x and y are 0 to 1000"),
        ("click", {"x": -1, "y": 5}, "outside of the picture"),
        ("click", {"x": 5}, 'needs the number "y"'),
        ("click", {}, 'needs "x" and "y", from 0 to 999'),
        ("click", {"x": "left", "y": 5}, "needs a number"),
        ("click", AT | {"colour": "red"}, 'does not take "colour"'),
        ("drag_and_drop", AT, '"destination_x"'),
        ("scroll", AT | {"direction": "sideways"}, '"sideways" is none of'),
        ("scroll", AT | {"direction": "up", "magnitude_in_wheel_clicks": 0}, "more than 0"),
        ("scroll_at", AT | {"direction": "up", "magnitude": -5}, "more than 0"),
        ("press_key", {"key": "hyperspace"}, 'no key "hyperspace"'),
        ("hotkey", {"keys": []}, "needs keys"),
        ("mouse_down", {"button": "thumb"}, 'no mouse button "thumb"'),
        ("type", {}, 'needs "text"'),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(name: str, given: dict[str, object], wrong: str) -> None:
    with pytest.raises(BadCall, match=wrong):
        read(name, given)


# ------------------------------------------------------------------ requests


@pytest.mark.parametrize(
    ("generation", "environment", "declared"),
    [
        ("2.5", "browser", "ENVIRONMENT_BROWSER"),
        ("2.5", "desktop", "ENVIRONMENT_BROWSER"),
        ("3.5", "browser", "ENVIRONMENT_BROWSER"),
        ("3.5", "desktop", "ENVIRONMENT_DESKTOP"),
    ],
)
def test_the_tool_is_declared_with_its_environment(
    generation: Generation, environment: Environment, declared: str
) -> None:
    dialect = GeminiComputer(generation=generation, environment=environment, excluded=("navigate",))
    prompt = dialect.prompt("Save it", [], Observation(screenshot=screenshot(9)))
    tool, beside = prompt.tools
    assert tool == {"computerUse": {"environment": declared, "excludedPredefinedFunctions": ["navigate"]}}
    names = [one["name"] for one in beside["functionDeclarations"]]
    assert names == ["desktop", "finish", "run_code", "answer_prompt", "browser"]


def test_a_desktop_is_not_asked_to_browse() -> None:
    assert "navigate" in functions_of("3.5", "browser")
    assert not {"navigate", "go_back", "go_forward"} & set(functions_of("3.5", "desktop"))


# ------------------------------------------------------------------ runs


def thirty(generation: Generation) -> list[Reply]:
    click = "click_at" if generation == "2.5" else "click"
    pause: tuple[str, dict[str, object]] = ("wait_5_seconds", {}) if generation == "2.5" else ("wait", {})
    kinds = [
        asks((click, AT), text="I click."),
        asks(pause),
        asks(("navigate", {"url": "example.org"}), (click, AT)),
        asks(("run_code", {"language": "shell", "code": "ls"})),
        asks((click, AT), ("run_code", {"language": "shell", "code": "ls"})),
        asks(("desktop", {"action": "zoom", "x": 0, "y": 0, "to_x": 100, "to_y": 999})),
        asks((click, AT | {"safety_decision": CONFIRM})),
        asks((click, AT), ("finish", {"done": True, "text": "x"})),
    ]
    return [kinds[number % len(kinds)] for number in range(30)]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_run_of_thirty_steps_keeps_the_protocol_and_its_prefix(generation: Generation) -> None:
    run = run_of(GeminiComputer(generation=generation, environment="browser"))
    run.play(*thirty(generation))
    assert len(run.past) == 30
    last = run.requests[-1]
    assert 3 <= len(last.pictures()) <= 8
    assert_prefix_stable(run.requests, drops=8)
    assert REMOVED in json.dumps(last.messages)


def responses(run: Run) -> list[dict[str, Any]]:
    """The answers in the newest content."""
    parts = run.requests[-1].messages[-1]["parts"]
    return [part["functionResponse"] for part in parts if "functionResponse" in part]


def test_each_call_gets_what_became_of_its_own_actions() -> None:
    run = run_of(GeminiComputer(environment="browser"), perform=fails_at(1))
    run.play(asks(("navigate", {"url": "x.org"}), ("click", AT)), asks(("wait", {})))
    first, second = responses(run)
    assert first["response"] == {
        "error": "1. changed here\n2. Failed: it is not there\n3. Not done: an action before it was not done",
        "url": "",
    }
    assert "parts" not in first
    assert second["response"]["error"] == "Not done: an action before it was not done"
    assert second["parts"][0]["inlineData"]["mimeType"] == "image/png"


def test_no_url_is_made_up_for_a_desktop() -> None:
    run = run_of(GeminiComputer())
    run.play(asks(("click", AT)), asks(("click", AT)))
    (answer,) = responses(run)
    assert answer["response"] == {"output": "changed here"}


def test_decisions_reach_the_person_and_are_acknowledged_only_after_that() -> None:
    run = run_of(GeminiComputer())
    act = run.play(asks(("click", AT | {"safety_decision": CONFIRM})))
    assert isinstance(act, Act)
    assert act.checks == (
        SafetyCheck(message="This accepts terms.", id="click", code="require_confirmation"),
    )
    assert act.actions == (Click(target=Pixel(32, 10)),)
    run.play(asks(("click", AT | {"safety_decision": {"decision": "regular"}})), asks(("wait", {})))
    assert '"safety_acknowledgement": "true"' in json.dumps(run.requests[1].messages[-1])
    assert "safety_acknowledgement" not in json.dumps(run.requests[2].messages[-1])


def test_a_bad_call_that_wants_a_confirmation_is_corrected_without_giving_it() -> None:
    run = run_of(GeminiComputer())
    act = run.play(asks(("click", {"x": 1001, "y": 5, "safety_decision": CONFIRM})), asks(("click", AT)))
    assert isinstance(act, Act)
    assert "Nothing was done. (1001, 5) is outside" in run.requests[1].texts("user")[-1]
    assert "acknowledge" not in json.dumps(run.requests[1].messages)


def test_a_bad_call_is_answered_and_a_malformed_one_asked_again() -> None:
    run = run_of(GeminiComputer())
    act = run.play(
        asks(("click", AT), ("dance", {})),
        Reply(finish="malformed"),
        asks(("click", AT)),
    )
    assert isinstance(act, Act)
    assert 'There is no tool "dance"; there are: the computer use functions (click,' in str(
        run.requests[1].texts("tool")
    )
    assert "could not be read" in run.requests[2].texts("user")[-1]


def test_words_alone_are_asked_for_a_call() -> None:
    run = run_of(GeminiComputer())
    act = run.play(Reply(text="Hm."), Reply(), asks(("click", AT)))
    assert isinstance(act, Act)
    assert run.requests[1].messages[-2] == {"role": "model", "parts": [{"text": "Hm."}]}


def test_an_excluded_function_is_refused() -> None:
    run = run_of(GeminiComputer(excluded=("click",)))
    run.play(asks(("click", AT)), asks(("double_click", AT)))
    assert "not to be used here" in run.requests[1].texts("tool")[0]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_steps_of_others_are_told_as_calls_and_what_no_call_says_in_words(
    generation: Generation,
) -> None:
    run = run_of(GeminiComputer(generation=generation, environment="browser"))
    run.past = [
        told_step(1, Click(target=Pixel(32, 10)), Expect(target=TextTarget("Saved")), Look()),
        told_step(2, RunCode(language="python", code="1"), Zoom(left=0, top=0, right=32, bottom=40)),
        told_step(3, Drag(start=Pixel(1, 2), via=(Pixel(3, 4),), end=Pixel(5, 6)), thought=""),
        told_step(4, thought=""),
    ]
    run.play(asks(("navigate", {"url": "x"})))
    calls = [(name, given) for name, given, _ in run.requests[0].calls()]
    assert calls[0][0] in {"click", "click_at"}
    assert THOUSAND.pixel(calls[0][1]["x"], calls[0][1]["y"], Size(64, 40)) == Pixel(32, 10)
    called = [part for part in run.requests[0].messages[1]["parts"] if "functionCall" in part]
    assert [part.get("thoughtSignature") for part in called[:2]] == ["skip_thought_signature_validator", None]
    looked = [] if generation == "2.5" else ["take_screenshot"]
    assert [name for name, _ in calls[1:]] == ["desktop", *looked, "run_code", "desktop"]
    assert "Done without a function: drag" in "\n".join(run.requests[0].texts("assistant"))


def test_a_run_goes_on_with_the_other_set() -> None:
    run = run_of(GeminiComputer(generation="2.5", environment="browser"))
    run.play(*thirty("2.5")[:6])
    run.dialect = GeminiComputer(generation="3.5")
    run.play(asks(("click", AT)))
    assert len(run.past) == 7


def test_without_a_screen_there_is_only_code() -> None:
    run = run_of(GeminiComputer(), see=lambda _: Observation(screenshot=None))
    run.play(asks(("run_code", {"language": "python", "code": "1"})))
    assert run.requests[0].tool_names() == ["finish", "run_code", "answer_prompt", "browser"]


def test_finish_ends_the_run() -> None:
    answer = run_of(GeminiComputer()).play(asks(("finish", {"done": True, "text": "Saved."})))
    assert isinstance(answer, Answer)
    assert (answer.text, answer.done) == ("Saved.", True)
