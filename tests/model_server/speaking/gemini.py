"""Gemini with its functions for a browser (the older set) or a desktop; places are thousandths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model_server.brain import Call, Reply
from model_server.speaking.spaces import PerMille
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
    from model_server.speaking.speaker import Place

_KINDS = {
    "click_at": "click",
    "click": "click",
    "type_text_at": "type",
    "type": "type",
    "key_combination": "keys",
    "hotkey": "keys",
    "press_key": "keys",
    "wait_5_seconds": "wait",
    "wait": "wait",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gemini(Family):
    """``browser``: ``click_at`` and its like, where a place is typed into in one call; else ``click`` with its intent.

    ``careful`` asks for a confirmation of every click.
    """

    browser: bool = False
    careful: bool = False
    alone: bool = False

    def say(self, thought: str, act: Act, picture: Picture, request: Request) -> Reply:
        signature = f"thought-{len(calls_made(request))}"
        if isinstance(act, End):
            if "finish" in request.tool_names():
                call = Call("finish", {"done": act.done, "text": act.text})
                return Reply(calls=(call,), signature=signature)
            return Reply(text=act.text)
        calls = (
            [_in_browser(act, picture)]
            if self.browser
            else [_on_desktop(step, picture, thought) for step in steps_of(act)]
        )
        return Reply(text=thought, calls=tuple(map(self._checked, calls)), signature=signature)

    def did(self, request: Request) -> list[Did]:
        return [_did(made.name, made.arguments, made.result, made.failed) for made in calls_made(request)]

    def _checked(self, call: Call) -> Call:
        if not self.careful or _KINDS[call.name] != "click" or isinstance(call.arguments, str):
            return call
        decision = {"decision": "require_confirmation", "explanation": "This may book something."}
        return Call(call.name, {**call.arguments, "safety_decision": decision})


def _in_browser(act: Act, picture: Picture) -> Call:
    match act:
        case Click(at):
            return Call("click_at", _at(at, picture))
        case Type(text, at):
            where = {} if at is None else _at(at, picture)
            return Call(
                "type_text_at", {**where, "text": text, "press_enter": False, "clear_before_typing": True}
            )
        case Keys(keys):
            return Call("key_combination", {"keys": "+".join(keys)})
        case _:
            return Call("wait_5_seconds", {})


def _on_desktop(act: Act, picture: Picture, intent: str) -> Call:
    match act:
        case Click(at):
            return Call("click", {**_at(at, picture), "intent": intent})
        case Type(text, _):
            return Call("type", {"text": text, "press_enter": False, "intent": intent})
        case Keys((key,)):
            return Call("press_key", {"key": key, "intent": intent})
        case Keys(keys):
            return Call("hotkey", {"keys": list(keys), "intent": intent})
        case Wait(seconds):
            return Call("wait", {"seconds": seconds, "intent": intent})
        case _:
            raise AssertionError(act)


def _at(place: Place, picture: Picture) -> dict[str, Any]:
    x, y = PerMille(999).of(place, picture)
    return {"x": x, "y": y}


def _did(name: str, arguments: dict[str, Any], result: str, failed: bool) -> Did:  # noqa: FBT001 - all in order
    kind: Any = _KINDS.get(name, "other")
    return Did(kind=kind, text=str(arguments.get("text", "")), result=result, failed=failed)
