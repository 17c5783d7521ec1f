"""Our own client over a real socket, against the model server: what it sends, and what each failure is called."""

import socket
from collections.abc import Callable

import pytest
from local_servers import talking
from model_server import (
    Call,
    Cut,
    Garbled,
    Hang,
    ModelServer,
    Reply,
    Runtime,
    Scripted,
    Served,
    Status,
    Turn,
)

from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.model import (
    BadReply,
    ContextFull,
    ModelError,
    NoKey,
    RateLimited,
    Refused,
    UnknownModel,
    Unreachable,
)
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.wire import Asking
from computer_agent.step import Act, Answer, Observation
from computer_api.actions import PressKeys, TypeText
from computer_api.geometry import Pixel

BLANK = Observation(screenshot=None)
CLICK = Reply(calls=(Call("computer", {"action": "click", "x": 1, "y": 2}),))
FILLED = Reply(
    text="I fill the form, ✓\u2028then save.",
    calls=(
        Call("computer", {"action": "type", "x": 12, "y": 34, "text": 'Ада "é"\n'}),
        Call("computer", {"action": "press_keys", "keys": "ctrl+s"}),
    ),
    tokens=(1200, 30, 1024),
)
FILLED_ACTIONS = (TypeText(text='Ада "é"\n', into=Pixel(12, 34)), PressKeys(keys=("Control_L", "s")))


def model(
    api_base: str, *, stream: bool = True, wait: Callable[[float], None] = lambda _: None, **settings: object
) -> LanguageModel:
    transport = Http(
        "openai/scripted",
        wire=ChatWire(),
        asking=Asking(model="scripted", stream=stream),
        api_base=api_base,
        **settings,  # type: ignore[arg-type] - fields of Http
    )
    return LanguageModel("openai/scripted", dialect=FunctionCalling(), transport=transport, wait=wait)


def decide(*turns: Turn, chunk: int = 7, **settings: object) -> Act | Answer:
    """One decision with these turns, all of which must be asked for."""
    with ModelServer(Scripted(turns), chunk=chunk) as server:
        try:
            return model(server.api_base, **settings).decide("Save it", [], BLANK, lambda _: None)  # type: ignore[arg-type]
        finally:
            server.assert_clean()


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_a_streamed_reply_is_the_same_act_at_every_chunk_size(chunk: int) -> None:
    heard: list[str] = []
    with ModelServer(Scripted([FILLED]), chunk=chunk) as server:
        act = model(server.api_base).decide("Save it", [], BLANK, heard.append)
        server.assert_clean()
    assert isinstance(act, Act)
    assert act.actions == FILLED_ACTIONS
    assert "".join(heard) == act.thought == FILLED.text
    assert (act.usage.tokens_in, act.usage.tokens_out, act.usage.tokens_cached) == (1200, 30, 1024)


def test_a_reply_in_one_piece_is_the_same_act() -> None:
    act = decide(FILLED, stream=False)
    assert isinstance(act, Act)
    assert act.actions == FILLED_ACTIONS
    assert act.usage.tokens_in == 1200


def test_only_the_key_that_was_given_is_sent() -> None:
    with ModelServer(Scripted([CLICK, CLICK])) as server:
        model(server.api_base, api_key="sk-mine").decide("t", [], BLANK, lambda _: None)
        model(server.api_base).decide("t", [], BLANK, lambda _: None)
    with_key, without = server.requests
    assert with_key.headers["authorization"] == "Bearer sk-mine"
    assert "authorization" not in without.headers
    assert without.path == "/v1/chat/completions"


def test_what_passes_is_tried_again_and_told() -> None:
    told: list[str] = []
    waits: list[float] = []
    with ModelServer(Scripted([Status(status=500), Cut(2, CLICK), Garbled(), CLICK])) as server:
        asked = model(server.api_base, wait=waits.append)
        asked.on_notice = told.append
        assert isinstance(asked.decide("t", [], BLANK, lambda _: None), Act)
        server.assert_clean()
    assert len(told) == len(waits) == 3
    assert waits == sorted(waits)


@pytest.mark.parametrize("wish", ["seconds", "date"])
def test_the_servers_wish_to_wait_is_kept(wish: str) -> None:
    waits: list[float] = []
    fault = Status(status=429, retry_after=30, dated=wish == "date")
    with ModelServer(Scripted([fault, CLICK])) as server:
        model(server.api_base, wait=waits.append).decide("t", [], BLANK, lambda _: None)
    assert len(waits) == 1
    assert 25 < waits[0] < 31


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        (Status(status=401), NoKey, "does not accept the API key"),
        (Status(status=404), UnknownModel, 'no model "openai/scripted"'),
        (Status(status=429, retry_after=500), RateLimited, "Too many requests"),
        (
            Status(status=429, code="insufficient_quota", message="insufficient_quota"),
            RateLimited,
            "no credit",
        ),
        (Status(status=400, message="maximum context length is 8192 tokens"), ContextFull, "no longer fits"),
        (Status(status=400, message="flagged by our content policy"), Refused, "rules on content"),
        (Status(status=418, message="a teapot"), Refused, r'refused the request \(418\).* "a teapot"'),
    ],
)
def test_each_failure_that_does_not_pass_ends_at_once_with_its_own_sentence(
    fault: Status, error: type[ModelError], words: str
) -> None:
    with pytest.raises(error, match=words):
        decide(fault)


def test_a_server_that_fails_again_and_again_is_named() -> None:
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:\d+ fails again and again"):
        decide(*[Status(status=503)] * 5)


def test_a_silent_server_is_given_up_after_the_time_it_was_given() -> None:
    with ModelServer(Scripted([Hang()])) as server, pytest.raises(Unreachable, match=r"within 0\.2 seconds"):
        model(server.api_base, timeout=0.2).decide("t", [], BLANK, lambda _: None)


def test_a_server_that_is_not_there_is_named_with_its_port() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match=rf"127\.0\.0\.1:{port} refused the connection"):
        model(f"http://127.0.0.1:{port}/v1").decide("t", [], BLANK, lambda _: None)


def test_an_answer_that_is_no_reply_is_not_taken_for_one() -> None:
    with pytest.raises(Unreachable, match="where a reply should be"):
        decide(*[Garbled()] * 5, stream=False)


@pytest.mark.parametrize("address", ["127.0.0.1:1234", "localhost", "ftp://x/v1", "http://", ""])
def test_what_is_no_address_is_said_before_anything_is_sent(address: str) -> None:
    with pytest.raises(ModelError, match=rf'begins with http:// or https://, not "{address}"'):
        model(address)


def test_a_wrong_name_is_answered_with_the_nearest_that_the_server_has() -> None:
    has = Runtime(flavour="vllm", models=(Served(name="qwen3-vl:8b"), Served(name="scripted-2")))
    with ModelServer(Scripted([Status(status=404)]), runtime=has) as server:
        with pytest.raises(UnknownModel, match="nearest known names: openai/scripted-2"):
            model(server.api_base, api_key="sk-mine").decide("t", [], BLANK, lambda _: None)
        assert server.asked == ["GET /v1/models"]


def test_half_a_character_from_a_program_is_no_end_of_the_run() -> None:
    with ModelServer(Scripted([CLICK])) as server:
        model(server.api_base).decide("Open \ud83d", [], BLANK, lambda _: None)
        server.assert_clean()


def test_an_idle_connection_that_the_server_closes_as_it_is_used_again_is_no_failure_of_it() -> None:
    body = b'{"choices": [{"message": {"content": "", "tool_calls": [{"id": "a", "function": {"name": "computer", '
    body += b'"arguments": "{\\"action\\": \\"wait\\"}"}}]}}]}'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    connections: list[int] = []
    noticed: list[str] = []

    def say(connection: socket.socket) -> None:
        connections.append(1)
        with connection:
            received(connection)
            connection.sendall(head + body)
            if len(connections) < 3:
                received(connection)  # the next request, after which it closes without a word

    with talking(say) as address:
        asked = model(f"{address}/v1", stream=False)
        asked.on_notice = noticed.append
        for _ in range(3):
            assert isinstance(asked.decide("t", [], BLANK, lambda _: None), Act)
    assert noticed == []
    assert len(connections) == 3


def received(connection: socket.socket) -> None:
    """A whole request."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(100_000)
        if not piece:
            return
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < length:
        body += connection.recv(100_000)


def test_replies_without_any_token_end_in_a_visible_sentence() -> None:
    with pytest.raises(BadReply, match=r"empty reply \(0 tokens\), 3 times"):
        decide(*[Reply(tokens=(5, 0, 0))] * 3)
