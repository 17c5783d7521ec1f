"""Anthropic's messages: the body with its marks for the cache, and a reply from a stream of content blocks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_agent.models.dialect import Call, Reply
from computer_agent.models.wires.arguments_text import object_of
from computer_agent.models.wires.cache_marks import MARK, marked
from computer_agent.models.wires.shapes import NUMBER, Needed, Shape, check
from computer_agent.models.wires.wire import ProviderError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.models.dialect import Prompt, WireName
    from computer_agent.models.wires.wire import Asking, Framing
    from computer_agent.step import Usage

_FINISH = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}
_STATUS = {"overloaded_error": 529, "rate_limit_error": 429, "api_error": 500}

_USAGE = dict.fromkeys(
    ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"), NUMBER
)
_BLOCK = {"type": Needed(str), "text": str, "thinking": str, "signature": str}
_CALL = {"id": Needed(str), "name": Needed(str), "input": Needed(dict)}
_DELTA = {"type": str, "text": str, "partial_json": str, "thinking": str, "signature": str}
_SHAPES: Mapping[str, Shape] = {
    "message_start": {"message": Needed({"usage": _USAGE})},
    "content_block_start": {"index": Needed(int), "content_block": Needed(_BLOCK)},
    "content_block_delta": {"index": Needed(int), "delta": Needed(_DELTA)},
    "message_delta": {"delta": Needed({"stop_reason": str}), "usage": _USAGE},
    "error": {"error": dict},
}
_WHOLE = {"content": [_BLOCK], "stop_reason": str, "usage": _USAGE, "error": dict}


@dataclass(frozen=True, slots=True)
class MessagesWire:
    """The protocol of Anthropic and of those who speak it."""

    name: WireName = "messages"
    framing: Framing = "sse"
    listing: str = "/models"

    def path(self, _: Asking) -> str:
        """After ``/v1``."""
        return "/messages"

    def body(self, prompt: Prompt, asking: Asking) -> dict[str, Any]:
        """With marks at the end of the system prompt, of the pruned zone, and of the last two turns: four, the most."""
        body: dict[str, Any] = {
            "model": asking.model,
            "system": [{"type": "text", "text": prompt.system} | MARK],
            "messages": marked(prompt.messages, prompt.pruned),
            "max_tokens": asking.max_tokens,
            "stream": asking.stream,
            **prompt.extra,
        }
        if prompt.tools:
            body["tools"] = list(prompt.tools)
        return body if asking.temperature is None else body | {"temperature": asking.temperature}

    def headers(self, key: str | None) -> dict[str, str]:
        """The key and the version of the protocol."""
        return {"anthropic-version": "2023-06-01"} | ({} if key is None else {"x-api-key": key})

    def reading(self) -> MessagesReading:
        """A new reply."""
        return MessagesReading()


@dataclass(slots=True)
class MessagesReading:
    """A message on its way, block by block."""

    complete: bool = False
    _blocks: dict[int, dict[str, Any]] = field(default_factory=dict)  # by the provider's index
    _arguments: dict[int, str] = field(default_factory=dict)
    _usage: dict[str, Any] = field(default_factory=dict)
    _finish: str = ""

    @property
    def counted(self) -> Mapping[str, Any]:
        """Anthropic counts what the cache holds beside the rest, chat completions within it."""
        read, written = (
            self._usage.get(name) or 0 for name in ("cache_read_input_tokens", "cache_creation_input_tokens")
        )
        return {
            "prompt_tokens": (self._usage.get("input_tokens") or 0) + read + written,
            "completion_tokens": self._usage.get("output_tokens") or 0,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
        }

    def event(self, event: Mapping[str, Any]) -> str:
        """Take one event in."""
        kind = event.get("type")
        check(event, _SHAPES.get(kind, {}) if isinstance(kind, str) else {"type": str})
        match kind:
            case "message_start":
                self._count(event["message"].get("usage"))
            case "content_block_start":
                return self._begin(event["index"], event["content_block"])
            case "content_block_delta":
                return self._add(event["index"], event["delta"])
            case "message_delta":
                self._finish = event["delta"].get("stop_reason") or self._finish
                self._count(event.get("usage"))
            case "message_stop":
                self.complete = True
            case "error":
                raise _failed(event.get("error") or {})
            case _:  # pings, the end of a block, and what may come to be
                pass
        return ""

    def whole(self, body: Mapping[str, Any]) -> str:
        """Take a message in that came in one piece."""
        check(body, _WHOLE)
        if body.get("type") == "error" or body.get("content") is None:
            raise _failed(body.get("error") or {"message": "The reply has no content."})
        self._blocks = {place: dict(block) for place, block in enumerate(body["content"])}
        self._finish, self.complete = body.get("stop_reason") or "", True
        self._count(body.get("usage"))
        return self._text()

    def reply(self, usage: Usage) -> Reply:
        """The whole reply; its message holds the blocks as they came, without empty texts, which are not taken back."""
        blocks = [self._block(place) for place in sorted(self._blocks)]
        blocks = [
            block for block in blocks if block.get("type") != "text" or (block.get("text") or "").strip()
        ]
        for block in blocks:
            check(block, _CALL if block.get("type") == "tool_use" else {})
        calls = tuple(
            Call(id=block["id"], name=block["name"], arguments=json.dumps(block["input"], ensure_ascii=False))
            for block in blocks
            if block.get("type") == "tool_use"
        )
        message = {"role": "assistant", "content": blocks}
        finish = _FINISH.get(self._finish, self._finish)
        return Reply(message=message, text=self._text(), calls=calls, finish=finish, usage=usage)

    def _begin(self, place: int, block: Mapping[str, Any]) -> str:
        self._blocks[place] = dict(block)
        return (block.get("text") or "") if block.get("type") == "text" else ""

    def _add(self, place: int, delta: Mapping[str, Any]) -> str:
        block = self._blocks.setdefault(place, {"type": "text", "text": ""})
        match delta.get("type"):
            case "input_json_delta":
                self._arguments[place] = self._arguments.get(place, "") + (delta.get("partial_json") or "")
            case "text_delta" | "thinking_delta" | "signature_delta" as kind:
                name = kind.removesuffix("_delta")
                block[name] = (block.get(name) or "") + (delta.get(name) or "")
                return (delta.get(name) or "") if name == "text" else ""
            case _:
                pass
        return ""

    def _block(self, place: int) -> dict[str, Any]:
        block = self._blocks[place]
        if block.get("type") == "tool_use" and self._arguments.get(place):
            return block | {"input": object_of(self._arguments[place])}
        return block

    def _text(self) -> str:
        texts = (block for _, block in sorted(self._blocks.items()) if block.get("type") == "text")
        return "".join(block.get("text") or "" for block in texts)

    def _count(self, usage: Mapping[str, Any] | None) -> None:
        """Later numbers stand for the earlier ones; what is not said again holds."""
        self._usage |= {name: count for name, count in (usage or {}).items() if count is not None}


def _failed(error: Mapping[str, Any]) -> ProviderError:
    code = str(error.get("type", ""))
    return ProviderError(str(error.get("message", "")), status=_STATUS.get(code), code=code)
