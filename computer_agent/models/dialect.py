"""The seams of a language model: a dialect makes a prompt of the history, a transport asks, a reply is decided on.

A wire is the form in which a provider takes the prompt and gives the reply. A dialect speaks one wire; a transport
carries any.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from computer_agent.models.dialects.arguments import BadCall
from computer_agent.step import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from computer_agent.context.history import History
    from computer_agent.step import Act, Answer, Observation, Step

Message = dict[str, Any]
"""A JSON object of a wire."""

WireName = Literal["chat", "responses", "messages", "gemini"]
"""OpenAI's chat completions, OpenAI's Responses, Anthropic's messages, Gemini's generateContent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One request, without what the transport knows: which model, how warm, how long.

    ``messages`` are in the wire's own form, without the system prompt: messages (chat, messages), input items
    (responses) or contents (gemini). ``pruned`` is how many messages, from the first, end the zone from which pictures
    were dropped: a provider's cache holds up to there. ``extra`` are further fields of the body, ``headers`` further
    headers.
    """

    wire: WireName
    system: str
    messages: tuple[Message, ...]
    tools: tuple[Message, ...] = ()
    pruned: int = 0
    extra: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def and_then(self, *messages: Message) -> Prompt:
        """With these messages at its end."""
        return replace(self, messages=(*self.messages, *messages))


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One function call of a reply; ``arguments`` is the text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model said.

    ``message`` is its own message in the wire's form, to be sent back in the next request: an assistant message
    (chat, messages), ``{"output": [items]}`` (responses) or a model's content (gemini). ``text`` is what it said
    beside its calls, without hidden reasoning. ``finish`` is one of ``stop``, ``tool_calls``, ``length``,
    ``content_filter``, or the provider's own word for something else.
    """

    message: Message
    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    usage: Usage = field(default_factory=Usage)


class NoCall(BadCall):
    """The reply has no call: words alone, or nothing."""


class Dialect(Protocol):
    """Translates the history to prompts and replies to decisions; nothing else."""

    @property
    def history(self) -> History:
        """How it is shown the past and the screen."""
        ...

    def prompt(self, task: str, past: Sequence[Step], now: Observation) -> Prompt:
        """The whole conversation as a request; the same history gives the same bytes."""
        ...

    def shown(self, on_delta: Callable[[str], None]) -> Shown:
        """What passes streamed text on to a person, without what is meant for us."""
        ...

    def decision(self, reply: Reply, now: Observation) -> Act | Answer:
        """What the reply says to do; its ``usage`` is not looked at. ``Act.reply`` is ``reply.message``.

        Raises ``BadCall`` with what to tell the model, ``NoCall`` where it said no call at all.
        """
        ...

    def corrected(self, prompt: Prompt, reply: Reply, wrong: str) -> Prompt:
        """The prompt with the reply and what is wrong with it, in the form that the provider demands."""
        ...


class Shown(Protocol):
    """Takes streamed text piece by piece; ``end`` when the reply is complete."""

    def __call__(self, piece: str) -> None:
        """Take one piece."""
        ...

    def end(self, reply: Reply) -> None:
        """Nothing more comes."""
        ...


class Transport(Protocol):
    """Carries a prompt to one model and its reply back."""

    def warm_up(self) -> None:
        """Begin in the background what the first request would wait for."""
        ...

    def ask(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        """Ask once; text goes to ``on_delta`` as it arrives.

        Raises ``FailedError`` with what failed and whether asking again may help, and ``ModelError``.
        """
        ...
