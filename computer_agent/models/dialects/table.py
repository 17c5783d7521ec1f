"""Which dialect a model is spoken to in, and how it counts places: a table keyed by its name, never by its answers.

Hosted models of Anthropic, OpenAI and Google get our own function tools unless somebody names their own computer tool:
those know clicks and keys, ours also know labels, fields, expectations and windows. A model that was made for its
vendor's tool alone gets that one, and a model that was taught one family's words gets those.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from computer_agent.code_settings import BadSetting
from computer_agent.models.coordinates import PIXELS, Pixels, Relative

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_agent.context.history import History
    from computer_agent.model_settings import Templates
    from computer_agent.models.dialect import Dialect, WireName


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What every dialect is made of: the system prompt, the history, the templates for text, and how places count."""

    system: str
    history: History
    templates: Templates
    space: Pixels | Relative


def dialect_name(model: str, *, named: str | None, calls_tools: bool | None) -> str:
    """The name of the dialect: the one that was named, else the table's, else functions, or text without tools.

    Raises ``BadSetting`` for a name that there is not, with the nearest.
    """
    name = named.lower() if named else None
    if name == "native":
        name = _found(_NATIVE, model)
        if name is None:
            raise BadSetting(
                f'"{model}" has no computer tool of its own. The dialects are: {", ".join(NAMES)}.'
            )
    if name is not None and name not in DIALECTS:
        near = get_close_matches(name, NAMES, n=1)
        meant = f' Did you mean "{near[0]}"?' if near else ""
        raise BadSetting(f'There is no dialect "{named}".{meant} They are: native, {", ".join(NAMES)}.')
    name = name or _found(_TAUGHT, model)
    if name is None and _UNKNOWN_UI_TARS.search(model.lower()):
        raise BadSetting(
            f'Which UI-TARS "{model}" is cannot be told from its name, and versions count places differently. '
            "Say it: --dialect ui-tars-1.0, ui-tars-1.5 or doubao."
        )
    return name or ("printed" if calls_tools is False else "functions")


def wire_of(dialect: str) -> WireName:
    """The protocol that a dialect of that name is spoken over."""
    return _WIRES.get(dialect.partition("-")[0], "chat")


def space_of(model: str) -> Pixels | Relative:
    """How a model counts places in our own tools: some were taught thousandths, and count so whatever they are told."""
    return Relative(1000) if _THOUSANDTHS.search(model.lower()) else PIXELS


def dialect_of(name: str, shown: Shown) -> Dialect:
    """The dialect of that name."""
    return DIALECTS[name](shown)


def _found(table: tuple[tuple[re.Pattern[str], str], ...], model: str) -> str | None:
    return next((name for pattern, name in table if pattern.search(model.lower())), None)


def _functions(shown: Shown) -> Dialect:
    from computer_agent.models.dialects.function_calling import FunctionCalling

    return FunctionCalling(shown.system, history=shown.history, space=shown.space)


def _printed(shown: Shown) -> Dialect:
    from computer_agent.models.dialects.printed import Printed

    return Printed(shown.system, history=shown.history, templates=shown.templates, space=shown.space)


def _anthropic(
    version: Literal["20241022", "20250124", "20251124", "20260801"],
) -> Callable[[Shown], Dialect]:
    def made(shown: Shown) -> Dialect:
        from computer_agent.models.dialects.anthropic_computer import AnthropicComputer

        return AnthropicComputer(shown.system, version=version, history=shown.history)

    return made


def _openai(tool: Literal["computer", "computer_use_preview"]) -> Callable[[Shown], Dialect]:
    def made(shown: Shown) -> Dialect:
        from computer_agent.models.dialects.openai_computer import OpenAIComputer

        return OpenAIComputer(shown.system, tool=tool, history=shown.history)

    return made


def _gemini(
    generation: Literal["2.5", "3.5"], environment: Literal["browser", "desktop"]
) -> Callable[[Shown], Dialect]:
    def made(shown: Shown) -> Dialect:
        from computer_agent.models.dialects.gemini_computer import GeminiComputer

        return GeminiComputer(
            shown.system, generation=generation, environment=environment, history=shown.history
        )

    return made


def _ui_tars(version: Literal["1.0", "1.5", "doubao"]) -> Callable[[Shown], Dialect]:
    def made(shown: Shown) -> Dialect:
        from computer_agent.models.dialects.ui_tars import UiTars

        return UiTars(shown.system, version=version, history=shown.history)

    return made


def _qwen(version: Literal["2.5", "3", "3.5"]) -> Callable[[Shown], Dialect]:
    def made(shown: Shown) -> Dialect:
        from computer_agent.models.dialects.qwen import Qwen

        return Qwen(shown.system, version=version, history=shown.history)

    return made


def _pyautogui(family: Literal["kimi", "opencua"]) -> Callable[[Shown], Dialect]:
    def made(shown: Shown) -> Dialect:
        from computer_agent.models.dialects.pyautogui_code import PyautoguiCode

        return PyautoguiCode(shown.system, family=family, history=shown.history)

    return made


def _glm(shown: Shown) -> Dialect:
    from computer_agent.models.dialects.glm import Glm

    return Glm(shown.system, history=shown.history)


DIALECTS: Mapping[str, Callable[[Shown], Dialect]] = {
    "functions": _functions,
    "printed": _printed,
    "anthropic-20241022": _anthropic("20241022"),
    "anthropic-20250124": _anthropic("20250124"),
    "anthropic-20251124": _anthropic("20251124"),
    "anthropic-toolset-20260801": _anthropic("20260801"),
    "openai-computer": _openai("computer"),
    "openai-computer-preview": _openai("computer_use_preview"),
    "gemini-2.5-browser": _gemini("2.5", "browser"),
    "gemini-browser": _gemini("3.5", "browser"),
    "gemini-desktop": _gemini("3.5", "desktop"),
    "ui-tars-1.0": _ui_tars("1.0"),
    "ui-tars-1.5": _ui_tars("1.5"),
    "doubao": _ui_tars("doubao"),
    "qwen-2.5": _qwen("2.5"),
    "qwen-3": _qwen("3"),
    "qwen-3.5": _qwen("3.5"),
    "kimi": _pyautogui("kimi"),
    "opencua": _pyautogui("opencua"),
    "glm": _glm,
}
NAMES = tuple(DIALECTS)

_WIRES: Mapping[str, WireName] = {"anthropic": "messages", "openai": "responses", "gemini": "gemini"}
_UNKNOWN_UI_TARS = re.compile(r"ui-?tars")
_THOUSANDTHS = re.compile(r"gemini|qwen-?3(?:\.\d)?-?vl|qwen-?3\.[5-9]|glm-?\d(?:\.\d)?v")


def _rows(*rows: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), name) for pattern, name in rows)


# The first row whose pattern is somewhere in the name counts.
_TAUGHT = _rows(
    (r"ui-?tars.*1[.\-_]?5", "ui-tars-1.5"),
    (r"ui-?tars.*(?:1[.\-_]?0|dpo|sft|72b)|ui-?tars[\-:](?:2|7)b", "ui-tars-1.0"),
    (r"doubao.*(?:vision|ui|seed)", "doubao"),
    (r"opencua", "opencua"),
    (r"fara-?\d", "qwen-2.5"),
    (r"gemini-2\.5-computer-use", "gemini-2.5-browser"),
    (r"computer-use-preview", "openai-computer-preview"),
)
_NATIVE = _rows(
    (r"claude-3[.\-]?5|claude-3-5", "anthropic-20241022"),
    (r"claude-(?:opus-(?:4-[5-9]|[5-9])|sonnet-(?:4-[6-9]|[5-9]))", "anthropic-20251124"),
    (r"claude", "anthropic-20250124"),
    (r"computer-use-preview", "openai-computer-preview"),
    (r"gpt-5\.[4-9]|gpt-[6-9]", "openai-computer"),
    (r"gemini-(?:2\.5|3-flash-preview|3\.1-pro-preview)", "gemini-2.5-browser"),
    (r"gemini-(?:3\.[5-9]|[4-9])", "gemini-desktop"),
    (r"ui-?tars.*1[.\-_]?5", "ui-tars-1.5"),
    (r"ui-?tars.*(?:1[.\-_]?0|dpo|sft|72b)|ui-?tars[\-:](?:2|7)b", "ui-tars-1.0"),
    (r"doubao", "doubao"),
    (r"opencua", "opencua"),
    (r"kimi-?(?:k2[.\-]?[5-9]|k[3-9]|vl)", "kimi"),
    (r"glm-?\d(?:\.\d)?v", "glm"),
    (r"qwen-?3\.[5-9]", "qwen-3.5"),
    (r"qwen-?3", "qwen-3"),
    (r"qwen-?2|fara", "qwen-2.5"),
)
