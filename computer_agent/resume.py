"""`oi resume`: go on with a task whose run broke off, from what its trace holds and a fresh look.

What has a result is not done again. An action without one may have been done or not: a model is told so, and of steps
the person is asked.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from computer_agent.models.steps.words import HIDDEN, sentences
from computer_agent.models.steps.written import shown
from computer_agent.trace.errors import TraceError
from computer_agent.trace.lock import held
from computer_agent.trace.writer import LOCK
from computer_platform import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from computer_agent.models.steps.words import Sentence
    from computer_agent.settings import Settings
    from computer_agent.trace.reader import Attempt, Trace

__all__ = ["Unknown", "resumed", "told_apart"]

Unknown = Literal["done", "again"]
"""What the person says of the action that has no result: it was done, or it is to be done again."""

_PROMPT = Path(__file__).parent / "prompts" / "resume.md"
_NO_MODEL = ("replay", "script")
_UNCLEAR = ("unknown", "interrupted")  # perhaps done in part
_MOST_TOLD = 60  # actions, the newest
_LONGEST = 200  # characters of an action, and of what it printed
_SECRET = re.compile(rf'\b((?:secret|password)\W+?)"?{HIDDEN}"?', re.IGNORECASE)


def told_apart(words: Sequence[str]) -> tuple[tuple[str, ...], Unknown | None]:
    """The words of the command without ``--done`` and ``--again``, and which of them was said last."""
    meant: dict[str, Unknown] = {"--done": "done", "--again": "again"}
    said = [meant[word] for word in words if word in meant]
    return tuple(word for word in words if word not in meant), said[-1] if said else None


def resumed(
    trace: Trace, settings: Settings, unknown: Unknown | None, ask: Callable[[str], Unknown | None]
) -> Settings:
    """The settings of a run that goes on with the task of that trace. ``ask`` asks about a step without a result.

    Raises ``TraceError`` when there is nothing to go on with, or when nobody says whether that step was done.
    """
    header = trace.header
    if trace.folder.is_dir() and held(trace.folder / LOCK):
        raise TraceError(f'The run in "{trace.folder}" is still going; `oi stop` halts it.')
    if trace.ending is not None and trace.ending.ending == "done":
        raise TraceError("That run ended as done: there is nothing to resume.")
    if header.model in _NO_MODEL:
        raise TraceError(f"That run was a {header.model}, which has no task of its own: start it again.")
    settings = replace(
        settings,
        os=True,
        desktop=settings.desktop or (header.desktop if header.desktop in NAMES else None),
        screen=header.monitor if settings.screen is None else settings.screen,
    )
    if header.model != "steps":
        return replace(settings, task=_task(trace), model=settings.model or header.model)
    left = _steps_left(trace, unknown, ask)
    _check_secrets(left, settings)
    return replace(settings, model="steps", task="\n".join(text for _, text in left))


def _task(trace: Trace) -> str:
    """The old task, and what was done of it."""
    history = "\n".join(_history(trace)) or "(nothing was done)"
    return _PROMPT.read_text("utf-8").format(task=trace.header.task, history=history).rstrip("\n")


def _history(trace: Trace) -> Iterator[str]:
    attempts = [attempt for step in trace.steps for attempt in step.attempts]
    if len(attempts) > _MOST_TOLD:
        yield f"({len(attempts) - _MOST_TOLD} earlier actions are not listed)"
    for number, attempt in list(enumerate(attempts, start=1))[-_MOST_TOLD:]:
        yield f"{number}. {_short(shown(attempt.action))}: {_became(attempt)}"


def _became(attempt: Attempt) -> str:
    if attempt.outcome == "unknown":
        return "UNKNOWN, the run broke off meanwhile"
    if attempt.outcome != "done" or attempt.receipt is None:
        return _short(f"{attempt.outcome}, {attempt.why}") if attempt.why else attempt.outcome
    said = [attempt.receipt.sentence(), attempt.receipt.output]
    return f"done, {_short('; '.join(filter(None, said)))}" if any(said) else "done"


def _steps_left(
    trace: Trace, unknown: Unknown | None, ask: Callable[[str], Unknown | None]
) -> list[tuple[int, str]]:
    """The steps that are not known to be done, with their numbers."""
    texts = list(enumerate(_with_named_secrets(sentences(trace.header.task)), start=1))
    attempts = [one for step in trace.steps for one in step.attempts if not one.nested]
    done = sum(one.outcome == "done" and not _failed(one) for one in attempts)
    if attempts and attempts[-1].outcome in _UNCLEAR and done < len(texts):
        number, text = texts[done]
        done += _said(number, text, unknown, ask) == "done"
    if done >= len(texts):
        raise TraceError("All steps of that run are done: there is nothing to resume.")
    return texts[done:]


def _said(number: int, text: str, unknown: Unknown | None, ask: Callable[[str], Unknown | None]) -> Unknown:
    what = f"Step {number}, `{_short(text)}`, was begun when the run broke off, and nobody knows whether it was done."
    said = unknown or ask(what)
    if said is None:
        raise TraceError(
            f"{what} Look at the screen, then say --done to go on after it, or --again to do it again."
        )
    return said


def _failed(attempt: Attempt) -> bool:
    return attempt.receipt is not None and attempt.receipt.failed


def _with_named_secrets(steps: Iterator[Sentence]) -> Iterator[str]:
    """The steps; secrets that were given in them, which the trace does not hold, as ``$secret1``, ``$secret2``."""
    number = 0

    def name(found: re.Match[str]) -> str:
        nonlocal number
        number += 1
        return f"{found[1]}$secret{number}"

    for step in steps:
        yield _SECRET.sub(name, step.text)


def _check_secrets(left: Sequence[tuple[int, str]], settings: Settings) -> None:
    for number, text in left:
        for name in re.findall(r"\$(secret[0-9]+)", text):
            if name not in settings.named:
                raise TraceError(
                    f"Step {number} types a secret, which the trace does not hold: give it with --var {name}=..."
                )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
