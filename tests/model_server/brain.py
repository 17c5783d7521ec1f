"""What the server says: replies and faults as values, and who picks them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from model_server.request import Request


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. ``arguments`` as a string are sent as they are: broken JSON on purpose."""

    name: str
    arguments: Mapping[str, object] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model says. ``finish`` defaults to ``tool_calls`` or ``stop``."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    tokens: tuple[int, int, int] = (100, 10, 0)  # in, out, of the first: read from the cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An HTTP error in the shape that OpenAI gives it."""

    status: int
    message: str = "the server was told to fail"
    code: str | None = None
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection is closed after that many events of the reply."""

    after: int
    reply: Reply


@dataclass(frozen=True, slots=True)
class Garbled:
    """A body, or the first event of a stream, that is no JSON."""


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer until the server is closed."""


Turn = Reply | Status | Cut | Garbled | Hang


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
