"""The Python worker as the terminal sees it: start it, feed it cells, answer its calls."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.groups import session_groups, signal_group
from computer_api.terminal.languages.channel import SENDING, ChannelWorker, call_of, png_of, told, written
from computer_api.terminal.output import plain
from computer_api.terminal.place import Place, Started, start
from computer_api.terminal.sandbox import Command
from computer_api.terminal.worker import GRACE, Block, Child

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_api.terminal.call import Answer

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

_WORKER = Path(__file__).with_name("python_worker.py")
_FILES = Path(__file__).parents[2] / "files.py"  # which the worker loads for `computer.files`
_OLDEST = "3.8"
_MOST_SHOWN = 16  # images of a block, and HTML values of a block
_MOST_BYTES = 32 * 1024 * 1024  # of all images of a block
_MOST_CHARACTERS = 4 * 1024 * 1024  # of all HTML of a block


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonLanguage:
    """Python on an interpreter that the person chose: a path, a name on the PATH, or the folder of a venv.

    ``values`` names what is read of ``computer`` without a call, such as ``display.width``.
    """

    python: str = sys.executable
    values: frozenset[str] = frozenset({"display.width", "display.height"})
    name: str = "python"
    aliases: tuple[str, ...] = ("py", "python3")

    def missing(self, environment: Mapping[str, str]) -> str | None:
        """One sentence when there is no such program; whether it is a Python shows when it is started."""
        if shutil.which(self._program(), path=environment.get("PATH")) is not None:
            return None
        return (
            f'There is no interpreter "{self.python}"; '
            f"name a Python {_OLDEST} or newer, by its path or the folder of its venv."
        )

    def worker(self, place: Place, answer: Answer | None) -> PythonWorker:
        """A worker on this interpreter. Raises ``UnsupportedError`` when it is not there."""
        if (reason := self.missing(place.environment)) is not None:
            raise UnsupportedError(reason)
        return PythonWorker(place, answer, python=self._program(), values=self.values)

    def _program(self) -> str:
        of_venv = Path(self.python, "bin", "python")
        return str(of_venv) if of_venv.is_file() else self.python


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A cell's question for a line, and the number of the call that it is."""

    number: int
    text: str
    secret: bool


@dataclass(slots=True, kw_only=True)
class Dropped:
    """What a block showed beyond what is kept."""

    images: int = 0
    html: int = 0

    def notes(self) -> list[str]:
        """What to say about it."""
        notes = []
        if self.images:
            notes.append(_left_out(self.images, "image", f"{_MOST_BYTES >> 20} MB"))
        if self.html:
            notes.append(_left_out(self.html, "HTML value", f"{_MOST_CHARACTERS >> 20} MB"))
        return notes


class PythonWorker(ChannelWorker):
    """Runs cells of Python on the given interpreter."""

    title = "Python"

    def __init__(self, place: Place, answer: Answer | None, *, python: str, values: frozenset[str]) -> None:
        super().__init__(place, answer)
        self._python = python
        self._values = values
        self._ready = False  # the process has shown that it can run blocks
        self._cell = 0  # of this process, the one that runs
        self._dropped = Dropped()
        self._questions: deque[Question] = deque()  # those that nobody has answered yet, the oldest first

    def start(self) -> Child:
        """Start the interpreter, its control channel a socket and its output a pipe."""
        with contextlib.ExitStack() as resources, contextlib.ExitStack() as handed_over:
            control, theirs = socket.socketpair()
            output, printed = os.pipe()
            lifeline, held = os.pipe()
            resources.enter_context(control)
            handed_over.enter_context(theirs)
            for stack, descriptor in (
                (resources, output),
                (resources, held),
                (handed_over, printed),
                (handed_over, lifeline),
            ):
                stack.callback(os.close, descriptor)
            started = self._spawn(theirs.fileno(), lifeline, printed)
            os.set_blocking(output, False)
            control.settimeout(SENDING)
            self.control, self._ready, self._cell = control, False, 0
            self._questions.clear()
            child = Child(
                process=started.process,
                leader=started.leader,
                output=output,
                records=control.fileno(),
                resources=resources.pop_all(),
            )
        self.send(child, {"values": sorted(self._values)})
        return child

    def _spawn(self, control: int, lifeline: int, printed: int) -> Started:
        command = Command(
            argv=(self._python, str(_WORKER), str(control), str(lifeline)),
            environment=self.place.environment,
            cwd=self.place.cwd,
            inherited=(control, lifeline),
            shared=(_WORKER, _FILES),
        )
        return start(self.place, command, output=printed)

    def tell_lines(self, child: Child) -> None:
        """Ask for the lines of the next cell."""
        self.send(child, {"lines": True})

    def begin(self, child: Child, code: str) -> None:
        """Send the cell."""
        self._cell += 1
        self._dropped = Dropped()
        self.send(child, {"run": code, "cell": self._cell})

    def record(self, child: Child, block: Block, record: bytes) -> None:
        """Act on the begin or the end of the cell, a call or what it shows; ignore what is none of these."""
        match told(record):
            case {"ready": True}:
                self._ready = True
            case {"began": self._cell}:
                self.began(child, block)
            case {"done": self._cell, "ok": bool(ok), "exit": (int() | None) as code}:
                block.notes.extend(self._dropped.notes())
                self.ended(child, block, ok=ok, exit_code=code)
            case {"call": ["line"], "id": int(number), "args": [int(line)]}:
                self.at_line(child, block, line)
                self.send(child, {"reply": number, "value": None})
            case {"png": str(text)} if (png := png_of(text)) is not None:
                self._keep_image(block, png)
            case {"html": str(html)}:
                self._keep_html(block, html)
            case {"call": ["input"], "id": int(number), "args": [str(text), bool(secret)]}:
                self._asked(child, block, Question(number=number, text=text, secret=secret))
            case {"call": _, "id": int(number)} as asked if (call := call_of(asked)) is not None:
                self._read_rest(child, block)  # what it printed before is seen before what it does
                self.send(child, {"reply": number, **written(self.ask(block, call))})
            case _:
                pass

    def _asked(self, child: Child, block: Block, question: Question) -> None:
        """Answer a question, or have the block wait for the answer; those of other threads wait behind it."""
        self._read_rest(child, block)
        if not self._questions:
            asked = question.text or plain(block.kept.text()).rpartition("\n")[2]
            line = self.wait_for_line(child, block, asked, secret=question.secret)
            if block.waiting is None:
                self.send(child, {"reply": question.number, "value": line})
                return
        self._questions.append(question)

    def give_line(self, child: Child, block: Block, text: str) -> None:
        """Answer the oldest question, and ask the next."""
        waiting = list(self._questions)
        self._questions.clear()
        for question in waiting[:1]:
            self.send(child, {"reply": question.number, "value": text})
        for question in waiting[1:]:
            self._asked(child, block, question)

    def end_input(self, child: Child, block: Block) -> None:  # noqa: ARG002 - the seam's
        """Tell all who asked that nobody answers."""
        while self._questions:
            self.send(child, {"reply": self._questions.popleft().number, "value": None})

    def _keep_image(self, block: Block, png: bytes) -> None:
        full = len(block.images) >= _MOST_SHOWN or sum(map(len, block.images)) + len(png) > _MOST_BYTES
        if full:
            self._dropped.images += 1
        else:
            block.images.append(png)

    def _keep_html(self, block: Block, html: str) -> None:
        full = len(block.html) >= _MOST_SHOWN or sum(map(len, block.html)) + len(html) > _MOST_CHARACTERS
        if full:
            self._dropped.html += 1
        else:
            block.html.append(html)

    def unusable(self, block: Block, code: int) -> str | None:
        """That the interpreter is none, or too old, when it ended by itself before it was ready for a cell."""
        if self._ready or block.stopped_at is not None or self._closed:
            return None
        said = plain(block.kept.text()).strip().splitlines()
        reason = f' and said "{said[-1].strip()}"' if said else ""
        return (
            f'"{self._python}" cannot run Python here: it ended with exit code {code}{reason}; '
            f"name a Python {_OLDEST} or newer."
        )

    def stages(self, child: Child) -> tuple[tuple[float, Callable[[], None]], ...]:
        """Interrupt the cell and all it started; after the grace, kill them."""
        return (
            (0.0, lambda: signal_group(child.leader, signal.SIGINT)),
            (GRACE, lambda: self.end(child)),
        )

    def groups(self, child: Child) -> set[int]:
        """Those of the interpreter's session: programs can lead groups of their own in it."""
        return session_groups(child.leader)


def _left_out(count: int, what: str, size: str) -> str:
    return f"{count} more {what}{'s' * (count > 1)} left out: a block keeps at most {_MOST_SHOWN}, of {size} together"
