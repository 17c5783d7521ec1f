"""The terminal's output path beside a bare subprocess: 100,000 lines, 100 MB, the first piece, memory, limits.

The bare one reads a pipe and keeps everything; it neither decodes, nor folds, nor truncates, nor saves.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from timing import Row, in_turn, rounds, show, timed

from computer_api.terminal import Chunk, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = "seq 100000"
MUCH = "head -c 100000000 /dev/zero | tr '\\0' x"
MANY = "yes 'a line of some twenty bytes' | head -c 100000000"
FIRST = "echo first; sleep 0.05"


def main() -> None:
    count = rounds(5)
    with Terminal(environment={"PATH": os.environ["PATH"]}) as terminal:
        terminal.run("bash", "true")
        rows = [
            _measured(terminal, count, "100,000 lines", LINES, size=588_895),
            _measured(terminal, count, "100 MB in lines", MANY, size=100_000_000),
            _measured(terminal, count, "100 MB without a line's end", MUCH, size=100_000_000),
        ]
        first = Row(what="first piece of a block", peer="first read of its pipe")
        in_turn(4 * count, partial(_first, first, terminal), partial(_bare_first, first))
        warm = Row(what="warm `true`", peer="bash -c true")
        in_turn(10 * count, partial(_ours, warm, terminal, "true", 0), partial(_bare, warm, "true", 0))
    show("Output of the shell", [*rows, first, warm])
    _show_memory()


def _show_memory() -> None:
    """Measured in a process of its own, which holds no bare subprocess' copy."""
    code = (
        "import os\nfrom computer_api.terminal import Terminal\n"
        # What getrusage tells would be the peak of this one, which it was forked from.
        "def peak(): return next(int(l.split()[1]) for l in open('/proc/self/status') if l.startswith('VmHWM'))\n"
        "with Terminal(environment={'PATH': os.environ['PATH']}) as terminal:\n"
        "    terminal.run('bash', 'true')\n    before = peak()\n"
        f"    terminal.run('bash', {MANY!r})\n    print((peak() - before) // 1024)"
    )
    grown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    print(f"  100 MB of output make the process grow by {grown} MB")


def _measured(terminal: Terminal, count: int, what: str, code: str, *, size: int) -> Row:
    row = Row(what=what, peer="bare pipe, kept whole")
    in_turn(count, partial(_ours, row, terminal, code, size), partial(_bare, row, code, size))
    return row


def _ours(row: Row, terminal: Terminal, code: str, size: int) -> None:
    seen = 0

    def follow(chunk: Chunk) -> None:
        nonlocal seen
        seen += len(chunk.text)

    seconds, output = timed(lambda: terminal.run("bash", code, on_output=follow))
    row.ours.append(seconds)
    row.ours_right.count(right=output.ok and seen == size)


def _bare(row: Row, code: str, size: int) -> None:
    run: Callable[[], subprocess.CompletedProcess[bytes]] = partial(
        subprocess.run, ["bash", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    seconds, done = timed(run)
    row.theirs.append(seconds)
    row.theirs_right.count(right=len(done.stdout) == size)


def _first(row: Row, terminal: Terminal) -> None:
    began, came = time.perf_counter(), []
    terminal.run("bash", FIRST, on_output=lambda _: came.append(time.perf_counter()))
    row.ours.append(came[0] - began)
    row.ours_right.count(right=True)


def _bare_first(row: Row) -> None:
    began = time.perf_counter()
    with subprocess.Popen(["bash", "-c", FIRST], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        row.theirs.append(time.perf_counter() - began)
    row.theirs_right.count(right=True)


if __name__ == "__main__":
    main()
