"""OpenAI's chat completions: the body of a request, and a reply put together from a stream or read whole."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from computer_agent.models.dialect import Call, Reply
from computer_agent.models.wires.arguments_text import object_of
from computer_agent.models.wires.shapes import NUMBER, Needed, check
from computer_agent.models.wires.wire import ProviderError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.models.dialect import Message, Prompt, WireName
    from computer_agent.models.wires.wire import Asking, Framing
    from computer_agent.step import Usage

_MESSAGE = {
    "content": (str, list),
    "refusal": str,
    "reasoning_content": str,
    "thinking_blocks": [{"type": Needed(str), "thinking": str, "signature": str}],
    "tool_calls": [
        {"index": int, "id": (str, int), "function": {"name": str, "arguments": (str, dict)}},
    ],
}
_SHAPE = {
    "choices": [{"delta": _MESSAGE, "message": _MESSAGE, "finish_reason": str}],
    "usage": {"prompt_tokens": NUMBER, "completion_tokens": NUMBER},
}


def messages_of(prompt: Prompt) -> list[Message]:
    """The prompt's messages after its system prompt."""
    return [{"role": "system", "content": prompt.system}, *prompt.messages]


def reply_of(message: Message, *, finish: str, usage: Usage) -> Reply:
    """The reply whose message it is."""
    calls = tuple(
        Call(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
        for call in message.get("tool_calls", ())
    )
    if calls and finish == "stop":  # as some servers call every end
        finish = "tool_calls"
    return Reply(message=message, text=message.get("content") or "", calls=calls, finish=finish, usage=usage)


@dataclass(slots=True)
class Accumulator:
    """Puts a streamed reply together; the result does not depend on how the stream was cut into chunks.

    ``add`` takes the deltas of one choice, in order, as JSON values.
    """

    finish: str = ""
    refusal: str = ""
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _thinking: list[dict[str, Any]] = field(default_factory=list)
    _calls: list[dict[str, Any]] = field(default_factory=list)
    _open: dict[int, dict[str, Any]] = field(default_factory=dict)  # by the provider's index

    def add(self, delta: Mapping[str, Any], finish: str | None = None) -> str:
        """Take one chunk in; returns the text to show for it."""
        self.finish = finish or self.finish
        self.refusal += delta.get("refusal") or ""
        text = _words(delta.get("content"))
        self._text.append(text)
        self._reasoning.append(delta.get("reasoning_content") or "")
        for block in delta.get("thinking_blocks") or ():
            self._add_thinking(block)
        for call in delta.get("tool_calls") or ():
            self._add_call(call)
        return text

    def newest_call(self) -> tuple[int, str, str] | None:
        """Number, name and arguments of the last call, as far as they have come."""
        if not self._calls:
            return None
        call = self._calls[-1]
        return len(self._calls), call["name"], call["arguments"]

    def message(self) -> Message:
        """The whole message, with arguments that every provider can take back.

        Calls without an id of their own get one. Arguments that are no JSON object are mended or kept inside
        one: some providers parse what they are sent.
        """
        message: Message = {"role": "assistant", "content": "".join(self._text) or None}
        if any(self._reasoning):
            message["reasoning_content"] = "".join(self._reasoning)
        if self._thinking:
            message["thinking_blocks"] = [dict(block) for block in self._thinking]
        if self._calls:
            message["tool_calls"] = self._whole_calls()
        return message

    def reply(self, usage: Usage) -> Reply:
        """The whole reply; a refusal in the provider's own field is one."""
        whole = reply_of(self.message(), finish=self.finish, usage=usage)
        if self.refusal:
            return replace(whole, text=self.refusal, finish="content_filter")
        return replace(whole, text="") if self.finish == "content_filter" else whole

    def _add_thinking(self, block: Mapping[str, Any]) -> None:
        """Pieces of one block follow each other; its signature closes it."""
        last = self._thinking[-1] if self._thinking else None
        if last is None or last.get("signature") or "thinking" not in block or last["type"] != block["type"]:
            self._thinking.append(dict(block))
            return
        last["thinking"] = (last.get("thinking") or "") + (block["thinking"] or "")
        if block.get("signature"):
            last["signature"] = block["signature"]

    def _add_call(self, delta: Mapping[str, Any]) -> None:
        """Calls are told apart by index; a new id under an old index is a new call, as some servers send it."""
        index = delta.get("index")
        call = None if index is None else self._open.get(index)
        own = "" if delta.get("id") is None else str(delta["id"])
        if call is None or (own and call["id"] and own != call["id"]):
            call = {"id": "", "name": "", "arguments": ""}
            self._calls.append(call)
            if index is not None:
                self._open[index] = call
        function = delta.get("function") or {}
        call["id"] = call["id"] or own
        call["name"] = call["name"] or function.get("name") or ""
        call["arguments"] += _text(function.get("arguments") or "")
        if delta.get("provider_specific_fields"):
            call["extra"] = delta["provider_specific_fields"]

    def _whole_calls(self) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = []
        seen: set[str] = set()
        for number, call in enumerate(self._calls):
            own = call["id"] if call["id"] and call["id"] not in seen else f"call_{number}_{len(self._calls)}"
            seen.add(own)
            whole = {
                "id": own,
                "type": "function",
                "function": {"name": call["name"], "arguments": _object_text(call["arguments"])},
            }
            if "extra" in call:
                whole["provider_specific_fields"] = call["extra"]
            calls.append(whole)
        return calls


@dataclass(frozen=True, slots=True)
class ChatWire:
    """The protocol of OpenAI-compatible servers."""

    name: WireName = "chat"
    framing: Framing = "sse"
    listing: str = "/models"

    def path(self, _: Asking) -> str:
        """After ``/v1``."""
        return "/chat/completions"

    def body(self, prompt: Prompt, asking: Asking) -> dict[str, Any]:
        """Tools are left out where there are none: some servers refuse an empty list."""
        body: dict[str, Any] = {
            "model": asking.model,
            "messages": messages_of(prompt),
            "max_tokens": asking.max_tokens,
            "stream": asking.stream,
            **prompt.extra,
        }
        if prompt.tools:
            body["tools"] = list(prompt.tools)
        if asking.stream:
            body["stream_options"] = {"include_usage": True}
        return body if asking.temperature is None else body | {"temperature": asking.temperature}

    def headers(self, key: str | None) -> dict[str, str]:
        """The key as a bearer token."""
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def reading(self) -> ChatReading:
        """A new reply."""
        return ChatReading()


@dataclass(slots=True)
class ChatReading:
    """A chat completion on its way. A server that never names a reason to end has ended when its stream has."""

    counted: Mapping[str, Any] = field(default_factory=dict)
    _reply: Accumulator = field(default_factory=Accumulator)

    @property
    def complete(self) -> bool:
        """Whether a reason to end has come."""
        return bool(self._reply.finish)

    def event(self, event: Mapping[str, Any]) -> str:
        """Take one chunk in."""
        return self._take(event, "delta")

    def newest_call(self) -> tuple[int, str, str] | None:
        """Number, name and arguments of the last call, as far as they have come."""
        return self._reply.newest_call()

    def whole(self, body: Mapping[str, Any]) -> str:
        """Take a reply in that came in one piece."""
        if not body.get("choices"):
            _check(body)
            raise ProviderError("The reply has no choices.")
        shown = self._take(body, "message")
        self._reply.finish = self._reply.finish or "stop"
        return shown

    def reply(self, usage: Usage) -> Reply:
        """The whole reply."""
        return self._reply.reply(usage)

    def _take(self, event: Mapping[str, Any], part: str) -> str:
        _check(event)
        check(event, _SHAPE)
        self.counted = event.get("usage") or self.counted
        shown = ""
        for choice in (event.get("choices") or ())[:1]:
            shown += self._reply.add(choice.get(part) or {}, choice.get("finish_reason"))
        return shown


def _words(content: str | list[Any] | None) -> str:
    """The text, also where it comes in parts, some of which are hidden reasoning."""
    if not isinstance(content, list):
        return content or ""
    texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def _text(arguments: str | dict[str, Any]) -> str:
    """Arguments as text: some servers send the object itself."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _check(event: Mapping[str, Any]) -> None:
    """Raise what the server says of itself where a reply should be."""
    error = event.get("error")
    if error:
        told = error if isinstance(error, dict) else {"message": str(error)}
        code = told.get("code")
        raise ProviderError(
            str(told.get("message", "")),
            status=code if isinstance(code, int) else None,
            code=str(code or told.get("type") or ""),
        )


def _object_text(arguments: str) -> str:
    """The arguments as they came if they are a JSON object, else mended, else inside an object."""
    found = object_of(arguments)
    try:
        whole = json.loads(arguments) == found
    except (ValueError, RecursionError):
        whole = False
    return arguments if whole else json.dumps(found, ensure_ascii=False)
