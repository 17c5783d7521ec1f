"""JavaScript in the terminal, beside a new process of Node.js for each block.

The bar: 100,000 lines in under 1 s. A Python cell's figures are in ``bench_python.py``.
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
    from collections.abc import Callable, Mapping

LINES = 100_000
PRINT_LINES = f"for (let n = 0; n < {LINES}; n++) console.log(n)"
CALLS = 1000
CALL = f"for (let n = 0; n < {CALLS}; n++) await computer.display.width"
FOREVER = ("console.log('on')\nwhile (true) {}", "console.log('on')\nawait null\nwhile (true) {}")
MEMORY = "console.log(fs.readFileSync('/proc/self/status', 'utf8').match(/VmRSS:\\s*(\\d+)/)[1])"


def main() -> None:
    count = rounds(30)
    few = max(1, count // 6)
    environment = {"PATH": os.environ["PATH"]}
    node = shutil.which("node")
    if node is None:
        print("There is no Node.js here.")
        return
    rows = [_cold(environment, few, node)]
    with open_terminal(environment) as terminal:
        terminal.run("javascript", "0")
        rows += [_warm(terminal, count, node), _lines(terminal, few, node)]
        rows += [_interrupts(terminal, few, code) for code in FOREVER]
        memory = terminal.run("javascript", MEMORY).text.strip()
        bare = _bare(node, MEMORY.replace("fs.", "require('fs').")).strip()
        each = min(timed(lambda: terminal.run("javascript", CALL))[0] for _ in range(few)) / CALLS
    notes = (
        f"Memory after the above: {memory} KB resident; a new process: {bare} KB",
        f"await computer.display.width in a block: {each * 1e6:.0f} us",
    )
    show("JavaScript: right are the results that came back", rows, *notes)


def open_terminal(environment: Mapping[str, str]) -> Terminal:
    return Terminal(environment=environment, answer=_width)


def _width(_call: Call) -> Reply:
    return Reply(value=1280)


def _bare(node: str, code: str) -> str:
    return subprocess.run(
        [node, "-e", code], check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
    ).stdout


def _cold(environment: Mapping[str, str], few: int, node: str) -> Row:
    row = Row(what="1+1, first: starts the worker", peer="node -e")

    def ours() -> None:
        with open_terminal(environment) as terminal:
            _right(row, _timed(row.ours, lambda: terminal.run("javascript", "1+1").text), "2")

    in_turn(few, ours, partial(_of_process, row, node, "console.log(1+1)", "2"))
    return row


def _warm(terminal: Terminal, count: int, node: str) -> Row:
    row = Row(what="1+1, then", peer="node -e")

    def ours() -> None:
        _right(row, _timed(row.ours, lambda: terminal.run("javascript", "1+1").text), "2")

    in_turn(count, ours, partial(_of_process, row, node, "console.log(1+1)", "2"))
    return row


def _lines(terminal: Terminal, few: int, node: str) -> Row:
    row = Row(what=f"{LINES:,} printed lines", peer="node -e")
    expected = "".join(f"{number}\n" for number in range(LINES)).strip()

    def ours() -> None:
        seen: list[str] = []

        def follow(chunk: Chunk) -> None:
            seen.append(chunk.text)

        _timed(row.ours, lambda: terminal.run("javascript", PRINT_LINES, on_output=follow).text)
        _right(row, "".join(seen), expected)

    in_turn(few, ours, partial(_of_process, row, node, PRINT_LINES, expected))
    return row


def _interrupts(terminal: Terminal, few: int, code: str) -> Row:
    """From the interrupt to the end of the block, which keeps its state."""
    where = "after an await" if "await" in code else "at once"
    row = Row(what=f"interrupt of `while (true)` {where}", said="a process ends")
    for _ in range(few):
        told: list[float] = []

        def follow(chunk: Chunk, told: list[float] = told) -> None:
            if "on" in chunk.text and not told:
                told.append(perf_counter())
                terminal.interrupt()

        output = terminal.run("javascript", code, on_output=follow)
        row.ours.append(perf_counter() - told[0])
        row.ours_right.count(right=not output.lost_state)
    return row


def _timed(seconds: list[float], run: Callable[[], str]) -> str:
    took, text = timed(run)
    seconds.append(took)
    return text


def _right(row: Row, text: str, expected: str) -> None:
    row.ours_right.count(right=text.strip() == expected)


def _of_process(row: Row, node: str, code: str, expected: str) -> None:
    text = _timed(row.theirs, lambda: _bare(node, code))
    row.theirs_right.count(right=text.strip() == expected)


if __name__ == "__main__":
    main()
