"""Replays of traces on a desktop in memory, as `oi replay` does them on another, and desktops that are slow."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.approval import AllowAll
from computer_agent.gate import ApprovalGate
from computer_agent.loop import Agent, run
from computer_agent.step import Finished
from computer_agent.trace.reader import read
from computer_agent.trace.replay import ReplayModel
from computer_agent.trace.writer import TraceWriter
from computer_api.computer import Computer
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from computer_agent.trace.reader import Trace
    from computer_agent.trace.replay_gate import Replaying
    from computer_agent.trace.replay_result import ReplayResult
    from computer_platform.desktop import Activity, Area, Frame, Window
    from computer_vision.reader import Reader


class LateDesktop(MemoryDesktop):
    """One whose pictures come late, by that many seconds, as those of a program that paints slowly."""

    late = 0.0

    def capture(self, area: Area | None = None) -> Frame:
        frames = self.__dict__.setdefault("frames", deque())
        frames.append((time.monotonic(), super().capture(area)))
        while len(frames) > 1 and frames[1][0] <= time.monotonic() - self.late:
            frames.popleft()
        frame: Frame = frames[0][1]
        return frame

    def activity(self, window: Window | None) -> Activity:
        return "idle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What became of a replay."""

    finished: Finished
    model: ReplayModel
    desktop: MemoryDesktop
    folder: Path
    seconds: float

    @property
    def result(self) -> ReplayResult:
        return self.model.result

    @property
    def clicks(self) -> int:
        return sum(event.verb == "button" for event in self.desktop.log)


def replayed(
    trace: Trace,
    folder: Path,
    reader: Reader,
    desktop: MemoryDesktop,
    replaying: Replaying | None = None,
    values: Mapping[str, str] | None = None,
) -> Replayed:
    """Replay it on that desktop, with a trace in that folder."""
    model = ReplayModel(trace, values=values)
    computer = Computer(desktop, reader=reader, patience=0.0, anchored=True)
    with computer:
        writer = TraceWriter(folder)
        writer.start(task=trace.header.task, model="replay", desktop="memory", screen=None)
        gate = ApprovalGate(computer, AllowAll(), writer, lambda _: None)
        computer.gate = gate
        agent = Agent(
            title=trace.header.task,
            model=model,
            computer=computer,
            gate=gate,
            trace=writer,
            tell=lambda _: None,
        )
        model.attach(agent, replaying)
        began = time.monotonic()
        *_, finished = run(trace.header.task, agent)
        seconds = time.monotonic() - began
        writer.close()
    assert isinstance(finished, Finished)
    assert read(folder).ending is not None
    return Replayed(finished=finished, model=model, desktop=desktop, folder=folder, seconds=seconds)
