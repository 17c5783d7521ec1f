"""Why must we stop? Steps, seconds, money, repetition: one question, answered from the history."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from computer_agent.step import NotDone
from computer_api.actions import CHECKS, Look, Scroll, Wait, Zoom, aimed_at, targets_of
from computer_api.errors import Stopped
from computer_api.geometry import Pixel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.step import Spent, Step
    from computer_api.actions import Action
    from computer_api.targets import Target

_NUDGE_AT = 3
_STOP_AT = 5
_IDLE_NUDGE_AT = 5
_IDLE_STOP_AT = 12
_IDLE = (Look, Wait, Zoom)
_SAME_PIXELS = 5  # a click that near to another is the same
_MAY_REPEAT = (Look, Scroll, Wait, Zoom)
_CHANGE_NOTHING = (*_MAY_REPEAT, *CHECKS)


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
    if (times := idle(past)) >= _IDLE_STOP_AT:
        return f"For {times} steps the model only looked or waited, and the screen did not change."
    return None


def nudge(past: Sequence[Step]) -> str | None:
    """What to tell a model that repeats itself, before it is stopped."""
    times = repeated(past)
    if times < _NUDGE_AT:
        return _waits(idle(past))
    return (
        f"You have tried this step {times} times and nothing changed. Do something else; "
        f"at {_STOP_AT} times the run is stopped."
    )


def _waits(times: int) -> str | None:
    if times < _IDLE_NUDGE_AT:
        return None
    return (
        f"For {times} steps you only looked or waited, and the screen has not changed. Act, use expect for what you "
        f"wait for, or call finish with done false; at {_IDLE_STOP_AT} the run is stopped."
    )


def idle(past: Sequence[Step]) -> int:
    """How many of the last steps only looked or waited at a screen that stayed as it was."""
    return sum(
        1
        for _ in takewhile(
            lambda step: (
                step.seen.unchanged_since is not None
                and bool(step.act.actions)
                and all(isinstance(action, _IDLE) for action in step.act.actions)
            ),
            reversed(past),
        )
    )


def repeated(past: Sequence[Step]) -> int:
    """How often the last step was done before anything had an effect, its own actions and others in between.

    Clicks a few pixels apart are the same. A look, a wait or a scroll that changed nothing does not break the
    row, nor does what was expected and was so; what is expected in vain counts.
    """
    row = [step for step in takewhile(_changed_nothing, reversed(past)) if not _may_be_repeated(step)]
    if not row:
        return 0
    return sum(_same_actions(step, row[0]) for step in row)


def _changed_nothing(step: Step) -> bool:
    if step.interrupted:  # it is no fault of the step
        return False
    return all(
        isinstance(outcome, NotDone)
        or outcome.receipt.failed
        or outcome.receipt.effect == "nothing"
        or (isinstance(outcome.action, _CHANGE_NOTHING) and outcome.receipt.effect == "unknown")
        for outcome in step.outcomes
    )


def _may_be_repeated(step: Step) -> bool:
    was_so = not any(isinstance(outcome, NotDone) for outcome in step.outcomes)
    repeatable = _CHANGE_NOTHING if was_so else _MAY_REPEAT
    return all(isinstance(action, repeatable) for action in step.act.actions)


def _same_actions(one: Step, other: Step) -> bool:
    """Whether the two steps ask for the same, but for what may be repeated."""
    first, second = (
        [action for action in step.act.actions if not isinstance(action, _MAY_REPEAT)]
        for step in (one, other)
    )
    return len(first) == len(second) and all(map(_same, first, second))


def _same(one: Action, other: Action) -> bool:
    """Whether two actions are the same, places on the picture a few pixels apart included."""
    here, there = targets_of(one), targets_of(other)
    if len(here) != len(there) or not all(map(_same_target, here, there)):
        return False
    return aimed_at(one, there) == other


def _same_target(one: Target, other: Target) -> bool:
    if isinstance(one, Pixel) and isinstance(other, Pixel):
        return max(abs(one.x - other.x), abs(one.y - other.y)) <= _SAME_PIXELS
    return one == other
