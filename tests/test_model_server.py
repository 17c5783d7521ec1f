"""The model server of the tests itself: every protocol says the same reply, however it is cut."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any

import pytest
from model_server import Call, ModelServer, Reply, Scripted, Status

TEXT = "Ich häng' 😀 hier.\u2028Done"
ARGUMENTS = {"action": "type", "text": 'Ада "é"\n'}
REPLY = Reply(
    text=TEXT,
    thinking="hm… ✓",
    calls=(Call("computer", ARGUMENTS), Call("computer", {"action": "look"})),
    tokens=(100, 10, 40),
)


@dataclass(frozen=True)
class Spoken:
    """A protocol: where to POST, and the smallest request."""

    path: str
    body: dict[str, Any]
    stream_path: str = ""
    streamed: dict[str, Any] | None = None


USER = [{"role": "user", "content": "go"}]
PROTOCOLS = {
    "chat": Spoken("/v1/chat/completions", {"messages": [{"role": "system", "content": "s"}, *USER]}),
    "responses": Spoken("/v1/responses", {"input": "go"}),
    "messages": Spoken("/v1/messages", {"messages": USER, "max_tokens": 9}),
    "gemini": Spoken(
        "/v1beta/models/scripted:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": "go"}]}]},
        stream_path="/v1beta/models/scripted:streamGenerateContent?alt=sse",
    ),
    "ollama": Spoken("/api/chat", {"messages": USER}),
}


@dataclass(frozen=True)
class Got:
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    whole: bool

    def json(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self.body)

    def events(self) -> list[Any]:
        """The stream's JSON values, by the rules of its framing."""
        text = self.body.decode().replace("\r\n", "\n")
        if "ndjson" in str(self.headers["Content-Type"]):
            return [json.loads(line) for line in text.split("\n") if line]
        lines = [line.removeprefix("data:") for line in text.split("\n") if line.startswith("data:")]
        return [json.loads(line) for line in lines if line.strip() != "[DONE]"]


def send(server: ModelServer, method: str, path: str, body: object = None, **headers: str) -> Got:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    raw = None if body is None else json.dumps(body).encode()
    connection.request(method, path, raw, {"anthropic-version": "2023-06-01", **headers})
    response = connection.getresponse()
    try:
        got = Got(response.status, response.headers, response.read(), whole=True)
    except http.client.IncompleteRead as cut:
        got = Got(response.status, response.headers, cut.partial, whole=False)
    connection.close()
    return got


def ask(server: ModelServer, name: str, *, stream: bool) -> Got:
    spoken = PROTOCOLS[name]
    path = spoken.stream_path or spoken.path if stream else spoken.path
    body = spoken.body if name == "gemini" else spoken.body | {"stream": stream}
    return send(server, "POST", path, {"model": "scripted", **body} if name != "gemini" else body)


@dataclass(frozen=True)
class Heard:
    """A reply as a client of the protocol puts it together."""

    thinking: str
    text: str
    calls: list[tuple[str, Any]]


def heard(name: str, values: list[Any]) -> Heard:
    return {
        "chat": chat,
        "responses": responses,
        "messages": messages,
        "gemini": gemini,
        "ollama": ollama,
    }[name](values)


def chat(values: list[Any]) -> Heard:
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


def responses(values: list[Any]) -> Heard:
    last = values[-1].get("response") or values[-1]
    deltas = {
        kind: "".join(value["delta"] for value in values if value.get("type") == f"response.{kind}.delta")
        for kind in ("output_text", "reasoning_summary_text", "function_call_arguments")
    }
    items = {kind: [one for one in last["output"] if one["type"] == kind] for kind in _KINDS}
    text = items["message"][0]["content"][0]["text"]
    thinking = items["reasoning"][0]["summary"][0]["text"]
    calls = [(call["name"], json.loads(call["arguments"])) for call in items["function_call"]]
    if len(values) > 1:
        given = "".join(call["arguments"] for call in items["function_call"])
        assert list(deltas.values()) == [text, thinking, given]
        assert [value["sequence_number"] for value in values] == list(range(len(values)))
    return Heard(thinking, text, calls)


_KINDS = ("message", "reasoning", "function_call")


def messages(values: list[Any]) -> Heard:
    if len(values) == 1:
        blocks = values[0]["content"]
    else:
        blocks = list[dict[str, Any]]()
        for value in values:
            if value["type"] == "content_block_start":
                blocks.append(dict(value["content_block"], partial=""))
            elif value["type"] == "content_block_delta":
                assert value["index"] == len(blocks) - 1
                for field in ("text", "thinking", "signature"):
                    blocks[-1][field] = blocks[-1].get(field, "") + value["delta"].get(field, "")
                blocks[-1]["partial"] += value["delta"].get("partial_json", "")
        for block in blocks:
            block["input"] = json.loads(block["partial"] or "{}")
    thinking = "".join(block["thinking"] for block in blocks if block["type"] == "thinking")
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    return Heard(thinking, text, [(b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"])


def gemini(values: list[Any]) -> Heard:
    parts = [part for value in values for part in value["candidates"][0]["content"].get("parts", ())]
    thinking = "".join(part["text"] for part in parts if part.get("thought"))
    text = "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
    called = [part["functionCall"] for part in parts if "functionCall" in part]
    return Heard(thinking, text, [(call["name"], call["args"]) for call in called])


def ollama(values: list[Any]) -> Heard:
    said = [value["message"] for value in values]
    assert [value["done"] for value in values] == [False] * (len(values) - 1) + [True]
    called = [call["function"] for message in said for call in message.get("tool_calls") or ()]
    return Heard(
        "".join(message.get("thinking", "") for message in said),
        "".join(message["content"] for message in said),
        [(call["name"], call["arguments"]) for call in called],
    )


EXPECTED = Heard("hm… ✓", TEXT, [("computer", ARGUMENTS), ("computer", {"action": "look"})])


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize(("chunk", "split"), [(1, None), (3, 1), (7, 2), (1000, 5), (1000, None)])
def test_every_protocol_says_the_same_however_it_is_cut(name: str, chunk: int, split: int | None) -> None:
    with ModelServer(Scripted([REPLY, REPLY]), chunk=chunk, split=split) as server:
        streamed, whole = (ask(server, name, stream=stream) for stream in (True, False))
        server.assert_clean()
    assert heard(name, streamed.events()) == EXPECTED
    assert heard(name, [whole.json()]) == EXPECTED
    assert streamed.whole


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_failure_has_the_shape_of_its_provider(name: str) -> None:
    with ModelServer(Scripted([Status(status=429, kind="rate", retry_after=3)])) as server:
        got = ask(server, name, stream=True)
    assert got.status == 429
    error = got.json()["error"]
    assert ("Retry-After" in got.headers) == (name != "gemini")
    match name:
        case "chat" | "responses":
            assert error["code"] == "rate_limit_exceeded"
        case "messages":
            assert error["type"] == "rate_limit_error"
        case "gemini":
            assert error["status"] == "RESOURCE_EXHAUSTED"
            assert error["details"][0]["retryDelay"] == "3s"
        case _:
            assert isinstance(error, str)
