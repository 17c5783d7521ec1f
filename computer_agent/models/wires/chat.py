"""OpenAI's chat completions: the body of a request, and a reply put together from a stream or read whole."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from computer_agent.models.dialect import Call, Reply
from computer_agent.models.dialects.printed_calls import object_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.models.dialect import Message, Prompt
    from computer_agent.step import Usage


def messages_of(prompt: Prompt) -> list[Message]:
    """The prompt's messages after its system prompt."""
    return [{"role": "system", "content": prompt.system}, *prompt.messages]


def reply_of(message: Message, *, finish: str, usage: Usage) -> Reply:
    """The reply whose message it is."""
    calls = tuple(
        Call(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
        for call in message.get("tool_calls", ())
    )
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
        text: str = delta.get("content") or ""
        self._text.append(text)
        self._reasoning.append(delta.get("reasoning_content") or "")
        for block in delta.get("thinking_blocks") or ():
            self._add_thinking(block)
        for call in delta.get("tool_calls") or ():
            self._add_call(call)
        return text

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
        last["thinking"] = last.get("thinking", "") + (block["thinking"] or "")
        if block.get("signature"):
            last["signature"] = block["signature"]

    def _add_call(self, delta: Mapping[str, Any]) -> None:
        """Calls are told apart by index; a new id under an old index is a new call, as some servers send it."""
        index = delta.get("index")
        call = None if index is None else self._open.get(index)
        if call is None or (delta.get("id") and call["id"] and delta["id"] != call["id"]):
            call = {"id": "", "name": "", "arguments": ""}
            self._calls.append(call)
            if index is not None:
                self._open[index] = call
        function = delta.get("function") or {}
        call["id"] = call["id"] or delta.get("id") or ""
        call["name"] = call["name"] or function.get("name") or ""
        call["arguments"] += function.get("arguments") or ""
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


UNREADABLE = "unreadable_arguments"


def _object_text(arguments: str) -> str:
    """The arguments as they came if they are a JSON object, else mended, else inside an object."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        given = None
    if isinstance(given, dict):
        return arguments or "{}"
    return json.dumps(object_in(arguments) or {UNREADABLE: arguments}, ensure_ascii=False)
