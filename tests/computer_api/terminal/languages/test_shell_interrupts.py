"""An interrupt that comes when its block has just ended finds the shell at its prompt."""

import sys
from collections.abc import Callable

import pytest

if sys.platform == "win32":
    pytest.skip("these shells are not on Windows", allow_module_level=True)

from computer_api.terminal import Chunk, Output
from computer_api.terminal.languages.shell import ShellWorker
from computer_api.terminal.worker import Block, Child

DEADLINE = 30.0
ROUNDS = 10


class InterruptedTooLate(ShellWorker):
    """A shell that is interrupted once more when it has told the end of an interrupted block."""

    def record(self, child: Child, block: Block, record: bytes) -> None:
        if record.startswith(b"D ") and block.stopped_at is not None and block.reason is None:
            block.reason = "interrupted late"
            interrupt = self.stages(child)[0][1]
            interrupt()
        super().record(child, block, record)


@pytest.fixture
def worker(shell_of: Callable[[type[ShellWorker]], ShellWorker]) -> ShellWorker:
    return shell_of(InterruptedTooLate)


def interrupted(worker: ShellWorker, code: str) -> Output:
    """The block that prints "on" first, and is interrupted then."""

    def interrupt(chunk: Chunk) -> None:
        if "on" in chunk.text:  # a second time would kill the shell
            worker.interrupt()

    return worker.run(code, on_output=interrupt, seconds=DEADLINE)


def test_a_late_interrupt_leaves_nothing_to_the_next_block(worker: ShellWorker) -> None:
    worker.run("kept=kept", on_output=lambda _: None, seconds=DEADLINE)
    for _ in range(ROUNDS):
        stopped = interrupted(worker, "echo on; while :; do :; done")
        assert (stopped.ok, stopped.lost_state) == (False, False)
        output = worker.run("echo $kept", on_output=lambda _: None, seconds=DEADLINE)
        assert (output.text, output.lost_state) == ("kept\n", False)
