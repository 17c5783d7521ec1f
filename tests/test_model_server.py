"""The model server of the tests itself: the protocols, the faults, the quirks, and what it tells about its models."""

from __future__ import annotations

import http.client
import json
import socket
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_client import NAMES, Client, Heard, heard, send
from model_server import (
    Call,
    Closed,
    ComputerCall,
    Cut,
    Fails,
    Garbled,
    ModelServer,
    Reply,
    Runtime,
    SafetyCheck,
    Scripted,
    Served,
    Status,
)
from model_server.protocols import Chat, Gemini, Messages, Ollama, Responses
from model_server.protocols.protocol import Saying

if TYPE_CHECKING:
    from model_server import Quirk, Request, Turn
    from model_server.protocols.protocol import WireProtocol

TEXT = "Ich häng' 😀 hier.\u2028Done"
ARGUMENTS = {"action": "type", "text": 'Ада "é"\n'}
LOOK = Call("computer", {"action": "look"})
REPLY = Reply(
    text=TEXT,
    thinking="hm… ✓",
    calls=(Call("computer", ARGUMENTS), LOOK),
    tokens=(100, 10, 40),
    written=25,
    reasoned=4,
)
EXPECTED = Heard("hm… ✓", TEXT, [("computer", ARGUMENTS), ("computer", {"action": "look"})])
PROTOCOLS: tuple[WireProtocol, ...] = (Chat(), Responses(), Messages(), Gemini(), Ollama())

every_protocol = pytest.mark.parametrize("name", NAMES)


def ask(name: str, turn: Turn, *, stream: bool = True, **settings_: Any) -> Any:  # noqa: ANN401 - JSON inside
    """What a client gets for the one turn."""
    with ModelServer(Scripted([turn]), **settings_) as server:
        got = Client(server, name).ask(stream=stream)
        server.assert_clean()
    return got


@every_protocol
@pytest.mark.parametrize(("chunk", "split"), [(3, 1), (7, 2), (1000, 5), (1, None)])
def test_every_protocol_says_the_same_however_it_is_cut(name: str, chunk: int, split: int | None) -> None:
    streamed = ask(name, REPLY, chunk=chunk, split=split)
    whole = ask(name, REPLY, chunk=chunk, split=split, stream=False)
    assert heard(name, streamed.events()) == EXPECTED
    assert heard(name, [whole.json()]) == EXPECTED
    assert streamed.whole


@settings(max_examples=60, deadline=None)
@given(
    protocol=st.sampled_from(PROTOCOLS),
    chunk=st.integers(1, 40),
    text=st.text(max_size=40),
    thinking=st.text(max_size=20),
    calls=st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=3),
)
def test_the_size_of_the_pieces_changes_nothing(
    protocol: WireProtocol, chunk: int, text: str, thinking: str, calls: list[dict[str, str]]
) -> None:
    reply = Reply(text=text, thinking=thinking, calls=tuple(Call("computer", one) for one in calls))
    events = list(protocol.events(Saying(reply=reply, model="scripted", chunk=chunk)))
    values = [json.loads(event.data) for event in events if event.data != "[DONE]"]
    assert heard(protocol.name, values) == Heard(thinking, text, [("computer", one) for one in calls])


def test_the_bytes_are_cut_inside_a_character() -> None:
    with ModelServer(Scripted([Reply(text="é" * 50)]), chunk=1000, split=3) as server:
        body = json.dumps(Client(server, "chat").body | {"stream": True}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(head.encode() + body)
            sent = b"".join(iter(lambda: connection.recv(65536), b""))
    chunks = sent.partition(b"\r\n\r\n")[2]
    sizes, pieces = [], []
    while chunks:
        size, _, chunks = chunks.partition(b"\r\n")
        sizes.append(int(size, 16))
        pieces.append(chunks[: sizes[-1]])
        chunks = chunks[sizes[-1] + 2 :]
    assert set(sizes[:-2]) == {3}
    assert "é" * 50 in b"".join(pieces).decode(), "it is sent as it is, not as an escape"
    assert any(piece.endswith("é".encode()[:1]) for piece in pieces)


def usage_of(name: str, value: Any) -> tuple[int, int, int, int]:  # noqa: ANN401 - JSON
    """In (of it from the cache), out, and thoughts, in the provider's own words."""
    match name:
        case "chat":
            use = value["usage"]
            details = use["prompt_tokens_details"]["cached_tokens"]
            thought = use["completion_tokens_details"]["reasoning_tokens"]
            return use["prompt_tokens"], details, use["completion_tokens"], thought
        case "responses":
            use = value.get("response", value)["usage"]
            details = use["input_tokens_details"]["cached_tokens"]
            return (
                use["input_tokens"],
                details,
                use["output_tokens"],
                use["output_tokens_details"]["reasoning_tokens"],
            )
        case "messages":
            use = value["usage"]
            cached = use["cache_read_input_tokens"]
            total = use["input_tokens"] + cached + use["cache_creation_input_tokens"]
            return total, cached, use["output_tokens"], 4
        case "gemini":
            use = value["usageMetadata"]
            out = use["candidatesTokenCount"] + use["thoughtsTokenCount"]
            return use["promptTokenCount"], use["cachedContentTokenCount"], out, use["thoughtsTokenCount"]
        case _:
            return value["prompt_eval_count"], 40, value["eval_count"], 4


@every_protocol
def test_the_numbers_of_tokens_come_in_the_providers_words(name: str) -> None:
    assert usage_of(name, ask(name, REPLY, stream=False).json()) == (100, 40, 10, 4)
    events = ask(name, REPLY).events()
    if name == "messages":
        merged = events[0]["message"]["usage"] | events[-2]["usage"]
        assert usage_of(name, {"usage": merged}) == (100, 40, 10, 4)
    else:
        assert usage_of(name, events[-1]) == (100, 40, 10, 4)


FINISHES = {
    "chat": lambda events: events[-2]["choices"][0]["finish_reason"],
    "responses": lambda events: (events[-1]["response"]["incomplete_details"] or {}).get("reason"),
    "messages": lambda events: events[-2]["delta"]["stop_reason"],
    "gemini": lambda events: events[-1]["candidates"][0]["finishReason"],
    "ollama": lambda events: events[-1]["done_reason"],
}


@pytest.mark.parametrize(
    ("finish", "words"),
    [
        ("length", ("length", "max_output_tokens", "max_tokens", "MAX_TOKENS", "length")),
        ("content_filter", ("content_filter", "content_filter", "refusal", "SAFETY", "stop")),
        (None, ("stop", None, "end_turn", "STOP", "stop")),
    ],
)
def test_each_says_why_it_ended_in_its_own_words(finish: str | None, words: tuple[str | None, ...]) -> None:
    reply = Reply(text="so", finish=finish)
    assert tuple(FINISHES[name](ask(name, reply).events()) for name in NAMES) == words


@every_protocol
def test_a_body_that_is_no_request_is_refused(name: str) -> None:
    with ModelServer(Scripted([])) as server:
        client = Client(server, name)
        client.body.clear()
        assert client.ask().status == 400
        assert "cannot be read" in server.complaints[0]


def test_gemini_has_no_parts_for_a_malformed_call() -> None:
    reply = Reply(calls=(Call("computer", '{"action": "cl'),))
    (candidate,) = ask("gemini", reply, stream=False).json()["candidates"]
    assert candidate["finishReason"] == "MALFORMED_FUNCTION_CALL"
    assert candidate["content"] == {}


@every_protocol
@pytest.mark.parametrize("kind", ["rate", "auth", "context", "overloaded", "content_filter"])
def test_a_failure_has_the_shape_and_words_of_its_provider(name: str, kind: Any) -> None:  # noqa: ANN401 - a kind
    got = ask(name, Status(status=429, kind=kind, retry_after=3))
    error = got.json()["error"]
    words = error if isinstance(error, str) else error["message"]
    assert got.status == 429
    if name != "ollama":
        assert words != "the server was told to fail"
    if name == "gemini":
        assert "Retry-After" not in got.headers
        assert error["details"][0]["retryDelay"] == "3s"
    else:
        assert got.headers["Retry-After"] == "3"


@every_protocol
def test_the_time_to_wait_can_come_as_a_date(name: str) -> None:
    got = ask(name, Status(status=503, retry_after=60, dated=True))
    wait = parsedate_to_datetime(got.headers["Retry-After"]) - parsedate_to_datetime(got.headers["Date"])
    assert 59 <= wait.total_seconds() <= 61


@every_protocol
def test_a_reply_can_be_cut_after_its_calls_are_whole(name: str) -> None:
    got = ask(name, Cut("calls", REPLY))
    assert not got.whole
    whole = ask(name, REPLY).events()
    assert got.events() == whole[: len(got.events())]
    ends = {"chat": 2, "messages": 2}.get(name, 1)
    assert len(whole) - len(got.events()) == ends
    if name != "responses":  # its last event is what holds the calls again
        calls = heard(
            name, [*got.events(), *([{"done": True, "message": {"content": ""}}] * (name == "ollama"))]
        ).calls
        assert calls == EXPECTED.calls


@every_protocol
def test_a_reply_can_be_cut_inside_an_event(name: str) -> None:
    got = ask(name, Cut(2, REPLY, inside=True))
    assert not got.whole
    assert len(got.events()) == 2
    after = got.body.decode(errors="ignore").rstrip().split("\n")[-1].removeprefix("data: ")
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(after)


@every_protocol
def test_a_chunk_can_be_no_json(name: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        ask(name, Garbled(1, REPLY)).events()
    with pytest.raises(json.JSONDecodeError):
        ask(name, Garbled(), stream=False).json()


@every_protocol
def test_a_stream_can_say_that_it_fails(name: str) -> None:
    last = ask(name, Fails(3, REPLY)).events()[-1]
    error = last.get("error") or last["response"]["error"]
    assert isinstance(error, dict | str)


@every_protocol
def test_a_connection_can_be_closed_before_a_byte(name: str) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        ask(name, Closed())


@pytest.mark.parametrize("quirk", ["crlf", "comments", "tight"])
@pytest.mark.parametrize("name", ["chat", "responses", "messages", "gemini"])
def test_events_may_look_different_and_mean_the_same(name: str, quirk: Quirk) -> None:
    got = ask(name, REPLY, quirks=[quirk])
    assert heard(name, got.events()) == EXPECTED
    assert {"crlf": b"}\r\n\r\n", "comments": b": PROCESSING\n\n", "tight": b"data:{"}[quirk] in got.body


@every_protocol
def test_a_call_can_come_back_as_text(name: str) -> None:
    said = heard(name, ask(name, Reply(text="So:", calls=(LOOK,)), quirks=["ollama_text_calls"]).events())
    assert said.text == 'So:\n{"name": "computer", "arguments": {"action": "look"}}'
    assert said.calls == []


def test_calls_can_lack_an_id_and_an_index() -> None:
    got = ask("chat", Reply(calls=(LOOK, LOOK)), quirks=["id_less_calls", "index_less_calls"])
    calls = [
        call
        for event in got.events()
        if event["choices"]
        for call in event["choices"][0]["delta"].get("tool_calls", ())
    ]
    assert [sorted(call) for call in calls] == [["function", "type"]] * 2


def test_a_stream_can_lack_the_numbers_and_come_in_one_piece() -> None:
    events = ask("chat", Reply(text=TEXT), quirks=["no_stream_usage", "single_chunk"], chunk=1).events()
    assert [event["choices"][0]["delta"].get("content") for event in events] == ["", TEXT, None]
    assert not any("usage" in event for event in events)


@every_protocol
def test_a_model_may_take_no_tools_or_no_pictures(name: str) -> None:
    tools: Any = [{"type": "function", "name": "x", "parameters": {}, "input_schema": {"type": "object"}}]
    if name == "messages":
        del tools[0]["type"]
    with ModelServer(Scripted([REPLY]), quirks=["no_tools"]) as server:
        refused = Client(server, name, {"tools": tools}).ask()
        assert refused.status == 400
        assert "does not support tools" in refused.body.decode()
        assert Client(server, name).ask().status == 200
        server.assert_clean()
    with ModelServer(Scripted([]), quirks=["no_images"]) as server:
        assert Client(server, name).ask().status == 400


def test_local_runtimes_fail_in_their_own_ways() -> None:
    full = Status(status=400, kind="context")

    def failed(flavour: Any, *, stream: bool = False) -> Any:  # noqa: ANN401 - JSON inside
        return ask("chat", full, stream=stream, runtime=Runtime(flavour=flavour))

    assert failed("llamacpp").json()["error"]["type"] == "exceed_context_size_error"
    assert failed("vllm").json()["error"]["type"] == "BadRequestError"
    assert "n_ctx: 4096" in failed("lmstudio").json()["error"]
    odd = failed("lmstudio", stream=True)
    assert odd.status == 200, "LM Studio says it in the stream"
    assert odd.body.startswith(b"event: error")
    assert "n_ctx: 4096" in odd.events()[0]["error"]["message"]
    with ModelServer(Scripted([]), quirks=["no_images"], runtime=Runtime(flavour="llamacpp")) as server:
        got = Client(server, "chat").ask()
        assert (got.status, got.json()["error"]["type"]) == (500, "server_error")


def test_a_list_without_pictures_may_be_refused() -> None:
    with ModelServer(Scripted([REPLY]), quirks=["string_content_only"]) as server:
        client = Client(server, "chat")
        client.messages[1] = {"role": "user", "content": [{"type": "text", "text": "go"}]}
        assert client.ask().status == 400
        client.messages[1] = {"role": "user", "content": "go"}
        assert client.ask().status == 200


@every_protocol
def test_a_model_may_not_see_the_pictures_that_were_sent_with_tools(name: str) -> None:
    seen: list[int] = []

    def look(request: Request) -> None:
        seen.append(len(request.pictures()))

    tools = [{"name": "x", "input_schema": {"type": "object"}, "type": "function", "parameters": {}}]
    if name == "messages":
        del tools[0]["type"]
    with ModelServer(Scripted([REPLY] * 2, check=look), quirks=["lmstudio_blind"]) as server:
        Client(server, name, {"tools": tools}).ask()
        Client(server, name).ask()
        assert [len(request.pictures()) for request in server.requests] == [1, 1], "they came all the same"
    assert seen == [0, 1]


def test_a_computer_call_has_one_action_or_several_and_its_checks() -> None:
    check = SafetyCheck(id="c1")
    old = ComputerCall(actions=({"type": "wait"},), checks=(check,), batched=False)
    (item,) = ask("responses", Reply(calls=(old,)), stream=False).json()["output"]
    assert item["action"] == {"type": "wait"}
    assert [one["id"] for one in item["pending_safety_checks"]] == ["c1"]
    new = ComputerCall(actions=({"type": "wait"}, {"type": "screenshot"}))
    (item,) = ask("responses", Reply(calls=(new,))).events()[-1]["response"]["output"]
    assert item["actions"] == [{"type": "wait"}, {"type": "screenshot"}]
    assert "pending_safety_checks" not in item


MODELS = (
    Served(name="qwen2.5vl:7b", sees=True, context=128_000, held=8192),
    Served(name="plain:latest", calls=False, loaded=False),
)


def told(flavour: Any, path: str, method: str = "GET", body: object = None) -> Any:  # noqa: ANN401 - JSON
    with ModelServer(
        Scripted([]), runtime=Runtime(flavour=flavour, models=MODELS, can_pull=("new",))
    ) as server:
        got = send(server, method, path, body)
        assert server.asked == [f"{method} {path}"]
    return got


@pytest.mark.parametrize("flavour", ["openai", "ollama", "lmstudio", "jan", "vllm", "llamacpp", "llamafile"])
def test_every_runtime_lists_its_models(flavour: str) -> None:
    listed = told(flavour, "/v1/models").json()["data"]
    assert [one["id"] for one in listed] == ["qwen2.5vl:7b", "plain:latest"]
    assert listed[0].get("max_model_len") == (8192 if flavour == "vllm" else None)


def test_ollama_tells_what_a_model_can_do() -> None:
    assert [one["name"] for one in told("ollama", "/api/tags").json()["models"]] == [
        "qwen2.5vl:7b",
        "plain:latest",
    ]
    shown = told("ollama", "/api/show", "POST", {"model": "qwen2.5vl:7b"}).json()
    assert shown["capabilities"] == ["completion", "vision", "tools"]
    assert shown["model_info"]["qwen2.5vl.context_length"] == 128_000
    assert told("ollama", "/api/show", "POST", {"model": "plain"}).json()["capabilities"] == ["completion"]
    assert told("ollama", "/api/show", "POST", {"model": "none"}).status == 404
    assert "version" in told("ollama", "/api/version").json()


def test_ollama_pulls_what_there_is() -> None:
    steps = told("ollama", "/api/pull", "POST", {"model": "new"}).events()
    assert steps[-1] == {"status": "success"}
    assert any(step.get("completed") == 400 and step["total"] == 1000 for step in steps)
    assert "error" in told("ollama", "/api/pull", "POST", {"model": "none"}).events()[-1]


def test_lm_studio_and_llama_cpp_tell_what_a_model_sees_and_holds() -> None:
    first, second = told("lmstudio", "/api/v0/models").json()["data"]
    assert (first["type"], first["max_context_length"], first["loaded_context_length"]) == (
        "vlm",
        128_000,
        8192,
    )
    assert (second["type"], second["state"]) == ("llm", "not-loaded")
    newer = told("lmstudio", "/api/v1/models").json()["models"][0]
    assert newer["capabilities"] == {"vision": True, "trained_for_tool_use": True}
    props = told("llamacpp", "/props").json()
    assert props["default_generation_settings"]["n_ctx"] == 8192
    assert props["modalities"]["vision"]
    assert "tools" in props["chat_template"]


def test_without_the_key_nothing_is_told() -> None:
    with ModelServer(Scripted([REPLY] * 5), key="sk-mine") as server:
        for name, header in zip(NAMES, _KEYS, strict=True):
            client = Client(server, name)
            assert client.ask().status == 401
            client.headers |= header
            assert client.ask().status == 200
        assert send(server, "GET", "/v1/models").status == 401
        assert send(server, "GET", "/v1/models", authorization="Bearer sk-mine").status == 200
        server.assert_clean()


_BEARER = {"authorization": "Bearer sk-mine"}
_KEYS = (_BEARER, _BEARER, {"x_api_key": "sk-mine"}, {"x_goog_api_key": "sk-mine"}, _BEARER)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_is_not_there_is_not_found(method: str) -> None:
    for flavour in ("openai", "ollama", "jan", "vllm", "llamacpp", "llamafile", "anthropic", "gemini"):
        assert told(flavour, "/nothing", method, {}).status == 404, flavour
    odd = told("lmstudio", "/chat/completions", method, {})
    assert odd.status == 200, "LM Studio says so with 200"
    assert "Unexpected endpoint" in odd.json()["error"]
