"""`oi` as people run it: a process of its own, whose words, exit code and leavings a test looks at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from xvfb import until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

OI = [sys.executable, "-P", "-m", "computer_agent"]
SECONDS = 120.0
ABLE = ("--llm_supports_vision", "--llm_supports_functions")  # else a server is asked what its model can do
MARK = "OI_TEST_MARK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a run of `oi` ended. ``left`` holds the processes that it left behind."""

    code: int
    out: str
    err: str
    seconds: float
    left: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return f"exit {self.code}, {self.seconds:.1f} s\n-- out\n{self.out}\n-- err\n{self.err}\n-- left {self.left}"


def oi(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    during: Callable[[subprocess.Popen[str], Path], None] | None = None,
    seconds: float = SECONDS,
) -> Ran:
    """Run `oi` and look at what it said and left. ``during`` gets the process and the file it prints to."""
    mark = uuid.uuid4().hex
    variables = dict(os.environ if environment is None else environment) | {MARK: mark, "COLUMNS": "200"}
    out, err = cwd / f"out-{mark}.txt", cwd / f"err-{mark}.txt"
    began = time.monotonic()
    with out.open("w") as told, err.open("w") as complained:
        process = subprocess.Popen(
            [*OI, *arguments], cwd=cwd, env=variables, stdin=stdin, stdout=told, stderr=complained, text=True
        )
        try:
            if during is not None:
                during(process, out)
            code = process.wait(seconds)
        except BaseException:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
            raise
    took = time.monotonic() - began
    until(lambda: not marked(mark), seconds=5)
    return Ran(code=code, out=out.read_text(), err=err.read_text(), seconds=took, left=marked(mark))


def marked(mark: str) -> tuple[str, ...]:
    """The command lines of all processes that were started with this mark in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if f"{MARK}={mark}".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it ended, or it is not ours
    return tuple(found)


def says(path: Path, words: str) -> Callable[[], bool]:
    """A fact to wait for: the file holds these words."""
    return lambda: words in path.read_text()


def steps(*lines: str) -> Sequence[str]:
    """The arguments that run plain-English steps on a private desktop, unasked."""
    return ["--os", "--private", "--model", "steps", "-y", "\n".join(lines)]
