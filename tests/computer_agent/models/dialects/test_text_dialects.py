"""What all dialects whose calls are text have in common: prompts that only grow, plain corrections, no thinking."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from text_dialects import said, screen, step

from computer_agent.models.dialect import Call
from computer_agent.models.dialects.glm import Glm
from computer_agent.models.dialects.printed import Printed
from computer_agent.models.dialects.pyautogui_code import PyautoguiCode
from computer_agent.models.dialects.qwen import Qwen
from computer_agent.models.dialects.ui_tars import UiTars
from computer_agent.step import Act, Observation, Step
from computer_agent.system_prompt import rules
from computer_api.actions import Click, PressKeys, RunCode, TypeText
from computer_api.geometry import Pixel

if TYPE_CHECKING:
    from computer_agent.models.dialects.text_dialect import TextDialect
    from computer_api.actions import Action

DIALECTS: dict[str, TextDialect] = {
    "printed": Printed(),
    "ui-tars-1.0": UiTars(version="1.0"),
    "ui-tars-1.5": UiTars(version="1.5"),
    "doubao": UiTars(version="doubao"),
    "qwen-2.5": Qwen(version="2.5"),
    "qwen-3": Qwen(version="3"),
    "qwen-3.5": Qwen(version="3.5"),
    "kimi": PyautoguiCode(family="kimi"),
    "opencua": PyautoguiCode(family="opencua"),
    "glm": Glm(),
}
UNCHANGED = Observation(screenshot=None, unchanged_since=1)
all_of_them = pytest.mark.parametrize("name", DIALECTS)


def history(count: int) -> list[Step]:
    acts: list[Action] = [
        Click(target=Pixel(3, 4)),
        TypeText(text="Ada"),
        RunCode(language="python", code="1"),
    ]
    first = step(Click(target=Pixel(1, 2)), thought="First.")
    others = [
        replace(step(acts[n % 3], thought=f"Thought {n}."), seen=UNCHANGED, number=n)
        for n in range(2, count + 1)
    ]
    return [first, *others][:count]


@all_of_them
def test_a_prompt_is_chat_without_tools_and_the_same_for_the_same_history(name: str) -> None:
    dialect = DIALECTS[name]
    one, other = (dialect.prompt("Save it", history(4), UNCHANGED) for _ in range(2))
    assert one == other
    assert (one.wire, one.tools) == ("chat", ())
    assert json.dumps(one.messages) == json.dumps(other.messages)


@pytest.mark.parametrize("name", [name for name in DIALECTS if name != "glm"])
def test_messages_only_grow(name: str) -> None:
    dialect = DIALECTS[name]
    before = dialect.prompt("Save it", history(0), screen())
    for count in range(1, 6):
        now = dialect.prompt("Save it", history(count), UNCHANGED)
        assert now.system == before.system
        assert now.messages[: len(before.messages)] == before.messages
        before = now


@all_of_them
def test_roles_take_turns(name: str) -> None:
    roles = [message["role"] for message in DIALECTS[name].prompt("x", history(4), UNCHANGED).messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]


@all_of_them
def test_a_correction_is_the_reply_and_what_is_wrong_with_it_in_plain_text(name: str) -> None:
    dialect = DIALECTS[name]
    prompt = dialect.prompt("x", (), screen())
    reply = said("Hm.", calls=(Call(id="1", name="fly", arguments='{"to": "moon"}'),))
    own, wrong = dialect.corrected(prompt, reply, "There is no fly.").messages[len(prompt.messages) :]
    assert own == {"role": "assistant", "content": 'Hm.\nfly({"to": "moon"})'}
    assert wrong == {"role": "user", "content": "Nothing was done. There is no fly."}
    (empty,) = dialect.corrected(prompt, said(""), "Empty.").messages[len(prompt.messages) :]
    assert empty["role"] == "user"


@all_of_them
def test_what_another_model_did_is_told_without_its_own_form(name: str) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "computer", "arguments": "{}"}}
    reply = {"role": "assistant", "content": "<think>secret plan</think>Hi", "tool_calls": [call]}
    past = [step(PressKeys(keys=("Control_L", "s")), thought="I save.", reply=reply)]
    text = json.dumps(DIALECTS[name].prompt("x", past, UNCHANGED).messages)
    assert "secret plan" not in text
    assert "tool_calls" not in text
    assert "I save." in text


@all_of_them
def test_the_rules_about_our_own_tools_are_told_only_to_who_has_them(name: str) -> None:
    dialect = type(DIALECTS[name])(f"{rules()}\n\nThis computer\n- runs Debian")
    system = dialect.prompt("x", (), screen()).system
    assert "runs Debian" in system
    assert ("open_app" in system) == (name == "printed")


@all_of_them
def test_each_reads_what_it_writes(name: str) -> None:
    dialect = DIALECTS[name]
    prompt = dialect.prompt("x", [step(TypeText(text="Zürich"))], UNCHANGED)
    own = next((m["content"] for m in prompt.messages if m["role"] == "assistant"), "type(content='Zürich')")
    act = dialect.decision(said(str(own)), screen())
    assert isinstance(act, Act)
    assert act.actions == (TypeText(text="Zürich"),)
