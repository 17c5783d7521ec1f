"""UI-TARS and Doubao: a thought and actions as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from model_server.brain import Reply
from model_server.speaking.spaces import PerMille, Resized
from model_server.speaking.speaker import (
    Act,
    Click,
    Did,
    End,
    Family,
    Keys,
    Type,
    said_before,
    steps_of,
)
from model_server.speaking.written_calls import Written, calls_in, quoted

if TYPE_CHECKING:
    from model_server.pictures import Picture
    from model_server.request import Request
    from model_server.speaking.spaces import Space
    from model_server.speaking.speaker import Place

_KINDS = {"click": "click", "type": "type", "hotkey": "keys", "wait": "wait"}

SMALL = Resized(28, 100 * 28 * 28, 16384 * 28 * 28)
"""How UI-TARS 1.5 7B sees a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UiTars(Family):
    """Thousandths, or pixels of the resized picture (1.5 7B); ``points`` is how a place is written.

    ``several``: the click and the typing come in one reply, apart by an empty line.
    """

    space: Space = field(default_factory=PerMille)
    points: Literal["parens", "box", "point", "brackets"] = "parens"
    several: bool = False

    @property
    def alone(self) -> bool:
        return not self.several

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        if isinstance(act, End) and not act.done:
            return Reply(text=f"Thought: {act.text}\nAction: call_user()")
        steps = steps_of(act) if self.several else steps_of(act)[:1]
        actions = "\n\n".join(self._action(step, picture) for step in steps)
        return Reply(text=f"Thought: {thought}\nAction: {actions}")

    def did(self, request: Request) -> list[Did]:
        return [
            _did(call, result)
            for text, result in said_before(request)
            if "Action: " in text
            for call in calls_in(text.partition("Action: ")[2])
        ]

    def _action(self, act: Act, picture: Picture) -> str:
        match act:
            case Click(at):
                name = "point" if self.points == "point" else "start_box"
                return f"click({name}='{self._point(at, picture)}')"
            case Type(text, _):
                return f"type(content={quoted(text)})"
            case Keys(keys):
                return f"hotkey(key='{' '.join(keys)}')"
            case End(text, _):
                return f"finished(content={quoted(text)})"
            case _:
                return "wait()"

    def _point(self, place: Place, picture: Picture) -> str:
        x, y = self.space.of(place, picture)
        match self.points:
            case "parens":
                return f"({x},{y})"
            case "box":
                return f"<|box_start|>({x},{y})<|box_end|>"
            case "point":
                return f"<point>{x} {y}</point>"
            case "brackets":
                return f"[{x},{y},{x},{y}]"


def _did(call: Written, result: str) -> Did:
    kind: Any = _KINDS.get(call.name, "other")
    return Did(kind=kind, text=str(call.arguments.get("content", "")), result=result)
