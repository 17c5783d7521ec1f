"""What the server says: replies and faults as values that every protocol can render, and who picks them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from model_server.request import Request

TOLD = "the server was told to fail"

Kind = Literal[
    "", "auth", "forbidden", "quota", "no_model", "rate", "overloaded", "context", "content_filter"
]
"""What a failure is about; ``""`` leaves it to the status."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. ``arguments`` as a string are sent as they are: broken JSON on purpose.

    ``toolset`` is Anthropic's ``toolset_name``. ``id`` is made up where it is ``None``.
    """

    name: str
    arguments: Mapping[str, object] | str
    id: str | None = field(default=None, kw_only=True)
    toolset: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyCheck:
    """A check that OpenAI wants a person to acknowledge."""

    id: str
    code: str = "malicious_instructions"
    message: str = "The page tells the model what to do."


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputerCall:
    """OpenAI's own computer call, only of Responses: ``actions[]`` when ``batched``, else the one ``action``."""

    actions: tuple[Mapping[str, object], ...]
    checks: tuple[SafetyCheck, ...] = ()
    batched: bool = True
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model says: thinking, then text, then calls.

    ``finish`` is ``stop``, ``tool_calls``, ``length``, ``content_filter``, ``malformed`` or a provider's own word; it
    defaults to ``tool_calls`` or ``stop``. ``signature`` is what must come back with the thinking or the call; thinking
    has one anyway. ``refusal`` is said in the provider's own place for it. ``tokens`` are in, out, and of the first:
    read from the cache; ``written`` to the cache, ``reasoned`` of the second.
    """

    text: str = ""
    calls: tuple[Call | ComputerCall, ...] = ()
    finish: str | None = None
    tokens: tuple[int, int, int] = (100, 10, 0)
    written: int = 0
    reasoned: int = 0
    thinking: str = ""
    signature: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An HTTP error in the shape that the provider gives it.

    ``kind`` brings the provider's own words, unless there is a ``message``. ``retry_after`` is in seconds, sent as a
    date when ``dated``; Gemini says it in the body.
    """

    status: int
    message: str = TOLD
    code: str | None = None
    retry_after: float | None = None
    kind: Kind = ""
    dated: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection is closed after that many events of the reply; ``"calls"``: after all but what ends it.

    ``inside`` sends half of the next event first.
    """

    after: int | Literal["calls"]
    reply: Reply
    inside: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Garbled:
    """A body, or the first event of a stream, that is no JSON; with a reply: the event after so many of it."""

    after: int = 0
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer until the server is closed; with a reply: nothing more after so many of its events."""

    after: int = 0
    reply: Reply | None = None


@dataclass(frozen=True, slots=True)
class Closed:
    """The connection is closed before a single byte."""


@dataclass(frozen=True, slots=True)
class Fails:
    """After so many events of the reply the provider says, in the stream, that it failed."""

    after: int
    reply: Reply
    fault: Status = Status(status=529, kind="overloaded")


Turn = Reply | Status | Cut | Garbled | Hang | Closed | Fails


class Brain(Protocol):
    """Whoever answers a request."""

    def answer(self, request: Request) -> Turn:
        """The reply or the fault for this request."""
        ...

    def unread(self) -> int:
        """How many turns nobody asked for; 0 when the brain has no script."""
        ...


@dataclass(slots=True)
class Scripted:
    """Says the given turns one after the other, whatever it is asked; then answers with status 500.

    ``check`` is called with each request; what it raises as ``AssertionError`` is answered as status 400.
    """

    turns: Sequence[Turn]
    check: Callable[[Request], None] | None = None
    _said: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def answer(self, request: Request) -> Turn:
        """The next turn."""
        if self.check is not None:
            self.check(request)
        with self._lock:
            if self._said >= len(self.turns):
                return Status(status=500, message="the script is exhausted")
            self._said += 1
            return self.turns[self._said - 1]

    def unread(self) -> int:
        """How many turns are left."""
        return len(self.turns) - self._said
