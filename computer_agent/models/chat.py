"""The seam between a dialect and a transport: messages and tools go out, one reply comes back.

Messages are those of OpenAI's chat completions, as plain JSON values, whatever the provider speaks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from computer_agent.models.printed_calls import object_in
from computer_agent.step import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of a reply; ``arguments`` is the text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model said. ``message`` is its own message, to be sent back in the next request.

    ``finish`` is the provider's reason, such as ``stop``, ``tool_calls``, ``length`` or ``content_filter``.
    """

    message: Message
    finish: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def text(self) -> str:
        """The text of the reply, without calls and hidden reasoning."""
        return self.message.get("content") or ""

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls, in order."""
        return tuple(
            Call(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
            for call in self.message.get("tool_calls", ())
        )


class Chat(Protocol):
    """A transport."""

    def __call__(
        self, messages: Sequence[Message], tools: Sequence[Message], on_delta: Callable[[str], None]
    ) -> Reply:
        """Ask once, with what retries the transport has; text goes to ``on_delta`` as it arrives.

        Raises ``ModelError``.
        """
        ...


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
