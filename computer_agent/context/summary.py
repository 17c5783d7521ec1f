"""What was done so far in few words, once the history's text grows too long for the model's window.

The words are the model's own: it is asked once, where pictures are dropped anyway, so that the provider's cache has
to be filled anew only then. The newest steps are kept as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.context.results import result_of
from computer_agent.models.dialect import Prompt
from computer_agent.models.steps import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.models.dialect import Message, WireName
    from computer_agent.step import Observation, Step

KEPT_STEPS = 7  # the newest, word for word
FEWEST_STEPS = 2  # of them, where even so many do not fit
GAIN = (
    5  # steps that are put into words at once, unless the window is all but full: each time costs a request
)
FULL = 0.6  # of the window: then the rest is put together
OVERFULL = 0.9
_LONGEST_STEP = 1500  # characters of one step that the summary is made from
_SHORTEST_STEP = 150
_LONGEST = 40_000  # characters of all of them: the request for the summary has to fit, too


@dataclass(frozen=True, slots=True)
class Summary:
    """The first steps of a history in words. ``first`` is the first of them, by which the history is known again."""

    first: Step
    steps: int
    words: str

    def is_of(self, past: Sequence[Step]) -> bool:
        """Whether it is of this history."""
        return len(past) >= self.steps and past[0] is self.first

    def task(self, task: str) -> str:
        """The task, with what was done of it."""
        return f"{task}\n\nDone so far (steps 1 to {self.steps}, in your own words):\n{self.words}"

    def rest(self, past: Sequence[Step], now: Observation) -> tuple[list[Step], Observation]:
        """The steps after it and what is seen now, the first of them with the screen as it was then.

        On a screen that has not changed since a step of the summary it would be shown nowhere else.
        """
        left = list(past[self.steps :])
        screen = next(
            (step.seen.screenshot for step in reversed(past[: self.steps]) if step.seen.screenshot), None
        )
        number = past[self.steps - 1].number + 1
        seen = [*(step.seen for step in left), now]
        for place, each in enumerate(seen):
            if screen is None or each.unchanged_since is None or each.unchanged_since >= number:
                break
            seen[place] = (
                replace(each, unchanged_since=number)
                if place
                else replace(each, screenshot=screen, unchanged_since=None)
            )
        return [replace(step, seen=each) for step, each in zip(left, seen, strict=False)], seen[-1]


def summarised(past: Sequence[Step], before: Summary | None, *, kept: int = KEPT_STEPS, gain: int = 1) -> int:
    """How many of the first steps can be put into words now: all but the newest ``kept``.

    0 where that would be fewer than ``gain`` more than are.
    """
    steps = len(past) - kept
    known = 0 if before is None else before.steps
    return steps if steps - known >= gain else 0


def question(task: str, past: Sequence[Step], before: Summary | None, wire: WireName) -> Prompt:
    """The request for a summary of these steps, what was summarised before included."""
    system = (Path(__file__).parent.parent / "prompts" / "summary.md").read_text(encoding="utf-8").strip()
    start = 0 if before is None else before.steps
    told = [f"Task: {task}"]
    if before is not None:
        told.append(f"Steps 1 to {before.steps}, as you put them before:\n{before.words}")
    longest = max(_SHORTEST_STEP, min(_LONGEST_STEP, _LONGEST // max(1, len(past) - start)))
    told += [_step(step, longest) for step in past[start:]]
    return Prompt(wire=wire, system=system, messages=(_message(wire, "\n\n".join(told)),))


def _step(step: Step, longest: int) -> str:
    lines = [f"Step {step.number}: {step.act.thought}".rstrip()]
    for outcome in step.outcomes:
        lines.append(f"- {shown(outcome.action)}")
        lines.append(f"  {result_of(outcome)}")
    text = "\n".join(lines)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _message(wire: WireName, text: str) -> Message:
    if wire == "gemini":
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}
