"""A language model: a dialect, a transport, and what lies between them: corrections, waiting, asking again."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from computer_agent.models.dialect import NoCall
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.model import BadReply, RateLimited, Refused
from computer_agent.models.transports.failures import FailedError
from computer_agent.models.usage import together
from computer_agent.step import Answer, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.models.dialect import Dialect, Prompt, Reply, Transport
    from computer_agent.models.transports.failures import Failure
    from computer_agent.step import Act, Observation, Step

_CORRECTIONS = 2
_LONGEST_WAIT = 120.0  # seconds; a provider that wants more is told to the person
_FIRST_WAIT = 0.5


def _say_nothing(_: str) -> None:
    """Who does not want notices."""


@dataclass(slots=True)
class LanguageModel:
    """A model that is asked over a wire. ``name`` is as the person named it.

    A reply that cannot be read is corrected at most twice; what fails and may pass is asked again ``retries`` times.
    Nothing is done before a whole reply is read, so no asking again can repeat an action. ``wait`` sleeps between
    tries, in seconds; ``on_notice`` is told, in a sentence, why.
    """

    name: str
    dialect: Dialect = field(kw_only=True, repr=False)
    transport: Transport = field(kw_only=True, repr=False)
    retries: int = field(default=4, kw_only=True)
    wait: Callable[[float], None] = field(default=time.sleep, kw_only=True, repr=False)
    on_notice: Callable[[str], None] = field(default=_say_nothing, kw_only=True, repr=False)

    @property
    def observe(self) -> Observe:
        """How it is shown the screen."""
        return self.dialect.history.observe

    def warm_up(self) -> None:
        """Begin in the background what the first request would wait for."""
        self.transport.warm_up()

    def decide(
        self, task: str, past: Sequence[Step], now: Observation, on_delta: Callable[[str], None]
    ) -> Act | Answer:
        """The next actions, or the answer that ends the run. Raises ``ModelError``."""
        prompt = self.dialect.prompt(task, past, now)
        usage, words_only, corrections = Usage(), False, 0
        while True:
            shown = self.dialect.shown(on_delta)
            reply = self._asked(prompt, shown)
            shown.end(reply)
            usage = together(usage, reply.usage)
            if reply.finish == "content_filter":
                raise Refused(
                    f'"{self.name}" will not do it.' + (f' It said: "{reply.text}"' if reply.text else "")
                )
            try:
                return replace(self.dialect.decision(reply, now), usage=usage)
            except BadCall as bad:
                words = reply.text.strip() if isinstance(bad, NoCall) else ""
                if words and words_only:  # it did not say that it is done
                    return Answer(text=words, done=False, usage=usage)
                if corrections == _CORRECTIONS:
                    raise BadReply(_unusable(reply, str(bad))) from bad
                prompt = self.dialect.corrected(prompt, reply, str(bad))
            words_only, corrections = words_only or bool(words), corrections + 1

    def _asked(self, prompt: Prompt, on_delta: Callable[[str], None]) -> Reply:
        """Ask until there is a reply: what passes by itself is tried again, with growing pauses."""
        tries = 0
        while True:
            try:
                return self.transport.ask(prompt, on_delta)
            except FailedError as failed:
                pause = self._pause(failed.failure, tries)
                if pause is None:
                    raise failed.failure.error from failed.__cause__
                failure = failed.failure
            tries += 1
            self.on_notice(
                f"{_reason(failure)} Asking again in {pause:.1f} seconds ({tries} of {self.retries})."
            )
            self.wait(pause)

    def _pause(self, failure: Failure, tries: int) -> float | None:
        """Seconds until the next try, ``None`` when there is none."""
        wished = failure.retry_after
        if not failure.passing or tries >= self.retries or (wished or 0) > _LONGEST_WAIT:
            return None
        jitter = random.uniform(0, 0.25)  # noqa: S311 - so that several agents do not come back together
        return wished + jitter if wished is not None else _FIRST_WAIT * 2**tries * (1 + jitter)


def _reason(failure: Failure) -> str:
    return "Too many requests." if isinstance(failure.error, RateLimited) else "The model's server failed."


def _unusable(reply: Reply, wrong: str) -> str:
    if not reply.calls and not reply.text.strip():
        return (
            f"The model sent an empty reply ({reply.usage.tokens_out} tokens), {1 + _CORRECTIONS} times. "
            "Check that the server supports tools and pictures for it, or take another model."
        )
    return (
        f"The model's reply could not be used, even after {_CORRECTIONS} corrections: {wrong} "
        "A larger model, or one that is made for tool calls, may do better."
    )
