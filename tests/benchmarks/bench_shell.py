"""Shells in the terminal, beside a new process for each block, which keeps nothing.

The bar: a later block in under 5 ms.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from timing import Row, in_turn, rounds, show, timed

from computer_api.terminal import Call, Chunk, Reply, Terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

SHELLS = ("bash", "zsh", "sh")
LINES = 100_000
CLICK = "oi-computer click Save"


def main() -> None:
    count = rounds(30)
    few = max(1, count // 6)
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    rows: list[Row] = []
    for shell in SHELLS:
        if shutil.which(shell) is None:
            rows.append(Row(what=shell, said="not installed"))
            continue
        rows.append(_cold(shell, environment, few))
        with Terminal(environment=environment, answer=_done) as terminal:
            terminal.run(shell, "true")
            rows += _warm(shell, terminal, environment, count)
            rows.append(_interrupts(shell, terminal, few))
            rows.append(_compared(shell, terminal, environment, few, (CLICK, "done")))
    show("Shells: right are the results that came back", rows)


def _done(_call: Call) -> Reply:
    return Reply(value="done")


def _cold(shell: str, environment: Mapping[str, str], few: int) -> Row:
    row = Row(what=f"{shell}: true, first", peer=f"{shell} -c")

    def ours() -> None:
        with Terminal(environment=environment) as terminal:
            _count(row, ours=timed(lambda: terminal.run(shell, "true").text), expected="")

    in_turn(few, ours, partial(_bare, row, shell, environment, "true", ""))
    return row


def _warm(shell: str, terminal: Terminal, environment: Mapping[str, str], count: int) -> list[Row]:
    few = max(1, count // 6)
    last = "".join(f"{number}\n" for number in range(LINES))[-100:]
    return [
        _compared(shell, terminal, environment, count, ("true", "")),
        _compared(shell, terminal, environment, count, ("/bin/echo hi", "hi\n")),
        _compared(shell, terminal, environment, few, (f"seq 0 {LINES - 1}", last)),
    ]


def _compared(
    shell: str,
    terminal: Terminal,
    environment: Mapping[str, str],
    count: int,
    block: tuple[str, str],
) -> Row:
    """The block, which prints its second part at its end; a bare shell has no computer, and does nothing instead."""
    code, expected = block
    bare_code, bare_expected = ("true", "") if code == CLICK else block
    row = Row(what=f"{shell}: {code}", peer=f"{shell} -c")

    def ours() -> None:
        _count(row, ours=timed(lambda: terminal.run(shell, code).text), expected=expected)

    bare = partial(_bare, row, shell, environment, bare_code, bare_expected)
    in_turn(count, ours, bare)
    return row


def _interrupts(shell: str, terminal: Terminal, few: int) -> Row:
    row = Row(what=f"{shell}: interrupt of sleep, to the end", peer="", said="keeps nothing")
    for _ in range(few):
        told: list[float] = []

        def follow(chunk: Chunk, told: list[float] = told) -> None:
            if "on" in chunk.text and not told:
                told.append(perf_counter())
                terminal.interrupt()

        output = terminal.run(shell, "echo on; sleep 60", on_output=follow)
        row.ours.append(perf_counter() - told[0])
        row.ours_right.count(right=not output.lost_state)
    return row


def _bare(row: Row, shell: str, environment: Mapping[str, str], code: str, expected: str) -> None:
    def run() -> str:
        done = subprocess.run(
            [shell, "-c", code],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout

    seconds, text = timed(run)
    row.theirs.append(seconds)
    row.theirs_right.count(right=text.endswith(expected))


def _count(row: Row, *, ours: tuple[float, str], expected: str) -> None:
    row.ours.append(ours[0])
    row.ours_right.count(right=ours[1].rstrip("\n").endswith(expected.rstrip("\n")))


if __name__ == "__main__":
    main()
