"""GLM-4.5V and its like: one call between box markers, places in thousandths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model_server.brain import Reply
from model_server.speaking.spaces import PerMille
from model_server.speaking.speaker import Act, Click, Did, End, Family, Keys, Type, said_before, steps_of
from model_server.speaking.written_calls import Written, calls_in, quoted

if TYPE_CHECKING:
    from model_server.pictures import Picture
    from model_server.request import Request

_KINDS = {"left_click": "click", "type": "type", "key": "keys", "WAIT": "wait"}
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
_STEP = re.compile(r"^step \d+: ", re.MULTILINE)
_CALL = re.compile(r"^(?:left_click|type|key|WAIT)\(.*\)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Glm(Family):
    """One call a reply."""

    alone: bool = True

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        words = act.text if isinstance(act, End) else thought
        action = _action(steps_of(act)[0], picture)
        return Reply(text=f"Memory:\n[]\nReason:\n{words}\nAction:\n<|begin_of_box|>{action}<|end_of_box|>")

    def screen(self, request: Request) -> Picture | None:
        """In a prompt of a single turn the newest picture is the first, the older ones come after it."""
        pictures = request.pictures()
        if request.texts("assistant") or not pictures:
            return Family.screen(self, request)
        return pictures[0]

    def did(self, request: Request) -> list[Did]:
        """A prompt of a single turn holds the earlier calls as text of the user's, each followed by its result."""
        said = [(inner, result) for text, result in said_before(request) for inner in _BOX.findall(text)]
        if not said:
            told = [step for text in request.texts("user") for step in _STEP.split(text)[1:]]
            said = [(found[0], step[found.end() :]) for step in told if (found := _CALL.search(step))]
        return [_did(call, result) for inner, result in said for call in calls_in(inner)]


def _action(act: Act, picture: Picture) -> str:
    match act:
        case Click(at):
            x, y = PerMille(999).of(at, picture)
            return f"left_click(start_box='[{x},{y}]', element_info='')"
        case Type(text, _):
            return f"type(content={quoted(text)})"
        case Keys(keys):
            return f"key(keys='{'+'.join(keys)}')"
        case End(_, done):
            return "DONE()" if done else "FAIL()"
        case _:
            return "WAIT()"


def _did(call: Written, result: str) -> Did:
    kind: Any = _KINDS.get(call.name, "other")
    return Did(kind=kind, text=str(call.arguments.get("content", "")), result=result)
