"""GLM: one call between box markers, in a single message that holds everything."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_dialects import (
    SIZES,
    actions_of,
    decided,
    refused,
    screen,
    step,
    streamed,
    takes_time_in_proportion,
)

from computer_agent.models.dialects.glm import Glm, memory_of
from computer_agent.step import Act, Answer, Observation
from computer_api.actions import (
    Action,
    Click,
    Drag,
    Look,
    Move,
    OpenApp,
    PressKeys,
    Scroll,
    TypeText,
    Wait,
)
from computer_api.geometry import Pixel, Size

GLM = Glm()


def boxed(call: str, memory: str = "[]") -> str:
    return f"Memory:\n{memory}\nReason:\nSo.\nAction:\n<|begin_of_box|>{call}<|end_of_box|>"


@pytest.mark.parametrize(
    ("call", "action"),
    [
        ("left_click(start_box='[500,250]', element_info='Save')", Click(target=Pixel(640, 200))),
        ("left_click(start_box='[[490,240,510,260]]')", Click(target=Pixel(640, 200))),
        ("click(start_box=[500,250])", Click(target=Pixel(640, 200))),
        ("right_click(start_box='[500,250]')", Click(target=Pixel(640, 200), button="right")),
        ("middle_click(start_box='[500,250]')", Click(target=Pixel(640, 200), button="middle")),
        ("left_double_click(start_box='[500,250]')", Click(target=Pixel(640, 200), count=2)),
        ("hover(start_box='[0,0]')", Move(target=Pixel(0, 0))),
        ("left_drag(start_box='[0,0]', end_box='[500,250]')", Drag(start=Pixel(0, 0), end=Pixel(640, 200))),
        ("key(keys='ctrl+c')", PressKeys(keys=("Control_L", "c"))),
        ("type(content='it's')", TypeText(text="it's")),
        ("scroll(start_box='[500,250]', direction='up', step=3)", Scroll(down=-3, target=Pixel(640, 200))),
        ("scroll(start_box='[500,250]', direction='down')", Scroll(down=5, target=Pixel(640, 200))),
        ("WAIT()", Wait(seconds=5)),
        ("screenshot()", Look()),
    ],
)
def test_each_call_is_its_action(call: str, action: Action) -> None:
    assert actions_of(GLM, boxed(call)) == (action,)


def test_done_and_fail_are_answers_with_the_reason() -> None:
    assert decided(GLM, boxed("DONE()")) == Answer(text="So.", done=True)
    assert decided(GLM, boxed("FAIL()")) == Answer(text="So.", done=False)


@pytest.mark.parametrize(
    "text",
    [
        "I wait. WAIT()\nMemory:\n[]",
        'Memory:\n[{"do": "left_click(x)"}]\nAction: WAIT()',
        "<think>DONE()</think>I wait.\n<|begin_of_box|>WAIT()",
        boxed("WAIT()") + "\nDONE()",
    ],
)
def test_the_call_is_found_without_its_markers_too(text: str) -> None:
    assert actions_of(GLM, text) == (Wait(seconds=5),)


@pytest.mark.parametrize(
    ("text", "told_of_it"),
    [
        ("", "Your reply was empty"),
        ("Well.", "Your reply has no action"),
        (boxed("fly()"), 'There is no action "fly"'),
        (boxed("left_click()"), 'The action "left_click" needs the place "start_box"'),
        (boxed("left_click(start_box='[1200,5]')"), "x and y are 0 to 1000"),
        (boxed("key(keys='x-y-warp')"), "There is no key"),
        (boxed("scroll(start_box='[1,1]', direction='in')"), 'The direction "in"'),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(text: str, told_of_it: str) -> None:
    assert told_of_it in refused(GLM, text)


# ------------------------------------------------------------------ history


def test_a_request_is_one_message_with_the_newest_picture_first() -> None:
    sizes = [Size(300, 200), Size(310, 200), Size(320, 200)]
    past = [
        replace(step(Click(target=Pixel(10, 10)), size=size, thought=f"Thought {n}."), number=n)
        for n, size in enumerate(sizes, 1)
    ]
    (message,) = GLM.prompt("Save it", past, screen(Size(330, 200))).messages
    text, *images = message["content"]
    assert [part["type"] for part in images] == ["image_url"] * 4
    assert "Task: Save it" in text["text"]
    assert "step 2: Thought 2.\nleft_click(start_box='[34,52]')\nResult: " in text["text"]
    assert "Screenshot of step 4, 330x200 pixels:" in text["text"]
    assert "<|begin_of_box|>" not in text["text"]
    newest = GLM.prompt("Save it", (), screen(Size(330, 200))).messages[0]["content"][1]
    assert images[0] == newest


def test_its_memory_is_given_back() -> None:
    own = boxed("left_click(start_box='[500,500]')", memory='["user is Ada"]')
    past = [step(Click(target=Pixel(640, 400)), reply={"role": "assistant", "content": own})]
    (message,) = GLM.prompt("Save it", past, screen()).messages
    text = message["content"][0]["text"]
    assert text.endswith('Memory:\n["user is Ada"]')
    assert text.count("user is Ada") == 1
    assert memory_of(own) == '["user is Ada"]'


def test_without_a_screen_the_message_is_plain_text() -> None:
    (message,) = GLM.prompt("Save it", (), Observation(screenshot=None)).messages
    assert isinstance(message["content"], str)


_part = st.floats(0, 1, exclude_max=True)
_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.sampled_from(SIZES), _part, _part, st.integers(1, 30), _text)
def test_every_action_is_read_back_to_the_pixel(
    size: Size, across: float, down: float, notches: int, text: str
) -> None:
    here = Pixel(int(across * size.width), int(down * size.height))
    actions: list[Action] = [
        Click(target=here),
        Click(target=here, button="right"),
        Click(target=here, button="middle"),
        Click(target=here, count=2),
        Move(target=here),
        Drag(start=here, end=Pixel(0, 0)),
        Scroll(down=notches, target=here),
        Scroll(right=-notches, target=here),
        TypeText(text=text),
        PressKeys(keys=("Control_L", "s")),
        Wait(seconds=5),
    ]
    for action in actions:
        line = GLM._line(action, size)
        assert line is not None
        assert actions_of(GLM, boxed(line), size) == (action,)


def test_what_it_cannot_say_is_told_in_words() -> None:
    (message,) = GLM.prompt("x", [step(OpenApp(program="xterm"))], screen()).messages
    assert 'step 1: (Done in another way: open "xterm".)' in message["content"][0]["text"]


# ------------------------------------------------------------------ streams and hostile text

_pieces = st.lists(
    st.sampled_from(
        [
            "Memory:",
            "\n",
            "Reason: ",
            "<|begin",
            "_of_box|>",
            "WAIT()",
            "<|end_of_box|>",
            "<think>",
            "</think>",
            "x(",
        ]
    ),
    max_size=10,
).map("".join)


@given(_pieces, st.lists(st.integers(1, 9), max_size=40))
def test_what_is_shown_does_not_depend_on_how_the_stream_is_cut(text: str, sizes: list[int]) -> None:
    assert streamed(GLM, text, sizes) == streamed(GLM, text, [])


@given(_pieces | st.text(max_size=200))
def test_no_text_does_worse_than_to_be_refused(text: str) -> None:
    if not refused(GLM, text):
        assert isinstance(decided(GLM, text), Act | Answer)


@pytest.mark.parametrize(
    "piece", ["Memory:\n", "Action:\n", "<|begin_of_box|>", "WAIT(", " ", "type(content='"]
)
def test_long_text_is_read_in_proportion_to_its_length(piece: str) -> None:
    assert takes_time_in_proportion(GLM, piece)
