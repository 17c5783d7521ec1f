"""The terminal: run a block of code in a language, and keep what it sets for the next one."""

from __future__ import annotations

import sys
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING, Self

from computer_api.errors import UnsupportedError
from computer_api.terminal.limits import ResourceLimits
from computer_api.terminal.output import KEPT
from computer_api.terminal.place import Place
from computer_api.terminal.sandbox import Unconfined
from computer_api.terminal.shield import Shield
from computer_api.terminal.spool import Outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from computer_api.terminal.call import Answer
    from computer_api.terminal.languages.language import Language
    from computer_api.terminal.output import Chunk, Output
    from computer_api.terminal.sandbox import Sandbox
    from computer_api.terminal.worker import Worker

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

    ``languages`` are further ones; one that has the name of a built-in language takes its place. Workers run in
    ``cwd`` with exactly ``environment``, plus settings that keep programs from paging, and confined by ``sandbox``,
    which belongs to the terminal from now on.
    ``answer`` gets what code asks of the ``computer`` object, and the questions of programs; it
    returns a ``Reply`` or raises ``ComputerError``, and runs on the thread that called ``run``.
    ``values`` names what is read without a call, such as ``computer.display.width``. Without ``lasting`` a block
    that Ctrl-C ends is the last one: it is killed when it does not end at once, and what it set is lost.
    Of a long output ``kept`` bytes of its start and as many of its end are given back; all of it is in a file, until
    ``close`` or, in the folder ``spool``, for good.
    """

    def __init__(  # noqa: PLR0913 - all but one have defaults
        self,
        *,
        cwd: Path | None = None,
        environment: Mapping[str, str],
        python: str = sys.executable,
        languages: tuple[Language, ...] = (),
        answer: Answer | None = None,
        values: frozenset[str] = frozenset({"display.width", "display.height"}),
        lasting: bool = True,
        sandbox: Sandbox | None = None,
        limits: ResourceLimits | None = None,
        spool: Path | None = None,
        kept: int | None = None,
    ) -> None:
        self._limits = limits or ResourceLimits()
        self._outputs = Outputs(spool)
        self._outside = Place(
            cwd=cwd,
            environment={**environment, **_ENVIRONMENT},
            lasting=lasting,
            limits=self._limits,
            outputs=self._outputs,
            kept=KEPT if kept is None else kept,
        )
        self._inside = self._outside if sandbox is None else replace(self._outside, sandbox=sandbox)
        self._python = python
        self._further = languages
        self._answer = answer
        self._values = values
        self._workers: dict[tuple[str, bool], Worker] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def languages(self) -> tuple[str, ...]:
        """The languages that can run here, by their first names."""
        environment = self._outside.environment
        return tuple(known.name for known in self._known() if known.missing(environment) is None)

    def missing(self) -> tuple[str, ...]:
        """One sentence for each language that cannot run here, on what it needs."""
        environment = self._outside.environment
        return tuple(reason for known in self._known() if (reason := known.missing(environment)) is not None)

    def run(
        self,
        language: str,
        code: str,
        *,
        on_output: Callable[[Chunk], None] = _ignore,
        on_line: Callable[[int], None] | None = None,
        seconds: float | None = None,
        outside: bool = False,
    ) -> Output:
        """Run the code, byte for byte, to its end, and return what it printed and how it ended.

        ``on_output`` sees every piece as it comes, and ``on_line`` hears the number of each line of Python that
        begins a statement, when that runs. A block that is not done after ``seconds`` is
        interrupted, and killed two seconds later; the time that ``answer`` takes does not count.
        ``outside`` runs it without the sandbox, in a worker of its own, which knows nothing of the confined one.
        A block that has ``waiting`` in its output has not ended: see ``answer``.
        Raises ``UnsupportedError`` for a language that is not there.
        """
        confined = not outside and not isinstance(self._inside.sandbox, Unconfined)
        worker = self._worker(language, confined=confined)
        output = worker.run(code, on_output=on_output, on_line=on_line, seconds=self._seconds(seconds))
        return self._with_denials(output, confined=confined)

    def answer(
        self,
        text: str,
        *,
        on_output: Callable[[Chunk], None] = _ignore,
        seconds: float | None = None,
    ) -> Output:
        """Give the line to the program that waits for one, and follow its block to the end; as ``run``.

        Where blocks of several languages wait, it is the one that was run last. A program that nobody answers is told
        after ten minutes that there is no input, and at once when another block of its language is run.
        Raises ``UnsupportedError`` when none waits.
        """
        waiting = [key for key, worker in self._workers.items() if worker.waits]
        if not waiting:
            raise UnsupportedError("No program waits for input.")
        key = waiting[-1]
        output = self._workers[key].answer(text, on_output=on_output, seconds=self._seconds(seconds))
        return self._with_denials(output, confined=key[1])

    def confine(self, sandbox: Sandbox) -> None:
        """Confine by this one from now on: what ran confined is ended, and its next block says that state was lost."""
        with Shield()(_told):
            for (_, confined), worker in tuple(self._workers.items()):
                if confined:
                    worker.move(replace(self._inside, sandbox=sandbox))
            self._inside.sandbox.close()
            self._inside = replace(self._inside, sandbox=sandbox)

    def _seconds(self, given: float | None) -> float:
        return self._limits.seconds if given is None else given

    def interrupt(self) -> None:
        """Stop the block that runs, from any thread or signal handler; a second call does not wait."""
        for worker in tuple(self._workers.values()):
            worker.interrupt()

    def forget(self) -> None:
        """Kill everything that blocks started; the next block finds nothing of what they had set."""
        with Shield()(_told):
            for key in tuple(self._workers):
                self._workers.pop(key).close()

    def close(self) -> None:
        """Kill everything that blocks started, and end the sandbox. Safe to call twice."""
        with Shield()(_told):
            for worker in tuple(self._workers.values()):
                worker.close()
            self._inside.sandbox.close()
            self._outputs.close()

    def _with_denials(self, output: Output, *, confined: bool) -> Output:
        if output.ok or not confined:
            return output
        return replace(output, denied=self._inside.sandbox.denials(output.text))

    def _worker(self, name: str, *, confined: bool) -> Worker:
        """The worker of the language, which comes last from now on."""
        with Shield()(
            _told
        ):  # languages are imported here: an import that is broken off leaves half a module
            language = self._language(name)
            key = (language.name, confined)
            worker = self._workers.pop(key, None)
            try:
                worker = worker or language.worker(self._inside if confined else self._outside, self._answer)
            finally:
                if worker is not None:
                    self._workers[key] = worker
        return worker

    def _language(self, name: str) -> Language:
        """The language of that name, as people write it. Raises ``UnsupportedError`` with the closest."""
        wanted = name.strip().lower()
        for language in self._known():
            if wanted == language.name or wanted in language.aliases:
                return language
        names = [word for language in self._known() for word in (language.name, *language.aliases)]
        close = get_close_matches(wanted, names, 1, 0.7)
        hint = f'Did you mean "{close[0]}"?' if close else f"Use one of: {', '.join(self.languages())}."
        raise UnsupportedError(f'There is no language "{name}" here. {hint}')

    def _known(self) -> Iterator[Language]:
        """Every language; what is found early is found without importing the others."""
        seen: set[str] = set()
        for language in chain(self._further, self._built_in()):
            if language.name not in seen:
                seen.add(language.name)
                yield language

    def _built_in(self) -> Iterator[Language]:
        if sys.platform != "win32":
            from computer_api.terminal.languages.python import PythonLanguage

            yield PythonLanguage(python=self._python, values=self._values)
            from computer_api.terminal.languages.shell import BASH, SH, SHELL, ZSH

            yield from (SHELL, BASH, ZSH, SH)
            from computer_api.terminal.languages.javascript import JavaScriptLanguage

            yield JavaScriptLanguage(values=self._values)
            from computer_api.terminal.languages.program import HTML, PROGRAMS

            yield from PROGRAMS
            yield HTML
        from computer_api.terminal.languages.powershell import POWERSHELL

        yield POWERSHELL
