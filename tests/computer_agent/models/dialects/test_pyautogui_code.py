"""Kimi and OpenCUA: pyautogui code is read as actions, and whatever is more than that is refused by its line."""

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
from computer_agent.models.dialects.pyautogui_code import Family, PyautoguiCode
from computer_agent.step import Act, Answer
from computer_api.actions import (
    Action,
    Click,
    Drag,
    KeyDown,
    KeyUp,
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

FAMILIES: dict[Family, PyautoguiCode] = {
    family: PyautoguiCode(family=family) for family in ("kimi", "opencua")
}
KIMI = FAMILIES["kimi"]
AT = Pixel(640, 200)


def fenced(code: str) -> str:
    return f"## Thought:\nHm.\n\n## Action:\nI do it.\n\n## Code:\n```python\n{code}\n```"


@pytest.mark.parametrize(
    ("code", "actions"),
    [
        ("pyautogui.click(x=0.5, y=0.25)", (Click(target=AT),)),
        ("pyautogui.click(640, 200)", (Click(target=AT),)),
        ("pyautogui.click((640, 200))", (Click(target=AT),)),
        ("pyautogui.click(600 + 40, 400 / 2)", (Click(target=AT),)),
        ("pyautogui.click(-(-640), 2 * 100, clicks=2, interval=0.1)", (Click(target=AT, count=2),)),
        ("pyautogui.click(640, 200, 1, 0.0, 'right')", (Click(target=AT, button="right"),)),
        ("pyautogui.click(button='SECONDARY')", (Click(button="right"),)),
        ("pyautogui.doubleClick(640, 200)", (Click(target=AT, count=2),)),
        ("pyautogui.tripleClick(640, 200)", (Click(target=AT, count=3),)),
        ("computer.triple_click(x=640, y=200)", (Click(target=AT, count=3),)),
        ("pyautogui.rightClick(640, 200)", (Click(target=AT, button="right"),)),
        ("pyautogui.middleClick(640, 200)", (Click(target=AT, button="middle"),)),
        ("pyautogui.moveTo(640, 200, duration=0.5)", (Move(target=AT),)),
        (
            "pyautogui.moveTo(2, 3)\npyautogui.dragTo(640, 200, 1, button='left')",
            (Drag(start=Pixel(2, 3), end=AT),),
        ),
        ("pyautogui.dragTo(640, 200)", (MouseDown(), Move(target=AT), MouseUp())),
        ("pyautogui.mouseDown(640, 200)", (Move(target=AT), MouseDown())),
        ("pyautogui.mouseUp(button='right')", (MouseUp(button="right"),)),
        ("pyautogui.scroll(-3)", (Scroll(down=3),)),
        ("pyautogui.scroll(3, x=640, y=200)", (Scroll(down=-3, target=AT),)),
        ("pyautogui.hscroll(clicks=-2)", (Scroll(right=-2),)),
        ("pyautogui.write('it\\'s', interval=0.01)", (TypeText(text="it's"),)),
        ('pyautogui.typewrite(message="""a\nb""")', (TypeText(text="a\nb"),)),
        ("pyautogui.typewrite(['a', 'enter'])", (PressKeys(keys=("a",)), PressKeys(keys=("Return",)))),
        ("pyautogui.press('enter')", (PressKeys(keys=("Return",)),)),
        ("pyautogui.press('down', presses=3)", (PressKeys(keys=("Down",), times=3),)),
        ("pyautogui.press(['tab', 'up'])", (PressKeys(keys=("Tab",)), PressKeys(keys=("Up",)))),
        ("pyautogui.hotkey('ctrl', 'shift', 't')", (PressKeys(keys=("Control_L", "Shift_L", "t")),)),
        ("pyautogui.hotkey(['ctrl', 'c'], interval=0.1)", (PressKeys(keys=("Control_L", "c")),)),
        ("pyautogui.hotkey(keys=['ctrl', 'c'])", (PressKeys(keys=("Control_L", "c")),)),
        (
            "pyautogui.keyDown('shift')\npyautogui.click(640, 200)\npyautogui.keyUp('shift')",
            (KeyDown(keys=("Shift_L",)), Click(target=AT), KeyUp(keys=("Shift_L",))),
        ),
        ("import pyautogui, time\ntime.sleep(1.5)", (Wait(seconds=1.5),)),
        ("import pyautogui as pg\npg.sleep(2)", (Wait(seconds=2),)),
        ("computer.wait(seconds=3)", (Wait(seconds=3),)),
        ("computer.wait()", (Wait(seconds=5),)),
        ("pyautogui.screenshot()", (Look(),)),
        ("# first\n'''so'''\npyautogui.click()", (Click(),)),
    ],
)
def test_each_call_is_its_action(code: str, actions: tuple[Action, ...]) -> None:
    assert actions_of(KIMI, fenced(code)) == actions


def test_kimis_pair_is_a_fraction_only_where_both_are_at_most_one() -> None:
    assert actions_of(KIMI, fenced("pyautogui.click(1, 1)")) == (Click(target=Pixel(1279, 799)),)
    assert actions_of(KIMI, fenced("pyautogui.click(0, 0)")) == (Click(target=Pixel(0, 0)),)
    assert actions_of(KIMI, fenced("pyautogui.click(1, 2)")) == (Click(target=Pixel(1, 2)),)


def test_opencuas_places_are_pixels_of_the_resized_picture() -> None:
    text = fenced("pyautogui.click(966, 546)")
    assert actions_of(FAMILIES["opencua"], text, Size(1920, 1080)) == (Click(target=Pixel(960, 540)),)
    system = FAMILIES["opencua"].prompt("x", (), screen(Size(1920, 1080))).system
    assert "pixels of the screenshot, which is 1932x1092" in system
    assert "fractions" in KIMI.prompt("x", (), screen()).system


@pytest.mark.parametrize(
    "text",
    [
        fenced("pyautogui.click()"),
        fenced("pyautogui.click()").removesuffix("\n```"),
        fenced("pyautogui.click()").replace("\n", "\r\n"),
        "pyautogui.click()",
        "I click on the computer.\npyautogui.click()\nand see.",
        "```\npyautogui.click()\n```",
        "## Code:\n```code\n  pyautogui.click()\n```",
        "```python\nexit()\n```\n## Code:\n```python\npyautogui.click()\n```",
        "<think>```python\nexit()\n```</think>\n```python\npyautogui.click()\n```",
    ],
)
def test_the_code_is_found_however_it_is_wrapped(text: str) -> None:
    assert actions_of(KIMI, text) == (Click(),)


def test_the_action_section_is_the_thought() -> None:
    act = decided(KIMI, fenced("pyautogui.click()"))
    assert isinstance(act, Act)
    assert act.thought == "I do it."


def test_terminate_is_the_answer() -> None:
    done = fenced("computer.terminate(status='success', answer='42')")
    assert decided(KIMI, done) == Answer(text="42", done=True)
    assert decided(KIMI, fenced("computer.terminate('failure')")) == Answer(text="I do it.", done=False)


@pytest.mark.parametrize("name", ["code", "script"])
def test_a_function_with_the_code_as_its_text_is_read_too(name: str) -> None:
    call = Call(id="1", name="run", arguments=json.dumps({name: "pyautogui.click()"}))
    act = KIMI.decision(said("So.", calls=(call,)), screen())
    assert isinstance(act, Act)
    assert act.actions == (Click(),)
    with pytest.raises(BadCall, match="takes one text of pyautogui code"):
        KIMI.decision(said("", calls=(Call(id="1", name="run", arguments="{}"),)), screen())


@pytest.mark.parametrize(
    ("code", "told_of_it"),
    [
        ("import os", 'Line 1: "import os" is not allowed; only calls of pyautogui'),
        ("from pyautogui import click", 'Line 1: "from pyautogui import click" is not allowed'),
        ("pyautogui.click()\nfor i in range(3):\n    pyautogui.click()", 'Line 2: "for i in range(3):"'),
        ("x = 5\npyautogui.click(x, 5)", 'Line 1: "x = 5" is not allowed'),
        ("pyautogui.click(x, 5)", 'Line 1: "x" is no plain value'),
        ("os.system('ls')", "is not allowed"),
        ("pyautogui.write(open('/etc/passwd').read())", "is no plain value"),
        ("pyautogui.write(f'{1}')", "is no plain value"),
        ("pyautogui.write('a' * 9)", "\"'a'\" is no number"),
        ("pyautogui.write(message=5)", "pyautogui.write needs a text for message, not 5"),
        ("pyautogui.click(9 ** 9, 1)", "is no plain value"),
        ("pyautogui.click(1 / 0, 1)", "Line 1: the numbers cannot be worked out"),
        ("pyautogui.click(1e999, 1)", "needs a number for x, not inf"),
        ("pyautogui.click(True, 1)", "needs a number for x, not True"),
        ("pyautogui.click(5)", "needs a number for y"),
        ("pyautogui.click(5000, 5)", "(5000, 5) is outside of the picture"),
        ("pyautogui.click(**{})", 'does not take "**"'),
        ("pyautogui.click(colour='red')", 'pyautogui.click does not take "colour"'),
        ("pyautogui.alert('x')", 'there is no "pyautogui.alert"'),
        ("time.time()", 'there is no "time.time"; there are: sleep'),
        ("pyautogui.__class__.mro()", "is not allowed"),
        ("pyautogui.press()", "needs names of keys"),
        ("pyautogui.press('warp')", 'There is no key "warp"'),
        ("pyautogui.moveTo()", "pyautogui.moveTo needs x and y"),
        ("pyautogui.click(button='nose')", 'has no button "nose"'),
        ("computer.terminate(status='maybe')", 'not "maybe"'),
        ("pyautogui.click(", "this is no Python code"),
        ("# nothing", "Your code does nothing"),
        ("pyautogui.click(" + "-" * 2000 + "1, 1)", "Line 1"),
        ("pyautogui.click(" + "(" * 500 + "1" + ")" * 500 + ", 1)", "Line 1"),
        ("pyautogui.click(" + "1+" * 3000 + "1, 1)", ""),
        ("pyautogui.click(" + "9" * 4000 + ", 1)", "Line 1"),
        ("pyautogui.write('" + "a" * 60_000 + "')", "at most 50000 are read"),
        ("pyautogui.click()\0", "Line 1"),
    ],
)
def test_more_than_calls_with_plain_values_is_refused_by_its_line(code: str, told_of_it: str) -> None:
    wrong = refused(KIMI, fenced(code))
    assert wrong
    assert told_of_it in wrong


def test_words_alone_are_no_call_and_silence_is_none() -> None:
    with pytest.raises(NoCall, match="Your reply has no code"):
        decided(KIMI, "It is done.")
    assert "empty" in refused(KIMI, "")


def test_code_that_was_cut_off_is_not_acted_on() -> None:
    with pytest.raises(BadCall, match="cut off"):
        KIMI.decision(said("```python\npyautogui.click()\n", finish="length"), screen())


# ------------------------------------------------------------------ history

_part = st.floats(0, 1, exclude_max=True)
_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["```", "`", "\\`", "'''", '"', "\\n", "\n", "# x", "a\u2028b"]
)
_keys = st.sampled_from([("Control_L", "s"), ("Return",), ("Control_L", "+"), ("`",), ("Page_Up",)])


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=50)
@given(st.sampled_from(SIZES), _part, _part, st.integers(1, 50))
def test_every_place_is_read_back_to_the_pixel(
    family: Family, size: Size, across: float, down: float, notches: int
) -> None:
    here = Pixel(int(across * size.width), int(down * size.height))
    actions: tuple[Action, ...] = (
        *(Click(target=here, count=count) for count in (1, 2, 3)),
        Click(target=here, button="right", count=2),
        Click(target=here, button="middle"),
        Click(),
        Scroll(down=-notches, target=here),
        Scroll(right=notches, target=here),
        Drag(start=here, end=Pixel(0, 0), button="right"),
        Move(target=here),
    )
    assert actions_of(FAMILIES[family], told(FAMILIES[family], *actions, size=size), size) == actions


@given(_text, _keys, st.floats(0, 60), st.integers(1, 5))
def test_every_other_action_is_read_back(
    text: str, keys: tuple[str, ...], seconds: float, times: int
) -> None:
    actions: tuple[Action, ...] = (
        TypeText(text=text),
        PressKeys(keys=keys, times=times if len(keys) == 1 else 1),
        KeyDown(keys=keys[:1]),
        KeyUp(keys=keys[:1]),
        MouseDown(),
        MouseUp(button="right"),
        Wait(seconds=seconds),
        Scroll(down=5),
    )
    assert actions_of(KIMI, told(KIMI, *actions)) == actions


def test_what_it_cannot_say_is_told_in_words() -> None:
    assert told(KIMI, OpenApp(program="xterm")) == '## Action:\n(Done in another way: open "xterm".)'


def test_its_own_words_go_back_as_they_came() -> None:
    own = fenced("pyautogui.click(x=0.5, y=0.5)")
    past = [step(Click(target=Pixel(640, 400)), reply={"role": "assistant", "content": own + "\nSaved!"})]
    assert KIMI.prompt("x", past, screen()).messages[1]["content"] == own


# ------------------------------------------------------------------ streams and hostile text

_pieces = st.lists(
    st.sampled_from(
        [
            *(
                "## Action:\n",
                "## Code:\n",
                "```",
                "python\n",
                "pyautogui",
                ".click",
                "(",
                ")",
                "5, 5",
                "'",
                '"',
            ),
            *("\n", "import ", "os", "computer.", "wait", "<think>", "</think>", "lambda:", "*", "[", "0"),
        ]
    ),
    max_size=12,
).map("".join)


@given(_pieces, st.lists(st.integers(1, 9), max_size=40))
def test_what_is_shown_does_not_depend_on_how_the_stream_is_cut(text: str, sizes: list[int]) -> None:
    assert streamed(KIMI, text, sizes) == streamed(KIMI, text, [])


def test_the_code_is_not_shown() -> None:
    assert "pyautogui" not in streamed(KIMI, fenced("pyautogui.click()"), [3] * 40)


@given(_pieces | st.text(max_size=200) | _pieces.map(fenced))
def test_no_text_does_worse_than_to_be_refused(text: str) -> None:
    if not refused(KIMI, text):
        assert isinstance(decided(KIMI, text), Act | Answer)


@pytest.mark.parametrize(
    "piece", ["```python\n", "## Code:\n", "pyautogui.click()\n", "computer", "'", "[", "-"]
)
def test_long_text_is_read_in_proportion_to_its_length(piece: str) -> None:
    assert takes_time_in_proportion(KIMI, piece)
    assert takes_time_in_proportion(KIMI, piece, start="```python\npyautogui.click(")
