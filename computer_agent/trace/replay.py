"""A recorded run as a model: the same actions, on places found anew, each compared with the recording."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from computer_agent.step import Act, Answer
from computer_agent.trace.compare import compared
from computer_agent.trace.plan import named, part, plan, secret_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.step import Observation, Outcome, Step
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


class ReplayModel:
    """Plays the actions of a trace that were done, one a step, and stops where the screen answers otherwise.

    A recorded pixel is never clicked: the computer wrote down with it a question that finds the same
    place again, and that is asked. Actions that were refused, failed or skipped are left out, and so is
    what only looked; what code did is left to the code. ``values`` holds the secret texts, which a trace
    does not: by ``secret1``, ``secret2``, … or by the label of the field (``secret_names`` lists them).
    ``notes`` are sentences about what is left out. ``first`` and ``last`` are the numbers, 1 first, of the
    actions to begin and to end with; a replay that ends early does not finish the task.

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
        self._trace = trace
        whole = plan(trace, values or {})
        self._plan = part(whole, first, last)
        self._first, self._of = first, len(whole)
        self._titles = frozenset(title for planned in self._plan for title in planned.receipt.opened)
        self.notes = tuple(_notes(trace))

    @property
    def name(self) -> str:
        """Always ``replay``."""
        return "replay"

    @property
    def observe(self) -> Observe:
        """It does not look: the computer finds the places."""
        return "picture"

    def decide(
        self,
        task: str,  # noqa: ARG002 - the recording has its own
        past: Sequence[Step],
        now: Observation,
        on_delta: Callable[[str], None],
    ) -> Act | Answer:
        """The next recorded action, or the answer: all as recorded, or the step at which it diverged."""
        past = [step for step in past if not step.put_off]
        unchecked: list[str] = []
        for number, (planned, step) in enumerate(zip(self._plan, past, strict=False), self._first):
            found = compared(planned.receipt, _outcome(planned.action, step), self._titles)
            if found.diverged:
                words = f"The replay diverged at step {number}: {found.words} ({named(planned.action)})."
                return Answer(text=words, done=False)
            if found.words:
                unchecked.append(f"{found.words} in step {number}")
        if len(past) >= len(self._plan):
            return self._answer(unchecked)
        action, number = self._plan[len(past)].action, self._first + len(past)
        if now.released:
            why = f"what was held down ({', '.join(now.released)}) was released when the desktop was used meanwhile"
            return Answer(text=f"The replay ends before step {number} ({named(action)}): {why}.", done=False)
        thought = f"Replaying {number} of {self._of}: {named(action)}"
        on_delta(thought)
        return Act(thought=thought, actions=(action,))

    def _answer(self, unchecked: Sequence[str]) -> Answer:
        steps = "1 step" if len(self._plan) == 1 else f"{len(self._plan)} steps"
        alike = (
            f"as recorded, but nobody could check {', '.join(unchecked)}" if unchecked else "all as recorded"
        )
        said = [f"Replayed {steps}; {alike}.", *self.notes]
        last = self._first + len(self._plan) - 1
        if len(self._plan) < self._of:
            said.append(f"These were the steps {self._first} to {last} of {self._of}.")
        ending = self._trace.ending
        if ending is None or ending.ending != "done":
            how = "has no end" if ending is None else f'ended as "{ending.ending}"'
            said.append(f"The recorded run itself {how}, so this does not finish the task either.")
        finished = ending is not None and ending.ending == "done"
        return Answer(text=" ".join(said), done=finished and last == self._of)


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
