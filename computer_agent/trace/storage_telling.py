"""Kept traces as text: one a line, and one of them step by step."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from computer_agent.approval.code.visible import visible_line
from computer_agent.models.steps.written import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_agent.trace.reader import Attempt, Trace, TraceStep
    from computer_agent.trace.storage import Kept

__all__ = ["listed", "readable_size", "told"]

_TASK = 60  # characters of a task in the list
_LINES = 4  # of what an action printed
_WIDTH = 160
_UNITS = ("B", "KB", "MB", "GB", "TB")
_MINUTE, _HOUR = 60, 3600


def listed(traces: Sequence[tuple[int, Kept]]) -> Iterator[str]:
    """A line for each trace with its number."""
    yield f"{'':>4}  {'began':16}  {'ending':9}  {'steps':>5}  {'time':>6}  {'money':>8}  {'size':>8}  task"
    for number, one in traces:
        known = one.ending != "damaged"
        steps = str(one.steps) if known else ""
        seconds = _time(one.seconds) if known else ""
        task = _short(one.task, _TASK) if known else one.path.name
        yield (
            f"{number:>4}  {_date(one.began)}  {one.ending:9}  {steps:>5}  {seconds:>6}  {_money(one):>8}  "
            f"{readable_size(one.size):>8}  {task}"
        )


def told(trace: Trace) -> Iterator[str]:
    """The whole run as text: for each step the thought, the actions in words, what they changed and printed."""
    header = trace.header
    yield f"{_short(header.task, 10 * _WIDTH)}"
    yield (
        f"{_date(trace.began)} · {header.model} · desktop {header.desktop} · {header.system} · {header.program}"
    )
    for step in trace.steps:
        yield ""
        yield from _step(step)
    yield ""
    ending = trace.ending
    if ending is not None:
        spent = ending.spent
        cost = "" if spent is None else f" ({spent.steps} steps, {_time(spent.seconds)})"
        yield f"{ending.ending}: {visible_line(ending.words)}{cost}"
    yield from (f"Note: {note}" for note in trace.notes)


def readable_size(size: int) -> str:
    """Bytes as ``812 B``, ``3.4 MB``."""
    value, unit = float(size), 0
    while value >= 1000 and unit < len(_UNITS) - 1:  # noqa: PLR2004 - the next unit
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} {_UNITS[unit]}" if unit == 0 or value >= 100 else f"{value:.1f} {_UNITS[unit]}"  # noqa: PLR2004 - three digits do


def _step(step: TraceStep) -> Iterator[str]:
    decision = step.decision
    thought = "" if decision is None else decision.thought
    yield f"Step {step.number}" + (f": {_short(thought, _WIDTH)}" if thought else "")
    if step.observation is not None:
        yield from (f"    [{_short(note, _WIDTH)}]" for note in step.observation.notes)
    for attempt in step.attempts:
        indent = "        " if attempt.nested else "    "
        yield from (f"{indent}{line}" for line in _attempt(attempt))
    for person in step.person:
        yield f"    [the person used the desktop themselves: {person.then}]"


def _attempt(attempt: Attempt) -> Iterator[str]:
    yield f"{_short(shown(attempt.action), _WIDTH)}  -> {_became(attempt)}"
    if attempt.receipt is not None and attempt.receipt.output:
        lines = attempt.receipt.output.rstrip("\n").splitlines()
        yield from (f"  | {_short(line, _WIDTH)}" for line in lines[:_LINES])
        if len(lines) > _LINES:
            yield f"  | … {len(lines) - _LINES} more lines"


def _became(attempt: Attempt) -> str:
    if attempt.outcome == "done":
        sentence = "" if attempt.receipt is None else attempt.receipt.sentence()
        return f"done: {visible_line(sentence)}" if sentence else "done"
    if attempt.outcome == "unknown":
        return "unknown: no result was written"
    return f"{attempt.outcome}: {_short(attempt.why, _WIDTH)}"


def _short(text: str, most: int) -> str:
    line = visible_line(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _date(when: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(when))


def _time(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < _HOUR else f"{seconds / _HOUR:.1f} h"


def _money(one: Kept) -> str:
    if one.ending in ("damaged", "going", "broke off"):
        return ""
    return "?" if one.dollars is None else f"${one.dollars:.2f}" if one.dollars else "-"
