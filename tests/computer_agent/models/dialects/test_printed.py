"""Our tools in words: what weak models print is read as one call, and the history is told in plain text."""

from __future__ import annotations

import contextlib
import json
import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_server import ModelServer, Scripted
from model_server import Reply as Says
from text_dialects import screen
from text_dialects import step as seen_step

from computer_agent.code_settings import BadSetting
from computer_agent.context.history import History
from computer_agent.model_settings import Templates
from computer_agent.models.coordinates import Relative
from computer_agent.models.dialect import Call, NoCall, Reply
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.function_tools import TOOLS
from computer_agent.models.dialects.printed import CODE, Printed
from computer_agent.models.dialects.printed_calls import WordsOnly, without_thinking
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
from computer_agent.step import Act, Answer, Done, NotDone, Observation, Step
from computer_api.actions import Action, Click, OpenApp, PressKeys, RunCode, TypeText, Wait
from computer_api.geometry import Pixel
from computer_api.receipt import Receipt
from computer_api.targets import TextTarget

NOTHING = Observation(screenshot=None)
CALL = '{"name": "computer", "arguments": {"action": "click", "x": 12, "y": 34}}'
CLICK = Click(target=Pixel(12, 34))


def said(text: str, finish: str = "stop", calls: tuple[Call, ...] = ()) -> Reply:
    return Reply(message={"role": "assistant", "content": text}, text=text, finish=finish, calls=calls)


def decided(text: str, finish: str = "stop") -> Act | Answer:
    return Printed(system="Work.").decision(said(text, finish), NOTHING)


def action_of(text: str) -> Action:
    act = decided(text)
    assert isinstance(act, Act)
    (action,) = act.actions
    return action


@pytest.mark.parametrize(
    "text",
    [
        f"I click.\n```json\n{CALL}\n```",
        f"I click.\n~~~json\n{CALL}\n~~~\nThen I see.",
        f"I click.\r\n```json\r\n{CALL}\r\n```\r\n",
        f"I click.\n```\n{CALL}\n```",
        f"```json\n{CALL}",
        f"```json\n{CALL}```",
        f"Here: ```json\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"```\n<tool_call>{CALL}</tool_call>\n```",
        CALL,
        f"I click: {CALL} and that is it",
        f"<think>Maybe ```python\nexit()\n``` would do?</think>\n{CALL}",
        f"so I use code {{}}</think>\n```json\n{CALL}\n```",
        f"```json\n{CALL}\n```\n```python\nprint(1)\n```",
        f"```json\n{CALL}{CALL.replace('12', '99')}\n```",
        f"```python\n{CALL}\n```",
        "```json\n{'action': 'click', 'coordinate': [12, 34],}\n```",
        f'```json\n{{"name": "finish"}}\n```\n```json\n{CALL}\n```',
    ],
)
def test_the_first_call_is_found_however_it_is_wrapped(text: str) -> None:
    assert action_of(text) == CLICK


@pytest.mark.parametrize(
    ("text", "language", "code"),
    [
        ("```python\nprint(1)\n```", "python", "print(1)"),
        ("I list.\n```sh\nls -l\n\n```\nOutput: nothing", "sh", "ls -l\n"),
        ("~~~bash\necho ```\n~~~", "bash", "echo ```"),
        ("```JavaScript\r\n1 + 1\r\n```", "javascript", "1 + 1"),
        ("```python\nprint(1)", "python", "print(1)"),
        ("````python\nx = '''\n```\n'''\n````", "python", "x = '''\n```\n'''"),
        ("```python\ns = '''\n```json\n{}\n```\n'''\n```", "python", "s = '''\n```json\n{}\n```\n'''"),
        ("```python\nprint(1)\n```json\n{}", "python", "print(1)"),
        ("  ```{.python}\nprint(1)\n  ```", "python", "print(1)"),
        ('{"language": "r", "code": "1"}', "r", "1"),
        (f"```python\nprint(1)\n```\n{CALL}", "python", "print(1)"),
        ("<think>first ```sh\nrm x\n```</think>```python\nprint(1)\n```", "python", "print(1)"),
    ],
)
def test_a_block_of_code_is_run(text: str, language: str, code: str) -> None:
    assert action_of(text) == RunCode(language=language, code=code)


def test_finish_is_the_answer() -> None:
    call = '{"name": "finish", "arguments": {"done": true, "text": "Saved."}}'
    assert decided(f"```json\n{call}\n```") == Answer(text="Saved.", done=True)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Your reply was empty"),
        ("<think>I wonder", "Your reply was empty"),
        ("All is saved.", "Write one ```json block"),
        ("```json\n{'name': }\n```", "The JSON of your call cannot be read: \"{'name': }\""),
        ("```\nls\n```", "Your block does not say what it is"),
        ("```text\nhello\n```", "Write one ```json block"),
        (f"```json\n{CALL.replace('click', 'fly')}\n```", 'There is no action "fly"'),
    ],
)
def test_what_cannot_be_read_is_told_with_what_works(text: str, told: str) -> None:
    with pytest.raises(BadCall, match=re.escape(told)):
        decided(text)


@pytest.mark.parametrize("text", ["```python\nprint(1", '```json\n{"name": "comp', "I think that"])
def test_a_reply_that_was_cut_off_is_not_acted_on(text: str) -> None:
    with pytest.raises(BadCall, match="cut off"):
        decided(text, finish="length")


def test_words_alone_are_no_call() -> None:
    with pytest.raises(NoCall):
        decided("It is done.")


def test_a_call_by_the_servers_own_protocol_counts_too() -> None:
    call = Call(id="1", name="computer", arguments='{"action": "click", "x": 12, "y": 34}')
    act = Printed(system="").decision(said("I click.", calls=(call,)), NOTHING)
    assert isinstance(act, Act)
    assert act.actions == (CLICK,)
    assert act.thought == "I click."


# ------------------------------------------------------------------ the history


def step(action: Action, *, reply: object = None, output: str = "", thought: str = "I do it.") -> Step:
    outcome = Done(action=action, receipt=Receipt(effect="unknown", output=output))
    act = Act(thought=thought, actions=(action,), reply=reply)
    return Step(number=1, seen=NOTHING, act=act, outcomes=(outcome,), seconds=0.1)


def told(*steps: Step, dialect: Printed | None = None) -> list[dict[str, object]]:
    return list((dialect or Printed(system="Work.")).prompt("Save it", steps, NOTHING).messages)


def test_the_history_is_plain_text_and_each_result_is_said() -> None:
    messages = told(step(PressKeys(keys=("Control_L", "s"))))
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert all(isinstance(message["content"], str) for message in messages)
    assert str(messages[0]["content"]).startswith("Task: Save it")
    assert '"keys": "ctrl+s"' in str(messages[1]["content"])
    assert str(messages[2]["content"]).startswith("Result: ")


def test_its_own_words_go_back_without_thinking_and_without_what_it_made_up_after_the_call() -> None:
    text = f"<think>Hm.</think>I click.\n```json\n{CALL}\n```\nResult: saved!"
    messages = told(step(CLICK, reply={"role": "assistant", "content": text}))
    assert messages[1]["content"] == f"I click.\n```json\n{CALL}\n```"


def test_output_is_put_into_the_templates() -> None:
    templates = Templates(
        user_message="<<{content}>>", code_output="It said {content}!", empty_code_output="Nothing."
    )
    dialect = Printed(system="", templates=templates)
    code = RunCode(language="python", code="print(1)")
    messages = told(step(code, output="1 {content}"), step(code), dialect=dialect)
    assert str(messages[0]["content"]).startswith("Task: <<Save it>>")
    assert "It said " in str(messages[2]["content"])
    assert "| 1 {content}!" in str(messages[2]["content"])
    assert str(messages[4]["content"]).startswith("Nothing.")


@pytest.mark.parametrize("template", ["no place", "{content} {content}"])
def test_a_template_has_one_place_for_the_text(template: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(f'not as in "{template}"')):
        Printed(templates=Templates(code_output=template))
    with pytest.raises(BadSetting, match='"user_message"'):
        Printed(templates=Templates(user_message=template))


def test_a_secret_is_never_told() -> None:
    assert "hunter2" not in json.dumps(told(step(TypeText(text="hunter2", secret=True))))


def test_what_was_not_done_is_said_with_its_reason() -> None:
    refused = NotDone(action=CLICK, why="no.", kind="refused")
    messages = told(replace(step(CLICK), outcomes=(refused,)))
    assert str(messages[2]["content"]).startswith("Result: Not allowed: no.")


_words = st.text(max_size=30)
_code = st.builds(RunCode, language=st.sampled_from(sorted(CODE)), code=_words, outside=st.booleans())


@given(
    st.one_of(
        _code,
        st.builds(Click, target=st.builds(Pixel, st.integers(0, 4000), st.integers(0, 4000))),
        st.builds(
            Click, target=st.builds(TextTarget, st.sampled_from(["OK", "```", '{"a"}', "</tool_call>"]))
        ),
        st.builds(TypeText, text=_words),
        st.builds(OpenApp, program=st.just("xterm")),
        st.builds(Wait, seconds=st.floats(0, 9)),
    )
)
def test_every_action_is_read_back_as_it_was_told(action: Action) -> None:
    message = told(step(action, thought=""))[1]
    assert action_of(str(message["content"])) == action


def test_the_prompt_names_every_action_and_field_of_the_tool() -> None:
    system = Printed(system="").prompt("x", (), NOTHING).system
    fields = TOOLS[0]["function"]["parameters"]["properties"]
    for name in [*fields["action"]["enum"], *fields]:
        assert re.search(rf"\b{name}\b", system), name


def test_numbers_of_elements_are_offered_where_they_are_shown() -> None:
    plain, marked = (
        Printed(system="", history=History(observe=observe)).prompt("x", (), NOTHING).system
        for observe in ("picture", "text")
    )
    assert "- element: " in marked
    assert "- element: " not in plain


def test_a_model_that_counts_thousandths_is_told_so_and_understood() -> None:
    dialect = Printed(space=Relative(1000))
    reply = said('{"action": "click", "x": 500, "y": 250}')
    act = dialect.decision(reply, screen())
    assert isinstance(act, Act)
    assert act.actions == (Click(target=Pixel(640, 200)),)
    past = [seen_step(Click(target=Pixel(640, 200)))]
    prompt = dialect.prompt("x", past, Observation(screenshot=None, unchanged_since=1))
    assert "x and y go from 0 to 1000" in prompt.system
    assert '"x": 500, "y": 251' in prompt.messages[1]["content"]
    in_words = Printed(space=Relative(1000), history=History(observe="text")).decision(reply, screen())
    assert isinstance(in_words, Act)
    assert in_words.actions == (Click(target=Pixel(500, 250)),)


# ------------------------------------------------------------------ what a person sees


def streamed(text: str, sizes: list[int]) -> str:
    shown: list[str] = []
    words = Printed(system="").shown(shown.append)
    place = 0
    for size in [*sizes, len(text)]:
        words(text[place : place + size])
        place += size
    words.end(said(text))
    return "".join(shown)


_streams = st.lists(
    st.sampled_from(
        ["I click. ", "<think>", "</think>", "<thi", "nk>", "```json\n", "\n```", CALL, "{", "`", "~~~", "\n"]
    ),
    max_size=8,
).map("".join)


@given(_streams, st.lists(st.integers(1, 9), max_size=40))
def test_what_is_shown_does_not_depend_on_how_the_stream_is_cut(text: str, sizes: list[int]) -> None:
    assert streamed(text, sizes) == streamed(text, [])


@given(st.lists(st.integers(1, 9), max_size=40))
def test_neither_thinking_nor_calls_are_shown(sizes: list[int]) -> None:
    assert streamed(f"<think>Hm {{</think>I click. ```json\n{CALL}\n```", sizes) == "I click. "


# ------------------------------------------------------------------ hostile text


_hostile = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            [
                "```",
                "~~~",
                "python",
                "\n",
                "{",
                "}",
                '"',
                "<tool_call>",
                "</tool_call>",
                "<think>",
                "\\",
                "'",
                ",",
                "[",
                ":",
            ]
        ),
        max_size=60,
    ).map("".join),
)


@given(_hostile)
def test_no_text_does_worse_than_to_be_refused(text: str) -> None:
    with contextlib.suppress(BadCall):
        assert isinstance(decided(text), Act | Answer)


@pytest.mark.parametrize(
    "piece", ["```", "```a\n", "```\n", "~~~x\n`", "<tool_call>", "<think>", '{"', ", ", "`x", "\n"]
)
def test_the_longest_text_is_read_in_proportion_to_its_length(piece: str) -> None:
    assert seconds(piece, 80_000) < 30 * seconds(piece, 10_000) + 0.3


def seconds(piece: str, size: int) -> float:
    """Of the processor, for a text of that many characters: the better of two tries."""
    text = (piece * (size // len(piece) + 1))[:size]
    taken = []
    for _ in range(2):
        start = time.process_time()
        with contextlib.suppress(BadCall):
            decided(text)
        taken.append(time.process_time() - start)
    return min(taken)


def test_a_megabyte_is_not_read_at_all() -> None:
    with pytest.raises(BadCall, match="at most 200000 are read"):
        decided("a" * 1_000_000)


# ------------------------------------------------------------------ over a socket


def test_a_weak_model_is_corrected_and_then_acts() -> None:
    with ModelServer(Scripted((Says(text="Sure, I will."), Says(text=f"```json\n{CALL}\n```")))) as server:
        model = LanguageModel(
            "openai/weak",
            dialect=Printed(system="Work."),
            transport=Http(
                "openai/weak", wire=ChatWire(), asking=Asking(model="weak"), api_base=server.api_base
            ),
        )
        shown: list[str] = []
        act = model.decide("Click it", (), NOTHING, shown.append)
        server.assert_clean()
        assert isinstance(act, Act)
        assert act.actions == (CLICK,)
        assert "".join(shown) == "Sure, I will.\n"  # what comes next is another reply
        assert not server.requests[0].tools


def test_thinking_is_taken_out_wherever_it_ends() -> None:
    assert without_thinking("a<think>b</think>c<think>d") == "ac"
    assert without_thinking("b</think>c") == "c"
    shown: list[str] = []
    words = WordsOnly(shown.append)
    for piece in ("a <th", "ink>b</thi", "nk> c"):
        words(piece)
    words.end(said("a <think>b</think> c"))
    assert "".join(shown) == "a  c"
