"""What the calls of a reply ask for, and what became of each: one call may be several actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.context.history import Image, Stub, last_whole
from computer_agent.context.results import result_of
from computer_agent.models.dialect import NoCall
from computer_agent.models.dialects.arguments import BadCall
from computer_agent.models.wires.arguments_text import UNREADABLE, object_of
from computer_agent.step import Act, Answer, NotDone
from computer_api.actions import CHECKS
from computer_api.geometry import Size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from computer_agent.context.history import Part, Turn
    from computer_agent.models.dialect import Reply
    from computer_agent.step import Observation, Outcome, SafetyCheck, Step
    from computer_api.actions import Action

ANYWHERE = Size(1_000_000, 1_000_000)
"""The size that calls of the past are read with: only how many actions each was is asked."""

NOT_ENDED = "Not ended: first see what the other actions did, then call finish again."
_NOT_DONE = "Not done."
_LONGEST_SAID = 80  # characters: enough to recognise it
_ASK_FOR_CALL = (
    "That was no tool call. Go on with a tool, or call finish if the task is done or cannot be done."
)
_EMPTY = "Your reply was empty. Call a tool, or call finish."


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one call, in words; ``failed`` if one of its actions did."""

    text: str
    failed: bool


Called = tuple["Action", ...] | Answer
"""What one call asks for: actions in this order, or the end."""


def decided(called: Sequence[Called], reply: Reply, checks: tuple[SafetyCheck, ...] = ()) -> Act | Answer:
    """The calls together: an end counts only where nothing else is asked for, or only checks are.

    Raises ``BadCall`` where there is no call.
    """
    thought = reply.text.strip()
    if not called:
        raise NoCall(_ASK_FOR_CALL if thought else _EMPTY)
    actions = tuple(action for one in called if not isinstance(one, Answer) for action in one)
    answers = [one for one in called if isinstance(one, Answer)]
    if not actions:
        return Answer(text=answers[0].text or thought, done=answers[0].done)
    ends = [answer for answer in answers if answer.done]
    then = ends[-1] if ends and all(isinstance(action, CHECKS) for action in actions) else None
    return Act(thought=thought, actions=actions, checks=checks, then=then, reply=reply.message)


def results(called: Sequence[Called], outcomes: Sequence[Outcome]) -> list[Result]:
    """What became of each call."""
    left = list(outcomes)
    found: list[Result] = []
    for one in called:
        if isinstance(one, Answer):
            found.append(Result(text=NOT_ENDED, failed=True))
        else:
            own, left = left[: len(one)], left[len(one) :]
            found.append(joined(own))
    return found


def joined(outcomes: Sequence[Outcome]) -> Result:
    """What became of several actions, as one result."""
    texts = [result_of(outcome) for outcome in outcomes] or [_NOT_DONE]
    failed = not outcomes or any(
        isinstance(outcome, NotDone) or outcome.receipt.failed for outcome in outcomes
    )
    text = (
        texts[0]
        if len(texts) == 1
        else "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
    )
    return Result(text=text, failed=failed)


def each(step: Step) -> list[tuple[Action, Result]]:
    """The step's actions, each with what became of it."""
    return [
        (action, joined(step.outcomes[place : place + 1])) for place, action in enumerate(step.act.actions)
    ]


def is_whole(called: Sequence[Called], step: Step) -> bool:
    """Whether these calls are what the step did: then they can be sent back as they came."""
    actions = sum(len(one) for one in called if not isinstance(one, Answer))
    return bool(called) and actions == len(step.act.actions)


def given_of(arguments: str | Mapping[str, object], finish: str = "") -> Mapping[str, object]:
    """The arguments of a call as an object. Raises ``BadCall`` for what is none."""
    given = object_of(arguments) if isinstance(arguments, str) else arguments
    if UNREADABLE not in given:
        return given
    if finish == "length":
        raise BadCall("Your reply was longer than allowed and was cut off. Send a shorter one.")
    said = str(given[UNREADABLE])
    raise BadCall(f'The arguments are no JSON object: "{said[:_LONGEST_SAID]}".')


def shown_size(turns: Sequence[Turn], past: Sequence[Step], now: Observation) -> Size | None:
    """The size of the newest picture of the screen, whether it is still sent or not."""
    seen = (one.screenshot for one in reversed([*(step.seen for step in past), now]))
    return last_whole(turns) or next((one.size for one in seen if one is not None), None)


def sizes_seen(past: Sequence[Step]) -> list[Size | None]:
    """For each step the size of the picture of the screen that it was decided on, ``None`` if none was shown."""
    size: Size | None = None
    found: list[Size | None] = []
    for step in past:
        size = size if step.seen.screenshot is None else step.seen.screenshot.size
        found.append(size)
    return found


def screen_apart(turn: Turn, seen: Observation) -> tuple[tuple[Part, ...], Image | Stub | None]:
    """The turn's parts without the picture of the screen and its caption; and that picture, or what stands for it."""
    parts = turn.parts
    if seen.screenshot is None or not parts or not isinstance(parts[-1], Image | Stub):
        return parts, None
    return parts[:-2], parts[-1]
