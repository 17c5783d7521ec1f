"""`oi stop`: ask a run that goes on to halt, as Ctrl-C in its terminal would, and wait until it has."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from computer_agent.runs import running

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from computer_agent.runs import Run

STOPPED, NONE, WRONG = 0, 1, 2
_MEANING = "oi stop halts the newest run; `oi stop all` every one; `oi stop 1234` the one of that process."
_PATIENCE = 10.0  # seconds in which a run must have halted; usually it takes less than a third of one
_POLL_SECONDS = 0.005


def stop(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Halt the newest run, the one of the process that is named, or all."""
    match words:
        case ["-h" | "--help", *_]:
            sys.stdout.write(f"{_MEANING}\n")
            return STOPPED
        case [] | ["all"]:
            runs = running(environment)
            return _halted(runs if words else runs[-1:])
        case [number] if number.isdecimal():
            return _one(int(number), environment)
        case _:
            return _complain(f'"oi stop {" ".join(words)}" names no run. {_MEANING}', WRONG)


def _one(pid: int, environment: Mapping[str, str]) -> int:
    runs = running(environment)
    chosen = [run for run in runs if run.pid == pid]
    if runs and not chosen:
        listed = ", ".join(str(run.pid) for run in runs)
        return _complain(f'The process "{pid}" is no run of oi. Running are: {listed}.', NONE)
    return _halted(chosen)


def _halted(runs: Sequence[Run]) -> int:
    if not runs:
        return _complain("No oi is running.", NONE)
    began = time.monotonic()
    left = [run for run in runs if _asked_to_halt(run)]
    refused = len(runs) - len(left)
    while left and time.monotonic() - began < _PATIENCE:
        for run in [run for run in left if not run.going]:
            sys.stdout.write(f'Stopped "{_short(run.title)}" (process {run.pid}), {_since(began)}.\n')
            left.remove(run)
        time.sleep(_POLL_SECONDS if left else 0)
    for run in left:
        _complain(f"Process {run.pid} has not halted within {_PATIENCE:g} s. End it: kill -9 {run.pid}", NONE)
    return NONE if left or refused else STOPPED


def _asked_to_halt(run: Run) -> bool:
    """Whether it could be asked, or has ended just now; it is complained about when not."""
    try:
        os.kill(run.pid, signal.SIGTERM)
        if sys.platform != "win32":
            os.kill(run.pid, signal.SIGCONT)  # one that was suspended (Ctrl-Z) hears nothing before
    except ProcessLookupError:
        return True
    except PermissionError:
        _complain(f"Process {run.pid} is another user's, who has to stop it.", NONE)
        return False
    return True


def _short(title: str) -> str:
    """The task's first line, at most 60 characters of it."""
    line = next(iter(title.strip().splitlines()), "")
    return line if len(line) <= 60 else f"{line[:59]}…"  # noqa: PLR2004 - as the docstring says


def _since(began: float) -> str:
    return f"{time.monotonic() - began:.2f} s"


def _complain(words: str, code: int) -> int:
    sys.stderr.write(f"{words}\n")
    return code
