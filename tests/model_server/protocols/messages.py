"""Anthropic's messages."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

_FINISH = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
    "malformed": "end_turn",
}
_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_WORDS = {
    "auth": "invalid x-api-key",
    "forbidden": "Your API key does not have permission to use the specified resource.",
    "quota": "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
    "no_model": "model: scripted",
    "rate": "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
    "overloaded": "Overloaded",
    "context": "prompt is too long: 210000 tokens > 200000 maximum",
    "content_filter": "Output blocked by content filtering policy",
}


@dataclass(frozen=True, slots=True)
class Messages:
    """Turns of content blocks; a stream starts, fills and stops each block."""

    name: ProtocolName = "messages"
    framing: Literal["sse", "ndjson"] = "sse"

    def streams(self, request: Request) -> bool:
        return bool(request.body.get("stream"))

    def head(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"tools": body.get("tools"), "system": body.get("system")}

    def messages(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        return list(body["messages"])

    def items(self, body: dict[str, Any]) -> Iterator[Item]:
        for block in blocks_of(body.get("system")):
            yield Item(kind="text", role="system", turn=-1, text=block["text"])
        for turn, message in enumerate(body["messages"]):
            for block in blocks_of(message["content"]):
                yield from _items(block, message["role"], turn, "")

    def violations(self, request: Request) -> Iterator[str]:
        """See ``strict_messages``."""
        from model_server.protocols.strict_messages import violations

        yield from violations(request)

    def events(self, saying: Saying) -> Iterator[Event]:
        """A ping comes early, as the real one sends it."""
        begun = self.whole(saying) | {"content": [], "stop_reason": None}
        begun["usage"] = begun["usage"] | {"output_tokens": 1}
        yield _event("message_start", {"message": begun})
        yield _event("ping", {})
        for index, (empty, deltas) in enumerate(_streamed(saying)):
            yield _event("content_block_start", {"index": index, "content_block": empty})
            for delta in deltas:
                yield _event("content_block_delta", {"index": index, "delta": delta})
            yield _event("content_block_stop", {"index": index})
        finish = _FINISH.get(saying.finish, saying.finish)
        ended: dict[str, Any] = {"delta": {"stop_reason": finish, "stop_sequence": None}}
        if "no_stream_usage" not in saying.quirks:
            ended["usage"] = {"output_tokens": saying.reply.tokens[1]}
        yield _event("message_delta", ended, ends=True)
        yield _event("message_stop", {}, ends=True)

    def whole(self, saying: Saying) -> dict[str, Any]:
        return {
            "id": f"msg_{saying.before}",
            "type": "message",
            "role": "assistant",
            "model": saying.model,
            "content": _blocks(saying),
            "stop_reason": _FINISH.get(saying.finish, saying.finish),
            "stop_sequence": None,
            "usage": _usage(saying),
        }

    def failure(self, fault: Status) -> dict[str, Any]:
        kind = fault.code or _TYPES.get(fault.status, "api_error")
        error = {"type": kind, "message": words_of(fault, _WORDS)}
        return {"type": "error", "error": error, "request_id": "req_1"}

    def failing(self, fault: Status) -> Event:
        return Event(compact(self.failure(fault)), name="error")


def blocks_of(content: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """A content as blocks, a plain string as a text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content or ())


def _items(block: dict[str, Any], role: str, turn: int, call: str) -> Iterator[Item]:
    match block["type"]:
        case "text":
            yield Item(kind="text", role=role, turn=turn, text=block["text"], call=call)
        case "image":
            source = block["source"]
            picture = pictures.decoded(source["data"], source["media_type"], role=role, turn=turn, call=call)
            yield Item(kind="picture", role=role, turn=turn, picture=picture, call=call)
        case "tool_use":
            yield Item(
                kind="call",
                role=role,
                turn=turn,
                call=block["id"],
                name=block["name"],
                arguments=block["input"],
            )
        case "tool_result":
            for inner in blocks_of(block.get("content")):
                for item in _items(inner, "tool", turn, block["tool_use_id"]):
                    yield replace(item, failed=bool(block.get("is_error")))
        case "thinking":
            yield Item(kind="thinking", role=role, turn=turn, text=block["thinking"])
        case _:
            pass


def _blocks(saying: Saying) -> list[dict[str, Any]]:
    """The whole blocks of the reply. Broken arguments become an empty input: the real one never sends such."""
    reply, blocks = saying.reply, list[dict[str, Any]]()
    if reply.thinking:
        blocks.append({"type": "thinking", "thinking": reply.thinking, "signature": saying.signature})
    if reply.text or reply.refusal:
        blocks.append({"type": "text", "text": reply.text or reply.refusal})
    return [*blocks, *(_tool_use(call, arguments_object(call) or {}) for call in saying.calls())]


def _tool_use(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": given}
    return block if call.toolset is None else block | {"toolset_name": call.toolset}


def _streamed(saying: Saying) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each block as it begins, and what is added to it."""
    reply = saying.reply
    if reply.thinking:
        thoughts: list[dict[str, Any]] = [
            {"type": "thinking_delta", "thinking": piece} for piece in saying.pieces(reply.thinking)
        ]
        signed = {"type": "signature_delta", "signature": saying.signature}
        yield {"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, signed]
    if reply.text or reply.refusal:
        pieces = saying.pieces(reply.text or reply.refusal)
        yield {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces]
    for call in saying.calls():
        pieces = saying.pieces(arguments_text(call))
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces)]
        yield _tool_use(call, {}), deltas


def _usage(saying: Saying) -> dict[str, Any]:
    """What the cache holds is counted beside the rest."""
    into, out, cached = saying.reply.tokens
    return {
        "input_tokens": into - cached - saying.reply.written,
        "cache_creation_input_tokens": saying.reply.written,
        "cache_read_input_tokens": cached,
        "output_tokens": out,
        "service_tier": "standard",
    }


def _event(kind: str, fields: dict[str, Any], *, ends: bool = False) -> Event:
    return Event(compact({"type": kind, **fields}), name=kind, ends=ends)
