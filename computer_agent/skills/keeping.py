"""Where skills are kept: each is a trace in one file, ``NAME.zip``, or plain-English steps, ``NAME.steps``."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.models.model import BadSteps
from computer_agent.models.steps import parse_steps
from computer_agent.trace.errors import TraceError
from computer_agent.trace.plan import plan
from computer_agent.trace.reader import read
from computer_agent.trace.rewriting import rewritten
from computer_agent.trace.storage import found, kept
from computer_agent.trace.variables import filled, lift
from computer_api.errors import ComputerError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from computer_agent.trace.reader import Trace

_NAME = re.compile(r"\w[\w -]{0,59}")
_TRACE, _STEPS = ".zip", ".steps"
_LONGEST = 100_000  # characters of steps
_MOST_SECRETS = 100  # texts of a trace that each run is given anew


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A task by name. ``what`` says what it does, ``variables`` what it takes, with the recorded texts."""

    name: str
    file: Path
    what: str
    variables: Mapping[str, str | None]


def folder_of(state: Path) -> Path:
    """The folder of skills."""
    return state / "skills"


def skills(folder: Path) -> tuple[Skill, ...]:
    """All skills, by name; a file that holds none is left out."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    read_ = (_read(file) for file in files if file.suffix in (_TRACE, _STEPS))
    return tuple(skill for skill in read_ if skill is not None)


def named(folder: Path, name: str) -> Skill:
    """The skill of that name. Raises ``NotFoundError``."""
    known = {skill.name.casefold(): skill for skill in skills(folder)}
    skill = known.get(name.strip().casefold())
    if skill is not None:
        return skill
    near = difflib.get_close_matches(name.casefold(), known, n=1)
    hint = f' The nearest is "{known[near[0]].name}".' if near else ""
    there = ", ".join(each.name for each in known.values()) or "none yet"
    raise NotFoundError(f'There is no skill "{name}".{hint} There are: {there}.')


def save(folder: Path, name: str, trace: Path, values: Mapping[str, str]) -> Skill:
    """Keep a recorded run under a name, with each value as a parameter. Raises ``ComputerError``."""
    _check_free(folder, name)
    out = folder / f"{name}{_TRACE}"
    try:
        check_plan(read(trace))  # so that what is kept can be done again
        if values:
            lift(trace, values, out)
        else:
            rewritten(trace, out, lambda entry: entry)
    except (TraceError, OSError) as error:
        raise ComputerError(f'The skill "{name}" was not kept: {error}') from None
    return named(folder, name)


def write(folder: Path, name: str, steps: str) -> Skill:
    """Keep plain-English steps under a name. Raises ``ComputerError``."""
    _check_free(folder, name)
    try:
        parse_steps(steps[:_LONGEST], {})
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / f"{name}{_STEPS}").write_text(steps, encoding="utf-8")
    except BadSteps as error:
        raise ComputerError(f'The skill "{name}" was not kept: {error}') from None
    except OSError as error:
        raise ComputerError(f'The skill "{name}" was not kept: {error.strerror}.') from None
    return named(folder, name)


def remove(folder: Path, name: str) -> Path:
    """Remove a skill for good. Raises ``ComputerError``."""
    skill = named(folder, name)
    try:
        skill.file.unlink()
    except OSError as error:
        raise ComputerError(f'The skill "{name}" cannot be removed: {error.strerror}.') from None
    return skill.file


def trace_meant(words: str | None, traces: Path) -> Path:
    """The trace that is named, by default the newest of a task that was done. Raises ``ComputerError``."""
    try:
        if words is not None:
            return found(words, traces)
    except TraceError as error:
        raise ComputerError(str(error)) from None
    done = next((one.path for one in kept(traces) if one.ending == "done"), None)
    if done is None:
        raise ComputerError(
            f'No task that is kept in "{traces}" was done to its end: do it once, or name a trace.'
        )
    return done


def check_plan(trace: Trace) -> None:
    """Raise ``TraceError`` for a trace that cannot be done again."""
    secrets = {f"secret{number}": "?" for number in range(1, _MOST_SECRETS)}
    plan(filled(trace, secrets), secrets)


def _read(file: Path) -> Skill | None:
    try:
        if file.suffix == _STEPS:
            text = file.read_text(encoding="utf-8")
            said = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ")]
            return Skill(name=file.stem, file=file, what="; ".join(said) or text.strip(), variables={})
        header = read(file).header
    except (OSError, UnicodeDecodeError, TraceError):
        return None
    variables = {each.name: each.default for each in header.variables}
    return Skill(name=file.name.removesuffix(_TRACE), file=file, what=header.task, variables=variables)


def _check_free(folder: Path, name: str) -> None:
    """Raise ``ComputerError`` for a bad name, or one that is taken."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise ComputerError(
            f'"{name}" cannot be the name of a skill: it takes letters, digits, blanks, - and _, at most 60.'
        )
    if any(skill.name.casefold() == name.casefold() for skill in skills(folder)):
        raise ComputerError(
            f'There is a skill "{name}" already: choose another name, or remove it with: oi skills remove "{name}"'
        )
