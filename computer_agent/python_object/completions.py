"""A function in place of a model: the transport on ``llm.completions``, which yields chunks as OpenAI streams them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_agent.models.model import BadReply
from computer_agent.models.usage import usage_of
from computer_agent.models.wires.chat import Accumulator, messages_of
from computer_agent.models.wires.written_code import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from computer_agent.models.dialect import Prompt, Reply

    Completions = Callable[..., Iterable[Any]]


@dataclass(frozen=True, slots=True)
class CompletionsTransport:
    """Asks a function, which gets what litellm's ``completion`` would: ``model``, ``messages``, ``stream``, ``tools``.

    ``more`` are further arguments of it, ``prices`` the model's row of prices. Its chunks are dicts, or objects of the
    same shape. What it raises passes through.
    """

    completions: Completions
    model: str
    more: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, Any] | None = None

    def warm_up(self) -> None:
        """There is nothing to begin."""

    def ask(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        """Ask once. Raises ``BadReply`` for what is no stream of chunks."""
        reply = Accumulator()
        counted: Mapping[str, Any] = {}
        for chunk in self._stream(prompt):
            event = _as_dict(chunk)
            counted = event.get("usage") or counted
            for choice in (event.get("choices") or ())[:1]:
                said = _as_dict(choice)
                delta = _as_dict(said.get("delta") or said.get("message") or {})
                text = reply.add(_plain(delta), said.get("finish_reason"))
                if text:
                    on_delta(text)
                follow(on_delta, reply.newest_call())
        reply.finish = reply.finish or "stop"
        return reply.reply(usage_of(_plain(counted), self.model, {self.model: self.prices or {}}))

    def _stream(self, prompt: Prompt) -> Iterable[Any]:
        asked: dict[str, Any] = {
            "model": self.model,
            "messages": messages_of(prompt),
            "stream": True,
            **self.more,
        }
        if prompt.tools:
            asked["tools"] = list(prompt.tools)
        answer = self.completions(**asked)
        if not hasattr(answer, "__iter__"):
            raise BadReply(
                f"llm.completions is a function that yields chunks as OpenAI streams them; it returned {answer!r}."
            )
        return [answer] if isinstance(answer, dict) else answer


def _as_dict(given: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a person's function yields
    if isinstance(given, dict):
        return given
    dump = getattr(given, "model_dump", None)
    dumped = dump() if callable(dump) else getattr(given, "__dict__", None)
    if isinstance(dumped, dict):
        return dumped
    raise BadReply(
        f"llm.completions yields chunks as OpenAI streams them, which are dicts; it yielded {given!r}."
    )


def _plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same with objects inside it as dicts."""
    return {name: _plain_value(value) for name, value in _as_dict(given).items()}


def _plain_value(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list | tuple):
        return [_plain_value(one) for one in value]
    return _plain(value) if isinstance(value, dict) or hasattr(value, "__dict__") else value
