"""Ollama's own chat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from model_server import pictures
from model_server.protocols.protocol import (
    Event,
    Item,
    Saying,
    arguments_object,
    arguments_text,
    compact,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model_server.brain import Call, Status
    from model_server.protocols.protocol import ProtocolName
    from model_server.request import Request

_WORDS = {
    "no_model": "model 'scripted' not found",
    "overloaded": "server busy, please try again.  maximum pending requests exceeded",
    "context": "the input length exceeds the context length",
}
_AT = "2026-01-01T00:00:00.000000Z"


@dataclass(frozen=True, slots=True)
class Ollama:
    """A JSON object a line; calls come whole, with an object as arguments and without an id."""

    name: ProtocolName = "ollama"
    framing: Literal["sse", "ndjson"] = "ndjson"

    def streams(self, request: Request) -> bool:
        return bool(request.body.get("stream", True))

    def head(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"tools": body.get("tools")}

    def messages(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        return list(body["messages"])

    def items(self, body: dict[str, Any]) -> Iterator[Item]:
        """The n-th answer after a reply is that of its n-th call."""
        asked, answered = -1, 0
        for turn, message in enumerate(body["messages"]):
            role, call = message["role"], ""
            if role == "assistant":
                asked, answered = turn, 0
            elif role == "tool":
                call, answered = f"{asked}.{answered}", answered + 1
            yield from _items(message, turn, call)

    def violations(self, request: Request) -> Iterator[str]:
        messages = request.messages
        waiting = 0
        for place, message in enumerate(messages):
            if not isinstance(message.get("content", ""), str):
                yield f"message {place} has a content that is no string"
            if message["role"] == "tool":
                waiting -= 1
            elif waiting:
                yield f"message {place} comes while {waiting} calls have no answer"
                waiting = 0
            if waiting < 0:
                yield f"message {place} answers no call"
                waiting = 0
            waiting += len(message.get("tool_calls") or ())
            for call in message.get("tool_calls") or ():
                if not isinstance(call["function"]["arguments"], dict):
                    yield f"message {place} has arguments that are no object"
        if waiting:
            yield f"{waiting} calls have no answer"

    def events(self, saying: Saying) -> Iterator[Event]:
        reply = saying.reply
        for piece in saying.pieces(reply.thinking):
            yield _line(saying, {"content": "", "thinking": piece})
        for piece in saying.pieces(_text(saying)):
            yield _line(saying, {"content": piece})
        for call in _functions(saying):
            yield _line(saying, {"content": "", "tool_calls": [call]})
        yield Event(compact(_object(saying, {"content": ""}) | _end(saying)), ends=True)

    def whole(self, saying: Saying) -> dict[str, Any]:
        message: dict[str, Any] = {"content": _text(saying)}
        if saying.reply.thinking:
            message["thinking"] = saying.reply.thinking
        if _functions(saying):
            message["tool_calls"] = _functions(saying)
        return _object(saying, message) | _end(saying)

    def failure(self, fault: Status) -> dict[str, Any]:
        return {"error": words_of(fault, _WORDS)}

    def failing(self, fault: Status) -> Event:
        return Event(compact(self.failure(fault)))


def _items(message: dict[str, Any], turn: int, call: str) -> Iterator[Item]:
    role = message["role"]
    if message.get("content"):
        yield Item(kind="text", role=role, turn=turn, text=message["content"], call=call)
    for data in message.get("images") or ():
        picture = pictures.decoded(data, "", role=role, turn=turn, call=call)
        yield Item(kind="picture", role=role, turn=turn, picture=picture, call=call)
    if message.get("thinking"):
        yield Item(kind="thinking", role=role, turn=turn, text=message["thinking"])
    for place, each in enumerate(message.get("tool_calls") or ()):
        function = each["function"]
        given = dict(function["arguments"])
        own = f"{turn}.{place}"
        yield Item(kind="call", role=role, turn=turn, call=own, name=function["name"], arguments=given)


def _text(saying: Saying) -> str:
    """Calls with broken arguments come as the text that the model wrote."""
    broken = [arguments_text(call) for call in saying.calls() if arguments_object(call) is None]
    return "".join([saying.reply.text or saying.reply.refusal, *broken])


def _functions(saying: Saying) -> list[dict[str, Any]]:
    return [_function(call) for call in saying.calls() if arguments_object(call) is not None]


def _function(call: Call) -> dict[str, Any]:
    return {"function": {"name": call.name, "arguments": arguments_object(call)}}


def _object(saying: Saying, message: dict[str, Any]) -> dict[str, Any]:
    said = {"role": "assistant", **message}
    return {"model": saying.model, "created_at": _AT, "message": said, "done": False}


def _line(saying: Saying, message: dict[str, Any]) -> Event:
    return Event(compact(_object(saying, message)))


def _end(saying: Saying) -> dict[str, Any]:
    into, out, _ = saying.reply.tokens
    reason = "length" if saying.finish == "length" else "stop"
    counts = {"prompt_eval_count": into, "eval_count": out}
    if "no_stream_usage" in saying.quirks:
        counts = {}
    times = {"total_duration": 5, "load_duration": 1, "prompt_eval_duration": 2, "eval_duration": 2}
    return {"done": True, "done_reason": reason, **times, **counts}
