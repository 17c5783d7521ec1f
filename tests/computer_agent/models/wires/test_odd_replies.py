"""Replies that no protocol allows: each is a failure with a sentence, or harmless; none breaks the run."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vendor_runs import screenshot

from computer_agent.context.history import History
from computer_agent.model_settings import Templates
from computer_agent.models.coordinates import PIXELS
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.table import Shown, dialect_of
from computer_agent.models.usage import usage_of
from computer_agent.models.wires.chat import ChatWire
from computer_agent.models.wires.gemini import GeminiWire
from computer_agent.models.wires.messages import MessagesWire
from computer_agent.models.wires.ollama import OllamaWire
from computer_agent.models.wires.responses import ResponsesWire
from computer_agent.models.wires.wire import Asking, ProviderError
from computer_agent.step import Act, Done, Observation, Step
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from computer_agent.models.wires.wire import Wire

CLICK = {"action": "click", "x": 1, "y": 2}
USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}}
FUNCTION = {"name": "computer", "arguments": json.dumps(CLICK)}
STREAMS: dict[str, tuple[Wire, str, list[dict[str, Any]]]] = {
    "chat": (
        ChatWire(),
        "functions",
        [
            {
                "choices": [
                    {
                        "delta": {
                            "content": "hi",
                            "tool_calls": [{"index": 0, "id": "a", "function": FUNCTION}],
                        }
                    }
                ]
            },
            {"choices": [{"delta": {}, "finish_reason": "tool_calls"}], "usage": USAGE},
        ],
    ),
    "messages": (
        MessagesWire(),
        "anthropic-20251124",
        [
            {
                "type": "message_start",
                "message": {"usage": {"input_tokens": 1, "cache_read_input_tokens": 0}},
            },
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
            {
                "type": "content_block_start",
                "index": 1,
                "content_block": {"type": "tool_use", "id": "a", "name": "computer", "input": {}},
            },
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {
                    "type": "input_json_delta",
                    "partial_json": '{"action": "left_click", "coordinate": [1, 2]}',
                },
            },
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}},
            {"type": "message_stop"},
        ],
    ),
    "responses": (
        ResponsesWire(),
        "openai-computer",
        [
            {"type": "response.output_text.delta", "delta": "hi"},
            {
                "type": "response.output_item.done",
                "output_index": 0,
                "item": {"type": "message", "content": [{"type": "output_text", "text": "hi"}]},
            },
            {
                "type": "response.output_item.done",
                "output_index": 1,
                "item": {
                    "type": "computer_call",
                    "call_id": "a",
                    "pending_safety_checks": [{"id": "s", "code": "c", "message": "m"}],
                    "actions": [{"type": "click", "x": 1, "y": 2, "button": "left"}],
                },
            },
            {
                "type": "response.output_item.done",
                "output_index": 2,
                "item": {"type": "function_call", "call_id": "b", **FUNCTION},
            },
            {"type": "response.completed", "response": {"usage": {"input_tokens": 1, "output_tokens": 1}}},
        ],
    ),
    "gemini": (
        GeminiWire(),
        "gemini-desktop",
        [
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [
                                {"text": "hi"},
                                {
                                    "functionCall": {
                                        "name": "click",
                                        "args": {"x": 1, "y": 2, "safety_decision": {"decision": "regular"}},
                                    },
                                    "thoughtSignature": "s",
                                },
                            ]
                        },
                        "finishReason": "STOP",
                    }
                ],
                "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1},
            }
        ],
    ),
    "ollama": (
        OllamaWire(),
        "functions",
        [
            {
                "message": {
                    "content": "hi",
                    "tool_calls": [{"function": {"name": "computer", "arguments": CLICK}}],
                }
            },
            {"done": True, "done_reason": "stop", "prompt_eval_count": 1, "eval_count": 2},
        ],
    ),
}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 7, 0.5, float("nan"), float("inf"), "", "x", "{}", "[1]", '{"x": NaN}', "text"]),
    st.sampled_from([[], {}, [None], ["x"], [[]], [{}], {"type": "text"}, {"x": []}]),
)
NOW = Observation(screenshot=screenshot(5))


def places(value: object, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, item in inner for place in places(item, (*at, key)))]


def changed(value: Any, place: tuple[str | int, ...], odd: object) -> Any:  # noqa: ANN401 - JSON
    if not place:
        return odd
    value = dict(value) if isinstance(value, dict) else list(value)
    value[place[0]] = changed(value[place[0]], place[1:], odd)
    return value


def pass_through(wire: Wire, dialect_name: str, events: list[Any]) -> None:
    """What a run does with a reply, up to the request after it."""
    dialect = dialect_of(
        dialect_name, Shown(system="Work.", history=History(), templates=Templates(), space=PIXELS)
    )
    reading = wire.reading()
    for event in events:
        if isinstance(event, dict):
            assert isinstance(reading.event(event), str)
    reply = reading.reply(usage_of(reading.counted, "m", {"m": {"input_cost_per_token": 1.0}}))
    prompt = dialect.prompt("Save it", (), NOW)
    try:
        decision = dialect.decision(reply, NOW)
    except BadCall as bad:
        wire.body(dialect.corrected(prompt, reply, str(bad)), Asking(model="m"))
        return
    if isinstance(decision, Act):
        outcomes = tuple(Done(action=one, receipt=Receipt(effect="here")) for one in decision.actions)
        step = Step(number=1, seen=NOW, act=decision, outcomes=outcomes, seconds=0.1)
        wire.body(dialect.prompt("Save it", [step], NOW), Asking(model="m"))


@pytest.mark.parametrize("name", STREAMS)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_reply_with_an_odd_part_is_a_failure_or_does_no_harm(name: str, data: st.DataObject) -> None:
    wire, dialect, events = STREAMS[name]
    place = data.draw(st.sampled_from([place for place in places(events) if place]))
    with suppress(ProviderError):
        pass_through(wire, dialect, changed(events, place, data.draw(ODD)))


def test_the_part_that_is_odd_is_named() -> None:
    with pytest.raises(ProviderError, match='"content_block" is missing in the server\'s reply'):
        MessagesWire().reading().event({"type": "content_block_start", "index": 0})
    with pytest.raises(ProviderError, match='"choices" in the server\'s reply is "7" and not a list'):
        ChatWire().reading().event({"choices": 7})


@pytest.mark.parametrize("arguments", [json.dumps(CLICK), CLICK])
def test_what_servers_do_against_the_protocol_but_mean_well_is_taken(arguments: object) -> None:
    """Content in parts, with reasoning among them; arguments as an object; numbers for ids; usage that is none."""
    reading = ChatWire().reading()
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "no"}]},
        {"type": "text", "text": "I click."},
    ]
    call = {"index": 0, "id": 17, "function": {"name": "computer", "arguments": arguments}}
    message = {"content": content, "tool_calls": [call]}
    assert reading.whole({"choices": [{"message": message}], "usage": {"prompt_tokens": 5}}) == "I click."
    reply = reading.reply(usage_of({"prompt_tokens": "many", "prompt_tokens_details": []}, "m", {}))
    assert reply.text == "I click."
    assert json.loads(reply.calls[0].arguments) == CLICK
    assert reply.calls[0].id == "17"
    assert reply.usage.tokens_in == 0
