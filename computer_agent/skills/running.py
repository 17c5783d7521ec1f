"""A skill done again on a computer, inside of whatever runs there: each action through the gate, and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.models.model import BadSteps
from computer_agent.models.steps import parse_steps
from computer_agent.skills import keeping
from computer_agent.step import Done
from computer_agent.trace.compare import compared
from computer_agent.trace.errors import TraceError
from computer_agent.trace.plan import named, plan
from computer_agent.trace.reader import read
from computer_agent.trace.replay_gate import ReplayGate
from computer_agent.trace.variables import filled
from computer_api.errors import ComputerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from computer_agent.skills.keeping import Skill
    from computer_agent.trace.plan import Planned
    from computer_api.computer import Computer


@dataclass(frozen=True, slots=True)
class SkillsOf:
    """The skills of a person as the computer's ``skills`` reach them. ``state`` is their state folder."""

    computer: Computer
    state: Path
    traces: Path

    def told(self) -> dict[str, str]:
        """The names, and what each does."""
        return {skill.name: skill.what for skill in keeping.skills(self._folder)}

    def run(self, name: str, values: Mapping[str, str]) -> str:
        """Do one again, and say what came of it. Raises ``ComputerError`` where it goes otherwise than recorded."""
        skill = keeping.named(self._folder, name)
        known = {variable.casefold() for variable in skill.variables}
        if unknown := [each for each in values if each.casefold() not in known and not _is_secret(each)]:
            takes = ", ".join(skill.variables) or "none"
            raise ComputerError(f'The skill "{skill.name}" has no parameter "{unknown[0]}"; it has: {takes}.')
        return _run(self.computer, skill, values)

    def save(self, name: str, trace: str | None, values: Mapping[str, str]) -> str:
        """Keep a recorded run, and say what its parameters are."""
        skill = keeping.save(self._folder, name, keeping.trace_meant(trace, self.traces), values)
        takes = "".join(f', {each}="{default}"' for each, default in skill.variables.items())
        return f'Kept "{skill.what}"; again: computer.skills.run("{skill.name}"{takes})'

    def write(self, name: str, steps: str) -> str:
        """Keep plain-English steps."""
        skill = keeping.write(self._folder, name, steps)
        return f'Kept "{skill.what}"; again: computer.skills.run("{skill.name}")'

    @property
    def _folder(self) -> Path:
        return keeping.folder_of(self.state)


def _is_secret(name: str) -> bool:
    return name.casefold().startswith("secret")


def _run(computer: Computer, skill: Skill, values: Mapping[str, str]) -> str:
    if skill.file.suffix == ".steps":
        return _stepped(computer, skill)
    try:
        trace = filled(read(skill.file), values)
        planned = plan(trace, values)
    except (TraceError, OSError) as error:
        raise ComputerError(f'The skill "{skill.name}" cannot be done: {error}') from None
    _replayed(computer, skill.name, planned)
    return f'Did "{trace.header.task}": {_counted(len(planned))}, as recorded.'


def _stepped(computer: Computer, skill: Skill) -> str:
    """Do its steps, and give what they printed."""
    try:
        steps = parse_steps(skill.file.read_text(encoding="utf-8"), {})
    except (BadSteps, OSError, UnicodeDecodeError) as error:
        raise ComputerError(f'The skill "{skill.name}" cannot be done: {error}') from None
    printed = ""
    for number, step in enumerate(steps, start=1):
        receipt = computer.perform(step.action)
        printed += receipt.output
        if receipt.failed:
            raise ComputerError(f'The skill "{skill.name}" failed at step {number}: {receipt.output.strip()}')
    return printed or f'Did "{skill.what}": {_counted(len(steps))}.'


def _replayed(computer: Computer, name: str, planned: Sequence[Planned]) -> None:
    """Do the recorded actions; the gate waits for what each had led to."""
    titles = frozenset(title for each in planned for title in each.receipt.opened)
    gate = ReplayGate(computer, titles)
    before, computer.gate = computer.gate, gate
    try:
        for number, each in enumerate(planned, start=1):
            gate.expect(number, len(planned), each)
            receipt = computer.perform(each.action)
            became = compared(each.receipt, Done(action=each.action, receipt=receipt), titles)
            if became.diverged:
                raise ComputerError(
                    f'The skill "{name}" went otherwise than it was recorded at step {number} of {len(planned)}, '
                    f"{named(each.action)}: expected {became.expected}, seen {became.seen}."
                )
    finally:
        computer.gate = before


def _counted(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"
