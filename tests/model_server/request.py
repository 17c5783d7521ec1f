"""A chat-completions request as the server got it, and the rules of the protocol that it must keep."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that came as a data URL: its bytes and its size in pixels."""

    data: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One POST: where to, with which headers (lower case), the bytes, and the body as JSON."""

    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages, oldest first."""
        return list(self.body["messages"])

    def parts(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Every content part with its message, a plain string as a text part."""
        for message in self.messages:
            content = message.get("content") or []
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            for part in content:
                yield message, part

    def texts(self, role: str) -> list[str]:
        """All texts of that role, oldest first."""
        return [
            part["text"]
            for message, part in self.parts()
            if message["role"] == role and part["type"] == "text"
        ]

    def pictures(self) -> list[Picture]:
        """All pictures, oldest first."""
        return [_picture(part["image_url"]["url"]) for _, part in self.parts() if part["type"] == "image_url"]

    def calls(self) -> list[tuple[str, dict[str, Any], str]]:
        """The model's own earlier calls: name, arguments, and the text that answered each."""
        answers = {m["tool_call_id"]: text_of(m) for m in self.messages if m["role"] == "tool"}
        return [
            (call["function"]["name"], json.loads(call["function"]["arguments"]), answers.get(call["id"], ""))
            for message in self.messages
            for call in message.get("tool_calls") or ()
        ]

    def violations(self) -> list[str]:
        """What a strict provider would refuse about this request."""
        return [*_roles(self), *_answers(self.messages), *_misplaced_pictures(self)]


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, whatever form its content has."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


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


def _misplaced_pictures(request: Request) -> Iterator[str]:
    for message, part in request.parts():
        if part["type"] == "image_url" and message["role"] != "user":
            yield f"a {message['role']} message holds a picture"


def _picture(url: str) -> Picture:
    header, _, data = url.partition(",")
    raw = base64.b64decode(data, validate=True)
    size = _png_size(raw) if header == "data:image/png;base64" else _jpeg_size(raw)
    return Picture(raw, *size)


def _png_size(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Walk the segments to the start of frame, which holds height and width."""
    place = 2
    while data[place] == 0xFF:
        marker, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        if 0xC0 <= marker <= 0xC3:
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        place += 2 + length
    raise ValueError("this JPEG has no start of frame")
