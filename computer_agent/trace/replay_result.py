"""What came of a replay, step by step, as values; and the file beside its trace that holds them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from computer_agent.trace.archive import REPLAY, contents
from computer_agent.trace.errors import TraceError
from computer_agent.trace.record import IMAGES, ImageName

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from computer_agent.trace.reader import Attempt, Trace, TraceStep

__all__ = [
    "Pictures",
    "ReplayOutcome",
    "ReplayResult",
    "StepResult",
    "read_result",
    "with_pictures",
    "write_result",
]

ReplayOutcome = Literal["pass", "healed", "diverged", "stopped"]
"""Of a step: as recorded; so on a target that was found anew; done, and otherwise than recorded; stopped before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """The names of pictures: before and after the step as it was recorded, and as it was replayed."""

    recorded_before: ImageName | None = None
    recorded_after: ImageName | None = None
    seen_before: ImageName | None = None
    seen_after: ImageName | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What became of one recorded action.

    ``number`` counts the actions of the replay, 1 first; ``step`` and ``attempt`` are those of the recording that it
    comes from, ``replayed`` is the step of the replay's own trace, 0 where it was not begun. ``stopped`` means that
    nothing of it was sent; after ``diverged`` it was done, or a part of it was. ``notes`` say what nobody could check,
    what was so already, and who healed it.
    """

    number: int
    step: int
    attempt: int
    action: str
    outcome: ReplayOutcome
    replayed: int = 0
    expected: str = ""
    seen: str = ""
    notes: tuple[str, ...] = ()
    pictures: Pictures = Pictures()

    def sentence(self) -> str:
        """What is wrong with it, for one that is not as recorded."""
        if self.outcome == "stopped":
            why = self.seen.removeprefix("not done: ")
            return f"The replay stopped before step {self.number}, of which nothing was done: {why} ({self.action})."
        return f"The replay diverged at step {self.number}: expected {self.expected}, seen {self.seen} ({self.action})."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """What came of a replay of ``of`` steps. ``finished`` says that it did the recorded task to its end."""

    of: int
    steps: tuple[StepResult, ...] = ()
    finished: bool = False

    @property
    def outcome(self) -> ReplayOutcome:
        """The worst of its steps: stopped where it did not come to its end for another reason."""
        found = {step.outcome for step in self.steps}
        if "diverged" in found:
            return "diverged"
        if "stopped" in found or not self.finished:
            return "stopped"
        return "healed" if "healed" in found else "pass"

    @property
    def failed(self) -> StepResult | None:
        """The step at which it went otherwise."""
        return next((step for step in self.steps if step.outcome in ("diverged", "stopped")), None)


def with_pictures(result: ReplayResult, recorded: Trace, replay: Trace) -> ReplayResult:
    """The result with the pictures of both traces."""
    attempts = {attempt.id: attempt for step in recorded.steps for attempt in step.attempts}

    def seen(step: StepResult) -> StepResult:
        attempt = attempts.get(step.attempt)
        last = step.replayed or (replay.steps[-1].number if replay.steps else 0)
        pictures = Pictures(
            recorded_before=_before(recorded, step.step, attempt),
            recorded_after=_after(recorded, step.step, attempt),
            seen_before=_before(replay, last),
            seen_after=_after(replay, last) if step.replayed else None,
        )
        return replace(step, pictures=pictures)

    return replace(result, steps=tuple(map(seen, result.steps)))


def _before(trace: Trace, number: int, attempt: Attempt | None = None) -> ImageName | None:
    """The picture right before an action, else the one that its step began with, or the last one before that."""
    if attempt is not None and attempt.before is not None:
        return attempt.before
    return next(
        (image for step in reversed(trace.steps) if step.number <= number and (image := _image(step))), None
    )


def _after(trace: Trace, number: int, attempt: Attempt | None = None) -> ImageName | None:
    """The picture right after an action, else the one that the next step began with."""
    if attempt is not None and attempt.after is not None:
        return attempt.after
    later = next((step for step in trace.steps if step.number > number), None)
    return None if later is None else _before(trace, later.number)


def _image(step: TraceStep) -> ImageName | None:
    return None if step.observation is None else step.observation.image


def write_result(result: ReplayResult, recorded: Trace, folder: Path) -> None:
    """Write the result into the folder of the replay's trace, with the recorded pictures. Raises ``OSError``."""
    wanted = {
        name
        for step in result.steps
        for name in (step.pictures.recorded_before, step.pictures.recorded_after)
        if name is not None and step.outcome != "pass"
    }
    for name in wanted:
        picture, file = recorded.image(name), folder / IMAGES / name
        if picture is not None and not file.exists():
            file.touch(mode=0o600)
            file.write_bytes(picture)
    file = folder / REPLAY
    file.touch(mode=0o600)
    file.write_text(json.dumps({**asdict(result), "outcome": result.outcome}, indent=1) + "\n", "utf-8")


def read_result(folder: Path) -> ReplayResult | None:
    """The result that is kept with a trace, or ``None`` where it is no replay's, or cannot be read."""
    try:
        data = json.loads(contents(folder, REPLAY))
        steps = tuple(_step(step) for step in data["steps"])
        return ReplayResult(of=int(data["of"]), steps=steps, finished=bool(data["finished"]))
    except (OSError, TraceError, ValueError, KeyError, TypeError):
        return None


def _step(data: Mapping[str, Any]) -> StepResult:
    known = {spot.name: data[spot.name] for spot in fields(StepResult)}
    pictures = {
        name: None if image is None else ImageName(str(image)) for name, image in data["pictures"].items()
    }
    return StepResult(**{**known, "notes": tuple(map(str, data["notes"])), "pictures": Pictures(**pictures)})
