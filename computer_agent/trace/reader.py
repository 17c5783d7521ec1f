"""Reading a trace back: whole lines only, each checked, intents paired with their results."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from computer_agent.trace.archive import contents, is_archive
from computer_agent.trace.errors import TraceError
from computer_agent.trace.record import (
    FILE,
    IMAGES,
    Decided,
    Ended,
    Entry,
    ImageName,
    Intended,
    Observed,
    PersonUsed,
    Resulted,
    Start,
    from_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from computer_api.actions import Action
    from computer_api.receipt import Receipt

__all__ = ["Attempt", "Trace", "TraceStep", "fold", "read"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An action that was about to be performed, and what became of it.

    ``outcome`` is ``unknown`` when no result was written: it may have been performed, in part or not at
    all, and must never be repeated blindly. ``began`` and ``ended`` are seconds since 1970. ``why`` says
    why it was not done. ``redacted`` if a part of the action is not as it was. ``window`` and ``app`` had the keyboard.
    """

    id: int
    action: Action
    approval: str
    nested: bool
    redacted: bool
    began: float
    outcome: Literal["done", "refused", "error", "interrupted", "skipped", "unknown"] = "unknown"
    why: str = ""
    receipt: Receipt | None = None
    before: ImageName | None = None
    after: ImageName | None = None
    images: tuple[ImageName, ...] = ()
    ended: float | None = None
    window: str = ""
    app: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One turn: what was seen, what was decided, what was attempted, in order; nested attempts among them.

    ``person`` holds what the person did themselves meanwhile.
    """

    number: int
    began: float
    observation: Observed | None = None
    decision: Decided | None = None
    attempts: tuple[Attempt, ...] = ()
    person: tuple[PersonUsed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A whole run. ``notes`` are sentences about what is missing: a torn line, results, the end.

    ``folder`` is where it was read from: its folder, or its zip.
    """

    folder: Path
    header: Start
    began: float
    steps: tuple[TraceStep, ...] = ()
    ending: Ended | None = None
    notes: tuple[str, ...] = ()

    def image(self, name: ImageName) -> bytes | None:
        """The bytes of an image, or ``None`` when its file is missing or damaged."""
        try:
            data = contents(self.folder, f"{IMAGES}/{name}")
        except (OSError, TraceError):
            return None
        return data if name.startswith(hashlib.sha256(data).hexdigest()) else None


def read(path: Path) -> Trace:
    """The trace in a folder, in a zip, or of its ``trace.jsonl``; it may still be being written.

    Raises ``TraceError`` when there is none, when a line was changed, damaged or taken out (naming
    it), or when the format is newer than this program.
    """
    packed = is_archive(path)
    file = path / FILE if path.is_dir() or packed else path
    try:
        data = contents(path, FILE) if packed else file.read_bytes()
    except OSError as error:
        raise TraceError(f'There is no trace to read at "{path}": {error.strerror}.') from error
    whole, newline, torn = data.rpartition(b"\n")
    entries = [
        _entry(file, number, line) for number, line in enumerate(whole.split(b"\n") if newline else ())
    ]
    if not entries or not isinstance(entries[0].record, Start):
        raise TraceError(f'"{file}" is not a trace: its first line is not the start of a run.')
    return fold(file, entries[0].record, entries, notes=_torn(torn))


def fold(file: Path, header: Start, entries: Sequence[Entry], *, notes: Iterable[str] = ()) -> Trace:
    """The run that the entries of a file tell, its start first; ``notes`` come before those on what is missing.

    Raises ``TraceError`` when an entry contradicts those before it.
    """
    reading = _Reading(file)
    for entry in entries[1:]:
        reading.take(entry)
    return Trace(
        folder=file.parent,
        header=header,
        began=entries[0].time,
        steps=reading.steps(),
        ending=reading.ending,
        notes=(*notes, *reading.notes()),
    )


def _entry(file: Path, number: int, line: bytes) -> Entry:
    try:
        entry = from_line(line)
    except TraceError as error:
        raise TraceError(f'Line {number + 1} of "{file}" cannot be read: {error}.') from error
    if entry.sequence != number:
        raise TraceError(
            f'Line {number + 1} of "{file}" was number {entry.sequence + 1} when it was written: '
            "lines were taken out or put in before it."
        )
    return entry


def _torn(tail: bytes) -> Iterable[str]:
    if tail:
        yield f"The last line was torn while it was written; its {len(tail)} bytes are left out."


class _Reading:
    """Folds records into steps. Steps and attempts keep the order in which they were first named."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._steps: dict[int, TraceStep] = {}
        self._attempts: dict[int, Attempt] = {}
        self._step_of: dict[int, int] = {}
        self.ending: Ended | None = None

    def take(self, entry: Entry) -> None:
        match entry.record:
            case Start():
                raise self._wrong(entry, "a second start")
            case Observed() as seen:
                self._put(replace(self._step(seen.step, entry.time), observation=seen))
            case Decided() as decided:
                self._put(replace(self._step(decided.step, entry.time), decision=decided))
            case Intended() as intent:
                self._intend(intent, entry)
            case Resulted() as result:
                self._attempts[result.id] = self._finished(result, entry)
            case PersonUsed() as used:
                step = self._step(used.step, entry.time)
                self._put(replace(step, person=(*step.person, used)))
            case Ended() as end:
                self.ending = end

    def steps(self) -> tuple[TraceStep, ...]:
        attempts: dict[int, list[Attempt]] = {}
        for attempt in self._attempts.values():
            attempts.setdefault(self._step_of[attempt.id], []).append(attempt)
        return tuple(
            replace(step, attempts=tuple(attempts.get(step.number, ()))) for step in self._steps.values()
        )

    def notes(self) -> Iterable[str]:
        for attempt in self._attempts.values():
            if attempt.outcome == "unknown":
                yield (
                    f"{type(attempt.action).__name__} in step {self._step_of[attempt.id]} has no result: "
                    "whether it was done is unknown."
                )
        if self.ending is None:
            yield "The run has no end: it was killed, or it is still going."

    def _step(self, number: int, time: float) -> TraceStep:
        return self._steps.get(number) or TraceStep(number=number, began=time)

    def _put(self, step: TraceStep) -> None:
        self._steps[step.number] = step

    def _intend(self, intent: Intended, entry: Entry) -> None:
        if intent.id in self._attempts:
            raise self._wrong(entry, f"a second intent {intent.id}")
        self._put(self._step(intent.step, entry.time))
        self._step_of[intent.id] = intent.step
        self._attempts[intent.id] = Attempt(
            id=intent.id,
            action=intent.action,
            approval=intent.approval,
            nested=intent.nested,
            redacted=intent.redacted,
            began=entry.time,
            window=intent.window,
            app=intent.app,
        )

    def _finished(self, result: Resulted, entry: Entry) -> Attempt:
        attempt = self._attempts.get(result.id)
        if attempt is None or attempt.ended is not None:
            raise self._wrong(entry, f"a result for {result.id}, which no open intent has")
        return replace(
            attempt,
            outcome=result.outcome,
            why=result.why,
            receipt=result.receipt,
            before=result.before,
            after=result.after,
            images=result.images,
            ended=entry.time,
        )

    def _wrong(self, entry: Entry, what: str) -> TraceError:
        return TraceError(f'Line {entry.sequence + 1} of "{self._file}" has {what}.')
