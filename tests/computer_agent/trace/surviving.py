"""Runs that are killed or find the disk full, each a fork of this process: a line ``KIND FOLDER NUMBER`` starts one.

Forks, since to start Python and load the eyes takes a second, and there are many runs. Prints the process id of each
run, and ``over`` when it has ended.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from agent_run import Stage

from computer_agent.loop import run as loop
from computer_agent.models.script import ScriptModel
from computer_agent.models.steps import parse_steps
from computer_agent.step import Act
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from computer_vision.reader import Line, Pixels

AT_ONCE = 20  # actions a step: a look takes longest
TASK = "\n".join(f"press {'abcdefghij'[number % 10]}" for number in range(160))


class Blind:
    """A reader that finds no text: these runs press keys."""

    def read(self, pixels: Pixels) -> tuple[Line, ...]:
        return ()


class Noting(MemoryDesktop):
    """Notes each key that goes down in a file, at once."""

    def __init__(self, note: Path) -> None:
        super().__init__((320, 240), form())
        self._note = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def key(self, name: str, *, down: bool) -> None:
        super().key(name, down=down)
        if down:
            os.write(self._note, b".")


def run(kind: str, folder: Path, number: int) -> None:
    folder.mkdir()
    desktop = Noting(folder / "pressed")
    stage = Stage(folder=folder, reader=Blind(), desktop=desktop)
    keys = [step.action for step in parse_steps(TASK)]
    acts = [Act(thought="", actions=tuple(keys[at : at + AT_ONCE])) for at in range(0, len(keys), AT_ONCE)]
    agent = stage.agent(ScriptModel(acts, name="steps"), title=TASK)
    if kind == "full":
        sys.dont_write_bytecode = True  # it would be half of a module, for all others
        resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))
    *_, last = loop(TASK, agent)
    (folder / "ended").write_text(getattr(last, "words", "")[:200])


def main() -> None:
    for line in sys.stdin:
        kind, folder, *number = line.split()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                run(kind, Path(folder), int(number[0]) if number else 0)
            finally:
                os._exit(0)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        os.waitpid(child, 0)
        sys.stdout.write("over\n")
        sys.stdout.flush()


main()
