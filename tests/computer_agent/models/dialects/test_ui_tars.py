"""UI-TARS: every notation of places and every trap of its text, in each version's own space."""

from __future__ import annotations

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

from computer_agent.models.dialect import NoCall
from computer_agent.models.dialects.ui_tars import UiTars, Version
from computer_agent.step import Act, Answer, Observation
from computer_api.actions import (
    Action,
    Click,
    Drag,
    KeyDown,
    MouseDown,
    MouseUp,
    Move,
    OpenApp,
    PressKeys,
    RunCode,
    Scroll,
    TypeText,
    Wait,
)
from computer_api.geometry import Pixel, Size
from computer_api.targets import TextTarget

VERSIONS: dict[Version, UiTars] = {
    "1.0": UiTars(version="1.0"),
    "1.5": UiTars(version="1.5"),
    "doubao": UiTars(version="doubao"),
}
OLD = VERSIONS["1.0"]


@pytest.mark.parametrize(
    "point",
    [
        "start_box='(500,250)'",
        "start_box='<|box_start|>(500,250)<|box_end|>'",
        "start_box='[500,250]'",
        "start_box='[490, 240, 510, 260]'",
        "point='<point>500 250</point>'",
        "start_point='<point>500 250</point>'",
        'point="(500, 250)"',
        "start_box=(500,250)",
        "point=<point>500 250</point>",
        "start_box='(490,240),(510,260)'",
    ],
)
def test_each_notation_of_a_place_is_the_same_click(point: str) -> None:
    assert actions_of(OLD, f"Thought: I click.\nAction: click({point})") == (Click(target=Pixel(640, 200)),)


@pytest.mark.parametrize(
    ("version", "x", "y", "pixel"),
    [
        ("1.0", 500, 500, Pixel(960, 540)),
        ("doubao", 1000, 1000, Pixel(1919, 1079)),
        ("1.5", 966, 546, Pixel(960, 540)),  # of 1932x1092
        ("1.5", 1932, 1092, Pixel(1919, 1079)),
    ],
)
def test_each_version_counts_in_its_own_space(version: Version, x: int, y: int, pixel: Pixel) -> None:
    text = f"Action: click(start_box='({x},{y})')"
    assert actions_of(VERSIONS[version], text, Size(1920, 1080)) == (Click(target=pixel),)


def test_a_place_of_the_other_space_is_refused_and_not_guessed() -> None:
    assert "x and y are 0 to 1000" in refused(OLD, "Action: click(start_box='(1200,700)')")
    assert "which is 1288x812 pixels" in refused(VERSIONS["1.5"], "Action: click(start_box='(1300,700)')")


@pytest.mark.parametrize(
    ("call", "action"),
    [
        ("left_double(start_box='(500,250)')", Click(target=Pixel(640, 200), count=2)),
        ("right_single(start_box='(500,250)')", Click(target=Pixel(640, 200), button="right")),
        (
            "drag(start_box='(0,0)', end_box='(500,250)')",
            Drag(start=Pixel(0, 0), end=Pixel(640, 200)),
        ),
        (
            "drag(start_point='<point>0 0</point>', end_point='<point>500 250</point>')",
            Drag(start=Pixel(0, 0), end=Pixel(640, 200)),
        ),
        ("hotkey(key='ctrl c')", PressKeys(keys=("Control_L", "c"))),
        ("hotkey(key='enter')", PressKeys(keys=("Return",))),
        ("keydown(key='shift')", KeyDown(keys=("Shift_L",))),
        ("type(content='Ada\\n')", TypeText(text="Ada\n")),
        ("type(content='it's \"so\", isn't it?')", TypeText(text="it's \"so\", isn't it?")),
        ("type(content='print('a')\nprint('b')')", TypeText(text="print('a')\nprint('b')")),
        ("type(content='f(x, y=1)')", TypeText(text="f(x, y=1)")),
        ("type(content='C:\\\\new')", TypeText(text="C:\\new")),
        ('type(content="say \\"hi\\"")', TypeText(text='say "hi"')),
        ("type(content='')", TypeText(text="")),
        ("scroll(start_box='(500,250)', direction='down')", Scroll(down=5, target=Pixel(640, 200))),
        ("scroll(direction='left')", Scroll(right=-5)),
        ("wait()", Wait(seconds=5)),
        ("hover(start_box='(0,0)')", Move(target=Pixel(0, 0))),
    ],
)
def test_each_call_is_its_action(call: str, action: Action) -> None:
    assert actions_of(OLD, f"Thought: So.\nAction: {call}") == (action,)


def test_several_calls_are_one_act_in_their_order() -> None:
    text = "Thought: a\nAction: click(start_box='(0,0)')\n\ntype(content='it's')\n\nhotkey(key='enter')\n"
    assert actions_of(OLD, text) == (
        Click(target=Pixel(0, 0)),
        TypeText(text="it's"),
        PressKeys(keys=("Return",)),
    )


def test_a_drag_without_a_start_begins_where_the_pointer_is() -> None:
    assert actions_of(OLD, "Action: drag(end_box='(0,0)')") == (
        MouseDown(button="left"),
        Move(target=Pixel(0, 0)),
        MouseUp(button="left"),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Thought: I click.\nAction: wait()", "I click."),
        ("Reflection: No.\nAction_Summary: wait.\nAction: wait()", "Reflection: No.\nAction_Summary: wait."),
        ("<think>click(point='(1,1)')</think>Thought: Hm\nAction: wait()", "Hm"),
        ("wait()", ""),
        ("Thought: click(x) is wrong\n**Action**: `wait()`", "click(x) is wrong"),
        ("Action: wait()\nI wait (for 'it').", ""),
    ],
)
def test_the_words_before_the_action_are_the_thought(text: str, words: str) -> None:
    act = decided(OLD, text)
    assert isinstance(act, Act)
    assert (act.thought, act.actions) == (words, (Wait(seconds=5),))


def test_finished_and_call_user_are_answers() -> None:
    assert decided(OLD, "Action: finished(content='It's 42')") == Answer(text="It's 42", done=True)
    assert decided(OLD, "Thought: Done.\nAction: finished()") == Answer(text="Done.", done=True)
    assert decided(OLD, "Thought: Password?\nAction: call_user()") == Answer(text="Password?", done=False)


@pytest.mark.parametrize(
    ("text", "told_of_it"),
    [
        ("", "Your reply was empty"),
        ("It is done.", "Your reply has no action"),
        ("Action: fly(to='moon')", 'There is no action "fly"; there are: click'),
        ("Action: click()", 'The action "click" needs the place "start_box"'),
        ("Action: click(start_box='Save')", 'A place is two numbers such as (512, 384), not "Save"'),
        ("Action: click(start_box='(1,2,3)')", 'not "(1,2,3)"'),
        ("Action: click(start_box='(1,2)', button='right')", 'The action "click" does not take "button"'),
        ("Action: type(content='abc", 'The value of "content" is not closed'),
        ("Action: click('(1,2)')", "written as name='value'"),
        ("Action: scroll(direction='sideways')", 'The direction "sideways" is none of'),
        ("Action: hotkey(key='hyperdrive')", 'There is no key "hyperdrive"'),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(text: str, told_of_it: str) -> None:
    assert told_of_it in refused(OLD, text)


def test_words_alone_are_no_call() -> None:
    with pytest.raises(NoCall):
        decided(OLD, "It is done.")


def test_without_a_picture_there_are_no_places() -> None:

    with pytest.raises(Exception, match="No picture of the screen was shown"):
        UiTars().decision(said("Action: click(point='(1,2)')"), Observation(screenshot=None))


# ------------------------------------------------------------------ history

_part = st.floats(0, 1, exclude_max=True)
_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["')", "', key='", "\\n", "'),\n\nclick(point='(1,1)')", "it's", '"', "\\", "\\'", "Action: wait()"]
)
_keys = st.sampled_from([("Control_L", "s"), ("Return",), ("Control_L", "Shift_L", "t"), ("Alt_L", "+")])


def _on(size: Size, across: float, down: float) -> Pixel:
    return Pixel(int(across * size.width), int(down * size.height))


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=50)
@given(st.sampled_from(SIZES), st.tuples(_part, _part), st.tuples(_part, _part), st.sampled_from([-5, 5]))
def test_every_place_is_read_back_to_the_pixel(
    version: Version, size: Size, one: tuple[float, float], other: tuple[float, float], notches: int
) -> None:
    here, there = _on(size, *one), _on(size, *other)
    actions = (
        Click(target=here),
        Click(target=here, count=2),
        Click(target=there, button="right"),
        Drag(start=here, end=there),
        Scroll(down=notches, target=there),
        Scroll(right=notches, target=here),
    )
    text = told(VERSIONS[version], *actions, size=size)
    assert actions_of(VERSIONS[version], text, size) == actions


@pytest.mark.parametrize("version", VERSIONS)
@given(_text, _keys)
def test_every_other_action_is_read_back(version: Version, text: str, keys: tuple[str, ...]) -> None:
    actions = (TypeText(text=text), PressKeys(keys=keys), Wait(seconds=5), Scroll(down=5))
    assert actions_of(VERSIONS[version], told(VERSIONS[version], *actions)) == actions


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (OpenApp(program="xterm"), '(Done in another way: open "xterm".)'),
        (Click(target=TextTarget("Save")), '(Done in another way: click "Save".)'),
        (RunCode(language="python", code="1"), "(Done in another way: run python"),
        (Scroll(down=3), "(Done in another way: scroll down 3.)"),
        (TypeText(text="hunter2", secret=True), '(Done in another way: type secret "•••".)'),
    ],
)
def test_what_it_cannot_say_is_told_in_words(action: Action, words: str) -> None:
    text = told(OLD, action, Click(target=Pixel(640, 400)), thought="So.")
    assert words in text
    assert text.endswith("Action: click(start_box='<|box_start|>(500,501)<|box_end|>')")


def test_its_own_words_go_back_as_they_came() -> None:
    own = "Reflection: Hm.\nAction: click(point='<point>500 500</point>')"
    reply = {"role": "assistant", "content": f"<think>x</think>{own}\nResult: saved"}
    past = [step(Click(target=Pixel(640, 400)), reply=reply)]
    messages = OLD.prompt("Save it", past, screen()).messages
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"] == own
    assert messages[2]["content"][0]["text"].startswith("Result: ")


def test_the_prompt_shows_the_versions_own_notation() -> None:
    systems = {name: dialect.prompt("x", (), screen()).system for name, dialect in VERSIONS.items()}
    assert "click(start_box='<|box_start|>(x1,y1)<|box_end|>')" in systems["1.5"]
    assert "click(point='<point>x1 y1</point>')" in systems["doubao"]
    assert "drag(start_point='<point>x1 y1</point>', end_point='<point>x2 y2</point>')" in systems["doubao"]
    assert all("data" in system for system in systems.values())


# ------------------------------------------------------------------ streams and hostile text


@given(
    st.lists(
        st.sampled_from(["Thought: so ", "Action", ":", " wait()", "\n", "<think>", "</think>", "Act", "x"]),
        max_size=8,
    ).map("".join),
    st.lists(st.integers(1, 9), max_size=40),
)
def test_what_is_shown_does_not_depend_on_how_the_stream_is_cut(text: str, sizes: list[int]) -> None:
    assert streamed(OLD, text, sizes) == streamed(OLD, text, [])


def test_the_call_is_not_shown() -> None:
    assert streamed(OLD, "Thought: I wait.\nAction: wait()", [1] * 40) == "Thought: I wait.\n"


@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                "Action: ",
                "click(",
                "type(content=",
                "'",
                '"',
                "(",
                ")",
                "1,2",
                ",",
                "=",
                "\n",
                "\\",
                "point=",
                "<point>",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_no_text_does_worse_than_to_be_refused(text: str) -> None:
    refused(OLD, text)


@pytest.mark.parametrize(
    "piece",
    ["type(content='", "'", "\\'", "') ", "click(", "Action: ", ", ", " ", "\\", "\n", "a=", "click(a='b')"],
)
def test_long_text_is_read_in_proportion_to_its_length(piece: str) -> None:
    assert takes_time_in_proportion(OLD, piece)
    assert takes_time_in_proportion(OLD, piece, start="type(content='x")
