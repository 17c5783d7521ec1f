"""The runs of `oi` that are going on: each is a file that its process holds locked until nothing acts any more.

The kernel lets go of the lock however the process ends, so what a killed one left behind is known to be dead.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.settings import state_folder
from computer_agent.trace.lock import held, lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run that goes on. ``started`` is in seconds since 1970, ``title`` the task with secrets hidden."""

    pid: int
    started: float
    title: str
    file: Path

    @property
    def going(self) -> bool:
        """Whether it still may do something."""
        return held(self.file)


@contextmanager
def registered(title: str, environment: Mapping[str, str]) -> Iterator[Callable[[], None]]:
    """Meanwhile the run can be found. Yields what says that it acts no more, which may be called before the end.

    Where no file can be written a run goes on all the same; then only Ctrl-C and its number stop it.
    """
    try:
        unregister = _register(title, environment)
    except OSError:
        yield lambda: None
        return
    try:
        yield unregister
    finally:
        unregister()


def running(environment: Mapping[str, str]) -> tuple[Run, ...]:
    """This user's runs, the newest last. What killed ones left behind is removed."""
    found = []
    for file in _folder(environment).glob("*.run"):
        with suppress(OSError, ValueError, KeyError):
            if held(file):
                data = json.loads(file.read_text("utf-8"))
                run = Run(
                    pid=int(data["pid"]), started=float(data["started"]), title=str(data["title"]), file=file
                )
                found.append(run)
            else:
                file.unlink(missing_ok=True)
    return tuple(sorted(found, key=lambda run: run.started))


def _register(title: str, environment: Mapping[str, str]) -> Callable[[], None]:
    folder = _folder(environment)
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    pid = os.getpid()
    path = folder / f"{pid}.run"
    unfinished = path.with_suffix(".part")
    file = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        lock(file)
        os.write(file, json.dumps({"pid": pid, "started": time.time(), "title": title}).encode("ascii"))
        unfinished.replace(path)  # locked and whole before anybody looks at it
    except BaseException:
        os.close(file)
        raise
    open_files = [file]

    def unregister() -> None:
        if open_files:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            os.close(open_files.pop())

    return unregister


def _folder(environment: Mapping[str, str]) -> Path:
    """Where they are: in the session's own folder, which goes with it; without one, beside the traces."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime and Path(runtime).is_dir() and os.access(runtime, os.W_OK):
        return Path(runtime) / "oi" / "runs"
    return state_folder(environment) / "runs"
