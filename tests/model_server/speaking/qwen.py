"""Qwen-VL with the function ``computer_use`` in Hermes tags, or in XML from 3.5 on."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from model_server.brain import Call, Reply
from model_server.speaking.spaces import PerMille, Resized
from model_server.speaking.speaker import (
    Act,
    Click,
    Did,
    End,
    Family,
    Keys,
    Type,
    Wait,
    calls_made,
    said_before,
    steps_of,
)

if TYPE_CHECKING:
    from model_server.pictures import Picture
    from model_server.request import Request

_KINDS = {"left_click": "click", "type": "type", "key": "keys", "wait": "wait"}
_TAGS = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)
_PARAMETERS = re.compile(r"<parameter=(\w+)>\n(.*?)\n</parameter>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Qwen(Family):
    """2.5 counts pixels of the resized picture, 3 and 3.5 thousandths.

    Where the function is declared as a tool, the server turns the tags into a call.
    """

    version: Literal["2.5", "3", "3.5"] = "3"
    alone: bool = True

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        arguments = self._arguments(steps_of(act)[0], picture)
        words = act.text if isinstance(act, End) else thought
        if "computer_use" in request.tool_names():
            return Reply(text=words, calls=(Call("computer_use", arguments),))
        return Reply(text=f"{words}\n<tool_call>\n{self._written(arguments)}\n</tool_call>")

    def did(self, request: Request) -> list[Did]:
        called = [_did(made.arguments, made.result) for made in calls_made(request)]
        printed = [
            _did(self._read(inner), result)
            for text, result in said_before(request)
            for inner in _TAGS.findall(text)
        ]
        return called or printed

    def _arguments(self, act: Act, picture: Picture) -> dict[str, Any]:
        space = Resized() if self.version == "2.5" else PerMille(999)
        match act:
            case Click(at):
                return {"action": "left_click", "coordinate": list(space.of(at, picture))}
            case Type(text, _):
                return {"action": "type", "text": text}
            case Keys(keys):
                return {"action": "key", "keys": list(keys)}
            case Wait(seconds):
                return {"action": "wait", "time": seconds}
            case End(_, done):
                return {"action": "terminate", "status": "success" if done else "failure"}

    def _written(self, arguments: dict[str, Any]) -> str:
        if self.version != "3.5":
            return json.dumps({"name": "computer_use", "arguments": arguments}, ensure_ascii=False)
        lines = [
            f"<parameter={name}>\n{value if isinstance(value, str) else json.dumps(value)}\n</parameter>"
            for name, value in arguments.items()
        ]
        return "\n".join(["<function=computer_use>", *lines, "</function>"])

    def _read(self, inner: str) -> dict[str, Any]:
        if self.version != "3.5":
            return dict(json.loads(inner)["arguments"])
        return dict(_PARAMETERS.findall(inner))


def _did(arguments: dict[str, Any], result: str) -> Did:
    kind: Any = _KINDS.get(str(arguments.get("action")), "other")
    return Did(kind=kind, text=str(arguments.get("text", "")), result=result)
