"""What a provider wants back as it gave it: signatures, reasoning and the toolset of a call.

A call is known by its name, arguments and id. Conversations may hold the same call, so whatever came with any of those
that look alike is taken.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from model_server.brain import Call
from model_server.protocols.messages import blocks_of
from model_server.protocols.protocol import arguments_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from model_server.brain import ComputerCall
    from model_server.protocols.protocol import Saying
    from model_server.request import Request

_CALLS = {"function_call", "computer_call"}


class _Origin(NamedTuple):
    """The reply that a call came with, and the how-manieth call of it that is."""

    saying: Saying
    place: int
    call: Call | ComputerCall


def unechoed(request: Request, said: Sequence[Saying]) -> Iterator[str]:
    """Which calls came back in the request without what belongs to them."""
    match request.protocol:
        case "gemini":
            yield from _gemini(request, said)
        case "responses":
            yield from _responses(request, said)
        case "messages":
            yield from _messages(request, said)
        case _:
            pass


def _gemini(request: Request, said: Sequence[Saying]) -> Iterator[str]:
    """The first call of a signed reply has the signature, wherever the call appears again; the others have none."""
    for content in request.messages:
        for part in content["parts"]:
            call = part.get("functionCall")
            if call is None:
                continue
            origins = _origins(said, None, call["name"], call.get("args") or {})
            given = {one.saying.signature if one.place == 0 else "" for one in origins}
            if given and part.get("thoughtSignature", "") not in given:
                yield f"the call {call['name']!r} came back without its thoughtSignature"


def _responses(request: Request, said: Sequence[Saying]) -> Iterator[str]:
    """The reasoning of a reply stands right before what it led to."""
    items = request.messages
    for place, item in enumerate(items):
        if item.get("type") not in _CALLS:
            continue
        if item["type"] == "function_call":
            origins = _origins(said, item["call_id"], item["name"], json.loads(item["arguments"]))
        else:
            origins = _computer_origins(said, item)
        given = {one.saying.signature for one in origins}
        if given and _reasoning_before(items[:place]) not in given:
            yield f"the {item['type']} {item['call_id']!r} was provided without its required reasoning item"


def _reasoning_before(items: list[dict[str, Any]]) -> str:
    """The encrypted reasoning of the reply that the call after these items belongs to."""
    for item in reversed(items):
        kind = item.get("type", "message")
        if kind == "reasoning":
            return str(item.get("encrypted_content"))
        if kind not in _CALLS and not (kind == "message" and item.get("role") == "assistant"):
            break
    return ""


def _messages(request: Request, said: Sequence[Saying]) -> Iterator[str]:
    """A call keeps its toolset; in the newest turn thinking comes first, as it was signed."""
    turns = [blocks_of(message["content"]) for message in request.messages if message["role"] == "assistant"]
    for number, blocks in enumerate(turns, 1):
        for block in blocks:
            if block["type"] != "tool_use":
                continue
            origins = _origins(said, block["id"], block["name"], block["input"])
            toolsets = {one.call.toolset for one in origins if isinstance(one.call, Call)}
            if toolsets and block.get("toolset_name") not in toolsets:
                yield f"the call {block['id']!r} came back with the toolset {block.get('toolset_name')!r}"
            thoughts = {(one.saying.reply.thinking, one.saying.signature) for one in origins}
            if number == len(turns) and thoughts and _thought(blocks[0]) not in thoughts:
                yield "the newest turn of the assistant does not begin with its thinking as it was signed"
                return


def _thought(block: dict[str, Any]) -> tuple[str, str]:
    return str(block.get("thinking", "")), str(block.get("signature", ""))


def _origins(said: Sequence[Saying], own: str | None, name: str, arguments: dict[str, Any]) -> list[_Origin]:
    return [
        _Origin(saying, place, call)
        for saying in said
        for place, call in enumerate(saying.numbered())
        if isinstance(call, Call)
        and (own is None or call.id == own)
        and call.name == name
        and arguments_object(call) == arguments
    ]


def _computer_origins(said: Sequence[Saying], item: dict[str, Any]) -> list[_Origin]:
    actions = item.get("actions") or [item.get("action")]
    return [
        _Origin(saying, place, call)
        for saying in said
        for place, call in enumerate(saying.numbered())
        if not isinstance(call, Call)
        and call.id == item["call_id"]
        and list(map(dict, call.actions)) == actions
    ]
