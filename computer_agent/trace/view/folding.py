"""A trace as what the page shows: steps, rows of the list, the frames they were seen on, places on them.

Everything is JSON. A *row* is an action, an answer, or something else that happened in a step. A *frame* is a picture
with the area of the desktop that it shows; places are in points of the desktop, and the page puts them on a frame.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from computer_agent.models.steps import shown
from computer_agent.trace.view.places import actions_places
from computer_agent.trace.view.receipts import receipt_fields
from computer_agent.trace.view.texts import plain, visible
from computer_api import actions as acts
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from computer_agent.step import Usage
    from computer_agent.trace.reader import Attempt, Trace, TraceStep
    from computer_agent.trace.record import ImageName, Observed, PersonUsed
    from computer_agent.trace.replay_result import ReplayResult, StepResult
    from computer_api.actions import Action
    from computer_api.geometry import Box, Size

__all__ = ["Folded", "fold_trace"]

Row = dict[str, Any]

_KINDS: dict[str, tuple[type, ...]] = {
    "pointer": (
        *(
            acts.Click,
            acts.Tick,
            acts.Move,
            acts.Drag,
            acts.Scroll,
            acts.MouseDown,
            acts.MouseUp,
            acts.Choose,
        ),
    ),
    "keyboard": (acts.TypeText, acts.PressKeys, acts.HoldKeys, acts.KeyDown, acts.KeyUp),
    "windows": (*(acts.OpenApp, acts.FocusWindow, acts.CloseWindow, acts.ArrangeWindow, acts.PlaceWindow),),
    "clipboard": (acts.ClipboardSet, acts.ClipboardGet),
    "code": (acts.RunCode, acts.AnswerPrompt),
    "browser": (acts.Browse,),
    "checks": acts.CHECKS,
    "words": (acts.Notify, acts.AskModel),
    "looks": (acts.Look, acts.Zoom, acts.Wait),
}

_NOTHING = Receipt(effect="nothing").sentence()


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """What the page shows, and the pictures that it needs, in the order in which ``data`` numbers them."""

    data: dict[str, Any]
    pictures: tuple[ImageName, ...]


def fold_trace(trace: Trace, version: int, result: ReplayResult | None = None) -> Folded:
    """The trace as the page shows it; ``version`` is its format's, ``result`` what came of the replay that it is of."""
    folding = _Folding(trace)
    steps = folding.steps()
    for step in () if result is None else result.steps:
        folding.judge(step)
    data = {
        "run": _run(trace, version),
        "steps": steps,
        "rows": folding.rows,
        "frames": folding.frames,
    }
    return Folded(data=_cleaned(data), pictures=tuple(folding.pictures))


def _run(trace: Trace, version: int) -> dict[str, Any]:
    header, ending = trace.header, trace.ending
    spent = ending.spent if ending else None
    return {
        "task": header.task,
        "model": header.model,
        "desktop": header.desktop,
        "screen": str(header.screen) if header.screen else "",
        "monitor": header.monitor,
        "system": header.system,
        "program": header.program,
        "version": version,
        "folder": trace.folder.resolve().name,
        "began": trace.began,
        "ended": _last_moment(trace),
        "ending": ending.ending if ending else "",
        "words": ending.words if ending else "",
        "spent": asdict(spent) if spent else None,
        "notes": list(trace.notes),
    }


def _last_moment(trace: Trace) -> float:
    """When the last thing of which the trace knows the time happened."""
    spent = trace.ending.spent if trace.ending else None
    moments = [trace.began + (spent.seconds if spent else 0.0)]
    for step in trace.steps:
        moments.append(step.began)
        moments += [attempt.ended or attempt.began for attempt in step.attempts]
        moments += [person.ended for person in step.person]
    return max(moments)


@dataclass(slots=True)
class _Folding:
    trace: Trace
    rows: list[Row] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)
    pictures: dict[ImageName, int] = field(default_factory=dict)
    _seen: dict[int, int] = field(default_factory=dict)  # the frame that each step began with

    def steps(self) -> list[dict[str, Any]]:
        for step in self.trace.steps:
            if (frame := self._frame_of(step.observation)) is not None:
                self._seen[step.number] = frame
        ends = [*(step.began for step in self.trace.steps[1:]), _last_moment(self.trace)]
        ends = ends[: len(self.trace.steps)]  # a run may have no step
        usages = [step.decision.usage if step.decision else None for step in self.trace.steps]
        steps = [
            {**self._step(index, step, end), "totals": totals}
            for index, (step, end, totals) in enumerate(
                zip(self.trace.steps, ends, _totals(usages), strict=True)
            )
        ]
        for index, step in enumerate(self.trace.steps):
            self.rows += self._rows(index, step)
        for index, row in enumerate(self.rows):
            row["index"] = index
        return steps

    def _step(self, index: int, step: TraceStep, end: float) -> dict[str, Any]:
        seen, decision = step.observation, step.decision
        return {
            "number": step.number,
            "at": round(step.began - self.trace.began, 3),
            "seconds": round(max(0.0, end - step.began), 3),
            "thought": decision.thought if decision else "",
            "usage": _usage(decision.usage) if decision else None,
            "notes": list(seen.notes) if seen else [],
            "unchanged": seen.unchanged_since if seen else None,
            "elements": len(seen.elements) if seen else 0,
            "truncated": bool(seen and seen.truncated),
            "checks": [
                " ".join(filter(None, (check.message, check.code and f"({check.code})")))
                for check in (decision.checks if decision else ())
            ],
            "frame": self._before(index),
        }

    def judge(self, result: StepResult) -> None:
        """Show a step of a replay that is not as recorded: what was expected beside what was seen."""
        rows = (row for row in reversed(self.rows) if self.trace.steps[row["step"]].number == result.replayed)
        row = next((row for row in rows if row.get("nested") is False), None)
        if row is None or result.outcome == "pass":
            return
        if result.outcome == "healed":
            row |= {"status": "healed", "why": "; ".join(result.notes)}
            return
        row["status"] = "diverged"
        row["why"] = f"Expected {result.expected}; seen {result.seen}."
        shown = result.pictures
        stopped = result.outcome == "stopped"
        expected = shown.recorded_before if stopped else shown.recorded_after or shown.recorded_before
        seen = row["before"] if stopped or row["after"] is None else row["after"]
        if expected is not None and seen is not None:
            row |= {"before": self._frame(expected, None, None), "after": seen, "compared": True}

    # Frames

    def _frame_of(self, seen: Observed | None) -> int | None:
        if seen is None:
            return None
        if seen.image is None:
            return self._seen.get(seen.unchanged_since) if seen.unchanged_since is not None else None
        frame = self._frame(seen.image, seen.picture, seen.area)
        self.frames[frame]["elements"] = [
            [element.number, element.role, element.name or element.value, *_edges(element.box)]
            for element in seen.elements
        ]
        return frame

    def _frame(self, image: ImageName, size: Size | None, area: Box | None) -> int:
        self.frames.append(
            {
                "picture": self._picture(image),
                "size": list(size.pair) if size else None,
                "area": _edges(area) if area else None,
                "elements": [],
            }
        )
        return len(self.frames) - 1

    def _picture(self, image: ImageName) -> int:
        return self.pictures.setdefault(image, len(self.pictures))

    def _before(self, index: int) -> int | None:
        """The frame that a step began with, or the last one before it."""
        numbers = (step.number for step in reversed(self.trace.steps[: index + 1]))
        return next((self._seen[number] for number in numbers if number in self._seen), None)

    def _after(self, index: int) -> int | None:
        """The frame that the next step began with."""
        later = self.trace.steps[index + 1 : index + 2]
        return self._seen.get(later[0].number) if later else None

    def _own(self, image: ImageName | None, step: TraceStep) -> int | None:
        """A picture that was taken right at an action."""
        if image is None:
            return None
        seen = step.observation
        return self._frame(image, seen.picture if seen else None, seen.area if seen else None)

    # Rows

    def _rows(self, index: int, step: TraceStep) -> Iterator[Row]:
        numbered = 0
        persons = [
            (person.began, {**self._row(index), **_person(person, self.trace.began)})
            for person in step.person
        ]
        for attempt in step.attempts:
            while persons and persons[0][0] <= attempt.began:
                yield persons.pop(0)[1]
            numbered += not attempt.nested
            yield {**self._row(index), **self._attempt(index, step, attempt), "action": numbered}
        yield from (row for _, row in persons)
        decision = step.decision
        if decision is None:
            return
        for action in decision.actions[numbered:]:
            numbered += 1
            yield {**self._row(index), **_not_reached(action), "action": numbered}
        if decision.answered:
            yield {**self._row(index), **_answer(decision.thought, self.trace)}
        elif not numbered:
            yield {**self._row(index), "kind": "answer", "words": "decided on nothing", "status": "done"}

    def _row(self, index: int) -> Row:
        step = self.trace.steps[index]
        return {
            "step": index,
            "at": round(step.began - self.trace.began, 3),
            "before": self._before(index),
            "after": self._after(index),
        }

    def _attempt(self, index: int, step: TraceStep, attempt: Attempt) -> Row:
        receipt, action = attempt.receipt, attempt.action
        own_before, own_after = self._own(attempt.before, step), self._own(attempt.after, step)
        frame = self._before(index) if own_before is None else own_before
        row = {
            **_action(action),
            "status": _status(attempt),
            "why": attempt.why,
            "approval": attempt.approval,
            "nested": attempt.nested,
            "redacted": attempt.redacted,
            "at": round(attempt.began - self.trace.began, 3),
            "seconds": None if attempt.ended is None else round(max(0.0, attempt.ended - attempt.began), 3),
            "pictures": [self._picture(image) for image in attempt.images],
            "places": actions_places(action, receipt, self.frames[frame] if frame is not None else None),
        }
        if own_before is not None:
            row |= {"before": own_before, "ownBefore": True}
        if own_after is not None:
            row |= {"after": own_after, "ownAfter": True}
        return row | (_receipt(receipt) if receipt else {})


def _status(attempt: Attempt) -> str:
    """Its outcome; ``failed`` for code that ran and failed, ``nothing`` for what was done and changed nothing."""
    receipt = attempt.receipt
    if attempt.outcome != "done" or receipt is None:
        return attempt.outcome
    if receipt.failed:
        return "failed"
    changes = not isinstance(attempt.action, (*_KINDS["checks"], *_KINDS["looks"], *_KINDS["code"]))
    return "nothing" if changes and receipt.sentence().startswith(_NOTHING) else "done"


def _action(action: Action) -> Row:
    words = shown(action)
    kind = next((kind for kind, classes in _KINDS.items() if isinstance(action, classes)), "other")
    row: Row = {"kind": kind, "name": type(action).__name__, "words": words}
    if isinstance(action, acts.RunCode):
        first = next((line.strip() for line in action.code.splitlines() if line.strip()), "")
        outside = " outside the sandbox" if action.outside else ""
        row |= {"words": f"run {action.language}{outside}: {first}", "code": action.code}
        row["language"] = action.language
    return row


def _receipt(receipt: Receipt) -> Row:
    return {
        "said": receipt.sentence(),
        "effect": receipt.effect,
        "output": plain(receipt.output),
        "html": list(receipt.html),
        "opened": list(receipt.opened),
        "closed": list(receipt.closed),
        "fields": receipt_fields(receipt),
        "denied": [denial.words for denial in receipt.denied],
    }


def _not_reached(action: Action) -> Row:
    why = "An action before it was not done as wanted, or the run ended, so this was not begun."
    return {**_action(action), "status": "skipped", "why": why}


def _answer(text: str, trace: Trace) -> Row:
    failed = trace.ending is not None and trace.ending.ending in ("gave up", "failed")
    return {
        "kind": "answer",
        "words": f"answers: {text}",
        "status": "gave up" if failed else "done",
        "answer": True,
    }


def _person(used: PersonUsed, began: float) -> Row:
    counts = [
        (used.keys, "key"),
        (used.buttons, "click"),
        (used.notches, "notch of the wheel" if used.notches == 1 else "notches of the wheel"),
    ]
    said = [f"{count} {name}{'s' * (count != 1 and ' ' not in name)}" for count, name in counts if count]
    if used.points:
        said.append(f"the pointer moved {used.points} points")
    return {
        "kind": "person",
        "words": f"the person used the desktop: {', '.join(said) or 'nothing was counted'}",
        "status": "person",
        "why": f"Then: {used.then}.",
        "at": round(max(0.0, used.began - began), 3),
        "seconds": round(max(0.0, used.ended - used.began), 3),
    }


def _usage(usage: Usage) -> list[float | None]:
    return [usage.tokens_in, usage.tokens_out, usage.tokens_cached, usage.dollars]


def _totals(usages: Sequence[Usage | None]) -> Iterable[list[float | None]]:
    """After each step tokens in, out, cached, and dollars; None from the first step whose price is not known."""

    def added(sums: list[float | None], usage: Usage | None) -> list[float | None]:
        if usage is None:
            return sums
        return [
            None if total is None or more is None else total + more
            for total, more in zip(sums, _usage(usage), strict=True)
        ]

    zero: list[float | None] = [0, 0, 0, 0.0]
    return list(accumulate(usages, added, initial=zero))[1:]


def _edges(box: Box) -> list[int]:
    return [box.left, box.top, box.width, box.height]


def _cleaned(value: Any) -> Any:  # noqa: ANN401 - JSON
    """All texts with what cannot be seen made visible."""
    match value:
        case str():
            return visible(value)
        case list() | tuple():
            return [_cleaned(item) for item in value]
        case dict():
            return {key: _cleaned(item) for key, item in value.items()}
        case _:
            return value
