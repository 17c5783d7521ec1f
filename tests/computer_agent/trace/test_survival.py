"""A run that is killed at any moment, or finds the disk full at any write, leaves a trace that can be gone on from."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xvfb import until

from computer_agent.models.steps import parse_steps
from computer_agent.resume import resumed
from computer_agent.settings import Settings
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import read
from computer_agent.trace.record import FILE
from computer_agent.trace.writer import TraceWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_agent.trace.reader import Attempt

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("surviving.py")
MOMENTS = 10  # of each seed
SEEDS = 4
HEAVY = 200  # further moments, which only `make heavy` takes
SIZE = 20_000  # bytes to which a trace grows at most before its run is killed


class Runs:
    """Starts runs, one after the other."""

    def __init__(self) -> None:
        paths = os.pathsep.join(str(ROOT / floor) for floor in (".", "vision", "platform", "tests"))
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )

    def start(self, kind: str, folder: Path, number: int = 0) -> int:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{kind} {folder} {number}\n")
        self.process.stdin.flush()
        return int(self._line())

    def over(self) -> None:
        assert self._line() == "over"

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@pytest.fixture(scope="module")
def runs() -> Iterator[Runs]:
    started = Runs()
    yield started
    started.close()


def size_of(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def attempts_of(folder: Path) -> list[Attempt]:
    return [attempt for step in read(folder / "trace").steps for attempt in step.attempts]


def killed(runs: Runs, folder: Path, chance: random.Random, most: int) -> None:
    """A run that is killed as soon as its trace has grown to some size, and a moment later at times."""
    process = runs.start("killed", folder)
    size = chance.randrange(600, most)
    assert until(lambda: size_of(folder / "trace" / FILE) >= size, seconds=60)
    for _ in range(chance.randrange(3000)):
        pass
    os.kill(process, signal.SIGKILL)
    runs.over()


def check_killed(folder: Path) -> str:
    """All that was done is told, but for what was in flight; gives how the last action was left."""
    pressed = size_of(folder / "pressed")
    attempts = attempts_of(folder)
    done = sum(attempt.outcome == "done" for attempt in attempts)
    unknown = [attempt for attempt in attempts if attempt.outcome == "unknown"]
    assert unknown in ([], attempts[-1:])
    assert done <= pressed <= done + len(unknown)
    trace = read(folder / "trace")
    whole = [one.action for one in parse_steps(trace.header.task)]
    if unknown:
        with pytest.raises(TraceError, match=f"Step {done + 1}, .*nobody knows whether it was done"):
            resumed(trace, Settings(), None, lambda _: None)
        again, after = (
            resumed(trace, Settings(), "again", _unasked),
            resumed(trace, Settings(), "done", _unasked),
        )
        assert [one.action for one in parse_steps(again.task)] == whole[done:]
        assert [one.action for one in parse_steps(after.task)] == whole[done + 1 :]
        return "unknown"
    left = resumed(trace, Settings(), None, _unasked)
    assert [one.action for one in parse_steps(left.task)] == whole[done:]
    return "known"


def _unasked(what: str) -> None:
    raise AssertionError(what)


@pytest.mark.parametrize(
    "seed",
    [
        *range(SEEDS),
        *(pytest.param(SEEDS + seed, marks=pytest.mark.heavy) for seed in range(HEAVY // MOMENTS)),
    ],
)
def test_a_run_killed_at_any_moment_misses_at_most_the_action_in_flight(
    runs: Runs, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - any moments will do, and the same again
    for number in range(MOMENTS):
        killed(runs, tmp_path / f"{number}", chance, SIZE if seed < SEEDS else 3 * SIZE)
        check_killed(tmp_path / f"{number}")


def test_a_disk_that_is_full_at_any_write_leaves_a_whole_trace_and_ends_the_run(
    runs: Runs, tmp_path: Path
) -> None:
    chance = random.Random(7)  # noqa: S311 - any sizes will do, and the same again
    for number in range(6):
        folder = tmp_path / f"{number}"
        runs.start("full", folder, chance.randrange(6000, SIZE))
        runs.over()
        trace = read(folder / "trace")
        attempts = attempts_of(folder)
        unknown = sum(attempt.outcome == "unknown" for attempt in attempts)
        assert not any("torn" in note for note in trace.notes)
        assert unknown <= 1
        assert len(attempts) - unknown <= size_of(folder / "pressed") <= len(attempts)
        assert trace.ending is None or trace.ending.words == "paused: disk full"
        assert "No room is left to write the trace" in (folder / "ended").read_text()


def test_a_second_writer_is_refused_while_the_first_goes_on(runs: Runs, tmp_path: Path) -> None:
    process = runs.start("killed", tmp_path / "run")
    try:
        assert until(lambda: size_of(tmp_path / "run" / "trace" / FILE) > 2000, seconds=60)
        with pytest.raises(TraceError, match="is being written by process"):
            TraceWriter(tmp_path / "run" / "trace")
        with pytest.raises(TraceError, match="is still going"):
            resumed(read(tmp_path / "run" / "trace"), Settings(), None, _unasked)
    finally:
        os.kill(process, signal.SIGKILL)
        runs.over()
