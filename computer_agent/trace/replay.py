"""A recorded run as a model: the same actions, on places found anew, each compared with the recording."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.step import Act, Answer, NotDone
from computer_agent.trace.compare import compared
from computer_agent.trace.plan import named, part, plan, secret_names
from computer_agent.trace.record import IMAGES
from computer_agent.trace.replay_gate import ReplayGate, Replaying
from computer_agent.trace.replay_result import ReplayResult, StepResult
from computer_agent.trace.variables import filled, told, unfilled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.loop import Agent
    from computer_agent.step import Observation, Outcome, Step
    from computer_agent.trace.healing import Healed
    from computer_agent.trace.plan import Planned
    from computer_agent.trace.reader import Trace
    from computer_api.actions import Action

__all__ = ["ReplayModel", "secret_names"]

_LEFT_OUT = {
    "error": "failed",
    "refused": "were refused",
    "interrupted": "were interrupted",
    "skipped": "were skipped",
    "unknown": "have no result",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Doing:
    """The action that was decided on last: its number and its plan."""

    number: int
    planned: Planned


class ReplayModel:
    """Plays the actions of a trace that were done, one a step, and stops where the screen answers otherwise.

    A recorded pixel is never clicked: the computer wrote down with it what finds the same place again, and that is
    asked. Actions that were refused, failed or skipped are left out, and so is what only looked; what code did is left
    to the code. ``values`` holds what ``{{name}}`` stands for, where it is not what was recorded, and the secret texts,
    which a trace does not: by ``secret1``, ``secret2``, … or by the label of the field (``secret_names`` lists them).
    ``notes`` are sentences about what is left out, ``unfilled`` puts the names back into texts of this replay.
    ``first`` and ``last`` are the numbers, 1 first, of the actions to begin and to end with; a replay that ends early
    does not finish the task.

    ``attach`` it to the agent that it runs in: then it waits for what was recorded as long as that may take.

    Raises ``TraceError`` before anything runs when a place cannot be found again or a secret is missing.
    """

    def __init__(
        self,
        trace: Trace,
        *,
        values: Mapping[str, str] | None = None,
        first: int = 1,
        last: int | None = None,
    ) -> None:
        given = values or {}
        self.trace = filled(trace, given)
        whole = plan(self.trace, given)
        self._plan = part(whole, first, last)
        self._first, self._of = first, len(whole)
        self._titles = frozenset(title for planned in self._plan for title in planned.receipt.opened)
        self.unfilled = unfilled(trace, given)
        self.notes = (*told(trace, given), *_notes(trace))
        self._gate: ReplayGate | None = None
        self._doing: _Doing | None = None
        self._results: tuple[StepResult, ...] = ()
        self._finished = False

    @property
    def name(self) -> str:
        """Always ``replay``."""
        return "replay"

    @property
    def observe(self) -> Observe:
        """It does not look: the computer finds the places."""
        return "picture"

    @property
    def result(self) -> ReplayResult:
        """What has come of it so far, without pictures."""
        return ReplayResult(of=self._of, steps=self._results, finished=self._finished)

    @property
    def healed(self) -> tuple[Healed, ...]:
        """The targets that were found anew."""
        return () if self._gate is None else self._gate.healed

    def attach(self, agent: Agent, replaying: Replaying | None = None) -> None:
        """Wait for facts in this agent's run, and do what ``replaying`` says besides."""
        images = agent.trace.folder / IMAGES
        self._gate = ReplayGate(
            agent.computer,
            self._titles,
            replaying or Replaying(),
            keep=lambda png: images / agent.trace.image(png),
        )
        agent.computer.gate = self._gate

    def decide(
        self,
        task: str,  # noqa: ARG002 - the recording has its own
        past: Sequence[Step],
        now: Observation,
        on_delta: Callable[[str], None],
    ) -> Act | Answer:
        """The next recorded action, or the answer: all as recorded, or the step at which it diverged."""
        past = [step for step in past if not step.put_off]
        steps = zip(self._plan, past, strict=False)
        self._results = tuple(self._result(number, *both) for number, both in enumerate(steps, self._first))
        if (failed := self.result.failed) is not None:
            return Answer(text=failed.sentence(), done=False)
        if len(past) >= len(self._plan):
            return self._answer()
        planned, number = self._plan[len(past)], self._first + len(past)
        if now.released:
            why = f"what was held down ({', '.join(now.released)}) was released when the desktop was used meanwhile"
            return Answer(
                text=f"The replay ends before step {number} ({named(planned.action)}): {why}.", done=False
            )
        thought = f"Replaying {number} of {self._of}: {named(planned.action)}"
        on_delta(thought)
        if self._gate is not None:
            then = self._plan[len(past) + 1] if len(past) + 1 < len(self._plan) else None
            self._gate.expect(number, self._of, planned, then)
        return Act(thought=thought, actions=(planned.action,))

    def _result(self, number: int, planned: Planned, step: Step) -> StepResult:
        """What became of one action, beside the recording."""
        outcome = _outcome(planned.action, step)
        found = compared(planned.receipt, outcome, self._titles)
        noted = None if self._gate is None else self._gate.noted.get(number)
        unsent = isinstance(outcome, NotDone) and noted is not None and not noted.begun
        healed = None if noted is None else noted.healed
        notes = [
            note
            for note in (found.already, healed and healed.sentence(), noted and noted.late_words())
            if note
        ]
        if found.unchecked:
            notes.append(f"nobody could check {found.unchecked}")
        return StepResult(
            number=number,
            step=planned.step,
            attempt=planned.attempt.id,
            replayed=step.number,
            action=named(planned.action),
            outcome=("stopped" if unsent else "diverged")
            if found.diverged
            else "healed"
            if healed
            else "pass",
            expected=found.expected,
            seen=found.seen,
            notes=tuple(notes),
        )

    def _answer(self) -> Answer:
        count = len(self._plan)
        said = [f"Replayed {'1 step' if count == 1 else f'{count} steps'}; {self._alike()}.", *self.notes]
        last = self._first + count - 1
        if count < self._of:
            said.append(f"These were the steps {self._first} to {last} of {self._of}.")
        ending = self.trace.ending
        if ending is None or ending.ending != "done":
            how = "has no end" if ending is None else f'ended as "{ending.ending}"'
            said.append(f"The recorded run itself {how}, so this does not finish the task either.")
        self._finished = ending is not None and ending.ending == "done" and last == self._of
        return Answer(text=" ".join(said), done=self._finished)

    def _alike(self) -> str:
        """In which way it was as recorded."""
        healed = [str(step.number) for step in self._results if step.outcome == "healed"]
        words = "as recorded" if healed or any(step.notes for step in self._results) else "all as recorded"
        if healed:
            words = f"as recorded once {_counted('step', healed)} had a new target"
        notes = [
            f"{note} in step {step.number}"
            for step in self._results
            for note in step.notes
            if step.outcome == "pass"
        ]
        return f"{words}, but {', '.join(notes)}" if notes else words


def _counted(word: str, numbers: Sequence[str]) -> str:
    return f"{word}{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def _outcome(action: Action, step: Step) -> Outcome | None:
    """What became of the action itself, when there are outcomes of what code asked for beside it."""
    own = [outcome for outcome in step.outcomes if outcome.action == action]
    return next(iter(own or step.outcomes), None)


def _notes(trace: Trace) -> Iterator[str]:
    attempts = [attempt for step in trace.steps for attempt in step.attempts if not attempt.nested]
    counts = Counter(attempt.outcome for attempt in attempts if attempt.outcome != "done")
    if counts:
        kinds = ", ".join(f"{count} that {_LEFT_OUT[outcome]}" for outcome, count in counts.items())
        yield f"Recorded actions left out: {kinds}."
