"""A shell at its prompt reads the terminal too: a block that has ended must not be taken for one that waits."""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("these shells are not on Windows", allow_module_level=True)

from computer_api.terminal import Chunk
from computer_api.terminal.languages.shell import ShellWorker
from computer_api.terminal.waiting import waits_for_input
from computer_api.terminal.worker import Block, Child

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who waits for input")
DEADLINE = 30.0
LONGER_THAN_PATIENCE = 0.6  # a program is taken to wait after 0.4 seconds of silence


def wait_until(fact: Callable[[], bool | None]) -> None:
    end = time.monotonic() + DEADLINE
    while not fact():
        assert time.monotonic() < end
        threading.Event().wait(0.005)


class EndsWhileItIsLookedAt(ShellWorker):
    """A shell whose block, if it waits for the file "go", ends just after the loop found it silent for long."""

    def on_quiet(self, child: Child, block: Block) -> None:
        if block.began and time.monotonic() - block.quiet_since > LONGER_THAN_PATIENCE:
            assert self.place.cwd is not None
            (self.place.cwd / "go").touch()
            wait_until(lambda: waits_for_input(child.leader))
            super().on_quiet(child, block)


@pytest.fixture
def worker(shell_of: Callable[[type[ShellWorker]], ShellWorker]) -> ShellWorker:
    return shell_of(EndsWhileItIsLookedAt)


def test_a_block_that_ends_when_it_is_about_to_be_taken_to_wait_does_not_wait(worker: ShellWorker) -> None:
    output = worker.run("while [ ! -e go ]; do :; done; echo end", on_output=lambda _: None, seconds=DEADLINE)
    assert (output.waiting, output.ok, output.text) == (None, True, "end\n")


def test_nothing_is_lost_of_a_long_output_that_is_shown_slowly(worker: ShellWorker, tmp_path: Path) -> None:
    shell = int(worker.run("echo $$", on_output=lambda _: None, seconds=DEADLINE).text)
    seen: list[str] = []

    def show_slowly(chunk: Chunk) -> None:
        seen.append(chunk.text)
        if len(seen) > 1:
            return
        shown = time.monotonic()
        (tmp_path / "go").touch()
        wait_until(lambda: waits_for_input(shell) and time.monotonic() - shown > LONGER_THAN_PATIENCE)

    output = worker.run(
        "echo on; while [ ! -e go ]; do :; done; seq 2000", on_output=show_slowly, seconds=DEADLINE
    )
    assert output.waiting is None
    assert "".join(seen) == output.text == "on\n" + "".join(f"{number}\n" for number in range(1, 2001))
