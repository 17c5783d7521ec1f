"""Who waits for a line is known of our own programs, and not guessed of others."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from processes import killed_after

from computer_api.terminal.waiting import waits_for_input

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who waits for input")


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    master, slave = os.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


def becomes(group: int, *, waiting: bool) -> bool:
    end = time.monotonic() + 10
    while waits_for_input(group) is not waiting:
        if time.monotonic() > end:
            return False
        threading.Event().wait(0.01)
    return True


@pytest.mark.parametrize(("program", "waiting"), [(["cat"], True), (["sleep", "60"], False)])
def test_a_program_that_reads_its_terminal_waits_and_one_that_sleeps_does_not(
    terminal: tuple[int, int], program: list[str], *, waiting: bool
) -> None:
    started = subprocess.Popen(program, stdin=terminal[1], stdout=terminal[1], start_new_session=True)
    with killed_after(started) as process:
        assert becomes(process.pid, waiting=waiting)


def test_a_group_that_is_gone_waits_for_nothing() -> None:
    with subprocess.Popen(["true"], start_new_session=True) as process:
        process.wait()
    assert waits_for_input(process.pid) is False
