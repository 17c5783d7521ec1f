"""Why must we stop? Steps, seconds, money, repetition: one question, answered from the history."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from computer_agent.step import NotDone
from computer_api.actions import Look, Scroll, Wait, Zoom
from computer_api.errors import Stopped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.step import Spent, Step

_NUDGE_AT = 3
_STOP_AT = 5
_MAY_REPEAT = (Look, Scroll, Wait, Zoom)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far a run may go. ``dollars`` is ``None`` for no limit."""

    steps: int = 100
    seconds: float = 1800.0
    dollars: float | None = None


class OverdueError(Stopped):
    """The time that a run was given is over, in the middle of an action."""


def all_steps_taken(limits: Limits, spent: Spent) -> str | None:
    """Why no further action may be done, or ``None``. The model may still answer: that is no step."""
    if spent.steps < limits.steps:
        return None
    return f"The limit of {limits.steps} steps is reached. Allow more with --max-steps."


def overdue(limits: Limits, seconds: float) -> str | None:
    """Why a run that has taken that many seconds must end, or ``None``."""
    if seconds < limits.seconds:
        return None
    return f"The limit of {limits.seconds:g} seconds is reached. Allow more with --max-seconds."


def reached(limits: Limits, spent: Spent, past: Sequence[Step]) -> str | None:
    """The plain reason why the model may not be asked again, or ``None``."""
    if (late := overdue(limits, spent.seconds)) is not None:
        return late
    if limits.dollars is not None:
        if spent.dollars is None:
            return "A budget was set, but the price of this model is not known, so it cannot be kept."
        if spent.dollars >= limits.dollars:
            return f"The budget of ${limits.dollars:g} is spent. Allow more with --max-budget."
    if (times := repeated(past)) >= _STOP_AT:
        return f"The same step was tried {times} times without any effect."
    return None


def nudge(past: Sequence[Step]) -> str | None:
    """What to tell a model that repeats itself, before it is stopped."""
    times = repeated(past)
    if times < _NUDGE_AT:
        return None
    return (
        f"You have tried this step {times} times and nothing changed. Do something else; "
        f"at {_STOP_AT} times the run is stopped."
    )


def repeated(past: Sequence[Step]) -> int:
    """How many steps at the end of the history are the same actions, none of which had an effect."""
    if not past or not _in_vain(past[-1]):
        return 0
    last = past[-1].act.actions
    return sum(1 for _ in takewhile(lambda step: step.act.actions == last and _in_vain(step), reversed(past)))


def _in_vain(step: Step) -> bool:
    if step.interrupted:  # it is no fault of the step
        return False
    if all(isinstance(action, _MAY_REPEAT) for action in step.act.actions):
        return False
    return all(
        isinstance(outcome, NotDone) or outcome.receipt.failed or outcome.receipt.effect == "nothing"
        for outcome in step.outcomes
    )
