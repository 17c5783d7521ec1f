"""What a server's quirks do to a request and to a reply."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from model_server.brain import Call, Reply, Status
from model_server.local_failures import no_images
from model_server.protocols.protocol import arguments_text

if TYPE_CHECKING:
    from model_server.quirks import Quirk
    from model_server.request import Request
    from model_server.runtimes import Flavour

_PICTURE_TYPES = {"image", "image_url", "input_image", "computer_screenshot"}


def refusal(request: Request, quirks: frozenset[Quirk], flavour: Flavour) -> Status | None:
    """What the server answers to a request that it cannot take, though the protocol allows it."""
    name = f"registry.ollama.ai/library/{request.model}"
    if "no_tools" in quirks and request.tools:
        return Status(status=400, message=f"{name} does not support tools")
    if "no_images" in quirks and request.pictures():
        status, words = no_images(flavour)
        return Status(status=status, message=words)
    listed = any(isinstance(message.get("content"), list) for message in request.messages)
    if "string_content_only" in quirks and listed and not request.pictures():
        return Status(status=400, message="messages.content: Input should be a valid string")
    return None


def as_seen(request: Request, quirks: frozenset[Quirk]) -> Request:
    """The request as the model gets it."""
    if "lmstudio_blind" in quirks and request.tools:
        return replace(request, body=_without_pictures(request.body))
    return request


def as_said(reply: Reply, quirks: frozenset[Quirk]) -> Reply:
    """The reply as the server passes it on."""
    if "ollama_text_calls" in quirks and reply.calls:
        printed = "\n".join(_printed(call) for call in reply.calls if isinstance(call, Call))
        text = f"{reply.text}\n{printed}" if reply.text else printed
        return replace(reply, text=text, calls=(), finish=reply.finish or "stop")
    return reply


def _printed(call: Call) -> str:
    return f'{{"name": {json.dumps(call.name)}, "arguments": {arguments_text(call)}}}'


def _without_pictures(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_without_pictures(one) for one in value if not _is_picture(one)]
    if isinstance(value, dict):
        return {name: _without_pictures(one) for name, one in value.items() if name != "images"}
    return value


def _is_picture(value: object) -> bool:
    return isinstance(value, dict) and (
        value.get("type") in _PICTURE_TYPES or "inlineData" in value or "inline_data" in value
    )
