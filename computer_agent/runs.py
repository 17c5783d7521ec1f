"""The runs of `oi` that are going on: each is a file that its process holds locked until nothing acts any more.

The kernel lets go of the lock however the process ends, so what a killed one left behind is known to be dead.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.settings import state_folder
from computer_agent.trace.lock import held, lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_LARGEST_PID = 2**31 - 1


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
    unregister = _registered(title, environment)
    try:
        yield unregister
    finally:
        unregister()


def running(environment: Mapping[str, str]) -> tuple[Run, ...]:
    """This user's runs, the newest last. What killed ones left behind is removed.

    Those that count processes otherwise, as in a container that shares the folder, are left out: their numbers
    belong to others here.
    """
    found = []
    for file in (file for folder in _folders(environment) for file in _listed(folder)):
        with suppress(OSError, ValueError, KeyError, TypeError):
            if not held(file):
                file.unlink(missing_ok=True)
                continue
            data = json.loads(file.read_text("utf-8"))
            run = Run(
                pid=int(data["pid"]), started=float(data["started"]), title=str(data["title"]), file=file
            )
            if data["numbering"] == _numbering() and 0 < run.pid <= _LARGEST_PID:
                found.append(run)
    return tuple(sorted(found, key=lambda run: run.started))


def _listed(folder: Path) -> list[Path]:
    """The files there; none where we may not look."""
    try:
        return list(folder.glob("*.run"))
    except OSError:
        return []


def _registered(title: str, environment: Mapping[str, str]) -> Callable[[], None]:
    """Register in the first folder that can be written; what takes the run off again."""
    for folder in _folders(environment):
        with suppress(OSError):
            return _register(title, folder)
    return lambda: None


def _register(title: str, folder: Path) -> Callable[[], None]:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    pid = os.getpid()
    path = folder / f"{pid}-{time.time_ns()}.run"  # another container's process may have that number, too
    unfinished = path.with_suffix(".part")
    file = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        lock(file)
        run = {"pid": pid, "numbering": _numbering(), "started": time.time(), "title": title}
        os.write(file, json.dumps(run).encode("ascii"))
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


def _folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Where they may be, the best first: in the session's own folder, which goes with it, or beside the traces.

    All are looked through: a shell by ssh, or of a timer, may know less of the session than the run does.
    """
    runtime = [environment.get("XDG_RUNTIME_DIR", "")]
    if sys.platform != "win32":
        runtime.append(f"/run/user/{os.getuid()}")
    sessions = [Path(folder) / "oi" / "runs" for folder in runtime if folder and Path(folder).is_dir()]
    return tuple(dict.fromkeys([*sessions, state_folder(environment) / "runs"]))


def _numbering() -> str:
    """Which count of processes ours is of, ``""`` where the system has one only, or does not tell."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""
