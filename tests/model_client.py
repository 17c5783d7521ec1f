"""A client of every protocol, as plain as can be: what the model server is tested with.

It shares nothing with our own wires, so that a misreading of a protocol cannot hide on both sides.
"""

from __future__ import annotations

import base64
import http.client
import json
import struct
import zlib
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from model_server import ModelServer

NAMES = ("chat", "responses", "messages", "gemini", "ollama")
USER = {"role": "user", "content": "go"}
COMPUTER = {"name": "computer", "description": "Acts.", "parameters": {"type": "object", "properties": {}}}
_PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "ollama": "/api/chat",
}


@cache
def png(width: int = 4, height: int = 3) -> bytes:
    """A black picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes(width + 1) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@dataclass(frozen=True)
class Got:
    """A response; ``whole`` unless the connection ended too early."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    whole: bool = True

    def json(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self.body)

    def events(self) -> list[Any]:
        """The JSON values of the stream that came in full."""
        text = self.body.decode(errors="ignore").replace("\r\n", "\n")
        if "ndjson" in str(self.headers["Content-Type"]):
            return [json.loads(line) for line in text.split("\n")[:-1] if line]
        values = []
        for event in text.split("\n\n")[:-1]:
            data = [
                line.removeprefix("data:").strip() for line in event.split("\n") if line.startswith("data:")
            ]
            values += [json.loads(line) for line in data if line != "[DONE]"]
        return values


def send(server: ModelServer, method: str, path: str, body: object = None, **headers: str) -> Got:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    raw = None if body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, raw, {"anthropic-version": "2023-06-01", **named})
        response = connection.getresponse()
        try:
            return Got(response.status, response.headers, response.read())
        except http.client.IncompleteRead as cut:
            return Got(response.status, response.headers, cut.partial, whole=False)
    finally:
        connection.close()


@dataclass(frozen=True)
class Heard:
    """A reply put together."""

    thinking: str
    text: str
    calls: list[tuple[str, Any]]


@dataclass
class Client:
    """One conversation in the protocol ``name``; ``body`` is the next request."""

    server: ModelServer
    name: str
    body: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        picture = png()
        first: dict[str, Any] = {
            "chat": lambda: {
                "messages": [{"role": "system", "content": "be brief"}, _chat_user("go", picture)]
            },
            "responses": lambda: {"instructions": "be brief", "input": [_responses_user("go", picture)]},
            "messages": lambda: {
                "system": "be brief",
                "max_tokens": 99,
                "messages": [{"role": "user", "content": [_text("go"), _image(picture)]}],
            },
            "gemini": lambda: {
                "systemInstruction": {"parts": [{"text": "be brief"}]},
                "contents": [{"role": "user", "parts": [{"text": "go"}, _inline(picture)]}],
            },
            "ollama": lambda: {
                "messages": [
                    {"role": "system", "content": "be brief"},
                    {"role": "user", "content": "go", "images": [_coded(picture)]},
                ]
            },
        }[self.name]()
        self.body = first | self.body
        if self.name != "gemini":
            self.body.setdefault("model", "scripted")

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, to be looked at and changed."""
        kept: list[dict[str, Any]] = self.body[
            {"responses": "input", "gemini": "contents"}.get(self.name, "messages")
        ]
        return kept

    def ask(self, *, stream: bool = True) -> Got:
        if self.name == "gemini":
            method = "streamGenerateContent?alt=sse" if stream else "generateContent"
            return send(self.server, "POST", f"/v1beta/models/scripted:{method}", self.body, **self.headers)
        body = self.body | {"stream": stream}
        return send(self.server, "POST", _PATHS[self.name], body, **self.headers)

    def heard(self, *, stream: bool = True) -> Heard:
        got = self.ask(stream=stream)
        assert got.status == 200, got.body
        return heard(self.name, got.events() if stream else [got.json()])

    def turn(self, answer: str = "done", picture: bytes | None = None) -> Any:  # noqa: ANN401 - JSON
        """Ask, take the reply into the conversation, and answer its calls; words are answered by words."""
        got = self.ask(stream=False)
        assert got.status == 200, got.body
        reply = got.json()
        self.messages.extend(_CONTINUE[self.name](reply, answer, picture or png()))
        return reply


def heard(name: str, values: list[Any]) -> Heard:
    return _HEARD[name](values)


def _chat(values: list[Any]) -> Heard:
    thinking, text, calls = "", "", dict[int, list[str]]()
    for choice in [value["choices"][0] for value in values if value["choices"]]:
        delta = choice["delta"] if "delta" in choice else choice["message"]
        thinking += delta.get("reasoning_content") or ""
        text += delta.get("content") or ""
        for place, call in enumerate(delta.get("tool_calls") or ()):
            known = calls.setdefault(call.get("index", place), ["", ""])
            known[0] += call["function"].get("name") or ""
            known[1] += call["function"]["arguments"]
    return Heard(thinking, text, [(call, json.loads(given)) for call, given in calls.values()])


def _responses(values: list[Any]) -> Heard:
    """The last event holds all; the deltas must say the same."""
    last = values[-1].get("response") or values[-1]

    def joined(kind: str) -> str:
        return "".join(value["delta"] for value in values if value.get("type") == f"response.{kind}.delta")

    def items(kind: str) -> list[Any]:
        return [one for one in last["output"] if one["type"] == kind]

    text = "".join(part["text"] for one in items("message") for part in one["content"])
    thinking = "".join(part["text"] for one in items("reasoning") for part in one["summary"])
    given = "".join(call["arguments"] for call in items("function_call"))
    if len(values) > 1:
        assert joined("output_text") == text
        assert joined("reasoning_summary_text") == thinking
        assert joined("function_call_arguments") == given
        assert [value["sequence_number"] for value in values] == list(range(len(values)))
    return Heard(
        thinking, text, [(one["name"], json.loads(one["arguments"])) for one in items("function_call")]
    )


def _messages(values: list[Any]) -> Heard:
    blocks = values[0]["content"] if len(values) == 1 else _blocks(values)
    return Heard(
        "".join(block["thinking"] for block in blocks if block["type"] == "thinking"),
        "".join(block["text"] for block in blocks if block["type"] == "text"),
        [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"],
    )


def _blocks(values: list[Any]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for value in values:
        if value["type"] == "content_block_start":
            blocks.append(dict(value["content_block"], partial=""))
        elif value["type"] == "content_block_delta":
            assert value["index"] == len(blocks) - 1
            for name in ("text", "thinking", "signature"):
                blocks[-1][name] = blocks[-1].get(name, "") + value["delta"].get(name, "")
            blocks[-1]["partial"] += value["delta"].get("partial_json", "")
    for block in blocks:
        block["input"] = json.loads(block["partial"] or "{}")
    return blocks


def _gemini(values: list[Any]) -> Heard:
    parts = [part for value in values for part in value["candidates"][0]["content"].get("parts", ())]
    called = [part["functionCall"] for part in parts if "functionCall" in part]
    return Heard(
        "".join(part["text"] for part in parts if part.get("thought")),
        "".join(part["text"] for part in parts if "text" in part and not part.get("thought")),
        [(call["name"], call["args"]) for call in called],
    )


def _ollama(values: list[Any]) -> Heard:
    said = [value["message"] for value in values]
    assert [value["done"] for value in values] == [False] * (len(values) - 1) + [True]
    called = [call["function"] for message in said for call in message.get("tool_calls") or ()]
    return Heard(
        "".join(message.get("thinking", "") for message in said),
        "".join(message["content"] for message in said),
        [(call["name"], call["arguments"]) for call in called],
    )


_HEARD: dict[str, Callable[[list[Any]], Heard]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
    "gemini": _gemini,
    "ollama": _ollama,
}


def _after_chat(reply: Any, answer: str, picture: bytes) -> Sequence[Any]:  # noqa: ANN401 - JSON
    message = {name: value for name, value in reply["choices"][0]["message"].items() if value}
    calls = message.get("tool_calls", ())
    tools = [{"role": "tool", "tool_call_id": call["id"], "content": answer} for call in calls]
    return [message, *tools, _chat_user("" if calls else answer, picture)]


def _after_responses(reply: Any, answer: str, picture: bytes) -> Sequence[Any]:  # noqa: ANN401 - JSON
    outputs: list[dict[str, Any]] = []
    for item in reply["output"]:
        if item["type"] == "function_call":
            outputs.append({"type": "function_call_output", "call_id": item["call_id"], "output": answer})
        elif item["type"] == "computer_call":
            shot = {"type": "computer_screenshot", "image_url": data_url(picture)}
            output = {"type": "computer_call_output", "call_id": item["call_id"], "output": shot}
            checks = item.get("pending_safety_checks")
            outputs.append(output | ({"acknowledged_safety_checks": list(checks)} if checks else {}))
    return [*reply["output"], *outputs] if outputs else [*reply["output"], _responses_user(answer, picture)]


def _after_messages(reply: Any, answer: str, picture: bytes) -> Sequence[Any]:  # noqa: ANN401 - JSON
    results: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": [_text(answer), _image(picture)]}
        for block in reply["content"]
        if block["type"] == "tool_use"
    ]
    content = results or [_text(answer), _image(picture)]
    return [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": content}]


def _after_gemini(reply: Any, answer: str, picture: bytes) -> Sequence[Any]:  # noqa: ANN401 - JSON
    content = reply["candidates"][0]["content"]
    answers: list[dict[str, Any]] = []
    for call in [part["functionCall"] for part in content["parts"] if "functionCall" in part]:
        decided = {"safety_acknowledgement": "true"} if "safety_decision" in call["args"] else {}
        response = {
            "name": call["name"],
            "response": {"output": answer} | decided,
            "parts": [_inline(picture)],
        }
        answers.append({"functionResponse": response})
    return [content, {"role": "user", "parts": answers or [{"text": answer}, _inline(picture)]}]


def _after_ollama(reply: Any, answer: str, picture: bytes) -> Sequence[Any]:  # noqa: ANN401 - JSON
    calls = reply["message"].get("tool_calls", ())
    tools = [{"role": "tool", "tool_name": call["function"]["name"], "content": answer} for call in calls]
    words = "" if calls else answer
    return [reply["message"], *tools, {"role": "user", "content": words, "images": [_coded(picture)]}]


_CONTINUE: dict[str, Callable[[Any, str, bytes], Sequence[Any]]] = {
    "chat": _after_chat,
    "responses": _after_responses,
    "messages": _after_messages,
    "gemini": _after_gemini,
    "ollama": _after_ollama,
}


def _coded(picture: bytes) -> str:
    return base64.b64encode(picture).decode()


def data_url(picture: bytes) -> str:
    return f"data:image/png;base64,{_coded(picture)}"


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _image(picture: bytes) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _coded(picture)}}


def _inline(picture: bytes) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/png", "data": _coded(picture)}}


def _chat_user(text: str, picture: bytes) -> dict[str, Any]:
    words = [_text(text)] if text else []
    return {
        "role": "user",
        "content": [*words, {"type": "image_url", "image_url": {"url": data_url(picture)}}],
    }


def _responses_user(text: str, picture: bytes) -> dict[str, Any]:
    image = {"type": "input_image", "image_url": data_url(picture)}
    return {"role": "user", "content": [{"type": "input_text", "text": text}, image]}
