"""Ollama's own chat, which alone can say how much of the history the model is to hold: ``num_ctx``.

It takes prompts of chat completions: pictures become fields of their message, arguments become objects.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_agent.models.wires.chat import Accumulator, messages_of
from computer_agent.models.wires.shapes import NUMBER, Needed, check
from computer_agent.models.wires.wire import ProviderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from computer_agent.models.dialect import Message, Prompt, Reply, WireName
    from computer_agent.models.wires.wire import Asking, Framing
    from computer_agent.step import Usage

_CALL = {"function": Needed({"name": Needed(str), "arguments": (dict, str)})}
_SHAPE = {
    "message": {"content": str, "tool_calls": [_CALL]},
    "done": bool,
    "done_reason": str,
    "prompt_eval_count": NUMBER,
    "eval_count": NUMBER,
}


@dataclass(frozen=True, slots=True)
class OllamaWire:
    """The protocol of Ollama. ``context`` is how many tokens the model is to hold; ``None`` leaves it to the server.

    Without it the server cuts long histories off, in silence.
    """

    context: int | None = None
    name: WireName = "chat"
    framing: Framing = "ndjson"
    listing: str = "/api/tags"

    def path(self, _: Asking) -> str:
        """After the server's address, without ``/v1``."""
        return "/api/chat"

    def body(self, prompt: Prompt, asking: Asking) -> dict[str, Any]:
        """How long and how warm stands among the model's options."""
        options: dict[str, object] = {"num_predict": asking.max_tokens}
        if self.context is not None:
            options["num_ctx"] = self.context
        if asking.temperature is not None:
            options["temperature"] = asking.temperature
        body: dict[str, Any] = {
            "model": asking.model,
            "messages": list(_messages(prompt)),
            "stream": asking.stream,
            "options": options,
            **prompt.extra,
        }
        return body | {"tools": list(prompt.tools)} if prompt.tools else body

    def headers(self, key: str | None) -> dict[str, str]:
        """A server behind a proxy may want a key."""
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def reading(self) -> OllamaReading:
        """A new reply."""
        return OllamaReading()


def _messages(prompt: Prompt) -> Iterator[Message]:
    names: dict[str, str] = {}
    for message in messages_of(prompt):
        content = message.get("content") or ""
        parts: list[Message] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        said: Message = {
            "role": message["role"],
            "content": "\n".join(part["text"] for part in parts if part["type"] == "text"),
        }
        pictures = [
            part["image_url"]["url"].partition(",")[2] for part in parts if part["type"] == "image_url"
        ]
        if pictures:
            said["images"] = pictures
        if message.get("tool_calls"):
            functions = [call["function"] for call in message["tool_calls"]]
            names |= {call["id"]: call["function"]["name"] for call in message["tool_calls"]}
            said["tool_calls"] = [
                {"function": {"name": each["name"], "arguments": json.loads(each["arguments"])}}
                for each in functions
            ]
        if message["role"] == "tool":
            said["tool_name"] = names.get(message["tool_call_id"], "")
        yield said


@dataclass(slots=True)
class OllamaReading:
    """A reply on its way, line by line."""

    complete: bool = False
    _reply: Accumulator = field(default_factory=Accumulator)
    _last: Mapping[str, Any] = field(default_factory=dict)

    @property
    def counted(self) -> Mapping[str, Any]:
        """In the words of chat completions."""
        return {
            "prompt_tokens": self._last.get("prompt_eval_count"),
            "completion_tokens": self._last.get("eval_count"),
        }

    def event(self, event: Mapping[str, Any]) -> str:
        """Take one line in. Calls come whole and without an id."""
        if event.get("error"):
            raise ProviderError(str(event["error"]))
        check(event, _SHAPE)
        message = event.get("message") or {}
        calls = [
            {
                "function": {
                    "name": call["function"]["name"],
                    "arguments": _text(call["function"].get("arguments")),
                }
            }
            for call in message.get("tool_calls") or ()
        ]
        delta = {"content": message.get("content"), "tool_calls": calls}
        if event.get("done"):
            self.complete, self._last = True, event
        return self._reply.add(delta, event.get("done_reason"))

    def whole(self, body: Mapping[str, Any]) -> str:
        """Take a reply in that came in one piece."""
        if body.get("message") is None:
            raise ProviderError(str(body.get("error") or "The reply has no message."))
        return self.event({**body, "done": True})

    def reply(self, usage: Usage) -> Reply:
        """The whole reply."""
        return self._reply.reply(usage)


def _text(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
