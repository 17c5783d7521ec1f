"""Each wire over a real socket: the same reply however it was cut, and no half reply taken for a whole one."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from model_server import (
    Call,
    Closed,
    Cut,
    Fails,
    Garbled,
    Hang,
    ModelServer,
    Reply,
    Runtime,
    Scripted,
    Status,
    Turn,
)

from computer_agent.models.dialect import Prompt
from computer_agent.models.model import ContextFull, ModelError, NoKey, RateLimited, UnknownModel, Unreachable
from computer_agent.models.transports.failures import FailedError
from computer_agent.models.transports.http import Http
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.gemini import GeminiWire
from computer_agent.models.wires.messages import MessagesWire
from computer_agent.models.wires.ollama import OllamaWire
from computer_agent.models.wires.responses import ResponsesWire
from computer_agent.models.wires.wire import Asking
from computer_vision.picture import png

if TYPE_CHECKING:
    from collections.abc import Callable

    from model_server import Quirk

    from computer_agent.models import dialect
    from computer_agent.models.wires.wire import Wire

PICTURE = "data:image/png;base64," + base64.b64encode(png(np.zeros((20, 30, 4), np.uint8))).decode()
WEATHER = {
    "name": "weather",
    "description": "Of a place.",
    "parameters": {"type": "object", "properties": {}},
}


@dataclass(frozen=True)
class Case:
    """A wire, the path of its API, and a prompt in its form."""

    wire: Wire
    base: str
    prompt: Prompt
    thinks: bool = True

    def http(self, server: ModelServer, *, stream: bool = True, timeout: float = 30.0) -> Http:
        return Http(
            "a/model",
            wire=self.wire,
            asking=Asking(model="scripted", stream=stream, temperature=0.5, max_tokens=77),
            api_base=server.address + self.base,
            api_key="sk-mine",
            timeout=timeout,
        )


SAID = {"role": "user", "content": "Hello"}
CASES = {
    "chat": Case(
        ChatWire(),
        "/v1",
        Prompt(
            wire="chat", system="Work.", messages=(SAID,), tools=({"type": "function", "function": WEATHER},)
        ),
        thinks=False,
    ),
    "messages": Case(
        MessagesWire(),
        "/v1",
        Prompt(
            wire="messages",
            system="Work.",
            messages=(SAID,),
            tools=({"name": "weather", "input_schema": {"type": "object", "properties": {}}},),
        ),
    ),
    "responses": Case(
        ResponsesWire(),
        "/v1",
        Prompt(wire="responses", system="Work.", messages=(SAID,), tools=({"type": "function", **WEATHER},)),
    ),
    "gemini": Case(
        GeminiWire(),
        "/v1beta",
        Prompt(
            wire="gemini",
            system="Work.",
            messages=({"role": "user", "parts": [{"text": "Hello"}]},),
            tools=({"functionDeclarations": [WEATHER]},),
        ),
    ),
    "ollama": Case(
        OllamaWire(context=16384),
        "",
        Prompt(
            wire="chat", system="Work.", messages=(SAID,), tools=({"type": "function", "function": WEATHER},)
        ),
        thinks=False,
    ),
}
ARGUMENTS = {"place": "Zürich\u2028✓ \U0001f600", "days": [1, 2.5, None, True], "text": 'a "b"\n\\c'}


def reply(case: Case) -> Reply:
    return Reply(
        text="I look — ✓\u2028 \U0001f600 then go on.",
        calls=(Call("weather", ARGUMENTS), Call("weather", {})),
        tokens=(1200, 30, 1024 if case.wire.framing == "sse" else 0),
        thinking="First I think." if case.thinks else "",
    )


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


def ask(
    case: Case, *turns: Turn, server: Callable[[Scripted], ModelServer], stream: bool = True
) -> dialect.Reply:
    with server(Scripted(turns)) as served:
        try:
            return case.http(served, stream=stream).ask(case.prompt, lambda _: None)
        finally:
            assert not served.complaints


def test_the_reply_is_the_same_at_every_cut_and_in_one_piece(case: Case) -> None:
    whole = ask(case, reply(case), server=ModelServer, stream=False)
    assert whole.text == reply(case).text
    assert [(call.name, json.loads(call.arguments)) for call in whole.calls] == [
        ("weather", ARGUMENTS),
        ("weather", {}),
    ]
    assert whole.finish == "tool_calls"
    assert (whole.usage.tokens_in, whole.usage.tokens_out) == (1200, 30)
    for chunk in (1, 2, 3, 5, 8, 1000):
        for split in (None, 1, 7):
            if split == 1 and chunk > 1:
                continue
            heard: list[str] = []
            with ModelServer(Scripted([reply(case)]), chunk=chunk, split=split) as server:
                streamed = case.http(server).ask(case.prompt, heard.append)
            assert streamed.message == whole.message
            assert streamed.usage == whole.usage
            assert "".join(heard) == streamed.text == whole.text


def test_the_request_says_all_that_was_asked(case: Case) -> None:
    with ModelServer(Scripted([reply(case)])) as server:
        case.http(server).ask(case.prompt, lambda _: None)
        (request,) = server.requests
    said = json.dumps(request.body)
    assert "Work." in said
    assert "77" in said
    assert "0.5" in said
    assert "sk-mine" not in said
    assert "sk-mine" not in request.path
    assert any("sk-mine" in value for value in request.headers.values())


@pytest.mark.parametrize(
    "turn",
    [
        Closed(),
        Status(status=500),
        Status(status=529, kind="overloaded"),
        Garbled(),
    ],
    ids=lambda turn: type(turn).__name__,
)
def test_what_fails_before_or_instead_of_a_reply_may_be_asked_again(case: Case, turn: Turn) -> None:
    with pytest.raises(FailedError) as failed:
        ask(case, turn, server=ModelServer)
    assert failed.value.failure.passing
    assert isinstance(failed.value.failure.error, Unreachable)


def test_a_reply_that_is_cut_anywhere_is_no_reply(case: Case) -> None:
    for after in (0, 1, 3, "calls"):
        for inside in (False, True):
            fault = Cut(after, reply(case), inside=inside)  # type: ignore[arg-type] - one of these
            with pytest.raises(FailedError) as failed:
                ask(case, fault, server=ModelServer)
            assert failed.value.failure.passing, (after, inside)


def test_a_failure_in_the_middle_of_a_reply_is_one(case: Case) -> None:
    for fault in (Fails(2, reply(case)), Garbled(2, reply(case))):
        with pytest.raises(FailedError) as failed:
            ask(case, fault, server=ModelServer)
        assert failed.value.failure.passing


def test_a_full_window_that_is_told_inside_a_stream_is_one(case: Case) -> None:
    with pytest.raises(FailedError) as failed:
        ask(case, Fails(1, reply(case), Status(status=400, kind="context")), server=ModelServer)
    assert isinstance(failed.value.failure.error, ContextFull)
    assert not failed.value.failure.passing


def test_a_server_that_falls_silent_in_the_middle_is_given_up(case: Case) -> None:
    with ModelServer(Scripted([Hang(2, reply(case))])) as server:
        asked = case.http(server, timeout=0.3)
        with pytest.raises(FailedError, match=r"did not answer within 0\.3 seconds"):
            asked.ask(case.prompt, lambda _: None)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Status(status=401, kind="auth"), NoKey),
        (Status(status=403, kind="forbidden"), ModelError),
        (Status(status=404, kind="no_model"), UnknownModel),
        (Status(status=400, kind="context"), ContextFull),
        (Status(status=429, kind="quota"), RateLimited),
    ],
    ids=lambda each: getattr(each, "kind", ""),
)
def test_what_does_not_pass_is_named_whatever_the_provider_calls_it(
    case: Case, fault: Status, error: type[ModelError]
) -> None:
    if fault.kind == "quota" and isinstance(case.wire, OllamaWire):
        pytest.skip("a server of one's own has no quota")
    with pytest.raises(FailedError) as failed:
        ask(case, fault, server=ModelServer)
    assert isinstance(failed.value.failure.error, error)
    assert not failed.value.failure.passing


def test_too_many_requests_are_asked_again_when_the_provider_wishes(case: Case) -> None:
    with pytest.raises(FailedError) as failed:
        ask(case, Status(status=429, kind="rate", retry_after=7), server=ModelServer)
    assert failed.value.failure.passing
    assert failed.value.failure.retry_after == 7


def test_a_reply_that_the_provider_withheld_or_cut_says_so(case: Case) -> None:
    for finish in ("content_filter", "length"):
        if finish == "content_filter" and case.base == "":
            continue  # Ollama has no filter
        assert ask(case, Reply(text="Half", finish=finish), server=ModelServer).finish == finish


@pytest.mark.parametrize(
    ("quirk", "flavour", "words"),
    [
        ("no_images", "llamacpp", "cannot take pictures"),
        ("no_images", "ollama", "cannot take pictures"),
        ("no_images", "lmstudio", "cannot take pictures"),
        ("no_images", "vllm", "cannot take pictures"),
        ("no_images", "openai", "cannot take pictures"),
        ("no_tools", "ollama", "cannot take tools"),
        ("no_tools", "vllm", "cannot take tools"),
    ],
)
def test_what_a_local_model_cannot_take_is_said_with_the_flag_that_helps(
    quirk: Quirk, flavour: str, words: str
) -> None:
    case = CASES["chat"]
    picture = {"type": "image_url", "image_url": {"url": PICTURE}}
    seen = replace(case.prompt, messages=({"role": "user", "content": [picture]},))
    runtime = Runtime(flavour=flavour)  # type: ignore[arg-type] - one of these
    with (
        ModelServer(Scripted([Reply(text="x")]), quirks=[quirk], runtime=runtime) as server,
        pytest.raises(FailedError, match=words) as failed,
    ):
        case.http(server).ask(seen, lambda _: None)
    assert not failed.value.failure.passing
    assert "--no-llm_supports_" in str(failed.value)
