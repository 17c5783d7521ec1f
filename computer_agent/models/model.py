"""The Model seam, and what a model can fail with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.step import Act, Answer, Observation, Step, Usage


class Model(Protocol):
    """Whatever decides the next actions: a language model, plain-English steps, a recorded trace."""

    @property
    def name(self) -> str:
        """As the person named it."""
        ...

    @property
    def observe(self) -> Observe:
        """How it is shown the screen; ``picture``, too, where it does not look."""
        ...

    def decide(
        self, task: str, past: Sequence[Step], now: Observation, on_delta: Callable[[str], None]
    ) -> Act | Answer:
        """The next actions, or the answer that ends the run.

        ``past`` is the whole history, oldest first; pruning and caching are the dialect's. ``on_delta``
        gets the model's text as it arrives. Raises ``ModelError``.
        """
        ...


class ModelError(Exception):
    """The model could not be asked, or did not answer; the message says what to do.

    ├── NoKey          no key or a wrong one
    ├── UnknownModel   the provider does not know that name
    ├── Refused        the provider or the model will not do it
    ├── RateLimited    too many requests, even after waiting
    ├── Unreachable    no connection, or the server fails
    ├── BadReply       the answer could not be read, even after it was asked to correct it
    ├── ContextFull    the history no longer fits
    └── OverBudget     the next request would cost more than is left

    ``usage`` is what the requests cost that came to nothing.
    """

    usage: Usage | None = None


class NoKey(ModelError):
    """No API key, or one the provider does not accept."""


class UnknownModel(ModelError):
    """The provider does not know a model of that name."""


class Refused(ModelError):
    """The provider or the model will not do it."""


class RateLimited(ModelError):
    """Too many requests, even after waiting as long as the provider asked."""


class Unreachable(ModelError):
    """No connection, or the server fails."""


class BadReply(ModelError):
    """The answer could not be read, even after the model was asked to correct it."""


class ContextFull(ModelError):
    """The history no longer fits into the model's window."""


class OverBudget(ModelError):
    """The next request would cost more than is left of the budget, or nobody knows what it costs."""


class BadSteps(ModelError):
    """The plain-English steps have a word that the language does not know."""
