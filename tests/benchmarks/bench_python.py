"""Python in the terminal, beside a Jupyter kernel and beside a new process for each block.

The bars: the first block in under 300 ms, every later one in under 1 ms, 100,000 lines in under 1 s.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from bed import Child, peers, quiet_place
from timing import Row, in_turn, rounds, show, table, timed

from computer_api.computer import Computer
from computer_api.terminal import Call, Chunk, Reply, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LINES = 100_000
PRINT_LINES = f"for n in range({LINES}): print(n)"
CALLS = 3000
CALL = f"for _ in range({CALLS}): computer.display.width"
FOREVER = "print('on', flush=True)\nwhile True: pass"
MEMORY = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmRSS')][0])"


class Bare:
    """What ``python -c`` does: a process for each block, which keeps nothing."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def run(self, code: str) -> str:
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command,
            env=self._environment,
            check=True,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        ).stdout

    def interrupted(self, code: str) -> float:
        """Seconds from the signal to the end of the process."""
        command = [sys.executable, "-c", code]
        with subprocess.Popen(
            command, env=self._environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            began = perf_counter()
            process.send_signal(signal.SIGINT)
            process.wait()
            return perf_counter() - began


def main() -> None:
    count = rounds(30)
    few = max(1, count // 6)
    with quiet_place() as environment, peers(environment) as peer:
        peer.ask("load", modules=["jupyter_client.manager"])
        bare = Bare(environment)
        rows = [*_cold(environment, few, peer, bare)]
        with open_terminal(environment) as terminal, Computer.open("memory") as computer:
            terminal.run("python", "0")
            computer.run("python", "0")
            peer.ask("run_cold", code="0")
            rows += _warm(terminal, computer, count, peer, bare)
            rows += _lines(terminal, few, peer, bare)
            rows += _interrupts(terminal, few, peer, bare)
            memory = _memory(terminal, peer, bare)
            each = _calls(terminal, few)
            peer.ask("end_kernel")
    show("Python: right are the results that came back", rows)
    table("Memory after the above (KB resident)", memory, f"computer.display.width from a block: {each}")


def open_terminal(environment: Mapping[str, str]) -> Terminal:
    return Terminal(environment=environment, answer=_width)


def _width(_call: Call) -> Reply:
    return Reply(value=1280)


def _cold(environment: Mapping[str, str], few: int, peer: Child, bare: Bare) -> tuple[Row, Row]:
    kernel = Row(what="1+1, first: starts the worker", peer="start_new_kernel, execute")
    process = Row(what="the same", peer="python -c")

    def ours() -> None:
        with open_terminal(environment) as terminal:
            _right(_timed(kernel.ours, lambda: terminal.run("python", "1+1").text), "2", kernel)
        process.ours[:], process.ours_right = kernel.ours, kernel.ours_right

    def theirs() -> None:
        _of_kernel(kernel, peer, "1+1", "2", verb="run_cold")
        peer.ask("end_kernel")

    in_turn(few, ours, theirs, partial(_of_process, process, bare, "print(1+1)", "2"))
    return kernel, process


def _warm(terminal: Terminal, computer: Computer, count: int, peer: Child, bare: Bare) -> list[Row]:
    kernel = Row(what="1+1, then", peer="execute_interactive")
    process = Row(what="the same", peer="python -c")
    gated = Row(what='1+1 by computer.run("python", ...)', peer="execute_interactive")

    def ours() -> None:
        _right(_timed(kernel.ours, lambda: terminal.run("python", "1+1").text), "2", kernel)
        _right(_timed(gated.ours, lambda: computer.run("python", "1+1").output), "2", gated)
        process.ours[:], process.ours_right = kernel.ours, kernel.ours_right

    def theirs() -> None:
        _of_kernel(kernel, peer, "1+1", "2")
        gated.theirs[:], gated.theirs_right = kernel.theirs, kernel.theirs_right

    in_turn(count, ours, theirs, partial(_of_process, process, bare, "print(1+1)", "2"))
    return [kernel, process, gated]


def _lines(terminal: Terminal, few: int, peer: Child, bare: Bare) -> list[Row]:
    kernel = Row(what=f"{LINES:,} printed lines", peer="execute_interactive")
    process = Row(what="the same", peer="python -c")
    expected = "".join(f"{number}\n" for number in range(LINES)).strip()

    def ours() -> None:
        seen: list[str] = []

        def follow(chunk: Chunk) -> None:
            seen.append(chunk.text)

        _timed(kernel.ours, lambda: terminal.run("python", PRINT_LINES, on_output=follow).text)
        _right("".join(seen), expected, kernel)
        process.ours[:], process.ours_right = kernel.ours, kernel.ours_right

    in_turn(
        few,
        ours,
        partial(_of_kernel, kernel, peer, PRINT_LINES, expected),
        partial(_of_process, process, bare, PRINT_LINES, expected),
    )
    return [kernel, process]


def _interrupts(terminal: Terminal, few: int, peer: Child, bare: Bare) -> list[Row]:
    kernel = Row(what="interrupt of `while True`, to the end", peer="interrupt_kernel")
    process = Row(what="the same", peer="SIGINT, ends the process")

    def ours() -> None:
        told: list[float] = []

        def follow(chunk: Chunk) -> None:
            if "on" in chunk.text and not told:
                told.append(perf_counter())
                terminal.interrupt()

        output = terminal.run("python", FOREVER, on_output=follow)
        kernel.ours.append(perf_counter() - told[0])
        kernel.ours_right.count(right=not output.lost_state)
        process.ours[:], process.ours_right = kernel.ours, kernel.ours_right

    def theirs() -> None:
        kernel.theirs.append(float(peer.ask("interrupt", code=FOREVER).value))
        kernel.theirs_right.count(right=peer.ask("run", code="1+1").value.strip() == "2")

    def of_process() -> None:
        process.theirs.append(bare.interrupted(FOREVER))
        process.theirs_right.note = "keeps nothing"

    in_turn(few, ours, theirs, of_process)
    return [kernel, process]


def _memory(terminal: Terminal, peer: Child, bare: Bare) -> list[tuple[str, ...]]:
    return [
        ("ours", "kernel", "python -c"),
        (
            terminal.run("python", MEMORY).text.strip(),
            peer.ask("run", code=MEMORY).value.strip(),
            bare.run(MEMORY).strip(),
        ),
    ]


def _calls(terminal: Terminal, few: int) -> str:
    """How quick the answer to a call from a block is, at best."""
    best = min(timed(lambda: terminal.run("python", CALL))[0] for _ in range(few))
    return f"{best / CALLS * 1e6:.0f} us, {CALLS / best:,.0f} a second"


def _timed(seconds: list[float], run: Callable[[], str]) -> str:
    took, text = timed(run)
    seconds.append(took)
    return text


def _right(text: str, expected: str, row: Row) -> None:
    row.ours_right.count(right=text.strip() == expected)


def _of_kernel(row: Row, peer: Child, code: str, expected: str, *, verb: str = "run") -> None:
    answer = peer.ask(verb, code=code)
    row.theirs.append(answer.seconds)
    row.theirs_right.count(right=answer.value.strip() == expected)


def _of_process(row: Row, bare: Bare, code: str, expected: str) -> None:
    text = _timed(row.theirs, lambda: bare.run(code))
    row.theirs_right.count(right=text.strip() == expected)


if __name__ == "__main__":
    main()
