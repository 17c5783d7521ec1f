"""How each family of models says what it does: the other end of every dialect."""

from __future__ import annotations

from model_server.speaking.anthropic import Claude
from model_server.speaking.function_tools import FunctionTools, PrintedJson
from model_server.speaking.gemini import Gemini
from model_server.speaking.glm import Glm
from model_server.speaking.openai import OpenAI
from model_server.speaking.pyautogui_code import PyautoguiCode
from model_server.speaking.qwen import Qwen
from model_server.speaking.spaces import Resized
from model_server.speaking.speaker import Act, Click, Did, End, Keys, Speaker, Type, Wait
from model_server.speaking.ui_tars import SMALL, UiTars

__all__ = [
    "SPEAKERS",
    "Act",
    "Claude",
    "Click",
    "Did",
    "End",
    "FunctionTools",
    "Gemini",
    "Glm",
    "Keys",
    "OpenAI",
    "PrintedJson",
    "PyautoguiCode",
    "Qwen",
    "Speaker",
    "Type",
    "UiTars",
    "Wait",
    "rendered_by",
]

SPEAKERS: dict[str, Speaker] = {
    "function-tools": FunctionTools(),
    "printed-json": PrintedJson(),
    "anthropic-20241022": Claude(waits=False, parallel=False),
    "anthropic-20250124": Claude(),
    "anthropic-20251124": Claude(thinks=True),
    "anthropic-toolset-20260801": Claude(toolset=True, thinks=True),
    "openai-preview": OpenAI(batched=False),
    "openai": OpenAI(),
    "gemini-browser": Gemini(browser=True),
    "gemini-desktop": Gemini(),
    "ui-tars-1.0": UiTars(points="box"),
    "ui-tars-1.5": UiTars(space=SMALL),
    "doubao": UiTars(points="point", several=True),
    "qwen-2.5": Qwen(version="2.5"),
    "qwen-3": Qwen(version="3"),
    "qwen-3.5": Qwen(version="3.5"),
    "kimi": PyautoguiCode(),
    "opencua": PyautoguiCode(space=Resized()),
    "glm": Glm(),
}


def rendered_by(dialect: str) -> Speaker:
    """The speaker of that name in ``SPEAKERS``."""
    return SPEAKERS[dialect]
