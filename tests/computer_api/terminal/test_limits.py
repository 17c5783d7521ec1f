"""What the programs of a block may use: what uses more is ended, with a sentence, and the next block runs."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from computer_api.errors import UnsupportedError
from computer_api.terminal import Terminal
from computer_api.terminal.groups import marked_groups
from computer_api.terminal.limits import ResourceLimits
from computer_api.terminal.sandbox import Policy, Sandbox, Unconfined
from computer_api.terminal.sandbox.choosing import open_sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere time is all that is limited")

MB = 1024 * 1024
LIMITS = ResourceLimits(processes=48, memory=300 * MB, file_size=3 * MB, seconds=30)
SECONDS = 15.0  # a bomb of 48 processes is over long before, on a machine that does much else


@pytest.fixture(params=["none", "bwrap"])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    work = tmp_path / "home" / "work"
    work.mkdir(parents=True)
    sandbox: Sandbox = Unconfined()
    if request.param == "bwrap":
        try:
            sandbox, _ = open_sandbox("bwrap", Policy(access="workspace-write", workspace=work), environment)
        except UnsupportedError as error:
            pytest.skip(str(error))
    with Terminal(cwd=work, environment=environment, sandbox=sandbox, limits=LIMITS) as started:
        yield started


BOMBS = {
    # It would end by itself, with a thousand processes: a real one is a danger to whoever runs the tests.
    "shell": "b() { [ $1 -eq 0 ] || { b $(($1 - 1)) & b $(($1 - 1)) & }; sleep 20; }; b 9; sleep 20",
    "python": "import os, time\nfor _ in range(600):\n    if os.fork() == 0:\n        time.sleep(60)\n",
    "in sessions of their own": (
        "import os, time\nfor _ in range(600):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork():\n"
        "            os._exit(0)\n        time.sleep(60)\n"
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_fork_bomb_is_ended_and_nothing_of_it_is_left(terminal: Terminal, bomb: str) -> None:
    language = "shell" if bomb == "shell" else "python"
    terminal.run(language, "1" if language == "python" else ":")
    began = time.monotonic()
    output = terminal.run(language, BOMBS[bomb])
    assert time.monotonic() - began < SECONDS
    assert "stopped: it started more than 48 processes" in output.text
    assert (output.ok, output.lost_state) == (False, True)
    assert not marked_groups(f"OI_TERMINAL={terminal._workers[next(iter(terminal._workers))].mark}")
    assert terminal.run(language, "print('on')" if language == "python" else "echo on").text.endswith("on\n")


def test_programs_that_take_too_much_memory_together_are_ended(terminal: Terminal) -> None:
    code = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(os.urandom(1) * 60_000_000)
        time.sleep(60)
time.sleep(60)
"""
    output = terminal.run("python", code)
    assert "stopped: its programs used more than 300 MB of memory" in output.text
    assert output.lost_state


def test_one_program_that_wants_too_much_memory_is_refused_it(terminal: Terminal) -> None:
    terminal.run("python", "kept = 1")
    assert "MemoryError" in terminal.run("python", "bytearray(2_000_000_000)").text
    assert terminal.run("python", "print(kept)").text == "1\n"


def test_memory_that_processes_share_counts_once(terminal: Terminal) -> None:
    code = """
import os, time
held = bytearray(120_000_000)
for _ in range(4):
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
time.sleep(1)
print("all of it")
"""
    assert terminal.run("python", code).text == "all of it\n"


def test_a_file_that_grows_too_large_is_an_error_of_the_program(terminal: Terminal) -> None:
    code = "file = open('large', 'wb')\nfile.write(bytes(4_000_000))\nfile.close()"
    output = terminal.run("python", code)
    assert "File too large" in output.text
    assert not output.lost_state


def test_what_stays_within_the_limits_is_left_alone(terminal: Terminal) -> None:
    code = "for n in $(seq 30); do sleep 0.5 & done; wait; echo done"
    assert terminal.run("shell", code).text.endswith("done\n")


def test_the_time_of_a_block_is_limited_where_nobody_says_another(tmp_path: Path) -> None:
    limits = replace(LIMITS, seconds=0.5)
    with Terminal(environment={"PATH": os.environ["PATH"]}, limits=limits) as terminal:
        output = terminal.run("python", "import time\ntime.sleep(60)")
    assert output.timed_out
    assert "not done after 0.5 s" in output.text
