"""Languages that are run by a program of their own, a fresh process for each block: nothing is kept between blocks."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.groups import signal_group
from computer_api.terminal.output import Chunk, Output
from computer_api.terminal.place import Place, start
from computer_api.terminal.sandbox import Command
from computer_api.terminal.worker import GRACE, Block, Child, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_api.terminal.call import Answer

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

_FILE = "{file}"
_KEYS = ("name", "aliases", "extension", "argv")
_BEGAN = b"B"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLanguage:
    """A language whose blocks are files that a program runs; no state is kept between blocks.

    ``argv`` is the command, in which ``{file}`` stands for the block's file; ``extension`` is that of the file, with
    its dot. Any language becomes one of ours by such a value.
    """

    name: str
    aliases: tuple[str, ...] = ()
    extension: str
    argv: tuple[str, ...]

    def missing(self, environment: Mapping[str, str]) -> str | None:
        """One sentence when the program is not there."""
        if shutil.which(self.argv[0], path=environment.get("PATH")) is not None:
            return None
        return (
            f'The language "{self.name}" needs the program "{self.argv[0]}", which is not on the PATH; '
            "install it, or use another language."
        )

    def worker(self, place: Place, answer: Answer | None) -> ProgramWorker:
        """A worker that starts the program anew with each block."""
        if (missing := self.missing(place.environment)) is not None:
            raise UnsupportedError(missing)
        return ProgramWorker(place, answer, language=self)


def program_language(config: Mapping[str, object]) -> ProgramLanguage:
    """The language that a table of settings describes: ``name``, ``extension``, ``argv``, perhaps ``aliases``.

    Names are taken in lower case. Raises ``ValueError`` with one sentence.
    """
    for key in config:
        if key not in _KEYS:
            raise ValueError(f'A language has no "{key}"; it has {", ".join(_KEYS[:-1])} and {_KEYS[-1]}.')
    name = _text(config, "name", "a language").strip().lower()
    what = f'the language "{name}"'
    if not name:
        raise ValueError('The "name" of a language is empty; write the word that blocks are marked with.')
    extension = _text(config, "extension", what)
    if extension == "." or not extension.startswith(".") or "/" in extension:
        raise ValueError(f'The "extension" of {what} is "{extension}"; write it with its dot, as in ".rb".')
    argv = _texts(config, "argv", what)
    if not argv or not argv[0] or _FILE in argv[0] or not any(_FILE in word for word in argv):
        given = " ".join(argv)
        raise ValueError(
            f'The "argv" of {what} is "{given}"; write its program and where the file goes, as in ["ruby", "{_FILE}"].'
        )
    aliases = _texts(config, "aliases", what) if "aliases" in config else ()
    return ProgramLanguage(
        name=name,
        aliases=tuple(alias.strip().lower() for alias in aliases),
        extension=extension,
        argv=argv,
    )


def _text(config: Mapping[str, object], key: str, what: str) -> str:
    value = config.get(key)
    if isinstance(value, str):
        return value
    raise ValueError(f'The "{key}" of {what} is {_given(value)}; it must be a text.')


def _texts(config: Mapping[str, object], key: str, what: str) -> tuple[str, ...]:
    value = config.get(key)
    if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        return tuple(value)
    raise ValueError(f'The "{key}" of {what} is {_given(value)}; it must be a list of texts.')


def _given(value: object) -> str:
    return "missing" if value is None else f'"{value}"'


class ProgramWorker(Worker):
    """Runs each block as a file of its own, in a process of its own, with nothing to read."""

    def __init__(self, place: Place, answer: Answer | None, *, language: ProgramLanguage) -> None:
        super().__init__(place, answer)
        self.title = f'"{language.name}"'
        self._language = language
        self._folder: Path | None = None
        self._file = Path()
        self._reported = -1

    def _begin(self, block: Block, code: str) -> None:
        """Write the file first: the process is started for it."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="oi-program-"))
        self._file = self._folder / f"block{self._language.extension}"
        self._file.unlink(missing_ok=True)  # writing over it would wait for the disk, on ext4
        self._file.write_bytes(code.encode("utf-8", "surrogateescape"))
        super()._begin(block, code)

    def start(self) -> Child:
        """Start the program on the file; that the pipe of records ends tells that it did."""
        argv = tuple(word.replace(_FILE, str(self._file)) for word in self._language.argv)
        with contextlib.ExitStack() as resources, contextlib.ExitStack() as handed_over:
            output, printed = os.pipe()
            records, self._reported = os.pipe()
            for descriptor in (output, records):
                resources.callback(os.close, descriptor)
            for descriptor in (printed, self._reported):
                handed_over.callback(os.close, descriptor)
            started = start(
                self.place,
                Command(
                    argv=argv,
                    environment=self.place.environment,
                    cwd=self.place.cwd,
                    inherited=(self._reported,),
                    shared=(self._file.parent,),
                ),
                output=printed,
            )
            os.write(self._reported, _BEGAN)
            os.set_blocking(output, False)
            os.set_blocking(records, False)
            return Child(
                process=started.process,
                leader=started.leader,
                output=output,
                records=records,
                resources=resources.pop_all(),
            )

    def begin(self, child: Child, code: str) -> None:
        """Nothing is left to be done: the program has its file."""

    def split(self, pending: bytearray) -> list[bytes]:
        """Take every byte as a record."""
        records = [bytes([byte]) for byte in pending]
        pending.clear()
        return records

    def record(self, child: Child, block: Block, record: bytes) -> None:
        """Know that the program runs, which we wrote ourselves; ignore what it writes there."""
        if record == _BEGAN and not block.began:
            self.began(child, block)

    def stages(self, child: Child) -> tuple[tuple[float, Callable[[], None]], ...]:
        """Interrupt the program and all it started; after the grace, kill them."""
        return (
            (0.0, lambda: signal_group(child.leader, signal.SIGINT)),
            (GRACE, lambda: self.end(child)),
        )

    def groups(self, child: Child) -> set[int]:
        """The one that the program leads."""
        return {child.leader}

    def keeps_state(self, block: Block) -> bool:
        """There is no state that could be lost: the end of the program is the end of the block."""
        code = self._child.process.returncode if self._child is not None else None
        block.exit_code = code
        block.ok = code == 0
        if block.timed_out:
            block.notes.append(f"stopped: it was not done after {block.seconds:g} s")
        elif block.stopped_at is not None:
            block.notes.append("stopped: it was interrupted")
        elif code is not None and code < 0:
            block.notes.append(f"{self._language.argv[0]} was ended by {_signal(-code)}")
        return True

    def close(self) -> None:
        """Kill everything that was started, and remove the files of blocks."""
        super().close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlLanguage:
    """Pages: a block is written to a file and handed on as HTML; whoever looks at the output shows it."""

    name: str = "html"
    aliases: tuple[str, ...] = ("htm",)

    def missing(self, environment: Mapping[str, str]) -> str | None:  # noqa: ARG002 - the seam's
        """Nothing is: no program is needed."""
        return None

    def worker(self, place: Place, answer: Answer | None) -> HtmlWorker:
        """A worker that writes pages."""
        return HtmlWorker(place, answer, language=ProgramLanguage(name="html", extension=".html", argv=("",)))


class HtmlWorker(ProgramWorker):
    """Writes each block to a page of its own; the pages stay, for somebody may look at them later."""

    def run(
        self,
        code: str,
        *,
        on_output: Callable[[Chunk], None],
        seconds: float,  # noqa: ARG002 - the seam's
        on_line: Callable[[int], None] | None = None,  # noqa: ARG002 - the same
    ) -> Output:
        """Write the page and say where it is."""
        folder = Path(tempfile.mkdtemp(prefix="oi-html-"))
        page = folder / "page.html"
        page.write_bytes(code.encode("utf-8", "surrogateescape"))
        text = f"The page is in {page}.\n"
        on_output(Chunk(text=text))
        return Output(text=text, exit_code=None, ok=True, html=(code,))


PROGRAMS: tuple[ProgramLanguage, ...] = (
    ProgramLanguage(name="ruby", aliases=("rb",), extension=".rb", argv=("ruby", _FILE)),
    ProgramLanguage(name="r", aliases=("rscript",), extension=".R", argv=("Rscript", "--vanilla", _FILE)),
    # The file is compiled in memory; its name and that of its class need not agree.
    ProgramLanguage(name="java", extension=".java", argv=("java", _FILE)),
    ProgramLanguage(name="perl", aliases=("pl",), extension=".pl", argv=("perl", _FILE)),
    ProgramLanguage(name="php", extension=".php", argv=("php", _FILE)),
    ProgramLanguage(name="lua", extension=".lua", argv=("lua", _FILE)),
    ProgramLanguage(name="go", aliases=("golang",), extension=".go", argv=("go", "run", _FILE)),
    # Deno's own permissions would ask; what code may do is decided by the approval and the sandbox.
    ProgramLanguage(name="deno", extension=".ts", argv=("deno", "run", "--allow-all", _FILE)),
    ProgramLanguage(
        name="typescript", aliases=("ts",), extension=".ts", argv=("deno", "run", "--allow-all", _FILE)
    ),
    ProgramLanguage(
        name="applescript", aliases=("osascript",), extension=".applescript", argv=("osascript", _FILE)
    ),
)
HTML = HtmlLanguage()
