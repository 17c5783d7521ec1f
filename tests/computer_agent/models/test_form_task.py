"""The form task through every dialect, and what the screenshot-reading model cannot do it without."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from form_task import FIELDS, KEY, fill_in
from model_server.speaking import SPEAKERS, Click, FunctionTools, Type, rendered_by

from computer_agent.models.dialects.anthropic_computer import AnthropicComputer
from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.dialects.gemini_computer import GeminiComputer
from computer_agent.models.dialects.glm import Glm
from computer_agent.models.dialects.openai_computer import OpenAIComputer
from computer_agent.models.dialects.printed import Printed
from computer_agent.models.dialects.pyautogui_code import PyautoguiCode
from computer_agent.models.dialects.qwen import Qwen
from computer_agent.models.dialects.ui_tars import UiTars
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.gemini import GeminiWire
from computer_agent.models.wires.messages import MessagesWire
from computer_agent.models.wires.ollama import OllamaWire
from computer_agent.models.wires.responses import ResponsesWire

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_run import Stage
    from model_server import Picture, Quirk, Reply, Request
    from model_server.speaking import Act, Did

    from computer_agent.models.dialect import Dialect
    from computer_agent.models.wires.wire import Wire

CASES: dict[str, tuple[Callable[[], Dialect], Wire]] = {
    "function-tools": (FunctionCalling, ChatWire()),
    "printed-json": (Printed, ChatWire()),
    "anthropic-20241022": (lambda: AnthropicComputer(version="20241022"), MessagesWire()),
    "anthropic-20250124": (lambda: AnthropicComputer(version="20250124"), MessagesWire()),
    "anthropic-20251124": (lambda: AnthropicComputer(version="20251124"), MessagesWire()),
    "anthropic-toolset-20260801": (lambda: AnthropicComputer(version="20260801"), MessagesWire()),
    "openai-preview": (lambda: OpenAIComputer(tool="computer_use_preview"), ResponsesWire()),
    "openai": (OpenAIComputer, ResponsesWire()),
    "gemini-browser": (lambda: GeminiComputer(generation="2.5", environment="browser"), GeminiWire()),
    "gemini-desktop": (GeminiComputer, GeminiWire()),
    "ui-tars-1.0": (lambda: UiTars(version="1.0"), ChatWire()),
    "ui-tars-1.5": (lambda: UiTars(version="1.5"), ChatWire()),
    "doubao": (lambda: UiTars(version="doubao"), ChatWire()),
    "kimi": (lambda: PyautoguiCode(family="kimi"), ChatWire()),
    "opencua": (lambda: PyautoguiCode(family="opencua"), ChatWire()),
    "qwen-2.5": (lambda: Qwen(version="2.5"), ChatWire()),
    "qwen-3": (lambda: Qwen(version="3"), ChatWire()),
    "qwen-3.5": (lambda: Qwen(version="3.5"), ChatWire()),
    "glm": (Glm, ChatWire()),
}
"""By the name of the speaker. A new dialect adds itself."""


@pytest.mark.parametrize("name", CASES)
def test_the_form_is_filled_in_from_screenshots(name: str, stage: Stage) -> None:
    dialect, wire = CASES[name]
    filled = fill_in(stage, dialect(), wire, rendered_by(name), split=5)
    assert filled.saved == FIELDS
    assert filled.played.finished.ending == "done"
    assert filled.requests[-1].pictures()
    assert not any(KEY.encode() in request.raw for request in filled.requests)


def test_it_is_filled_in_over_ollamas_own_protocol(stage: Stage) -> None:
    assert fill_in(stage, FunctionCalling(), OllamaWire(), FunctionTools()).saved == FIELDS


ODD: tuple[Quirk, ...] = ("id_less_calls", "index_less_calls", "string_content_only", "comments", "crlf")


@pytest.mark.parametrize("quirks", [ODD, ("ollama_text_calls", "single_chunk")], ids=["odd", "ollama"])
def test_it_is_filled_in_in_spite_of_a_servers_quirks(quirks: tuple[Quirk, ...], stage: Stage) -> None:
    quirks = (*quirks, "no_stream_usage")
    assert fill_in(stage, FunctionCalling(), ChatWire(), FunctionTools(), quirks=quirks).saved == FIELDS


def test_a_model_that_its_server_blinds_says_that_it_sees_nothing(stage: Stage) -> None:
    filled = fill_in(stage, FunctionCalling(), ChatWire(), FunctionTools(), quirks=["lmstudio_blind"])
    assert filled.played.finished.ending == "gave up"
    assert filled.played.finished.words == "I see no picture."


@dataclass(frozen=True, slots=True)
class Halved(FunctionTools):
    """Says places as on a picture of half the size."""

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        if isinstance(act, Click | Type) and act.at is not None:
            act = replace(act, at=(act.at[0] // 2, act.at[1] // 2))
        return FunctionTools.say(self, thought, act, picture, request)


@dataclass(frozen=True, slots=True)
class Forgetful(FunctionTools):
    """Knows nothing of what it did before its last call."""

    def did(self, request: Request) -> list[Did]:
        return FunctionTools.did(self, request)[-1:]


@pytest.mark.parametrize("speaker", [Halved(), Forgetful()], ids=["halved", "forgetful"])
def test_it_fails_when_places_or_the_history_are_wrong(speaker: FunctionTools, stage: Stage) -> None:
    few_steps = replace(stage, limits=replace(stage.limits, steps=3))
    filled = fill_in(few_steps, FunctionCalling(), ChatWire(), speaker)
    assert filled.saved != FIELDS
    assert filled.played.finished.ending != "done"


def test_no_family_is_left_out() -> None:
    assert set(CASES) == set(SPEAKERS)
