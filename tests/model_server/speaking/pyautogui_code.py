"""Kimi and OpenCUA: pyautogui code in a fence."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from model_server.brain import Reply
from model_server.speaking.spaces import Fractions
from model_server.speaking.speaker import (
    Act,
    Click,
    Did,
    End,
    Family,
    Keys,
    Type,
    Wait,
    said_before,
    steps_of,
)
from model_server.speaking.written_calls import Written, calls_in, quoted

if TYPE_CHECKING:
    from model_server.pictures import Picture
    from model_server.request import Request
    from model_server.speaking.spaces import Space

_KINDS = {"click": "click", "write": "type", "hotkey": "keys", "press": "keys", "wait": "wait"}
_CODE = re.compile(r"```(?:python|code)\n(.*?)\n```", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PyautoguiCode(Family):
    """Kimi says fractions, OpenCUA pixels of the resized picture; a click and the typing are two lines of one block."""

    space: Space = field(default_factory=Fractions)
    alone: bool = False

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        code = "\n".join(self._line(step, picture) for step in steps_of(act))
        words = act.text if isinstance(act, End) else thought
        return Reply(text=f"## Thought:\n{words}\n\n## Action:\n{words}\n\n## Code:\n```python\n{code}\n```")

    def did(self, request: Request) -> list[Did]:
        return [
            _did(call, result)
            for text, result in said_before(request)
            for code in _CODE.findall(text)
            for call in calls_in(code)
        ]

    def _line(self, act: Act, picture: Picture) -> str:
        match act:
            case Click(at):
                x, y = self.space.of(at, picture)
                return f"pyautogui.click(x={x}, y={y})"
            case Type(text, _):
                return f"pyautogui.write(message={quoted(text)})"
            case Keys(keys):
                verb = "press" if len(keys) == 1 else "hotkey"
                return f"pyautogui.{verb}({', '.join(map(quoted, keys))})"
            case Wait(seconds):
                return f"computer.wait(seconds={seconds:g})"
            case End(text, done):
                status = "success" if done else "failure"
                return f"computer.terminate(status='{status}', answer={quoted(text)})"


def _did(call: Written, result: str) -> Did:
    kind: Any = _KINDS.get(call.name, "other")
    return Did(kind=kind, text=str(call.arguments.get("message", "")), result=result)
