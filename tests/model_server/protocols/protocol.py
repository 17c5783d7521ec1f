"""The seam of a protocol: a request read into neutral items, and a reply rendered whole or as events."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from model_server.brain import TOLD, Call, ComputerCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model_server.brain import Reply, Status
    from model_server.pictures import Picture
    from model_server.quirks import Quirk
    from model_server.request import Request

ProtocolName = Literal["chat", "responses", "messages", "gemini", "ollama"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that a request says.

    ``role`` is ``system``, ``user``, ``assistant`` or ``tool``; ``turn`` counts the messages from 0, -1 for a system
    prompt that stands apart. ``call`` is the id of the call that it is or answers; ``failed`` marks an
    answer in which the protocol itself has a failure.
    """

    kind: Literal["text", "picture", "call", "thinking"]
    role: str
    turn: int
    text: str = ""
    picture: Picture | None = None
    call: str = ""
    name: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A reply on its way to one request: into pieces of how many characters it is cut, and how odd the server is.

    ``before`` is how many calls the conversation holds already: a made-up id depends on nothing else, so that the same
    history is answered with the same bytes.
    """

    reply: Reply
    model: str
    chunk: int = 1000
    before: int = 0
    quirks: frozenset[Quirk] = frozenset()

    def pieces(self, text: str) -> Iterator[str]:
        """The text in pieces."""
        size = len(text) or 1 if "single_chunk" in self.quirks else self.chunk
        return (text[start : start + size] for start in range(0, len(text), size))

    def calls(self) -> list[Call]:
        """The function calls, each with an id. Raises ``ValueError`` when a computer call is among them."""
        calls = self.numbered()
        functions = [call for call in calls if isinstance(call, Call)]
        if len(functions) < len(calls):
            raise ValueError("a ComputerCall can be said only over Responses")
        return functions

    def numbered(self) -> list[Call | ComputerCall]:
        """All calls, each with an id."""
        return [
            call if call.id is not None else replace(call, id=f"call_{self.before + place}")
            for place, call in enumerate(self.reply.calls)
        ]

    @property
    def finish(self) -> str:
        """Why the reply ends, in neutral words."""
        return self.reply.finish or ("tool_calls" if self.reply.calls else "stop")

    @property
    def signature(self) -> str:
        """What must come back, or ""."""
        made_up = base64.b64encode(f"signed at call {self.before}".encode()).decode()
        return self.reply.signature or (made_up if self.reply.thinking else "")


class Event(NamedTuple):
    """One event of a stream; those that only end it are told apart."""

    data: str
    name: str = ""
    ends: bool = False


class WireProtocol(Protocol):
    """One protocol."""

    @property
    def name(self) -> ProtocolName:
        """What it is called."""
        ...

    @property
    def framing(self) -> Literal["sse", "ndjson"]:
        """How its streams are cut into events."""
        ...

    def streams(self, request: Request) -> bool:
        """Whether the request wants a stream."""
        ...

    def head(self, body: dict[str, Any]) -> dict[str, Any]:
        """What comes before the messages for a provider's cache: tools, then the system prompt that stands apart."""
        ...

    def messages(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The messages, items or contents, oldest first."""
        ...

    def items(self, body: dict[str, Any]) -> Iterator[Item]:
        """All that the request says, oldest first."""
        ...

    def violations(self, request: Request) -> Iterator[str]:
        """What a strict provider would refuse."""
        ...

    def events(self, saying: Saying) -> Iterator[Event]:
        """The reply as a stream."""
        ...

    def whole(self, saying: Saying) -> dict[str, Any]:
        """The reply as one body."""
        ...

    def failure(self, fault: Status) -> dict[str, Any]:
        """The body of an HTTP error."""
        ...

    def failing(self, fault: Status) -> Event:
        """The event by which a stream says that it failed."""
        ...


def compact(value: object) -> str:
    """JSON in UTF-8 itself, as providers send it, so that cuts fall into characters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def arguments_text(call: Call) -> str:
    """The arguments as JSON text, or whatever was written instead."""
    return (
        call.arguments
        if isinstance(call.arguments, str)
        else json.dumps(dict(call.arguments), ensure_ascii=False)
    )


def arguments_object(call: Call) -> dict[str, Any] | None:
    """The arguments as an object; ``None`` for broken ones."""
    try:
        found = json.loads(arguments_text(call))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def words_of(fault: Status, words: dict[str, str]) -> str:
    """The fault's own message, else the provider's words for its kind."""
    return words.get(fault.kind, fault.message) if fault.message == TOLD else fault.message
