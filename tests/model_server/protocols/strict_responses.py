"""What OpenAI's Responses refuse."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model_server.request import Request

_ANSWERS = {"function_call": "function_call_output", "computer_call": "computer_call_output"}
_SAYS = {"message", *_ANSWERS, "reasoning"}
_PREFIXES = {"function_call": "fc_", "computer_call": "cu_", "reasoning": "rs_", "message": "msg_"}
_PREVIEW = {"type", "display_width", "display_height", "environment"}
_ENVIRONMENTS = {"windows", "mac", "linux", "ubuntu", "browser"}


def violations(request: Request) -> Iterator[str]:
    """The rules of tools, of calls and their answers, of reasoning, and of contents."""
    yield from _tools(request)
    yield from _pairs(request.messages)
    for place, item in enumerate(request.messages):
        yield from (f"item {place} {wrong}" for wrong in _item(item, request.messages[place + 1 :], request))


def _tools(request: Request) -> Iterator[str]:
    for tool in request.tools:
        match tool.get("type"):
            case "computer_use_preview":
                if set(tool) != _PREVIEW or tool["environment"] not in _ENVIRONMENTS:
                    yield f"the preview tool is declared as {tool}"
                if request.body.get("truncation") != "auto":
                    yield 'the preview tool demands truncation "auto"'
            case "computer":
                if set(tool) != {"type"}:
                    yield f"the computer tool has no fields but its type, it is declared as {tool}"
            case "function":
                if not tool.get("name") or not isinstance(tool.get("parameters"), dict):
                    yield f"a function tool needs a name and parameters beside its type: {tool}"
            case other:
                yield f"there is no tool of the type {other!r}"


def _pairs(items: list[dict[str, Any]]) -> Iterator[str]:
    """Every call is answered exactly once, by its own kind of output, before anything else is said."""
    waiting: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    for place, item in enumerate(items):
        kind = item.get("type", "message")
        if kind in _ANSWERS:
            if item["call_id"] in seen:
                yield f"item {place} uses the call_id {item['call_id']!r} a second time"
            seen.add(item["call_id"])
            waiting[item["call_id"]] = item
        elif kind in _ANSWERS.values():
            call = waiting.pop(item["call_id"], None)
            yield from (f"item {place} {wrong}" for wrong in _answer(item, kind, call))
        elif waiting and not (kind == "message" and item["role"] == "assistant") and kind != "reasoning":
            yield f"item {place} comes while the calls {list(waiting)} have no output"
    if waiting:
        yield f"no tool output found for the calls {list(waiting)}"


def _answer(item: dict[str, Any], kind: str, call: dict[str, Any] | None) -> Iterator[str]:
    if call is None:
        yield f"answers {item['call_id']!r}, which waits for no output"
    elif _ANSWERS[call["type"]] != kind:
        yield f"answers a {call['type']} with a {kind}"
    elif kind == "computer_call_output":
        yield from _screenshot(item, call)


def _screenshot(item: dict[str, Any], call: dict[str, Any]) -> Iterator[str]:
    output = item["output"]
    if (
        not isinstance(output, dict)
        or output.get("type") != "computer_screenshot"
        or ("image_url" in output) == ("file_id" in output)
    ):
        yield "has no screenshot as its output"
    pending = {check["id"] for check in call.get("pending_safety_checks") or ()}
    acknowledged = {check["id"] for check in item.get("acknowledged_safety_checks") or ()}
    if acknowledged - pending:
        yield f"acknowledges the safety checks {sorted(acknowledged - pending)}, which are not pending"
    if pending - acknowledged:
        yield f"leaves the safety checks {sorted(pending - acknowledged)} unacknowledged"


def _item(item: dict[str, Any], after: list[dict[str, Any]], request: Request) -> Iterator[str]:
    kind = item.get("type", "message")
    if "id" in item and kind in _PREFIXES and not item["id"].startswith(_PREFIXES[kind]):
        yield f"has the id {item['id']!r}, which does not begin with {_PREFIXES[kind]!r}"
    match kind:
        case "message":
            yield from _content(item)
        case "function_call":
            if not isinstance(json.loads(item["arguments"]), dict):
                yield "has arguments that are no object"
        case "computer_call":
            if ("action" in item) == ("actions" in item):
                yield "needs either action or actions"
        case "reasoning":
            yield from _reasoning(item, after, request)
        case "function_call_output" | "computer_call_output":
            pass
        case other:
            yield f"has the unknown type {other!r}"


def _reasoning(item: dict[str, Any], after: list[dict[str, Any]], request: Request) -> Iterator[str]:
    following = after[0].get("type", "message") if after else ""
    if following not in _SAYS or (following == "message" and after[0]["role"] != "assistant"):
        yield "is reasoning without the item that has to follow it"
    if request.body.get("store") is False and not item.get("encrypted_content"):
        yield "is reasoning without encrypted_content, and nothing is stored"


def _content(item: dict[str, Any]) -> Iterator[str]:
    if item["role"] not in {"user", "assistant", "system", "developer"}:
        yield f"has the role {item['role']!r}"
    if isinstance(item["content"], str):
        return
    allowed = {"output_text", "refusal"} if item["role"] == "assistant" else {"input_text", "input_image"}
    for part in item["content"]:
        if part["type"] not in allowed:
            yield f"of the role {item['role']} has a part of the type {part['type']!r}"
