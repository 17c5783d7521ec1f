"""What was done so far in few words, once the history's text grows too long for the model's window.

The words are the model's own: it is asked once, where pictures are dropped anyway, so that the provider's cache has
to be filled anew only then. The newest steps are kept as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.context.results import result_of
from computer_agent.models.dialect import Prompt
from computer_agent.models.steps import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.models.dialect import Message, WireName
    from computer_agent.step import Step

KEPT_STEPS = 7  # the newest, word for word
FULL = 0.6  # of the window: then the rest is put together
_LONGEST_STEP = 1500  # characters of one step that the summary is made from


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


def summarised(past: Sequence[Step], before: Summary | None) -> int:
    """How many of the first steps can be put into words now: all but the newest few. 0 where it would gain nothing."""
    steps = len(past) - KEPT_STEPS
    known = 0 if before is None else before.steps
    return steps if steps > known else 0


def question(task: str, past: Sequence[Step], before: Summary | None, wire: WireName) -> Prompt:
    """The request for a summary of these steps, what was summarised before included."""
    system = (Path(__file__).parent.parent / "prompts" / "summary.md").read_text(encoding="utf-8").strip()
    start = 0 if before is None else before.steps
    told = [f"Task: {task}"]
    if before is not None:
        told.append(f"Steps 1 to {before.steps}, as you put them before:\n{before.words}")
    told += [_step(step) for step in past[start:]]
    return Prompt(wire=wire, system=system, messages=(_message(wire, "\n\n".join(told)),))


def _step(step: Step) -> str:
    lines = [f"Step {step.number}: {step.act.thought}".rstrip()]
    for outcome in step.outcomes:
        lines.append(f"- {shown(outcome.action)}")
        lines.append(f"  {result_of(outcome)}")
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST_STEP else f"{text[: _LONGEST_STEP - 1]}…"


def _message(wire: WireName, text: str) -> Message:
    if wire == "gemini":
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}
