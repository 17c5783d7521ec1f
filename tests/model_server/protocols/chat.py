"""OpenAI's chat completions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from model_server import pictures
from model_server.protocols.protocol import Event, Item, Saying, arguments_text, compact, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model_server.brain import Call, Status
    from model_server.protocols.protocol import ProtocolName
    from model_server.request import Request

WORDS = {
    "auth": "Incorrect API key provided: sk-wrong. You can find your API key in your account settings.",
    "forbidden": "You are not allowed to sample from this model.",
    "quota": "You exceeded your current quota, please check your plan and billing details.",
    "no_model": "The model `scripted` does not exist or you do not have access to it.",
    "rate": "Rate limit reached for scripted on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
    "overloaded": "The engine is currently overloaded, please try again later.",
    "context": "This model's maximum context length is 128000 tokens. However, your messages resulted in "
    "130000 tokens. Please reduce the length of the messages.",
    "content_filter": "The response was filtered due to the prompt triggering the content management policy.",
}
_CODES = {
    "auth": ("invalid_request_error", "invalid_api_key"),
    "forbidden": ("invalid_request_error", "permission_denied"),
    "quota": ("insufficient_quota", "insufficient_quota"),
    "no_model": ("invalid_request_error", "model_not_found"),
    "rate": ("tokens", "rate_limit_exceeded"),
    "overloaded": ("server_error", None),
    "context": ("invalid_request_error", "context_length_exceeded"),
    "content_filter": ("invalid_request_error", "content_filter"),
}
_HEAD = {"id": "chatcmpl-1", "created": 1}


@dataclass(frozen=True, slots=True)
class Chat:
    """Messages with a role, calls by index, ``[DONE]`` at the end."""

    name: ProtocolName = "chat"
    framing: Literal["sse", "ndjson"] = "sse"

    def streams(self, request: Request) -> bool:
        return bool(request.body.get("stream"))

    def head(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"tools": body.get("tools")}

    def messages(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        return list(body["messages"])

    def items(self, body: dict[str, Any]) -> Iterator[Item]:
        for turn, message in enumerate(body["messages"]):
            role = "system" if message["role"] == "developer" else message["role"]
            answers = message.get("tool_call_id", "")
            for part in parts_of(message):
                if part["type"] == "image_url":
                    url = part["image_url"]["url"]
                    picture = pictures.from_url(url, role=role, turn=turn, call=answers)
                    yield Item(kind="picture", role=role, turn=turn, picture=picture, call=answers)
                elif part["type"] == "text":
                    yield Item(kind="text", role=role, turn=turn, text=part["text"], call=answers)
            if message.get("reasoning_content"):
                yield Item(kind="thinking", role=role, turn=turn, text=message["reasoning_content"])
            for call in message.get("tool_calls") or ():
                given = json.loads(call["function"]["arguments"])
                name = call["function"]["name"]
                yield Item(kind="call", role=role, turn=turn, call=call["id"], name=name, arguments=given)

    def violations(self, request: Request) -> Iterator[str]:
        yield from _roles(request)
        yield from _answers(request.messages)
        for message in request.messages:
            if message["role"] != "user" and any(part["type"] == "image_url" for part in parts_of(message)):
                yield f"a {message['role']} message holds a picture"

    def events(self, saying: Saying) -> Iterator[Event]:
        """The calls come one after the other, told apart by their index."""
        for delta in self._deltas(saying):
            yield Event(_chunk(saying, delta))
        yield Event(_chunk(saying, {}, finish=_finish(saying)), ends=True)
        if "no_stream_usage" not in saying.quirks:
            last = {**_HEAD, "model": saying.model, "object": "chat.completion.chunk", "choices": []}
            yield Event(compact({**last, "usage": _usage(saying)}), ends=True)
        yield Event("[DONE]", ends=True)

    def _deltas(self, saying: Saying) -> Iterator[dict[str, Any]]:
        reply = saying.reply
        yield {"role": "assistant", "content": ""}
        yield from ({"reasoning_content": piece} for piece in saying.pieces(reply.thinking))
        yield from ({"content": piece} for piece in saying.pieces(reply.text))
        yield from ({"refusal": piece} for piece in saying.pieces(reply.refusal))
        for index, call in enumerate(saying.calls()):
            place = {} if "index_less_calls" in saying.quirks else {"index": index}
            begun = {**place, **_own_id(call, saying), "type": "function"}
            if not place:  # such servers send a call in one piece
                yield {"tool_calls": [begun | {"function": _function(call)}]}
                continue
            yield {"tool_calls": [begun | {"function": {"name": call.name, "arguments": ""}}]}
            for piece in saying.pieces(arguments_text(call)):
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}

    def whole(self, saying: Saying) -> dict[str, Any]:
        reply = saying.reply
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        message["tool_calls"] = [
            {**_own_id(call, saying), "type": "function", "function": _function(call)}
            for call in saying.calls()
        ] or None
        if reply.thinking:
            message["reasoning_content"] = reply.thinking
        if reply.refusal:
            message["refusal"] = reply.refusal
        choice = {"index": 0, "message": message, "finish_reason": _finish(saying)}
        head = {**_HEAD, "model": saying.model, "object": "chat.completion"}
        return {**head, "choices": [choice], "usage": _usage(saying)}

    def failure(self, fault: Status) -> dict[str, Any]:
        kind, code = _CODES.get(fault.kind, ("error", None))
        message = words_of(fault, WORDS)
        return {"error": {"message": message, "type": kind, "param": None, "code": fault.code or code}}

    def failing(self, fault: Status) -> Event:
        return Event(compact(self.failure(fault)))


def parts_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The content of a message as parts, a plain string as a text."""
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _chunk(saying: Saying, delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return compact({**_HEAD, "model": saying.model, "object": "chat.completion.chunk", "choices": [choice]})


def _finish(saying: Saying) -> str:
    return {"malformed": "stop"}.get(saying.finish, saying.finish)


def _own_id(call: Call, saying: Saying) -> dict[str, str | None]:
    return {} if "id_less_calls" in saying.quirks else {"id": call.id}


def _function(call: Call) -> dict[str, str]:
    return {"name": call.name, "arguments": arguments_text(call)}


def _usage(saying: Saying) -> dict[str, Any]:
    into, out, cached = saying.reply.tokens
    return {
        "prompt_tokens": into,
        "completion_tokens": out,
        "total_tokens": into + out,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": saying.reply.reasoned},
    }


def _roles(request: Request) -> Iterator[str]:
    roles = [message.get("role") for message in request.messages]
    if roles[:1] != ["system"] or "system" in roles[1:]:
        yield f"one system message must come first, the roles are {roles}"
    if roles[-1:] not in (["user"], ["tool"]):
        yield f"the last message must be the user's or a tool's, the roles are {roles}"


def _answers(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Each call is answered once, in order, right after it, and its arguments are a JSON object."""
    waiting: list[str] = []
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if waiting[:1] != [message["tool_call_id"]]:
                yield f"message {place} answers {message['tool_call_id']!r}, waiting are {waiting}"
            waiting = waiting[1:]
            continue
        if waiting:
            yield f"message {place} comes while the calls {waiting} have no answer"
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        for call in message.get("tool_calls") or ():
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                yield f"message {place} has arguments that are no object"
    if waiting:
        yield f"the calls {waiting} have no answer"
