"""What Anthropic's messages refuse."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from model_server.protocols.messages import blocks_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model_server.request import Request

BETAS = {
    "computer_20241022": "computer-use-2024-10-22",
    "computer_20250124": "computer-use-2025-01-24",
    "computer_20251124": "computer-use-2025-11-24",
}
_SIZE = {"type", "name", "display_width_px", "display_height_px"}
_MAY = {"display_number", "cache_control"}
_ZOOM = {"enable_zoom", "defer_loading", "strict", "allowed_callers", "input_examples"}
_MOST_MARKS = 4
_MANY_PICTURES = 20
_LONGEST_SIDE = 8000
_LONGEST_SIDE_OF_MANY = 2000
_MOST_PICTURES = 100
_MOST_PICTURE_BYTES = 10_000_000  # as base64
_MOST_BYTES = 32_000_000


def violations(request: Request) -> Iterator[str]:
    """The rules of the body, the tools, the turns, the blocks, the cache marks and the pictures."""
    yield from _whole(request)
    yield from _tools(request)
    yield from _turns(request.messages)
    for place, message in enumerate(request.messages):
        for block in blocks_of(message["content"]):
            yield from (f"message {place} {wrong}" for wrong in _block(block, message["role"]))
    marks = _marks({name: request.body.get(name) for name in ("tools", "system", "messages")})
    if marks > _MOST_MARKS:
        yield f"there are {marks} cache_control marks, at most {_MOST_MARKS} are allowed"
    yield from _pictures(request)


def _whole(request: Request) -> Iterator[str]:
    if not request.headers.get("anthropic-version"):
        yield "the header anthropic-version is missing"
    if not isinstance(request.body.get("max_tokens"), int):
        yield "max_tokens is required"
    if len(request.raw) > _MOST_BYTES:
        yield f"the request has {len(request.raw)} bytes, at most {_MOST_BYTES} are allowed"
    thinking = request.body.get("thinking") or {}
    if thinking.get("type") == "enabled":
        if not 1024 <= thinking["budget_tokens"] < request.body["max_tokens"]:
            yield f"the thinking budget {thinking['budget_tokens']} is not from 1024 to below max_tokens"
        if request.body.get("temperature", 1) != 1:
            yield "with thinking the temperature can only be 1"


def _tools(request: Request) -> Iterator[str]:
    needed: set[str] = set()
    for tool in request.tools:
        kind = tool.get("type", "custom")
        if kind in BETAS:
            needed.add(BETAS[kind])
            yield from _computer(tool)
        elif kind.startswith("computer_toolset_"):
            if set(tool) - {"type", "configs", "cache_control"}:
                yield f"a toolset has neither a name nor a size, it is declared with {sorted(tool)}"
        elif kind == "custom" and (
            not tool.get("name") or tool.get("input_schema", {}).get("type") != "object"
        ):
            yield f"a tool needs a name and an input_schema of the type object: {tool}"
    for name, count in Counter(request.tool_names()).items():
        if count > 1:
            yield f"{count} tools have the name {name!r}"
    betas = {one.strip() for one in request.headers.get("anthropic-beta", "").split(",")}
    told = {one for one in betas if one.startswith("computer-use-")}
    if told != needed:
        yield f"the header anthropic-beta names {sorted(told)}, the tools need {sorted(needed)}"


def _computer(tool: dict[str, Any]) -> Iterator[str]:
    allowed = _SIZE | _MAY | (_ZOOM if tool["type"] == "computer_20251124" else set())
    if not set(tool) >= _SIZE or set(tool) - allowed or tool["name"] != "computer":
        yield f"{tool['type']} is declared as {tool}"


def _turns(messages: list[dict[str, Any]]) -> Iterator[str]:
    roles = [message["role"] for message in messages]
    if roles[:1] != ["user"] or roles[-1:] != ["user"] or set(roles) > {"user", "assistant"}:
        yield f"the first and the last message must be the user's, the roles are {roles}"
    waiting: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(messages):
        blocks = blocks_of(message["content"])
        if not blocks:
            yield f"message {place} has no content"
        answers = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if answers and any(block["type"] != "tool_result" for block in blocks[: len(answers)]):
            yield f"message {place} has something before its tool_result blocks"
        if sorted(answers) != sorted(waiting):
            yield f"message {place} answers {answers}, waiting are {waiting}"
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for one in waiting:
            if one in seen:
                yield f"message {place} uses the id {one!r} a second time"
            seen.add(one)
    if waiting:
        yield f"the calls {waiting} have no tool_result"


def _block(block: dict[str, Any], role: str) -> Iterator[str]:
    match block["type"]:
        case "text":
            if not block["text"].strip():
                yield "has an empty text block"
        case "tool_use":
            if not re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"]) or not isinstance(block["input"], dict):
                yield f"has the call {block}"
        case "tool_result":
            yield from _result(block)
        case "thinking" | "redacted_thinking":
            if "cache_control" in block:
                yield "has a cache mark on thinking"
        case "image":
            if role != "user":
                yield f"has a picture of the role {role}"
        case other:
            yield f"has a block of the type {other!r}"


def _result(block: dict[str, Any]) -> Iterator[str]:
    for inner in blocks_of(block.get("content")):
        yield from _block(inner, "user")
        if block.get("is_error") and inner["type"] != "text":
            yield "has an is_error result that is not only text"


def _marks(value: object) -> int:
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(_marks(inner) for inner in value.values())
    return sum(_marks(inner) for inner in value) if isinstance(value, list) else 0


def _pictures(request: Request) -> Iterator[str]:
    pictures = request.pictures()
    if len(pictures) > _MOST_PICTURES:
        yield f"there are {len(pictures)} pictures, at most {_MOST_PICTURES} are allowed"
    longest = _LONGEST_SIDE_OF_MANY if len(pictures) > _MANY_PICTURES else _LONGEST_SIDE
    declared = [tool for tool in request.tools if tool.get("type") in BETAS]
    for picture in pictures:
        size = f"a picture of {picture.width}x{picture.height} pixels"
        if max(picture.width, picture.height) > longest:
            yield f"{size} is among {len(pictures)}; a side may have at most {longest}"
        if len(picture.data) * 4 / 3 > _MOST_PICTURE_BYTES:
            yield f"{size} has {len(picture.data)} bytes"
        for tool in declared:
            width, height = tool["display_width_px"], tool["display_height_px"]
            if picture.width > width or picture.height > height:
                yield f"{size} is larger than the declared display of {width}x{height}"
