"""The seam of a wire: the body of a request from a prompt, and a reply from a body or the events of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_agent.models.dialect import Prompt, Reply, WireName
    from computer_agent.step import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What a request says beside its prompt. ``model`` is as the provider names it, ``max_tokens`` of the reply."""

    model: str
    max_tokens: int = 4096
    temperature: float | None = None
    stream: bool = True


class ProviderError(Exception):
    """The provider says, in a body or in the middle of a stream, that it failed."""

    def __init__(self, message: str, *, status: int | None = None, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Reading(Protocol):
    """A reply on its way; how a stream was cut into pieces makes no difference."""

    @property
    def complete(self) -> bool:
        """Whether the provider has said that the reply is whole."""
        ...

    @property
    def counted(self) -> Mapping[str, Any]:
        """The provider's ``usage``, in the words of chat completions, for ``usage_of``."""
        ...

    def event(self, event: Mapping[str, Any]) -> str:
        """Take one event of the stream in; returns the text to show for it. Raises ``ProviderError``."""
        ...

    def whole(self, body: Mapping[str, Any]) -> str:
        """Take a reply in that came in one piece; returns its text. Raises ``ProviderError``."""
        ...

    def reply(self, usage: Usage) -> Reply:
        """The whole reply."""
        ...


Framing = Literal["sse", "ndjson"]
"""How a stream is cut into events: server-sent events, or a JSON object a line."""


class Wire(Protocol):
    """One protocol."""

    @property
    def name(self) -> WireName:
        """The form of prompt that it takes."""
        ...

    @property
    def framing(self) -> Framing:
        """How its streams come."""
        ...

    @property
    def listing(self) -> str:
        """Where the models are listed, after the API's base address."""
        ...

    def path(self, asking: Asking) -> str:
        """Where to POST, after the API's base address, such as ``/chat/completions``."""
        ...

    def body(self, prompt: Prompt, asking: Asking) -> dict[str, Any]:
        """The body of the request."""
        ...

    def headers(self, key: str | None) -> dict[str, str]:
        """How the key is sent, and what else the protocol wants."""
        ...

    def reading(self) -> Reading:
        """A new reply."""
        ...
