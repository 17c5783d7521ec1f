"""Models that speak our own tools: by function calls, or by JSON that they print."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model_server.brain import Call, Reply
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
)

if TYPE_CHECKING:
    from model_server.pictures import Picture
    from model_server.request import Request

_KINDS = {"click": "click", "type": "type", "press_keys": "keys", "wait": "wait"}
_PRINTED = re.compile(r"```json\n(.*?)\n```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FunctionTools(Family):
    """The tools ``computer`` and ``finish``; a place can be typed into in one call.

    Some servers make text of its calls; then it finds them in what it said.
    """

    alone: bool = False

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        name, arguments = _tool(act)
        return Reply(text="" if isinstance(act, End) else thought, calls=(Call(name, arguments),))

    def did(self, request: Request) -> list[Did]:
        called = [_did(made.arguments, made.result, failed=made.failed) for made in calls_made(request)]
        return called or [
            _did(json.loads(line)["arguments"], result)
            for text, result in said_before(request)
            for line in text.splitlines()
            if line.startswith('{"name": ')
        ]


@dataclass(frozen=True, slots=True)
class PrintedJson(Family):
    """The same calls as fenced JSON after a few words."""

    alone: bool = False

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        name, arguments = _tool(act)
        call = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        return Reply(text=f"{thought}\n```json\n{call}\n```")

    def did(self, request: Request) -> list[Did]:
        return [
            _did(json.loads(printed)["arguments"], result)
            for text, result in said_before(request)
            for printed in _PRINTED.findall(text)
        ]


def _tool(act: Act) -> tuple[str, dict[str, Any]]:
    match act:
        case Click((x, y)):
            return "computer", {"action": "click", "x": x, "y": y}
        case Type(text, at):
            place = {} if at is None else {"x": at[0], "y": at[1]}
            return "computer", {"action": "type", **place, "text": text}
        case Keys(keys):
            return "computer", {"action": "press_keys", "keys": "+".join(keys)}
        case Wait(seconds):
            return "computer", {"action": "wait", "seconds": seconds}
        case End(text, done):
            return "finish", {"done": done, "text": text}


def _did(arguments: dict[str, Any], result: str, *, failed: bool = False) -> Did:
    kind: Any = _KINDS.get(str(arguments.get("action")), "other")
    return Did(kind=kind, text=str(arguments.get("text", "")), result=result, failed=failed)
