"""Anthropic's computer tools: every action of every version there and back, and runs that keep the protocol."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import Call, Reply, Request
from model_server.received import assert_prefix_stable
from vendor_runs import SIZES, SMALL, Run, fails_at, screenshot, told_step

from computer_agent.context.history import REMOVED
from computer_agent.models import dialect as seam
from computer_agent.models.coordinates import PIXELS
from computer_agent.models.dialects.anthropic_actions import (
    VERBS,
    Aim,
    Version,
    actions_of,
    input_of,
    keys_text,
)
from computer_agent.models.dialects.anthropic_computer import AnthropicComputer
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.vendor_tools import Screen
from computer_agent.models.wires.messages import MessagesWire
from computer_agent.step import Act, Answer, Observation
from computer_api.actions import (
    Action,
    Click,
    Drag,
    Expect,
    HoldKeys,
    KeyDown,
    Look,
    MouseDown,
    MouseUp,
    Move,
    OpenApp,
    PlaceWindow,
    PressKeys,
    RunCode,
    Scroll,
    TypeText,
    Wait,
    Zoom,
)
from computer_api.geometry import Pixel, Size
from computer_api.keys import parse_keys
from computer_api.targets import TextTarget

VERSIONS: tuple[Version, ...] = get_args(Version)
BETAS = {"20241022": "2024-10-22", "20250124": "2025-01-24", "20251124": "2025-11-24"}


def read(verb: str, given: dict[str, object], pointer: Pixel | None = None) -> tuple[Action, ...]:
    return actions_of(verb, given, Aim(Screen(PIXELS, Size(1280, 800)), pointer), "20260801")


def native(version: Version, *calls: tuple[str, dict[str, object]], text: str = "") -> Reply:
    """The reply with these calls as that version sends them; what is no action of theirs is a function of ours."""
    made = []
    for name, arguments in calls:
        if name not in VERBS["20260801"]:
            made.append(Call(name, arguments))
        elif version == "20260801":
            made.append(Call(name, arguments, toolset="computer"))
        else:
            made.append(Call("computer", {"action": name, **arguments}))
    return Reply(text=text, calls=tuple(made), thinking="Hm.", signature="c2lnbmVk")


CLICK: tuple[str, dict[str, object]] = ("left_click", {"coordinate": [5, 6]})


# ------------------------------------------------------------------ actions, there and back


def places(size: Size) -> list[Pixel]:
    """Its corners, its middle, and some more."""
    last = Pixel(size.width - 1, size.height - 1)
    return [
        Pixel(0, 0),
        last,
        Pixel(last.x, 0),
        Pixel(0, last.y),
        Pixel(last.x // 2, last.y // 3),
        Pixel(7, 3),
    ]


def sayable(version: Version, at: Pixel, to: Pixel) -> list[Action]:
    """An action for everything that the version can say."""
    held = () if version == "20241022" else ("Shift_L",)
    found: list[Action] = [
        PressKeys(keys=("Control_L", "s")),
        PressKeys(keys=("Page_Up",)),
        TypeText(text="Ада\n\t“é”"),
        Move(target=at),
        Click(target=at, keys=held),
        Click(),
        Click(target=at, count=2, keys=held),
        Click(target=at, button="right"),
        Click(target=at, button="middle", keys=held),
        Drag(start=at, end=to, keys=held),
        Look(),
    ]
    if version != "20241022":
        found += [
            *(Click(target=at, count=3), MouseDown(), MouseUp(), HoldKeys(keys=("Shift_L",), seconds=1.5)),
            *(Wait(seconds=2), Scroll(down=3, target=at), Scroll(down=-30, keys=("Control_L",))),
            *(Scroll(right=2, target=to), Scroll(right=-1, target=at, keys=held)),
        ]
    if version in {"20251124", "20260801"}:
        found += [Zoom(left=0, top=0, right=at.x + 1, bottom=at.y + 1)]
    if version == "20260801":
        found += [PressKeys(keys=("Down",), times=12)]
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_action_comes_back_as_itself_at_every_size(version: Version) -> None:
    for size in SIZES:
        screen = Screen(PIXELS, size)
        for at in places(size):
            for action in sayable(version, at, Pixel(size.width // 2, size.height - 1)):
                said = input_of(action, version, screen)
                assert said is not None, action
                verb, arguments = json.loads(json.dumps(said))
                assert verb in VERBS[version]
                assert actions_of(verb, arguments, Aim(screen), version) == (action,)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_version_lacks_is_not_said_as_if_it_had_it(version: Version) -> None:
    screen = Screen(PIXELS, SMALL)
    lacking: list[Action] = [
        Click(target=TextTarget("Save")),
        Click(target=Pixel(1, 1), button="back"),
        Click(target=Pixel(1, 1), button="right", count=2),
        Scroll(down=40, unit="pixels"),
        Scroll(down=1, right=1),
        KeyDown(keys=("Shift_L",)),
        OpenApp(program="xterm"),
        MouseDown(button="right"),
    ]
    if version == "20241022":
        lacking += [Click(target=Pixel(1, 1), keys=("Shift_L",)), Scroll(down=1), Wait(seconds=1)]
    if version in {"20241022", "20250124"}:
        lacking += [Zoom(left=0, top=0, right=5, bottom=5)]
    assert [input_of(action, version, screen) for action in lacking] == [None] * len(lacking)


_combos = st.lists(
    st.sampled_from(
        ["Control_L", "Alt_L", "Shift_L", "Super_L", "Return", "Page_Up", "F5", "s", "+", "-", "7"]
    ),
    min_size=1,
    max_size=4,
).map(tuple)


@given(_combos)
def test_keys_are_written_as_they_are_read(keys: tuple[str, ...]) -> None:
    assert parse_keys(keys_text(keys)) == keys


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("ctrl+s", [PressKeys(keys=("Control_L", "s"))]),
        ("Return", [PressKeys(keys=("Return",))]),
        ("RETURN", [PressKeys(keys=("Return",))]),
        ("BackSpace", [PressKeys(keys=("BackSpace",))]),
        ("Page Up", [PressKeys(keys=("Page_Up",))]),
        ("ctrl s", [PressKeys(keys=("Control_L", "s"))]),
        ("ctrl + s", [PressKeys(keys=("Control_L", "s"))]),
        ("ctrl++", [PressKeys(keys=("Control_L", "+"))]),
        (" ", [PressKeys(keys=("space",))]),
        ("Down Down Down", [PressKeys(keys=("Down",), times=3)]),
        ("ctrl+a ctrl+c", [PressKeys(keys=("Control_L", "a")), PressKeys(keys=("Control_L", "c"))]),
        ("Down Down Return", [PressKeys(keys=("Down",), times=2), PressKeys(keys=("Return",))]),
    ],
)
def test_keys_apart_are_pressed_one_after_the_other(text: str, actions: list[Action]) -> None:
    assert list(read("key", {"text": text})) == actions


def test_keys_are_repeated() -> None:
    assert read("key", {"text": "Tab", "repeat": 4}) == (PressKeys(keys=("Tab",), times=4),)
    down, enter = PressKeys(keys=("Down",)), PressKeys(keys=("Return",))
    assert read("key", {"text": "Down Return", "repeat": 2}) == (down, enter, down, enter)


@pytest.mark.parametrize(
    ("verb", "arguments", "action"),
    [
        ("left_click", {"coordinate": "[5, 6]"}, Click(target=Pixel(5, 6))),
        ("left_click", {"coordinate": [5.0, 6.7]}, Click(target=Pixel(5, 6))),
        ("left_click", {"coordinate": [5, 6], "text": ""}, Click(target=Pixel(5, 6))),
        ("left_click", {"coordinate": [5, 6], "key": "ctrl"}, Click(target=Pixel(5, 6), keys=("Control_L",))),
        ("left_click", {"x": 5, "y": 6}, Click(target=Pixel(5, 6))),
        ("scroll", {"scroll_direction": "Up"}, Scroll(down=-3)),
        ("wait", {}, Wait(seconds=1)),
        ("screenshot", {"text": "", "coordinate": None}, Look()),
    ],
)
def test_usual_slips_are_understood(verb: str, arguments: dict[str, object], action: Action) -> None:
    assert read(verb, arguments) == (action,)


def test_the_first_versions_drag_starts_where_the_pointer_is() -> None:
    drag: dict[str, object] = {"coordinate": [30, 20]}
    assert read("left_click_drag", drag, Pixel(3, 4)) == (Drag(start=Pixel(3, 4), end=Pixel(30, 20)),)
    assert read("left_click_drag", drag) == (MouseDown(), Move(target=Pixel(30, 20)), MouseUp())


@pytest.mark.parametrize(
    ("verb", "arguments", "wrong"),
    [
        (
            "left_click",
            {"coordinate": [1280, 5]},
            r"\(1280, 5\) is outside of the picture, which is 1280x800",
        ),
        ("left_click", {"coordinate": [-1, 5]}, "outside of the picture"),
        ("left_click", {"coordinate": [0.4, 0.6]}, "needs whole pixels"),
        ("left_click", {"coordinate": [5]}, "needs a place"),
        ("left_click", {"coordinate": [5, 6], "text": "shfit"}, 'There is no key "shfit"'),
        ("left_click", {"coordinate": [5, 6], "colour": "red"}, 'does not take "colour"'),
        ("mouse_move", {}, 'needs its "coordinate"'),
        ("left_click_drag", {"start_coordinate": [1, 1]}, "as its end"),
        ("key", {"text": "contrrl+s"}, 'There is no key "contrrl"'),
        ("key", {}, "needs keys"),
        ("scroll", {"scroll_direction": "sideways"}, 'not "sideways"'),
        ("scroll", {"scroll_direction": "up", "scroll_amount": 0}, "not 0"),
        ("zoom", {"region": [50, 50, 20, 60]}, "top left corner first"),
        ("zoom", {"region": [0, 0, 1281, 800]}, "outside of the picture"),
        ("hold_key", {"text": "shift"}, 'needs the number "duration"'),
        ("triple_click_drag", {}, 'There is no action "triple_click_drag"; there are: key, type,'),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    verb: str, arguments: dict[str, object], wrong: str
) -> None:
    with pytest.raises(BadCall, match=wrong):
        read(verb, arguments)


# ------------------------------------------------------------------ requests


def prompt_of(version: Version, size: Size = Size(1280, 800)) -> seam.Prompt:  # noqa: B008 - frozen
    now = Observation(screenshot=screenshot(9, size))
    return AnthropicComputer(version=version).prompt("Save it", [], now)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_tool_is_declared_as_its_version_wants_it(version: Version) -> None:
    prompt = prompt_of(version)
    tool, *others = prompt.tools
    if version == "20260801":
        assert tool == {"type": "computer_toolset_20260801"}
        assert "anthropic-beta" not in prompt.headers
    else:
        size = {"display_width_px": 1280, "display_height_px": 800}
        zoom = {"enable_zoom": True} if version == "20251124" else {}
        assert tool == {"type": f"computer_{version}", "name": "computer", **size, **zoom}
        assert prompt.headers == {"anthropic-beta": f"computer-use-{BETAS[version]}"}
    assert [one["name"] for one in others] == ["desktop", "finish", "run_code", "answer_prompt", "browser"]


def test_without_a_screen_there_is_only_code() -> None:
    run = Run(AnthropicComputer(), MessagesWire(), see=lambda _: Observation(screenshot=None))
    act = run.play(Reply(calls=(Call("run_code", {"language": "python", "code": "1"}),)))
    assert isinstance(act, Act)
    assert act.actions == (RunCode(language="python", code="1"),)
    assert run.requests[0].tool_names() == ["finish", "run_code", "answer_prompt", "browser"]


# ------------------------------------------------------------------ runs


def thirty(version: Version) -> list[Reply]:
    """Replies of many kinds: several calls at once, several actions a call, pictures, code."""
    kinds = [
        native(version, CLICK, text="I click."),
        native(version, ("key", {"text": "Down Down Return"}), ("type", {"text": "Ada"})),
        native(version, ("screenshot", {})),
        native(version, ("mouse_move", {"coordinate": [3, 4]}), ("left_click_drag", {"coordinate": [9, 9]})),
        native(version, ("desktop", {"action": "click", "target": "Save"}), CLICK),
        native(version, CLICK, ("run_code", {"language": "shell", "code": "ls"})),
        native(version, ("desktop", {"action": "expect", "target": "Saved"})),
        native(version, ("cursor_position", {}), ("finish", {"done": True, "text": "x"})),
    ]
    if version in {"20251124", "20260801"}:
        kinds.append(native(version, ("zoom", {"region": [0, 0, 10, 10]})))
    return [kinds[number % len(kinds)] for number in range(30)]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_of_thirty_steps_keeps_the_protocol_and_its_prefix(version: Version) -> None:
    run = Run(AnthropicComputer(version=version), MessagesWire())
    run.play(*thirty(version))
    assert len(run.past) == 30
    last = run.requests[-1]
    assert 3 <= len(last.pictures()) <= 8
    assert any(REMOVED in text for text in last.texts("tool"))
    results = [block for message in last.messages for block in message["content"] if "tool_use_id" in block]
    assert len(results) == sum(len(reply.calls) for reply in thirty(version)[:29])
    assert_prefix_stable(run.requests, drops=8)


def results_of(request: Request) -> list[list[str]]:
    """The texts of the results in the newest message, pictures as "picture"."""
    return [
        [inner.get("text", "picture") for inner in block["content"]]
        for block in request.messages[-1]["content"]
        if block["type"] == "tool_result"
    ]


def test_each_call_gets_what_became_of_its_own_actions() -> None:
    run = Run(AnthropicComputer(), MessagesWire(), perform=fails_at(1))
    several = native("20250124", ("key", {"text": "Down Return"}), ("type", {"text": "Ada"}), CLICK)
    run.play(several, native("20250124", CLICK))
    first, second, third = results_of(run.requests[-1])
    assert first == ["1. changed here\n2. Failed: it is not there"]
    assert second == ["Not done: an action before it was not done"]
    assert third == [second[0], "Screenshot of step 2, 64x40 pixels:", "picture"]
    marked = [block.get("is_error", False) for block in run.requests[-1].messages[-1]["content"]]
    assert marked == [True, True, False]


def test_the_pointers_place_is_told_where_it_is_known() -> None:
    asks = native("20250124", ("cursor_position", {}))
    run = Run(AnthropicComputer(), MessagesWire())
    run.play(
        asks, native("20250124", ("mouse_move", {"coordinate": [3, 4]}), ("cursor_position", {})), asks, asks
    )
    assert results_of(run.requests[1])[0][0] == "Its place is not known."
    assert results_of(run.requests[2])[1][0] == "X=3,Y=4"
    assert results_of(run.requests[3])[0][0] == "X=3,Y=4"


@pytest.mark.parametrize("version", VERSIONS)
def test_the_steps_of_others_are_told_as_calls_and_what_no_call_says_in_words(version: Version) -> None:
    dialect = AnthropicComputer(version=version)
    placed = PlaceWindow(title="Editor", left=1, top=2)
    run = Run(dialect, MessagesWire())
    run.past = [
        told_step(1, Click(target=Pixel(5, 6)), Expect(target=TextTarget("Saved")), placed),
        told_step(2, Drag(start=Pixel(1, 2), via=(Pixel(3, 4),), end=Pixel(5, 6)), thought=""),
        told_step(3, RunCode(language="python", code="1"), PressKeys(keys=("Tab",), times=3)),
        told_step(4, thought=""),
    ]
    run.play(native(version, CLICK))
    (request,) = run.requests
    name = "left_click" if version == "20260801" else "computer"
    (clicked,) = [block for block in request.messages[1]["content"] if block.get("id") == "step_1_1"]
    assert clicked.get("toolset_name") == ("computer" if version == "20260801" else None)
    calls = [(called, arguments) for called, arguments, _ in request.calls()]
    assert calls[0][0] == name
    assert calls[0][1]["coordinate"] == [5, 6]
    assert calls[1] == ("desktop", {"action": "expect", "target": "Saved", "seconds": 5.0})
    assert [called for called, _ in calls][2] == "run_code"
    said = "\n".join(request.texts("assistant") + request.texts("user"))
    assert 'place window "Editor"' in said or "Editor" in said
    assert "drag" in said


@pytest.mark.parametrize("other", VERSIONS)
def test_a_run_goes_on_with_another_version(other: Version) -> None:
    run = Run(AnthropicComputer(version="20251124"), MessagesWire())
    run.play(*thirty("20251124")[:9])
    run.dialect = AnthropicComputer(version=other)
    run.play(native(other, CLICK))
    assert len(run.past) == 10


def test_a_bad_call_is_corrected_and_the_good_one_done() -> None:
    run = Run(AnthropicComputer(), MessagesWire())
    outside = native("20250124", CLICK, ("left_click", {"coordinate": [64, 5]}))
    act = run.play(outside, Reply(text="Hm."), native("20250124", CLICK))
    assert isinstance(act, Act)
    assert act.actions == (Click(target=Pixel(5, 6)),)
    told = run.requests[1].texts("tool")
    assert told[0].startswith("Nothing was done. (64, 5) is outside of the picture, which is 64x40 pixels")
    assert len(told) == 2
    assert "That was no tool call." in run.requests[2].texts("user")[-1]


def test_finish_ends_the_run() -> None:
    run = Run(AnthropicComputer(), MessagesWire())
    answer = run.play(Reply(calls=(Call("finish", {"done": True, "text": "Saved."}),)))
    assert isinstance(answer, Answer)
    assert (answer.text, answer.done) == ("Saved.", True)


def test_a_claim_beside_a_check_ends_the_run_only_if_it_is_so() -> None:
    run = Run(AnthropicComputer(), MessagesWire())
    check = Call("desktop", {"action": "expect", "target": "Saved"})
    act = run.play(Reply(calls=(check, Call("finish", {"done": True, "text": "Saved."}))))
    assert isinstance(act, Act)
    assert act.then == Answer(text="Saved.")
