"""OpenAI's Responses, with nothing kept at the server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from model_server import pictures
from model_server.brain import Call, ComputerCall
from model_server.protocols.chat import Chat
from model_server.protocols.protocol import Event, Item, Saying, arguments_text, compact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model_server.brain import Status
    from model_server.protocols.protocol import ProtocolName
    from model_server.request import Request

_OUTPUTS = {"function_call_output": "function_call", "computer_call_output": "computer_call"}
_CUT = {"length": "max_output_tokens", "content_filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class Responses:
    """Input and output items; every event has a type, a name and a number."""

    name: ProtocolName = "responses"
    framing: Literal["sse", "ndjson"] = "sse"

    def streams(self, request: Request) -> bool:
        return bool(request.body.get("stream"))

    def head(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"tools": body.get("tools"), "instructions": body.get("instructions")}

    def messages(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        given = body["input"]
        return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)

    def items(self, body: dict[str, Any]) -> Iterator[Item]:
        if body.get("instructions"):
            yield Item(kind="text", role="system", turn=-1, text=body["instructions"])
        for turn, item in enumerate(self.messages(body)):
            yield from _items(item, turn)

    def violations(self, request: Request) -> Iterator[str]:
        """See ``strict_responses``."""
        from model_server.protocols.strict_responses import violations

        yield from violations(request)

    def events(self, saying: Saying) -> Iterator[Event]:
        """Each item is announced, filled piece by piece, and said again whole; so is the response."""
        begun = _response(saying, "in_progress", [])
        numbered = [
            ("response.created", {"response": begun}),
            ("response.in_progress", {"response": begun}),
            *_filled(saying),
        ]
        for number, (kind, fields) in enumerate(numbered):
            yield _event(kind, number, fields)
        ended = self.whole(saying)
        kind = {"failed": "response.failed", "incomplete": "response.incomplete"}.get(
            ended["status"], "response.completed"
        )
        yield _event(kind, len(numbered), {"response": ended}, ends=True)

    def whole(self, saying: Saying) -> dict[str, Any]:
        cut = _CUT.get(saying.finish)
        response = _response(saying, "incomplete" if cut else "completed", _output(saying))
        if cut:
            response["incomplete_details"] = {"reason": cut}
        return response | {"usage": _usage(saying)}

    def failure(self, fault: Status) -> dict[str, Any]:
        return Chat().failure(fault)

    def failing(self, fault: Status) -> Event:
        """As ``response.failed``."""
        error = self.failure(fault)["error"]
        known = {"rate": "rate_limit_exceeded", "context": "context_length_exceeded"}
        code = fault.code or known.get(fault.kind, "server_error")
        response: dict[str, Any] = {"id": "resp_1", "object": "response", "status": "failed", "output": []}
        response["error"] = {"code": code, "message": error["message"]}
        return _event("response.failed", 99, {"response": response})


def _items(item: dict[str, Any], turn: int) -> Iterator[Item]:
    match item.get("type", "message"):
        case "message":
            yield from _message(item, turn)
        case "function_call":
            given = json.loads(item["arguments"])
            yield _called(item, turn, item["name"], given)
        case "computer_call":
            given = {"actions": item["actions"]} if "actions" in item else item["action"]
            yield _called(item, turn, "computer", given)
        case "function_call_output" | "computer_call_output":
            yield from _answer(item, turn)
        case "reasoning":
            text = "".join(part["text"] for part in item.get("summary") or ())
            yield Item(kind="thinking", role="assistant", turn=turn, text=text)
        case _:
            pass


def _message(item: dict[str, Any], turn: int) -> Iterator[Item]:
    role = "system" if item["role"] == "developer" else item["role"]
    content = item["content"]
    parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
    for part in parts:
        yield from _part(part, role, turn, "")


def _called(item: dict[str, Any], turn: int, name: str, arguments: dict[str, Any]) -> Item:
    return Item(
        kind="call", role="assistant", turn=turn, call=item["call_id"], name=name, arguments=arguments
    )


def _answer(item: dict[str, Any], turn: int) -> Iterator[Item]:
    output = item["output"]
    if isinstance(output, str):
        output = [{"type": "input_text", "text": output}]
    for part in [output] if isinstance(output, dict) else output:
        yield from _part(part, "tool", turn, item["call_id"])


def _part(part: dict[str, Any], role: str, turn: int, call: str) -> Iterator[Item]:
    match part["type"]:
        case "input_image" | "computer_screenshot":
            picture = pictures.from_url(part["image_url"], role=role, turn=turn, call=call)
            yield Item(kind="picture", role=role, turn=turn, picture=picture, call=call)
        case "refusal":
            yield Item(kind="text", role=role, turn=turn, text=part["refusal"], call=call)
        case _:
            yield Item(kind="text", role=role, turn=turn, text=part["text"], call=call)


def _output(saying: Saying) -> list[dict[str, Any]]:
    """The items of the reply: reasoning, message, calls."""
    reply, items = saying.reply, list[dict[str, Any]]()
    if reply.thinking or reply.signature:
        summary = [{"type": "summary_text", "text": reply.thinking}] if reply.thinking else []
        items.append(
            {
                "id": f"rs_{saying.before}",
                "type": "reasoning",
                "summary": summary,
                "encrypted_content": saying.signature,
            }
        )
    if reply.text or reply.refusal:
        items.append(_said(saying))
    items += [_call(call) for call in saying.numbered()]
    return items


def _said(saying: Saying) -> dict[str, Any]:
    reply, content = saying.reply, list[dict[str, Any]]()
    if reply.text:
        content.append({"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []})
    if reply.refusal:
        content.append({"type": "refusal", "refusal": reply.refusal})
    return {
        "id": f"msg_{saying.before}",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": content,
    }


def _call(call: Call | ComputerCall) -> dict[str, Any]:
    if isinstance(call, Call):
        item: dict[str, Any] = {"id": f"fc_{call.id}", "type": "function_call", "status": "completed"}
        return item | {"call_id": call.id, "name": call.name, "arguments": arguments_text(call)}
    checks = [{"id": check.id, "code": check.code, "message": check.message} for check in call.checks]
    item = {"id": f"cu_{call.id}", "type": "computer_call", "status": "completed", "call_id": call.id}
    if call.batched:
        item["actions"] = [dict(action) for action in call.actions]
        return item | {"pending_safety_checks": checks} if checks else item
    (action,) = call.actions
    return item | {"action": dict(action), "pending_safety_checks": checks}


def _filled(saying: Saying) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, item in enumerate(_output(saying)):
        where = {"output_index": place, "item_id": item["id"]}
        empty = item | {"status": "in_progress"} if "status" in item else item
        match item["type"]:
            case "message":
                yield "response.output_item.added", {"output_index": place, "item": empty | {"content": []}}
                for index, part in enumerate(item["content"]):
                    yield from _content(part, where | {"content_index": index}, saying)
            case "function_call":
                yield "response.output_item.added", {"output_index": place, "item": empty | {"arguments": ""}}
                for piece in saying.pieces(item["arguments"]):
                    yield "response.function_call_arguments.delta", where | {"delta": piece}
                yield (
                    "response.function_call_arguments.done",
                    where | {"name": item["name"], "arguments": item["arguments"]},
                )
            case "reasoning":
                begun = item | {"summary": [], "encrypted_content": ""}
                yield "response.output_item.added", {"output_index": place, "item": begun}
                for part in item["summary"]:
                    yield from _summary(part, where | {"summary_index": 0}, saying)
            case _:
                yield "response.output_item.added", {"output_index": place, "item": empty}
        yield "response.output_item.done", {"output_index": place, "item": item}


def _content(
    part: dict[str, Any], where: dict[str, Any], saying: Saying
) -> Iterator[tuple[str, dict[str, Any]]]:
    field = "refusal" if part["type"] == "refusal" else "text"
    kind = "response.refusal" if field == "refusal" else "response.output_text"
    yield "response.content_part.added", where | {"part": part | {field: ""}}
    for piece in saying.pieces(part[field]):
        yield f"{kind}.delta", where | {"delta": piece}
    yield f"{kind}.done", where | {field: part[field]}
    yield "response.content_part.done", where | {"part": part}


def _summary(
    part: dict[str, Any], where: dict[str, Any], saying: Saying
) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "response.reasoning_summary_part.added", where | {"part": part | {"text": ""}}
    for piece in saying.pieces(part["text"]):
        yield "response.reasoning_summary_text.delta", where | {"delta": piece}
    yield "response.reasoning_summary_text.done", where | {"text": part["text"]}
    yield "response.reasoning_summary_part.done", where | {"part": part}


def _response(saying: Saying, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"resp_{saying.before}",
        "object": "response",
        "created_at": 1,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": saying.model,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": None,
    }


def _usage(saying: Saying) -> dict[str, Any]:
    into, out, cached = saying.reply.tokens
    return {
        "input_tokens": into,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": out,
        "output_tokens_details": {"reasoning_tokens": saying.reply.reasoned},
        "total_tokens": into + out,
    }


def _event(kind: str, number: int, fields: dict[str, Any], *, ends: bool = False) -> Event:
    return Event(compact({"type": kind, "sequence_number": number, **fields}), name=kind, ends=ends)
