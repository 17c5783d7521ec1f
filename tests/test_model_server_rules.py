"""The model server is as strict as the strictest provider: what each rule refuses, and that nothing else is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from model_client import NAMES, Client, png, send
from model_server import Call, ComputerCall, ModelServer, Reply, Request, SafetyCheck, Scripted
from model_server.received import assert_none, shared_prefixes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TWO = Reply(
    text="Two at once.",
    thinking="First this, then that.",
    calls=(Call("computer", {"action": "look"}), Call("other", {})),
)
ONE = Reply(text="One.", calls=(Call("computer", {"action": "wait"}),))
END = Reply(text="Done.")

every_protocol = pytest.mark.parametrize("name", NAMES)


@every_protocol
def test_a_conversation_that_keeps_the_rules_is_answered(name: str) -> None:
    with ModelServer(Scripted([TWO, ONE, END, ONE])) as server:
        client = Client(server, name)
        for answer in ("done", "done", "go on", "done"):
            client.turn(answer, png(40, 30))
        server.assert_clean()
        server.assert_prefix_stable()
        last = server.requests[-1]
    assert last.protocol == name
    assert last.model == "scripted"
    assert last.texts("system") == ["be brief"]
    assert [text for text in last.texts("user") if text] == ["go", "go on"]
    assert last.texts("assistant") == ["Two at once.", "One.", "Done."]
    assert last.calls() == [
        ("computer", {"action": "look"}, "done"),
        ("other", {}, "done"),
        ("computer", {"action": "wait"}, "done"),
    ]
    first, *later = last.pictures()
    assert (first.width, first.height, first.role) == (4, 3, "user")
    assert all((one.width, one.height) == (40, 30) for one in later)
    assert len(later) >= 3 - (name == "responses") * 2
    assert first.data == png()
    if name in {"messages", "gemini"}:
        assert [one.role for one in later] == ["tool", "tool", "tool", "user"]
        assert all(one.call for one in later[:3])


def refused(name: str, change: Any, turns: Sequence[Reply] = (TWO,), **more: Any) -> str:  # noqa: ANN401 - Client's
    """What is said of a conversation that was changed after the turns."""
    with ModelServer(Scripted([*turns, END])) as server:
        client = Client(server, name, **more)
        for _ in turns:
            client.turn()
        assert not server.complaints, server.complaints
        change(client)
        got = client.ask()
        assert got.status == 400, "it was not refused"
        return "; ".join(server.complaints)


def blocks(client: Client, place: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.messages[place]["content"]
    return found


COMPUTER = {"type": "computer_20250124", "name": "computer", "display_width_px": 100, "display_height_px": 50}
BETA = {"anthropic_beta": "computer-use-2025-01-24"}
TOOLSET = {"type": "computer_toolset_20260801"}


def image_of(width: int, height: int) -> dict[str, Any]:
    import base64

    data = base64.b64encode(png(width, height)).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


MESSAGES: list[tuple[str, Callable[[Client], object], str]] = [
    ("an answer is missing", lambda c: blocks(c, 2).pop(), "waiting are"),
    ("an answer comes twice", lambda c: blocks(c, 2).append(blocks(c, 2)[0]), "waiting are"),
    (
        "words before the answers",
        lambda c: blocks(c, 2).insert(0, {"type": "text", "text": "x"}),
        "before its tool_result",
    ),
    ("an empty text", lambda c: blocks(c, 2).append({"type": "text", "text": " "}), "empty text block"),
    ("an empty turn", lambda c: c.messages.insert(0, {"role": "user", "content": []}), "has no content"),
    ("a system message", lambda c: c.messages.insert(0, {"role": "system", "content": "x"}), "the roles are"),
    ("the model's turn last", lambda c: c.messages.pop(), "no tool_result"),
    (
        "no version",
        lambda c: c.headers.update(anthropic_version=""),
        "anthropic-version is missing",
    ),
    ("no limit", lambda c: c.body.pop("max_tokens"), "max_tokens is required"),
    (
        "five marks",
        lambda c: (
            [one.update(cache_control={"type": "ephemeral"}) for one in (*blocks(c, 0), *blocks(c, 2))]
            and c.body.update(system=[{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}])
        ),
        "5 cache_control marks",
    ),
    ("a picture in a failure", lambda c: blocks(c, 2)[0].update(is_error=True), "is_error"),
    (
        "21 pictures, one large",
        lambda c: blocks(c, 2).extend([*[image_of(1, 1)] * 18, image_of(2001, 1)]),
        "at most 2000",
    ),
    ("a very large picture", lambda c: blocks(c, 2).append(image_of(8001, 1)), "at most 8000"),
    ("thinking lost", lambda c: blocks(c, 1).pop(0), "does not begin with its thinking"),
    ("thinking changed", lambda c: blocks(c, 1)[0].update(signature="x"), "does not begin with its thinking"),
    ("a computer tool without its header", lambda c: c.body.update(tools=[COMPUTER]), "the tools need"),
    ("a header without its tool", lambda c: c.headers.update(BETA), "the tools need []"),
    (
        "a picture larger than the display",
        lambda c: (
            c.body.update(tools=[COMPUTER]),
            c.headers.update(BETA),
            blocks(c, 2).append(image_of(101, 50)),
        ),
        "larger than the declared display of 100x50",
    ),
    (
        "zoom before it was there",
        lambda c: (c.body.update(tools=[COMPUTER | {"enable_zoom": True}]), c.headers.update(BETA)),
        "is declared as",
    ),
    (
        "a toolset with a size",
        lambda c: c.body.update(tools=[TOOLSET | {"display_width_px": 1}]),
        "neither a name nor a size",
    ),
    ("a tool without a schema", lambda c: c.body.update(tools=[{"name": "x"}]), "input_schema"),
]


@pytest.mark.parametrize(
    ("change", "words"), [case[1:] for case in MESSAGES], ids=[case[0] for case in MESSAGES]
)
def test_what_anthropic_refuses(change: Callable[[Client], object], words: str) -> None:
    assert words in refused("messages", change)


def test_anthropic_takes_computer_tools_as_they_are_to_be_declared() -> None:
    zoom = COMPUTER | {"type": "computer_20251124", "enable_zoom": True}
    beta = {"anthropic_beta": "other-2025, computer-use-2025-11-24"}
    call = Call("left_click", {"coordinate": [1, 2]}, toolset="computer")
    with ModelServer(Scripted([ONE, Reply(calls=(call,)), END])) as server:
        Client(server, "messages", {"tools": [zoom]}, beta).turn()
        client = Client(server, "messages", {"tools": [TOOLSET]})
        assert client.turn()["content"][0]["toolset_name"] == "computer"
        client.turn()
        server.assert_clean()


def test_a_call_of_a_toolset_keeps_its_name() -> None:
    call = Call("wait", {"duration": 1}, toolset="computer")
    lost = refused("messages", lambda c: blocks(c, 1)[0].pop("toolset_name"), [Reply(calls=(call,))])
    assert "came back with the toolset None" in lost


PREVIEW = {"type": "computer_use_preview", "display_width": 9, "display_height": 9, "environment": "linux"}
CLICK = Reply(
    thinking="Click.",
    calls=(ComputerCall(actions=({"type": "wait"},), checks=(SafetyCheck(id="c1"),), batched=False),),
)


def items(client: Client, kind: str) -> dict[str, Any]:
    return next(item for item in client.messages if item.get("type") == kind)


def without(kind: str) -> Callable[[Client], object]:
    return lambda client: client.messages.remove(items(client, kind))


RESPONSES: list[tuple[str, Callable[[Client], object], str]] = [
    ("an output is missing", without("computer_call_output"), "no tool output found"),
    ("an output comes twice", lambda c: c.messages.append(c.messages[-1]), "waits for no output"),
    ("a call comes twice", lambda c: c.messages.insert(2, items(c, "computer_call")), "a second time"),
    (
        "the wrong kind of output",
        lambda c: c.messages[-1].update(type="function_call_output"),
        "answers a computer_call with",
    ),
    ("no screenshot", lambda c: c.messages[-1].update(output="done"), "has no screenshot"),
    (
        "a made-up check",
        lambda c: c.messages[-1]["acknowledged_safety_checks"].append({"id": "c2"}),
        "not pending",
    ),
    ("a check left out", lambda c: c.messages[-1].pop("acknowledged_safety_checks"), "unacknowledged"),
    ("reasoning lost", without("reasoning"), "without its required reasoning item"),
    (
        "reasoning alone",
        lambda c: c.messages.append(items(c, "reasoning")),
        "without the item that has to follow",
    ),
    (
        "reasoning not sealed",
        lambda c: (c.body.update(store=False), items(c, "reasoning").pop("encrypted_content")),
        "without encrypted_content",
    ),
    ("the wrong id", lambda c: items(c, "computer_call").update(id="fc_1"), "does not begin with 'cu_'"),
    ("no truncation", lambda c: c.body.update(tools=[PREVIEW]), "demands truncation"),
    ("a size for GA", lambda c: c.body.update(tools=[{"type": "computer", "display_width": 1}]), "no fields"),
    (
        "chat's form of a tool",
        lambda c: c.body.update(tools=[{"type": "function", "function": {}}]),
        "beside its type",
    ),
    (
        "chat's form of a text",
        lambda c: c.messages[0].update(content=[{"type": "text", "text": "x"}]),
        "of the type 'text'",
    ),
]


@pytest.mark.parametrize(
    ("change", "words"), [case[1:] for case in RESPONSES], ids=[case[0] for case in RESPONSES]
)
def test_what_responses_refuses(change: Callable[[Client], object], words: str) -> None:
    assert words in refused("responses", change, [CLICK])


def test_responses_takes_what_is_acknowledged_and_declared_as_it_should_be() -> None:
    with ModelServer(Scripted([CLICK, TWO, END])) as server:
        client = Client(server, "responses", {"tools": [PREVIEW], "truncation": "auto", "store": False})
        client.turn()
        client.turn()
        client.turn("go on")
        server.assert_clean()
        assert server.requests[-1].tool_names() == ["computer_use_preview"]


CAREFUL = Reply(
    signature="signed",
    calls=(
        Call("click", {"x": 1, "y": 2, "safety_decision": {"decision": "require_confirmation"}}),
        Call("wait", {}),
    ),
)


def parts(client: Client, place: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.messages[place]["parts"]
    return found


def response(client: Client, place: int) -> dict[str, Any]:
    found: dict[str, Any] = parts(client, 2)[place]["functionResponse"]["response"]
    return found


GEMINI: list[tuple[str, Callable[[Client], object], str]] = [
    ("an answer is missing", lambda c: parts(c, 2).pop(), "has the answers ['click'] to the calls"),
    ("answers in another order", lambda c: parts(c, 2).reverse(), "has the answers ['wait', 'click']"),
    ("an answer to nothing", lambda c: parts(c, 0).append(parts(c, 2)[0]), "to the calls []"),
    ("no signature", lambda c: parts(c, 1)[0].pop("thoughtSignature"), "without its thoughtSignature"),
    (
        "another signature",
        lambda c: parts(c, 1)[0].update(thoughtSignature="x"),
        "without its thoughtSignature",
    ),
    (
        "no acknowledgement",
        lambda c: response(c, 0).pop("safety_acknowledgement"),
        "without the safety_acknowledgement",
    ),
    ("one too many", lambda c: response(c, 1).update(safety_acknowledgement="true"), "did not ask for"),
    (
        "two turns of the user",
        lambda c: c.messages.append({"role": "user", "parts": [{"text": "x"}]}),
        "must take turns",
    ),
    ("a turn without parts", lambda c: parts(c, 2).clear(), "has no parts"),
    (
        "a broken picture",
        lambda c: parts(c, 0)[1]["inlineData"].update(data="AAAA"),
        "neither PNG, JPEG nor WebP",
    ),
]


@pytest.mark.parametrize(("change", "words"), [case[1:] for case in GEMINI], ids=[case[0] for case in GEMINI])
def test_what_gemini_refuses(change: Callable[[Client], object], words: str) -> None:
    assert words in refused("gemini", change, [CAREFUL])


def test_gemini_streams_events_only_when_asked_to() -> None:
    with ModelServer(Scripted([])) as server:
        send(server, "POST", "/v1beta/models/m:streamGenerateContent", Client(server, "gemini").body)
        assert server.complaints == ["a stream without alt=sse comes as one JSON array"]


CHAT: list[tuple[str, Callable[[Client], object], str]] = [
    ("an answer is missing", lambda c: c.messages.pop(4), "have no answer"),
    ("answers in another order", lambda c: c.messages.insert(3, c.messages.pop(4)), "waiting are"),
    ("no system message", lambda c: c.messages.pop(0), "one system message must come first"),
    (
        "a picture in an answer",
        lambda c: c.messages[3].update(content=c.messages[1]["content"]),
        "a tool message holds a picture",
    ),
    (
        "the model's turn last",
        lambda c: c.messages.append({"role": "assistant", "content": "x"}),
        "the last message",
    ),
    (
        "another kind of picture",
        lambda c: c.messages[1]["content"][1]["image_url"].update(
            url=c.messages[1]["content"][1]["image_url"]["url"].replace("png", "jpeg")
        ),
        "its bytes are image/png",
    ),
]


@pytest.mark.parametrize(("change", "words"), [case[1:] for case in CHAT], ids=[case[0] for case in CHAT])
def test_what_chat_completions_refuse(change: Callable[[Client], object], words: str) -> None:
    assert words in refused("chat", change)


def test_what_ollama_refuses() -> None:
    assert "have no answer" in refused("ollama", lambda c: c.messages.pop(3))
    assert "no object" in refused(
        "ollama", lambda c: c.messages[2]["tool_calls"][0]["function"].update(arguments=[])
    )
    assert "no string" in refused("ollama", lambda c: c.messages[1].update(content=[]))


@every_protocol
def test_no_request_may_hold_a_secret_in_any_form(name: str) -> None:
    secret = 'pass "wörd" 7'  # noqa: S105 - of no account
    with ModelServer(Scripted([ONE, END, END])) as server:
        client = Client(server, name, headers={"x_key": "sk-mine"})
        client.turn("done")
        server.never_received(secret, "sk-other")
        with pytest.raises(AssertionError, match=r"request 0 .* holds the secret sk"):
            server.never_received("sk-mine")
        client.turn(secret)
        client.turn()
        with pytest.raises(AssertionError, match="request 2"):
            server.never_received(secret)


@pytest.mark.parametrize("before", [b"", b"a", b"ab"])
def test_a_secret_inside_base64_is_found(before: bytes) -> None:
    import base64

    with ModelServer(Scripted([END])) as server:
        client = Client(server, "chat")
        client.messages[1] = {
            "role": "user",
            "content": base64.b64encode(before + b"Kilimanjaro" + b"zz").decode(),
        }
        client.ask()
        with pytest.raises(AssertionError, match="holds the secret"):
            server.never_received("Kilimanjaro")


def test_a_secret_in_a_path_is_found() -> None:
    path = "/v1beta/models/m:generateContent?key=a%20secret%2Fkey"
    request = Request(path=path, headers={}, raw=b"{}", body={"contents": []})
    with pytest.raises(AssertionError, match="holds the secret"):
        assert_none([request], "a secret/key")
    assert_none([request], "another key")


@every_protocol
def test_a_changed_beginning_is_noticed(name: str) -> None:
    with ModelServer(Scripted([ONE, ONE, END, END])) as server:
        client = Client(server, name)
        client.turn()
        client.turn()
        first = client.messages[1 if name in {"chat", "ollama"} else 0]
        for field in ("content", "parts"):
            if field in first:
                first[field] = [*first[field][:1]] if isinstance(first[field], list) else "changed"
        client.turn("go on")
        server.assert_prefix_stable(drops=1)
        with pytest.raises(
            AssertionError, match="1 requests change what was sent before, 0 may: request 2 from message"
        ):
            server.assert_prefix_stable()
        assert [one.whole for one in shared_prefixes(server.requests)] == [True, False]
        client.body |= (
            {"tools": [{"functionDeclarations": [{"name": "x"}]}]}
            if name == "gemini"
            else {
                "tools": [
                    {"name": "x", "input_schema": {"type": "object"}}
                    | ({} if name == "messages" else {"type": "function", "parameters": {}})
                ]
            }
        )
        client.turn("go on")
        with pytest.raises(AssertionError, match="request 3 changes the tools or the system prompt"):
            server.assert_prefix_stable(drops=9)


def test_cache_marks_and_the_lists_that_they_demand_do_not_count() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    with ModelServer(Scripted([ONE, END])) as server:
        client = Client(server, "messages")
        blocks(client, 0)[1] |= mark
        client.turn()
        del blocks(client, 0)[1]["cache_control"]
        client.body["system"] = [{"type": "text", "text": "be brief"} | mark]
        blocks(client, 2)[-1] |= mark
        client.turn()
        server.assert_clean()
        server.assert_prefix_stable()


@every_protocol
def test_the_same_history_is_answered_with_the_same_bytes(name: str) -> None:
    with ModelServer(Scripted([TWO, TWO])) as server:
        client = Client(server, name)
        assert client.ask().body == client.ask().body
