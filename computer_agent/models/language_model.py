"""A language model: a dialect, a transport, and what lies between them: corrections, waiting, money, a full window."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from computer_agent.context.aside import aside
from computer_agent.context.budget import Budget
from computer_agent.context.summary import (
    FEWEST_STEPS,
    FULL,
    GAIN,
    KEPT_STEPS,
    OVERFULL,
    Summary,
    question,
    summarised,
)
from computer_agent.context.tokens import tokens_of
from computer_agent.models.dialect import NoCall
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.dialects.printed_calls import without_thinking
from computer_agent.models.model import BadReply, ContextFull, ModelError, RateLimited, Refused
from computer_agent.models.transports.failures import FailedError
from computer_agent.models.usage import together
from computer_agent.models.wires.written_code import ShownWithCode
from computer_agent.step import Answer, Observation, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.models.dialect import Dialect, Prompt, Reply, Transport
    from computer_agent.models.transports.failures import Failure
    from computer_agent.step import Act, Step

_CORRECTIONS = 2
_LONGEST_WAIT = 120.0  # seconds; a provider that wants more is told to the person
_FIRST_WAIT = 0.5


def _say_nothing(_: str) -> None:
    """Who does not want notices."""


def _show_nothing(_language: str, _text: str) -> None:
    """Who does not want to see code before it is whole."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """One decision to be made, and what was paid for it so far."""

    task: str
    past: Sequence[Step]
    now: Observation
    on_delta: Callable[[str], None]
    paid: list[Usage] = field(default_factory=list)

    @property
    def spent(self) -> Usage:
        """All of the run."""
        return _sum([*(step.act.usage for step in self.past), *self.paid])


@dataclass(slots=True)
class LanguageModel:
    """A model that is asked over a wire. ``name`` is as the person named it.

    A reply that cannot be read is corrected at most twice; what fails and may pass is asked again ``retries`` times.
    Nothing is done before a whole reply is read, so no asking again can repeat an action. ``window`` is how many tokens
    the model holds, ``None`` where nobody knows: before the history fills it, and when the provider says that it does
    not fit, the model puts its older steps into words. In a conversation it ``talks``: words alone are its answer, and
    no slip. ``wait`` sleeps between tries, in seconds; ``on_notice`` is told
    what happens, in a sentence, ``on_code`` each piece of code as it is written, with its language.
    """

    name: str
    dialect: Dialect = field(kw_only=True, repr=False)
    transport: Transport = field(kw_only=True, repr=False)
    budget: Budget = field(default_factory=lambda: Budget(None, None), kw_only=True, repr=False)
    window: int | None = field(default=None, kw_only=True)
    talks: bool = field(default=False, kw_only=True)
    retries: int = field(default=4, kw_only=True)
    wait: Callable[[float], None] = field(default=time.sleep, kw_only=True, repr=False)
    on_notice: Callable[[str], None] = field(default=_say_nothing, kw_only=True, repr=False)
    on_code: Callable[[str, str], None] = field(default=_show_nothing, kw_only=True, repr=False)
    _summary: Summary | None = field(default=None, init=False, repr=False)
    _spent: Usage = field(default_factory=Usage, init=False, repr=False)  # as of the last decision
    _beside: list[Usage] = field(default_factory=list, init=False, repr=False)  # since then

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
        if self._summary is not None and not self._summary.is_of(past):
            self._summary = None
        turn = _Turn(task, past, now, on_delta, self._beside)
        self._beside = []
        try:
            return self._decision(turn)
        except ModelError as error:
            error.usage = _sum(turn.paid)
            raise
        finally:
            self._spent = turn.spent

    def advise(self, words: str, pictures: Sequence[bytes] = ()) -> str:
        """What it answers to a question beside the task; the cost counts, and is told with its next decision.

        ``pictures`` are PNG. Raises ``ModelError``.
        """
        if pictures and not self.dialect.history.sees:
            raise ModelError(f'"{self.name}" cannot see, so it cannot be asked about a picture.')
        now = Observation(screenshot=None)
        turn = _Turn(words, (), now, _say_nothing, [self._spent, *self._beside])
        prompt = aside(words, pictures, self.dialect.prompt(words, (), now).wire)
        reply = self._paid(prompt, _say_nothing, turn)
        self._beside.append(reply.usage)
        if reply.finish == "content_filter":
            raise Refused(f'"{self.name}" will not answer that.')
        return without_thinking(reply.text).strip()

    def _decision(self, turn: _Turn) -> Act | Answer:
        prompt = self._fitting(turn)
        try:
            return self._decided(prompt, turn)
        except ContextFull as full:
            return self._decided_shorter(turn, full)

    def _prompt(self, turn: _Turn) -> Prompt:
        if self._summary is None:
            return self.dialect.prompt(turn.task, turn.past, turn.now)
        left, now = self._summary.rest(turn.past, turn.now)
        return self.dialect.prompt(self._summary.task(turn.task), left, now)

    def _fitting(self, turn: _Turn) -> Prompt:
        """The prompt, with older steps in few words where it fills the window."""
        prompt = self._prompt(turn)
        for share, kept, gain in (
            (FULL, KEPT_STEPS, GAIN),
            (OVERFULL, KEPT_STEPS, 1),
            (OVERFULL, FEWEST_STEPS, 1),
        ):
            if self._fills(share, prompt):
                prompt = self._shortened(turn, kept, gain) or prompt
        return prompt

    def _fills(self, share: float, prompt: Prompt) -> bool:
        if self.window is None:
            return False
        return self.budget.forecast.tokens(self._estimate(prompt)) > share * self.window

    def _decided_shorter(self, turn: _Turn, full: ContextFull) -> Act | Answer:
        """Ask again with fewer steps word for word, until it fits. Raises ``ContextFull``."""
        for kept in (KEPT_STEPS, FEWEST_STEPS):
            prompt = self._shortened(turn, kept)
            if prompt is not None:
                try:
                    return self._decided(prompt, turn)
                except ContextFull as still:
                    full = still
        raise full

    def _shortened(self, turn: _Turn, kept: int, gain: int = 1) -> Prompt | None:
        """The prompt with all but so many steps in few words; ``None`` where that would gain nothing."""
        steps = summarised(turn.past, self._summary, kept=kept, gain=gain)
        if not steps:
            return None
        self.on_notice(f"The history grows long: the model puts steps 1 to {steps} into a few words.")
        wire = self.dialect.prompt(turn.task, (), turn.now).wire
        reply = self._paid(question(turn.task, turn.past[:steps], self._summary, wire), _say_nothing, turn)
        if not reply.text.strip():
            return None
        self._summary = Summary(turn.past[0], steps, reply.text.strip())
        self.budget.rewritten()
        return self._prompt(turn)

    def _decided(self, prompt: Prompt, turn: _Turn) -> Act | Answer:
        """Ask until the reply is a decision."""
        words_only, corrections = False, 0
        while True:
            shown = ShownWithCode(self.dialect.shown(turn.on_delta), self.on_code)
            reply = self._paid(prompt, shown, turn)
            self.budget.counted(self._estimate(prompt), prompt.pruned, reply.usage)
            shown.end(reply)
            usage = _sum(turn.paid)
            if reply.finish == "content_filter":
                said = f' It said: "{reply.text}"' if reply.text else ""
                raise Refused(f'"{self.name}" will not do it.{said}')
            try:
                return replace(self.dialect.decision(reply, turn.now), usage=usage)
            except BadCall as bad:
                words = reply.text.strip() if isinstance(bad, NoCall) else ""
                if words and self.talks:
                    return Answer(text=without_thinking(words).strip(), usage=usage)
                if words and words_only:  # it did not say that it is done
                    return Answer(text=words, done=False, usage=usage)
                if corrections == _CORRECTIONS:
                    raise BadReply(_unusable(reply, str(bad))) from bad
                prompt = self.dialect.corrected(prompt, reply, str(bad))
                if words:
                    turn.on_delta("\n")  # what it says next is another reply
            words_only, corrections = words_only or bool(words), corrections + 1

    def _paid(self, prompt: Prompt, on_delta: Callable[[str], None], turn: _Turn) -> Reply:
        """Ask if there is money left for it, and keep what it cost."""
        self.budget.check(self._estimate(prompt), prompt.pruned, turn.spent.dollars)
        reply = self._asked(prompt, on_delta)
        turn.paid.append(reply.usage)
        return reply

    def _estimate(self, prompt: Prompt) -> int:
        return tokens_of(prompt, self.dialect.history.provider)

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


def _sum(usages: Sequence[Usage]) -> Usage:
    total = Usage()
    for usage in usages:
        total = together(total, usage)
    return total


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
