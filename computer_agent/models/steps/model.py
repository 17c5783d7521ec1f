"""The model that needs no model: it plays the steps of the task, one at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from computer_agent.models.steps.grammar import parse_steps
from computer_agent.step import Act, Answer, Done, NotDone
from computer_api.actions import HoldKeys, KeyDown, KeyUp, Look, MouseDown, Move, Wait, Zoom

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.models.steps.grammar import Instruction
    from computer_agent.step import Observation, Outcome, Step

_CHANGE_NOTHING = (HoldKeys, KeyDown, KeyUp, Look, MouseDown, Move, Wait, Zoom)  # and are not meant to
_MOST_QUOTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsModel:
    """Follows a task written in the steps language. ``values`` holds what ``$NAME`` stands for.

    It decides one action at a time: there is no round trip to save, and so every step gets its own
    receipt, its own approval and its own line. Where it is follows from ``past``; it remembers nothing.
    """

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    name: str = "steps"
    observe: Observe = "picture"

    def decide(
        self,
        task: str,
        past: Sequence[Step],
        now: Observation,
        on_delta: Callable[[str], None],
    ) -> Act | Answer:
        """The next step, or the end: after the last one, or after one that failed or was refused.

        Raises ``BadSteps`` before anything is done when any step cannot be read.
        """
        instructions = parse_steps(task, self.values)
        decided = sum(len(step.act.actions) for step in past if not step.put_off)
        outcomes = past[-1].outcomes if past and not past[-1].put_off else ()
        failed = next(filter(None, map(_failure, outcomes)), "")
        if failed:
            last = instructions[min(decided, len(instructions)) - 1]
            return Answer(text=f"Step {last.number}, `{last.words}`: {failed}", done=False)
        if decided >= len(instructions):
            return Answer(text=" ".join((_all_done(instructions), *_in_vain(instructions, past))))
        following = instructions[decided]
        if now.released:  # the step would do something else without it
            why = f"what was held down ({', '.join(now.released)}) was released when the desktop was used meanwhile."
            return Answer(
                text=f"Step {following.number}, `{following.words}`, is not done: {why}", done=False
            )
        on_delta(following.words)
        return Act(thought=following.words, actions=(following.action,))


def _failure(outcome: Outcome) -> str:
    """Why the run cannot go on after this, or ``""``."""
    match outcome:
        case NotDone(why=why):
            return why
        case Done(receipt=receipt) if receipt.failed:
            return receipt.output.strip() or "the code failed and printed nothing."
        case _:
            return ""


def _all_done(instructions: tuple[Instruction, ...]) -> str:
    return "The step is done." if len(instructions) == 1 else f"All {len(instructions)} steps are done."


def _in_vain(instructions: tuple[Instruction, ...], past: Sequence[Step]) -> tuple[str, ...]:
    """A sentence about the steps that were to change something and changed nothing, or none."""
    outcomes = [outcome for step in past if not step.put_off for outcome in step.outcomes]
    vain = [
        instruction.words
        for instruction, outcome in zip(instructions, outcomes, strict=False)
        if isinstance(outcome, Done)
        and outcome.receipt.effect == "nothing"
        and not isinstance(outcome.action, _CHANGE_NOTHING)
        and not (outcome.receipt.opened or outcome.receipt.closed)
    ]
    if not vain:
        return ()
    quoted = ", ".join(f"`{words}`" for words in vain[:_MOST_QUOTED])
    more = f" and {len(vain) - _MOST_QUOTED} more" if len(vain) > _MOST_QUOTED else ""
    return (f"{len(vain)} of {len(instructions)} changed nothing: {quoted}{more}.",)
