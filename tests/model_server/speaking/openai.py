"""OpenAI's models with their computer tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model_server.brain import Call, ComputerCall, Reply, SafetyCheck
from model_server.speaking.speaker import (
    Act,
    Click,
    Did,
    End,
    Family,
    Keys,
    Type,
    calls_made,
    steps_of,
)

if TYPE_CHECKING:
    from model_server.pictures import Picture
    from model_server.request import Request

_KINDS = {"click": "click", "type": "type", "keypress": "keys", "wait": "wait", "screenshot": "wait"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAI(Family):
    """``batched`` (GA): a click and the typing come in one call; else (preview) one action a call.

    ``checks`` are pending on every click.
    """

    batched: bool = True
    checks: tuple[SafetyCheck, ...] = ()

    @property
    def alone(self) -> bool:
        return not self.batched

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        if isinstance(act, End):
            if "finish" in request.tool_names():
                return Reply(calls=(Call("finish", {"done": act.done, "text": act.text}),))
            return Reply(text=act.text)
        steps = steps_of(act)[:1] if self.alone else steps_of(act)
        clicks = any(isinstance(step, Click) for step in steps)
        call = ComputerCall(
            actions=tuple(_action(step) for step in steps),
            checks=self.checks if clicks else (),
            batched=self.batched,
        )
        return Reply(thinking=thought, calls=(call,))

    def did(self, request: Request) -> list[Did]:
        return [
            _did(action, made.result)
            for made in calls_made(request)
            for action in made.arguments.get("actions", [made.arguments])
        ]


def _action(act: Act) -> dict[str, Any]:
    match act:
        case Click((x, y)):
            return {"type": "click", "x": x, "y": y, "button": "left"}
        case Type(text, _):
            return {"type": "type", "text": text}
        case Keys(keys):
            return {"type": "keypress", "keys": [key.upper() for key in keys]}
        case _:
            return {"type": "wait"}


def _did(action: dict[str, Any], result: str) -> Did:
    kind: Any = _KINDS.get(str(action.get("type")), "other")
    return Did(kind=kind, text=str(action.get("text", "")), result=result)
