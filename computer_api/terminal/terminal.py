"""The terminal: run a block of code in a language, and keep what it sets for the next one."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Self

from computer_api.errors import UnsupportedError
from computer_api.terminal.place import Place
from computer_api.terminal.shield import Shield

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

    from computer_api.terminal.call import Answer
    from computer_api.terminal.output import Chunk, Output
    from computer_api.terminal.worker import Worker

_NAMES = {
    "python": "python",
    "py": "python",
    "shell": "shell",
    "bash": "shell",
    "sh": "shell",
    "zsh": "shell",
}
# Programs in a terminal that nobody looks at must neither page nor hold lines back.
_ENVIRONMENT = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "",
    "LESS": "FRX",
    "GIT_TERMINAL_PROMPT": "0",
    "DEBIAN_FRONTEND": "noninteractive",
    "PYTHONUNBUFFERED": "1",
}


def _ignore(_chunk: Chunk) -> None:
    """Follow nothing; the output comes at the end anyway."""


def _told() -> None:
    """Do nothing about a Ctrl-C: what it would stop is short."""


class Terminal:
    """One worker for each language, started when first used and kept until ``close``.

    Workers run in ``cwd`` with exactly ``environment``, plus settings that keep programs from paging.
    ``answer`` gets what code asks of the ``computer`` object, and the questions of programs; it
    returns a ``Reply`` or raises ``ComputerError``, and runs on the thread that called ``run``.
    ``values`` names what is read without a call, such as ``computer.display.width``. Without ``lasting`` a block
    that Ctrl-C ends is the last one: it is killed when it does not end at once, and what it set is lost.
    """

    def __init__(
        self,
        *,
        cwd: Path | None = None,
        environment: Mapping[str, str],
        python: str = sys.executable,
        answer: Answer | None = None,
        values: frozenset[str] = frozenset({"display.width", "display.height"}),
        lasting: bool = True,
    ) -> None:
        self._cwd = cwd
        self._environment = {**environment, **_ENVIRONMENT}
        self._python = python
        self._answer = answer
        self._values = values
        self._lasting = lasting
        self._workers: dict[str, Worker] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def languages(self) -> tuple[str, ...]:
        """The languages that can run here, by their first names."""
        if sys.platform == "win32":
            return ()
        return ("python",) if self._bash() is None else ("python", "shell")

    def run(
        self,
        language: str,
        code: str,
        *,
        on_output: Callable[[Chunk], None] = _ignore,
        seconds: float = 120.0,
        outside: bool = False,  # noqa: ARG002 - the seam; not built yet
    ) -> Output:
        """Run the code, byte for byte, to its end, and return what it printed and how it ended.

        ``on_output`` sees every piece as it comes. A block that is not done after ``seconds`` is
        interrupted, and killed two seconds later; the time that ``answer`` takes does not count.
        Raises ``UnsupportedError`` for a language that is not there.
        """
        return self._worker(language).run(code, on_output=on_output, seconds=seconds)

    def answer(
        self,
        text: str,  # noqa: ARG002 - the seam; not built yet
        *,
        on_output: Callable[[Chunk], None] = _ignore,  # noqa: ARG002
        seconds: float = 120.0,  # noqa: ARG002
    ) -> Output:
        """Give the line to the program that waits for one, and follow its block to the end; as ``run``."""
        raise UnsupportedError("No program waits for input.")

    def interrupt(self) -> None:
        """Stop the block that runs, from any thread or signal handler; a second call does not wait."""
        for worker in tuple(self._workers.values()):
            worker.interrupt()

    def close(self) -> None:
        """Kill everything that blocks started. Safe to call twice."""
        with Shield()(_told):
            for worker in tuple(self._workers.values()):
                worker.close()

    def _worker(self, language: str) -> Worker:
        name = _NAMES.get(language.strip().lower())
        if name is None:
            raise UnsupportedError(
                f'There is no language "{language}" here. Use one of: {", ".join(self.languages())}.'
            )
        if name not in self._workers:
            with Shield()(_told):
                self._workers[name] = self._start(name)
        return self._workers[name]

    def _bash(self) -> str | None:
        return shutil.which("bash", path=self._environment.get("PATH"))

    def _start(self, name: str) -> Worker:
        place = Place(cwd=self._cwd, environment=self._environment, lasting=self._lasting)
        if sys.platform != "win32":
            return self._python_worker(place) if name == "python" else self._shell_worker(place)
        raise UnsupportedError("Running code is not supported on Windows yet; use Linux, macOS or WSL.")

    if sys.platform != "win32":

        def _python_worker(self, place: Place) -> Worker:
            from computer_api.terminal.languages.python import PythonWorker

            return PythonWorker(place, self._answer, python=self._python, values=self._values)

        def _shell_worker(self, place: Place) -> Worker:
            from computer_api.terminal.languages.shell import ShellWorker

            bash = self._bash()
            if bash is None:
                raise UnsupportedError(
                    'The shell needs "bash", which is not on the PATH; install it, or use python.'
                )
            return ShellWorker(place, self._answer, bash=bash)
