"""Claude with Anthropic's computer tools."""

from __future__ import annotations

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
    steps_of,
)

if TYPE_CHECKING:
    from model_server.pictures import Picture
    from model_server.request import Request

_KINDS = {"left_click": "click", "type": "type", "key": "keys", "wait": "wait", "screenshot": "wait"}
_KEYS = {"enter": "Return", "backspace": "BackSpace", "page_up": "Page_Up", "escape": "Escape"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claude(Family):
    """``toolset``: each member is a call of its own. ``parallel``: a click and the typing come in one reply.

    Before 2025 there is no wait; it takes a screenshot instead. It ends by words alone.
    """

    toolset: bool = False
    waits: bool = True
    parallel: bool = True
    thinks: bool = False

    @property
    def alone(self) -> bool:
        return not self.parallel

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        thinking = f"The screen has {picture.width} columns. {thought}" if self.thinks else ""
        if isinstance(act, End):
            if "finish" in request.tool_names():
                return Reply(thinking=thinking, calls=(Call("finish", {"done": act.done, "text": act.text}),))
            return Reply(thinking=thinking, text=act.text)
        steps = steps_of(act)[:1] if self.alone else steps_of(act)
        return Reply(thinking=thinking, text=thought, calls=tuple(self._call(step) for step in steps))

    def did(self, request: Request) -> list[Did]:
        return [
            _did(
                str(made.arguments.get("action") or made.name),
                made.arguments,
                made.result,
                failed=made.failed,
            )
            for made in calls_made(request)
        ]

    def _call(self, act: Act) -> Call:
        member, given = self._member(act)
        if self.toolset:
            return Call(member, given, toolset="computer")
        return Call("computer", {"action": member, **given})

    def _member(self, act: Act) -> tuple[str, dict[str, Any]]:
        match act:
            case Click((x, y)):
                return "left_click", {"coordinate": [x, y]}
            case Type(text, _):
                return "type", {"text": text}
            case Keys(keys):
                return "key", {"text": "+".join(_KEYS.get(key, key) for key in keys)}
            case Wait(seconds) if self.waits:
                return "wait", {"duration": seconds}
            case _:
                return "screenshot", {}


def _did(action: str, arguments: dict[str, Any], result: str, *, failed: bool) -> Did:
    kind: Any = _KINDS.get(action, "other")
    return Did(kind=kind, text=str(arguments.get("text", "")), result=result, failed=failed)
