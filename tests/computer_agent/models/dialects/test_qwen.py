"""Qwen-VL's computer_use: in tags, as JSON or XML, in the space of each version."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_dialects import (
    SIZES,
    actions_of,
    decided,
    refused,
    said,
    screen,
    step,
    streamed,
    takes_time_in_proportion,
    told,
)

from computer_agent.models.dialect import Call, NoCall
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.qwen import Qwen, Version
from computer_agent.step import Act, Answer
from computer_api.actions import (
    Action,
    Click,
    Drag,
    Look,
    MouseDown,
    MouseUp,
    Move,
    OpenApp,
    PressKeys,
    Scroll,
    TypeText,
    Wait,
)
from computer_api.geometry import Pixel, Size

VERSIONS: dict[Version, Qwen] = {version: Qwen(version=version) for version in ("2.5", "3", "3.5")}
THREE = VERSIONS["3"]


def tagged(**arguments: object) -> str:
    call = json.dumps({"name": "computer_use", "arguments": arguments})
    return f"So.\n<tool_call>\n{call}\n</tool_call>"


@pytest.mark.parametrize(
    ("arguments", "action"),
    [
        ({"action": "left_click", "coordinate": [500, 250]}, Click(target=Pixel(640, 200))),
        ({"action": "left_click", "coordinate": "[500, 250]"}, Click(target=Pixel(640, 200))),
        ({"action": "left_click", "coordinate": [490, 240, 510, 260]}, Click(target=Pixel(640, 200))),
        ({"action": "click", "coordinate": {"x": 500, "y": "250"}}, Click(target=Pixel(640, 200))),
        ({"action": "left_click"}, Click()),
        ({"action": "right_click", "coordinate": [0, 0]}, Click(target=Pixel(0, 0), button="right")),
        ({"action": "middle_click", "coordinate": [0, 0]}, Click(target=Pixel(0, 0), button="middle")),
        ({"action": "double_click", "coordinate": [0, 0]}, Click(target=Pixel(0, 0), count=2)),
        ({"action": "triple_click", "coordinate": [0, 0]}, Click(target=Pixel(0, 0), count=3)),
        ({"action": "mouse_move", "coordinate": [0, 0]}, Move(target=Pixel(0, 0))),
        ({"action": "key", "keys": ["ctrl", "s"]}, PressKeys(keys=("Control_L", "s"))),
        ({"action": "key", "keys": "ctrl+s"}, PressKeys(keys=("Control_L", "s"))),
        ({"action": "key", "text": "enter"}, PressKeys(keys=("Return",))),
        ({"action": "type", "text": "Ada\n"}, TypeText(text="Ada\n")),
        ({"action": "scroll", "pixels": -300}, Scroll(down=300, unit="pixels")),
        (
            {"action": "scroll", "pixels": "5", "coordinate": [0, 0]},
            Scroll(down=-5, unit="pixels", target=Pixel(0, 0)),
        ),
        ({"action": "hscroll", "pixels": 40}, Scroll(right=40, unit="pixels")),
        ({"action": "wait", "time": 2}, Wait(seconds=2)),
        ({"action": "screenshot"}, Look()),
        (
            {"action": "left_click_drag", "start_coordinate": [0, 0], "coordinate": [500, 250]},
            Drag(start=Pixel(0, 0), end=Pixel(640, 200)),
        ),
    ],
)
def test_each_call_is_its_action_in_json_and_in_xml(arguments: dict[str, object], action: Action) -> None:
    assert actions_of(THREE, tagged(**arguments)) == (action,)
    lines = [
        f"<parameter={name}>\n{value if isinstance(value, str) else json.dumps(value)}\n</parameter>"
        for name, value in arguments.items()
        if not isinstance(value, dict)
    ]
    if len(lines) == len(arguments):
        xml = "\n".join(["<tool_call>", "<function=computer_use>", *lines, "</function>", "</tool_call>"])
        assert actions_of(THREE, xml) == (action,)


@pytest.mark.parametrize(
    ("version", "place", "pixel"),
    [
        ("2.5", [966, 546], Pixel(960, 540)),  # of 1932x1092
        ("3", [500, 500], Pixel(960, 540)),
        ("3", [999, 999], Pixel(1918, 1078)),
        ("3.5", [1000, 1000], Pixel(1919, 1079)),
    ],
)
def test_each_version_counts_in_its_own_space(version: Version, place: list[int], pixel: Pixel) -> None:
    text = tagged(action="left_click", coordinate=place)
    assert actions_of(VERSIONS[version], text, Size(1920, 1080)) == (Click(target=pixel),)


def test_the_prompt_says_how_large_the_screen_is_in_that_space() -> None:
    systems = {name: one.prompt("x", (), screen(Size(1920, 1080))).system for name, one in VERSIONS.items()}
    assert "resolution is 1932x1092" in systems["2.5"]
    assert "resolution is 1000x1000" in systems["3"]
    assert "<function=computer_use>" in systems["3.5"]
    assert "<function=" not in systems["3"]


@pytest.mark.parametrize(
    "text",
    [
        tagged(action="wait", time=2),
        tagged(action="wait", time=2).removesuffix("\n</tool_call>"),
        "<think><tool_call>{}</tool_call></think>" + tagged(action="wait", time=2),
        '```json\n{"name": "computer_use", "arguments": {"action": "wait", "time": 2}}\n```',
        '{"action": "wait", "time": 2}',
        '<tool_call>{"name": "wait", "arguments": {"time": 2}}</tool_call>',
        "<function=computer_use><parameter=action>wait</parameter><parameter=time>2</parameter></function>",
        "<tool_call>\n<function=computer_use>\n<parameter=action>\nwait\n<parameter=time>\n2\n</tool_call>",
        "<tool_call>\r\n<function=computer_use>\r\n<parameter=action>\r\nwait\r\n</parameter>\r\n</tool_call>",
    ],
)
def test_the_call_is_found_however_it_is_wrapped(text: str) -> None:
    assert actions_of(THREE, text) == (Wait(seconds=2 if "2" in text else 1),)


def test_a_drag_after_a_move_begins_there_and_alone_where_the_pointer_is() -> None:
    move = tagged(action="mouse_move", coordinate=[0, 0])
    drag = tagged(action="left_click_drag", coordinate=[500, 250])
    assert actions_of(THREE, move + drag) == (Drag(start=Pixel(0, 0), end=Pixel(640, 200)),)
    assert actions_of(THREE, drag) == (MouseDown(), Move(target=Pixel(640, 200)), MouseUp())


def test_answer_and_terminate_end_the_run() -> None:
    answer, good, bad = (
        tagged(action="answer", text="42"),
        tagged(action="terminate", status="success"),
        tagged(action="terminate", status="failure"),
    )
    assert decided(THREE, answer) == Answer(text="42", done=True)
    assert decided(THREE, good) == Answer(text="So.", done=True)
    assert decided(THREE, bad) == Answer(text="So.", done=False)
    assert decided(THREE, answer + good) == Answer(text="42", done=True)


def test_an_end_beside_actions_waits_until_they_were_seen() -> None:
    text = tagged(action="wait", time=1) + tagged(action="terminate", status="success")
    assert actions_of(THREE, text) == (Wait(seconds=1),)


def test_a_call_that_the_server_took_out_of_the_text_counts() -> None:
    call = Call(id="1", name="computer_use", arguments='{"action": "wait", "time": 2}')
    act = THREE.decision(said("So.", calls=(call,)), screen())
    assert isinstance(act, Act)
    assert (act.thought, act.actions) == ("So.", (Wait(seconds=2),))
    with pytest.raises(BadCall, match='There is no function "fly"; there is "computer_use"'):
        THREE.decision(said("", calls=(Call(id="1", name="fly", arguments="{}"),)), screen())


@pytest.mark.parametrize(
    ("text", "told_of_it"),
    [
        ("", "Your reply was empty"),
        ("It is done.", "That was no call."),
        ("<tool_call>click</tool_call>", 'The call cannot be read: "click"'),
        (tagged(action="fly"), 'There is no action "fly"; there are: key'),
        (tagged(action="left_click", coordinate=[1200, 5]), "x and y are 0 to 1000"),
        (tagged(action="left_click", coordinate="Save"), 'not "Save"'),
        (tagged(action="mouse_move"), 'The action "mouse_move" needs its "coordinate"'),
        (tagged(action="scroll"), 'The action "scroll" needs the number "pixels"'),
        (tagged(action="key"), 'The action "key" needs "keys"'),
        (tagged(action="terminate", status="perhaps"), 'The status "perhaps" is neither'),
        (tagged(action="wait", time=1, button="left"), 'does not take "button"'),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(text: str, told_of_it: str) -> None:
    assert told_of_it in refused(THREE, text)


def test_words_alone_are_no_call() -> None:
    with pytest.raises(NoCall):
        decided(THREE, "It is done.")


def test_a_call_that_was_cut_off_is_not_acted_on() -> None:
    text = "<tool_call>\n<function=computer_use>\n<parameter=action>\ntype\n</parameter>\n<parameter=text>\nrm -rf /tm"
    with pytest.raises(BadCall, match="cut off"):
        VERSIONS["3.5"].decision(said(text, finish="length"), screen())


# ------------------------------------------------------------------ history

_part = st.floats(0, 1, exclude_max=True)
_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["</tool_call>", "<tool_call>", '"}', "<function=x>", "a\n", "\r\n", "```"]
)
_keys = st.sampled_from([("Control_L", "s"), ("Return",), ("Control_L", "+"), ("Control_L", "Page_Up")])


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=50)
@given(st.sampled_from(SIZES), _part, _part, st.integers(1, 900))
def test_every_place_is_read_back_to_the_pixel(
    version: Version, size: Size, across: float, down: float, pixels: int
) -> None:
    here = Pixel(int(across * size.width), int(down * size.height))
    actions: tuple[Action, ...] = (
        *(Click(target=here, count=count) for count in (1, 2, 3)),
        Click(target=here, button="right"),
        Click(target=here, button="middle"),
        Click(),
        Move(target=here),
        Scroll(down=pixels, unit="pixels", target=here),
        Scroll(right=-pixels, unit="pixels", target=here),
        Drag(start=here, end=Pixel(0, 0)),
    )
    assert actions_of(VERSIONS[version], told(VERSIONS[version], *actions, size=size), size) == actions


@pytest.mark.parametrize("version", VERSIONS)
@given(_text, _keys, st.sampled_from([0.5, 1, 60]))
def test_every_other_action_is_read_back(
    version: Version, text: str, keys: tuple[str, ...], seconds: float
) -> None:
    actions: list[Action] = [PressKeys(keys=keys), Wait(seconds=seconds), Scroll(down=5, unit="pixels")]
    if version != "3.5" or ">" not in text:
        actions.append(TypeText(text=text))
    assert actions_of(VERSIONS[version], told(VERSIONS[version], *actions)) == tuple(actions)


def test_what_it_cannot_say_is_told_in_words() -> None:
    assert told(THREE, OpenApp(program="xterm")) == '(Done in another way: open "xterm".)'
    assert "Done in another way" in told(VERSIONS["3.5"], TypeText(text="</parameter>"))
    assert "Done in another way" in told(THREE, TypeText(text="<think>"))


def test_its_own_words_go_back_as_they_came() -> None:
    own = tagged(action="left_click", coordinate=[500, 500])
    past = [step(Click(target=Pixel(640, 400)), reply={"role": "assistant", "content": own + "\nSaved!"})]
    assert THREE.prompt("x", past, screen()).messages[1]["content"] == own


# ------------------------------------------------------------------ streams and hostile text

_pieces = st.lists(
    st.sampled_from(
        [
            *("<tool_call>", "</tool_call>", "<function=", "computer_use>", "<parameter=", "action>", "wait"),
            *("\n", "{", "}", '"name": ', '"', "<think>", "</think>", "<tool", "_call>", "So. "),
        ]
    ),
    max_size=12,
).map("".join)


@given(_pieces, st.lists(st.integers(1, 9), max_size=40))
def test_what_is_shown_does_not_depend_on_how_the_stream_is_cut(text: str, sizes: list[int]) -> None:
    assert streamed(THREE, text, sizes) == streamed(THREE, text, [])


@given(_pieces | st.text(max_size=200))
def test_no_text_does_worse_than_to_be_refused(text: str) -> None:
    if not refused(THREE, text):
        assert isinstance(decided(THREE, text), Act | Answer)


@pytest.mark.parametrize(
    "piece", ["<tool_call>", "<parameter=a>", "<function=", "{", '{"', "</tool_call>", "<think>"]
)
def test_long_text_is_read_in_proportion_to_its_length(piece: str) -> None:
    assert takes_time_in_proportion(THREE, piece)
    assert takes_time_in_proportion(THREE, piece, start="<tool_call>\n<function=computer_use>\n")
