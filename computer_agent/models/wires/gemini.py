"""Gemini's generateContent: the body, and a reply from the parts of its events."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_agent.models.dialect import Call, Reply
from computer_agent.models.wires.shapes import NUMBER, Needed, check
from computer_agent.models.wires.wire import ProviderError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.models.dialect import Prompt, WireName
    from computer_agent.models.wires.wire import Asking, Framing
    from computer_agent.step import Usage

_REFUSED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"})

_PART = {"text": str, "thought": bool, "functionCall": {"id": str, "name": Needed(str), "args": dict}}
_SHAPE = {
    "error": dict,
    "promptFeedback": {"blockReason": str},
    "candidates": [{"content": {"parts": [_PART]}, "finishReason": str}],
    "usageMetadata": {
        "promptTokenCount": NUMBER,
        "candidatesTokenCount": NUMBER,
        "thoughtsTokenCount": NUMBER,
        "cachedContentTokenCount": NUMBER,
    },
}


@dataclass(frozen=True, slots=True)
class GeminiWire:
    """The protocol of Gemini's models."""

    name: WireName = "gemini"
    framing: Framing = "sse"
    listing: str = "/models"

    def path(self, asking: Asking) -> str:
        """After ``/v1beta``."""
        model = asking.model.removeprefix("models/")
        method = "streamGenerateContent?alt=sse" if asking.stream else "generateContent"
        return f"/models/{model}:{method}"

    def body(self, prompt: Prompt, asking: Asking) -> dict[str, Any]:
        """The model is in the path."""
        config: dict[str, Any] = {"maxOutputTokens": asking.max_tokens}
        if asking.temperature is not None:
            config["temperature"] = asking.temperature
        body: dict[str, Any] = {
            "systemInstruction": {"parts": [{"text": prompt.system}]},
            "contents": list(prompt.messages),
            "generationConfig": config,
            **prompt.extra,
        }
        return body | {"tools": list(prompt.tools)} if prompt.tools else body

    def headers(self, key: str | None) -> dict[str, str]:
        """The key in its own header, never in the address, which is logged."""
        return {} if key is None else {"x-goog-api-key": key}

    def reading(self) -> GeminiReading:
        """A new reply."""
        return GeminiReading()


@dataclass(slots=True)
class GeminiReading:
    """A candidate's content on its way, part by part."""

    _parts: list[dict[str, Any]] = field(default_factory=list)
    _usage: Mapping[str, Any] = field(default_factory=dict)
    _finish: str = ""

    @property
    def complete(self) -> bool:
        """Whether a reason to end has come."""
        return bool(self._finish)

    @property
    def counted(self) -> Mapping[str, Any]:
        """In the words of chat completions; thoughts are counted beside the answer and cost the same."""
        out = (self._usage.get(name) or 0 for name in ("candidatesTokenCount", "thoughtsTokenCount"))
        return {
            "prompt_tokens": self._usage.get("promptTokenCount"),
            "completion_tokens": sum(out),
            "prompt_tokens_details": {"cached_tokens": self._usage.get("cachedContentTokenCount")},
        }

    def event(self, event: Mapping[str, Any]) -> str:
        """Take one event in."""
        check(event, _SHAPE)
        if event.get("error"):
            raise _failed(event["error"])
        self._usage = event.get("usageMetadata") or self._usage
        if (event.get("promptFeedback") or {}).get("blockReason"):
            self._finish = "SAFETY"
        shown = ""
        for candidate in (event.get("candidates") or ())[:1]:
            for part in (candidate.get("content") or {}).get("parts") or ():
                shown += self._add({name: value for name, value in part.items() if value is not None})
            self._finish = candidate.get("finishReason") or self._finish
        return shown

    def whole(self, body: Mapping[str, Any]) -> str:
        """Take a reply in that came in one piece."""
        if not body.get("candidates") and not body.get("promptFeedback") and not body.get("error"):
            raise ProviderError("The reply has no candidates.")
        shown = self.event(body)
        self._finish = self._finish or "STOP"
        return shown

    def reply(self, usage: Usage) -> Reply:
        """The whole reply. Calls without an id of their own are numbered."""
        called = [part["functionCall"] for part in self._parts if part.get("functionCall")]
        calls = tuple(
            Call(
                id=call.get("id") or f"call_{number}",
                name=call["name"],
                arguments=json.dumps(call.get("args") or {}, ensure_ascii=False),
            )
            for number, call in enumerate(called)
        )
        if self._finish in _REFUSED:
            finish = "content_filter"
        elif self._finish == "STOP":
            finish = "tool_calls" if calls else "stop"
        else:
            finish = {"MAX_TOKENS": "length"}.get(self._finish, self._finish)
        text = "".join(part.get("text") or "" for part in self._parts if not part.get("thought"))
        message = {"role": "model", "parts": self._parts}
        return Reply(message=message, text=text, calls=calls, finish=finish, usage=usage)

    def _add(self, part: Mapping[str, Any]) -> str:
        """Pieces of one text become one part; a signature closes the part that it comes with."""
        last = self._parts[-1] if self._parts else None
        text = part.get("text") or ""
        thought = bool(part.get("thought"))
        joins = (
            last is not None
            and part.get("text") is not None
            and last.get("text") is not None
            and bool(last.get("thought")) == thought
            and "thoughtSignature" not in last
        )
        if last is not None and joins:
            last["text"] += text
            last |= {name: value for name, value in part.items() if name != "text"}
        elif part and part != {"text": ""}:  # some streams end with one
            self._parts.append(dict(part))
        return "" if thought else text


def _failed(error: Mapping[str, Any]) -> ProviderError:
    status = error.get("code")
    return ProviderError(
        str(error.get("message", "")),
        status=status if isinstance(status, int) else None,
        code=str(error.get("status", "")),
    )
