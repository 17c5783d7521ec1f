"""A conversation: one task after the other on the same computer, with a model that remembers what came before."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from computer_agent.loop import Memory, run
from computer_agent.runs import registered
from computer_agent.step import Act, Finished, Looking, Said, Spent, Step, Usage

if TYPE_CHECKING:
    from collections.abc import Generator

    from computer_agent.session import Session
    from computer_agent.step import Event

_ANSWERED = ("done", "gave up")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What the person said, how the turn ended, and how many steps there were before it."""

    said: Said
    finished: Finished | None
    steps_before: int


@dataclass(slots=True)
class Conversation:
    """Turns on an open session, oldest first. ``past`` are the steps of all of them.

    ``exchanges`` may begin with what was said in an earlier conversation that is gone on with.
    """

    session: Session
    past: list[Step] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)

    def say(self, words: str, *, pictures: tuple[bytes, ...] = ()) -> Generator[Event, None, None]:
        """Do one turn, as ``loop.run`` does a task: the last event is ``Finished``.

        Closing the generator, or Ctrl-C, ends the turn; the conversation goes on with what was done. Raises
        ``TraceError`` when there is nowhere to record it.
        """
        said = Said(words=words, pictures=pictures, answered=self._answered())
        self.exchanges.append(Exchange(said=said, finished=None, steps_before=len(self.past)))
        looked: Looking | None = None
        try:
            with (
                registered(words, self.session.settings.environment) as halted,
                self.session.turn(words, halted) as agent,
                closing(run(self.task, agent, Memory(past=self.past, said=self._new(said)))) as events,
            ):
                for event in events:
                    if isinstance(event, Looking):
                        looked = event
                    if isinstance(event, Finished):
                        self.exchanges[-1] = replace(self.exchanges[-1], finished=event)
                    yield event
        finally:
            self._remember(looked)

    @property
    def task(self) -> str:
        """The first words of it."""
        return self.exchanges[0].said.words

    def _new(self, said: Said) -> Said:
        """What is told beside the task, which are the first words."""
        return replace(said, words="") if len(self.exchanges) == 1 else said

    def _remember(self, looked: Looking | None) -> None:
        """Keep what the model was told last and answered, for which there is no step."""
        finished = self.exchanges[-1].finished
        if looked is None or looked.number <= len(self.past):
            return
        answer = finished.words if finished is not None and finished.ending in _ANSWERED else ""
        usage = Usage() if finished is None else self._last_usage(finished.spent)
        self.past.append(
            Step(
                number=looked.number,
                seen=looked.seen,
                act=Act(thought=answer, actions=(), usage=usage),
                outcomes=(),
                seconds=0.0,
            )
        )

    def _last_usage(self, spent: Spent) -> Usage:
        """What of a turn's costs is no step's: that of what the model said last."""
        usages = [step.act.usage for step in self.past[self.exchanges[-1].steps_before :]]
        known = [usage.dollars for usage in usages if usage.dollars is not None]
        whole = spent.dollars is not None and len(known) == len(usages)
        return Usage(
            tokens_in=max(0, spent.tokens - sum(usage.tokens_in + usage.tokens_out for usage in usages)),
            dollars=max(0.0, (spent.dollars or 0.0) - sum(known)) if whole else None,
        )

    def undo(self) -> str | None:
        """Take the last turn back, out of what is remembered alone, and give its words; ``None`` when there is none."""
        if not self.exchanges:
            return None
        last = self.exchanges.pop()
        del self.past[last.steps_before :]
        return last.said.words

    def reset(self) -> None:
        """Forget all turns, and end the programs in which code ran: what they had set is gone."""
        self.exchanges.clear()
        self.past.clear()
        self.session.computer.forget_code()

    @property
    def spent(self) -> Spent:
        """What all turns have used so far; ``dollars`` is ``None`` when a price is not known."""
        each = [exchange.finished.spent for exchange in self.exchanges if exchange.finished is not None]
        known = [spent.dollars for spent in each if spent.dollars is not None]
        return Spent(
            steps=sum(spent.steps for spent in each),
            seconds=sum(spent.seconds for spent in each),
            dollars=sum(known) if len(known) == len(each) else None,
            tokens=sum(spent.tokens for spent in each),
        )

    def _answered(self) -> str:
        """How the turn before ended, where the model has not said so itself."""
        if not self.exchanges:
            return ""
        finished = self.exchanges[-1].finished
        if finished is None:
            return "The person stopped it."
        own = self.past and not self.past[-1].act.actions and finished.ending in _ANSWERED
        return "" if own else finished.words
