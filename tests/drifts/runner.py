"""Records a task once, replays it under a drift in a new process of its program, and judges by what that says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from drifts.drift import SCREEN, UNCHANGED
from drifts.stage import slowed
from drifts.surfaces import at_rest
from drifts.truth import verdict
from xvfb import until

from computer_agent.step import Act, Answer
from computer_agent.trace.errors import TraceError
from computer_agent.trace.replay import ReplayModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from drifts.drift import Drift
    from drifts.stage import Stage
    from drifts.surfaces import Place, Running
    from drifts.truth import Truth, Verdict

    from computer_agent.context.history import Observe
    from computer_agent.step import Observation, Step
    from computer_agent.trace.reader import Trace
    from computer_api.actions import Action

By = Literal["pixels", "words"]
DONE_SECONDS = 10.0
PLACES_SECONDS = 0.5  # a window that is placed tells its controls again


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is recorded: how its program is started under a drift, and the actions of whoever does it.

    Each of ``does`` makes an action, given where the program's controls are now; ``by`` says whether it aims at pixels
    or at words. ``uses`` are the controls that the program must tell of. ``known`` says whether it gives its controls
    ids of their own, by which a renamed one is known; ``modal`` whether a dialog in the way is its own, so that nothing
    below it can be used.
    """

    name: str
    surface: str
    by: By
    start: Callable[[Drift, Stage], AbstractContextManager[Running]]
    does: tuple[Callable[[dict[str, Place]], Action], ...]
    drifts: tuple[Drift, ...]
    uses: frozenset[str] = frozenset()
    known: bool = False
    modal: bool = True

    def expects(self, drift: Drift) -> tuple[Verdict, ...]:
        """What a replay may come to: a pass where the target stays, else a halt before the effect."""
        if not drift.stays:
            return ("H",) if self.modal else ("P", "H")  # the window may be raised above another program's
        return ("P", "H") if drift.renamed and not self.known else ("P",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A task that was done once: its trace, and what its program said of it."""

    task: Task
    trace: Trace
    truth: Truth
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a replay under a drift came to, and in what words it ended."""

    task: Task
    drift: Drift
    verdict: Verdict
    words: str
    seconds: float
    truth: Truth | None = None

    @property
    def right(self) -> bool:
        """Whether it is what is wanted; what is in the way must stop it before anything is sent."""
        return self.verdict in self.task.expects(self.drift) and (
            self.drift.stays or self.verdict == "P" or self.untouched
        )

    @property
    def untouched(self) -> bool:
        """Whether it stopped before its first step."""
        return "before step 1," in self.words


class Demonstrator:
    """The model that is recorded: does the actions of a task, aimed at where the controls are at that moment."""

    observe: Observe = "picture"

    def __init__(self, task: Task, running: Running, by: By) -> None:
        self.name = f"demonstrator-{by}"
        self._task, self._running = task, running

    def decide(
        self,
        task: str,
        past: Sequence[Step],
        now: Observation,
        on_delta: Callable[[str], None],
    ) -> Act | Answer:
        """The next action; the end after the last."""
        if len(past) == len(self._task.does):
            return Answer(text="Done.", done=True)
        return Act(thought="", actions=(self._task.does[len(past)](self._running.places()),))


class NotRecordedError(Exception):
    """A task whose recording did not do what it is about."""


def record(task: Task, stage: Stage) -> Recording:
    """Do the task once, on the program as it is made."""
    with task.start(UNCHANGED, stage) as running:
        at_rest(running.places, PLACES_SECONDS)
        ran = stage.run(Demonstrator(task, running, task.by), SCREEN, task.name)
        truth = at_rest(running.truth)
    failed = [one for step in ran.trace.steps for one in step.attempts if one.outcome != "done"]
    if ran.finished.ending != "done" or failed:
        raise NotRecordedError(f"{task.name}: {ran.finished.words} {truth} {failed}")
    if not truth.effects or task.uses - truth.touched:
        raise NotRecordedError(f"{task.name}: the program does not tell of what was done: {truth}")
    return Recording(task=task, trace=ran.trace, truth=truth, seconds=ran.seconds)


def replay(recording: Recording, drift: Drift, stage: Stage) -> Result:
    """Do it again under a drift, and say what came of it."""
    task = recording.task
    try:
        model = ReplayModel(recording.trace)
    except TraceError as error:
        return Result(task=task, drift=drift, verdict="H", words=str(error), seconds=0.0)
    with task.start(drift, stage) as running, slowed(running.pid, drift.slowed):
        ran = stage.run(model, drift.screen, f"{task.name} {drift.name}")
        if ran.finished.ending == "done":  # a slow program may still be at it
            until(lambda: running.truth() == recording.truth, DONE_SECONDS)
        truth = at_rest(running.truth)
    attempts = [one for step in ran.trace.steps for one in step.attempts]
    judged = verdict(
        recording.truth,
        truth,
        said_done=ran.finished.ending == "done",
        last_was_done=bool(attempts and attempts[-1].outcome == "done" and truth.effects),
    )
    return Result(
        task=task, drift=drift, verdict=judged, words=ran.finished.words, seconds=ran.seconds, truth=truth
    )
