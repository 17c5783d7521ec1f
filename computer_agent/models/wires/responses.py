"""OpenAI's Responses: the body without anything kept at the server, and a reply from a stream of output items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_agent.models.dialect import Call, Reply
from computer_agent.models.wires.shapes import NUMBER, Needed, Shape, check
from computer_agent.models.wires.wire import ProviderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from computer_agent.models.dialect import Prompt, WireName
    from computer_agent.models.wires.wire import Asking, Framing
    from computer_agent.step import Usage

_ITEM = {"type": Needed(str)}
_ITEMS: Mapping[str, Shape] = {
    "message": {"content": [{"text": str, "refusal": str}]},
    "function_call": {"call_id": Needed(str), "name": Needed(str), "arguments": Needed(str)},
    "computer_call": {
        "call_id": Needed(str),
        "action": dict,
        "actions": [dict],
        "pending_safety_checks": [{"id": Needed(str), "code": str, "message": str}],
    },
}
_RESPONSE = {
    "output": [_ITEM],
    "error": dict,
    "usage": {"input_tokens": NUMBER, "output_tokens": NUMBER, "input_tokens_details": dict},
    "incomplete_details": {"reason": str},
}
_ENDS = {"response": Needed(_RESPONSE)}
_SHAPES: Mapping[str, Shape] = {
    "response.output_text.delta": {"delta": Needed(str)},
    "response.output_item.done": {"output_index": Needed(int), "item": Needed(_ITEM)},
    "response.completed": _ENDS,
    "response.incomplete": _ENDS,
    "response.failed": _ENDS,
    "error": {"error": dict},
}
_CUT = {"max_output_tokens": "length", "content_filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class ResponsesWire:
    """The protocol of OpenAI's newer models. Each request holds the whole conversation; nothing is stored."""

    name: WireName = "responses"
    framing: Framing = "sse"
    listing: str = "/models"

    def path(self, _: Asking) -> str:
        """After ``/v1``."""
        return "/responses"

    def body(self, prompt: Prompt, asking: Asking) -> dict[str, Any]:
        """The reasoning comes back encrypted, since the server keeps none of it."""
        body: dict[str, Any] = {
            "model": asking.model,
            "instructions": prompt.system,
            "input": list(prompt.messages),
            "max_output_tokens": asking.max_tokens,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "stream": asking.stream,
            **prompt.extra,
        }
        if prompt.tools:
            body["tools"] = list(prompt.tools)
        return body if asking.temperature is None else body | {"temperature": asking.temperature}

    def headers(self, key: str | None) -> dict[str, str]:
        """The key as a bearer token."""
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def reading(self) -> ResponsesReading:
        """A new reply."""
        return ResponsesReading()


@dataclass(slots=True)
class ResponsesReading:
    """A response on its way, item by item."""

    complete: bool = False
    _items: dict[int, dict[str, Any]] = field(default_factory=dict)  # by the provider's index
    _response: Mapping[str, Any] = field(default_factory=dict)

    @property
    def counted(self) -> Mapping[str, Any]:
        """In the words of chat completions."""
        usage = self._response.get("usage") or {}
        return {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details") or {},
        }

    def event(self, event: Mapping[str, Any]) -> str:
        """Take one event in."""
        kind = event.get("type")
        check(event, _SHAPES.get(kind, {}) if isinstance(kind, str) else {"type": str})
        match kind:
            case "response.output_text.delta":
                return str(event["delta"])
            case "response.output_item.done":
                self._items[event["output_index"]] = dict(event["item"])
            case "response.completed" | "response.incomplete":
                self._end(event["response"])
            case "response.failed":
                raise _failed(event["response"].get("error") or {})
            case "error":
                raise _failed(event.get("error") or event)
            case _:  # beginnings, and what may come to be
                pass
        return ""

    def whole(self, body: Mapping[str, Any]) -> str:
        """Take a response in that came in one piece."""
        check(body, _RESPONSE)
        if body.get("error") or body.get("output") is None:
            raise _failed(body.get("error") or {"message": "The reply has no output."})
        self._end(body)
        return self._text()

    def reply(self, usage: Usage) -> Reply:
        """The whole reply; a refusal is one of its texts."""
        calls = tuple(
            Call(id=item["call_id"], name=item["name"], arguments=item["arguments"])
            for item in self._output
            if item.get("type") == "function_call"
        )
        refused = "".join(self._parts("refusal"))
        finish = "content_filter" if refused else self._finish
        return Reply(
            message={"output": self._output},
            text=refused or self._text(),
            calls=calls,
            finish=finish,
            usage=usage,
        )

    def _end(self, response: Mapping[str, Any]) -> None:
        """The last event holds all items again; some servers leave them out."""
        self._response, self.complete = response, True
        if response.get("output"):
            self._items = {place: dict(item) for place, item in enumerate(response["output"])}

    @property
    def _output(self) -> list[dict[str, Any]]:
        output = [item for _, item in sorted(self._items.items())]
        for item in output:
            check(item, _ITEMS.get(item["type"], {}))
        return output

    @property
    def _finish(self) -> str:
        reason = (self._response.get("incomplete_details") or {}).get("reason")
        if reason:
            return _CUT.get(reason, str(reason))
        called = any(str(item.get("type", "")).endswith("_call") for item in self._output)
        return "tool_calls" if called else "stop"

    def _text(self) -> str:
        return "".join(self._parts("text"))

    def _parts(self, name: str) -> Iterator[str]:
        for item in self._output:
            for part in item.get("content") or () if item.get("type") == "message" else ():
                yield part.get(name) or ""


def _failed(error: Mapping[str, Any]) -> ProviderError:
    code = str(error.get("code") or error.get("type") or "")
    status = {"rate_limit_exceeded": 429, "server_error": 500}.get(code)
    return ProviderError(str(error.get("message", "")), status=status, code=code)
