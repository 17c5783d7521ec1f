"""A run of the agent on a desktop in memory: what it told, what it wrote, what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from computer_agent.approval import AllowAll
from computer_agent.gate import ApprovalGate
from computer_agent.limits import Limits
from computer_agent.loop import Agent, run
from computer_agent.step import Act, Answer, Event, Finished, Observation, Step
from computer_agent.trace.reader import read
from computer_agent.trace.writer import TraceWriter
from computer_api.computer import Computer
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from computer_agent.approval import Approval
    from computer_agent.context.history import Observe
    from computer_agent.models.model import Model
    from computer_agent.trace.reader import Attempt, Trace
    from computer_api.actions import Action
    from computer_vision.reader import Reader


@dataclass(frozen=True, slots=True)
class NotingModel:
    """Plays a script and keeps what it was shown. A reply that is an error is raised."""

    replies: Sequence[Act | Answer | BaseException]
    shown: list[Observation] = field(default_factory=list)
    name: str = "noting"
    observe: Observe = "picture"

    def decide(
        self, task: str, past: Sequence[Step], now: Observation, on_delta: Callable[[str], None]
    ) -> Act | Answer:
        self.shown.append(now)
        reply = self.replies[len(past)]
        if isinstance(reply, BaseException):
            raise reply
        return reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """``events`` are what the run yielded, ``told`` is what was told meanwhile."""

    events: list[Event]
    told: list[Event]
    trace: Trace
    desktop: MemoryDesktop

    @property
    def finished(self) -> Finished:
        last = self.events[-1]
        assert isinstance(last, Finished)
        return last

    @property
    def attempts(self) -> list[Attempt]:
        return [attempt for step in self.trace.steps for attempt in step.attempts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The parts of a run, still to be run. ``receipts`` watches what changes, which takes longer."""

    folder: Path
    reader: Reader
    desktop: MemoryDesktop = field(default_factory=lambda: MemoryDesktop((640, 400), form()))
    approval: Approval = field(default_factory=AllowAll)
    limits: Limits = field(default_factory=Limits)
    receipts: bool = False
    writer: type[TraceWriter] = TraceWriter
    told: list[Event] = field(default_factory=list)

    def agent(self, model: Model, title: str = "a task") -> Agent:
        """The agent, with its trace begun."""
        computer = Computer(self.desktop, reader=self.reader, patience=0.0, receipts=self.receipts)
        trace = self.writer(self.folder / "trace")
        trace.start(task=title, model=model.name, desktop="memory", screen=None)
        gate = ApprovalGate(computer, self.approval, trace, self.told.append)
        computer.gate = gate
        return Agent(
            title=title,
            model=model,
            computer=computer,
            gate=gate,
            trace=trace,
            tell=self.told.append,
            limits=self.limits,
        )

    def play(self, model: Model, task: str = "a task", title: str = "a task") -> Played:
        """Run to the end."""
        agent = self.agent(model, title)
        events = list(run(task, agent))
        agent.trace.close()
        return Played(events=events, told=self.told, trace=read(self.folder / "trace"), desktop=self.desktop)


def act(*actions: Action, thought: str = "") -> Act:
    return Act(thought=thought, actions=actions)
