"""Real runs on a desktop in memory, recorded for what reads traces: exports, resuming, the pytest plugin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from computer_agent.approval import AllowAll
from computer_agent.gate import ApprovalGate
from computer_agent.loop import Agent, run
from computer_agent.models.steps import StepsModel, parse_steps, shown_task
from computer_agent.step import Finished
from computer_agent.trace.reader import read
from computer_agent.trace.writer import TraceWriter
from computer_api.computer import Computer
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from computer_agent.trace.reader import Trace
    from computer_vision.reader import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What became of a run: how it ended, the desktop after it, and its trace."""

    finished: Finished
    desktop: MemoryDesktop
    folder: Path

    @property
    def trace(self) -> Trace:
        return read(self.folder)


def form_desktop() -> MemoryDesktop:
    """A form with First name, City and Save."""
    return MemoryDesktop((640, 400), form())


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs steps on a desktop in memory, as `oi --model steps -y` does on another."""

    reader: Reader
    values: Mapping[str, str] = field(default_factory=dict)

    def run(self, steps: str, folder: Path, desktop: MemoryDesktop | None = None) -> Recorded:
        parse_steps(steps, self.values)
        desktop = desktop or form_desktop()
        computer = Computer(desktop, reader=self.reader, patience=0.0, anchored=True)
        trace = TraceWriter(folder)
        title = shown_task(steps)
        trace.start(task=title, model="steps", desktop="memory", screen=None)
        gate = ApprovalGate(computer, AllowAll(), trace, lambda _: None)
        computer.gate = gate
        agent = Agent(
            title=title,
            model=StepsModel(values=self.values),
            computer=computer,
            gate=gate,
            trace=trace,
            tell=lambda _: None,
        )
        *_, finished = run(steps, agent)
        trace.close()
        assert isinstance(finished, Finished)
        return Recorded(finished=finished, desktop=desktop, folder=folder)
