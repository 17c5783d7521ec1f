"""What a provider wants back as it gave it: signatures, reasoning and the toolset of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from model_server.brain import Call
from model_server.protocols.messages import blocks_of
from model_server.protocols.protocol import arguments_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from model_server.protocols.protocol import Saying
    from model_server.request import Request


def unechoed(request: Request, said: Sequence[Saying]) -> Iterator[str]:
    """Which replies came back in the request without what belongs to them."""
    for saying in said:
        match request.protocol:
            case "gemini":
                yield from _gemini(request, saying)
            case "responses":
                yield from _responses(request, saying)
            case "messages":
                yield from _messages(request, saying)
            case _:
                pass


def _gemini(request: Request, saying: Saying) -> Iterator[str]:
    """The first call of a signed reply has the signature, wherever the call appears again."""
    if not saying.signature or not saying.reply.calls:
        return
    first = saying.calls()[0]
    made = {"name": first.name, "args": arguments_object(first)}
    back = [
        part
        for content in request.messages
        for part in content["parts"]
        if "functionCall" in part and {name: part["functionCall"].get(name) for name in made} == made
    ]
    if back and all(part.get("thoughtSignature") != saying.signature for part in back):
        yield f"the call {first.name!r} came back without its thoughtSignature"


def _responses(request: Request, saying: Saying) -> Iterator[str]:
    """The reasoning of a reply stands right before what it led to."""
    if not saying.signature or not saying.reply.calls:
        return
    own = {call.id for call in saying.numbered()}
    items = request.messages
    for place, item in enumerate(items):
        if item.get("call_id") in own and item["type"] in {"function_call", "computer_call"}:
            before = _reasoning_before(items[:place])
            if before != saying.signature:
                yield f"the {item['type']} {item['call_id']!r} was provided without its required reasoning item"
            return


def _reasoning_before(items: list[dict[str, Any]]) -> str:
    """The encrypted reasoning that the assistant's message or call after these items belongs to."""
    for item in reversed(items):
        if item.get("type") == "reasoning":
            return str(item.get("encrypted_content"))
        if item.get("type", "message") != "message" or item.get("role") != "assistant":
            break
    return ""


def _messages(request: Request, saying: Saying) -> Iterator[str]:
    """A call keeps its toolset; in the newest turn thinking comes first, as it was signed."""
    calls = {call.id: call for call in saying.numbered() if isinstance(call, Call)}
    turns = [blocks_of(message["content"]) for message in request.messages if message["role"] == "assistant"]
    for blocks in turns:
        for block in blocks:
            call = calls.get(block.get("id"))
            if call is not None and block.get("toolset_name") != call.toolset:
                yield f"the call {block['id']!r} came back with the toolset {block.get('toolset_name')!r}"
    newest = turns[-1] if turns else []
    if saying.signature and any(block.get("id") in calls for block in newest):
        thought = {"thinking": saying.reply.thinking, "signature": saying.signature}
        if {name: newest[0].get(name) for name in thought} != thought:
            yield "the newest turn of the assistant does not begin with its thinking as it was signed"
