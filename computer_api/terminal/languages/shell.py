"""The shell worker: bash, zsh or sh on a terminal of its own, as a person would have it.

A block goes into a file that the shell reads with ``.``, so that the shell's own parser judges it; its end is
reported on a descriptor of its own, not in the output. The terminal makes programs behave as for a person
(Ctrl-C, questions, progress), and job control keeps what a block started in groups that can be stopped without the
shell, so that directory, variables and functions survive.

What the start-up files share: a record is "B block" when a block begins, "D block exit-code directory" at every
prompt, or "X exit-code" when the shell ends. Between D and B an interrupt means nothing: a shell at its prompt would
print a line's end, which is then the next block's, or drop the line that starts that one; of sh, which cannot see to
that at a prompt after an interrupt, another D is awaited. After B the shell waits
until the block's number comes on ``__oi_go``: by then the terminal echoes, as programs that hide a password expect.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import select
import shlex
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.call import Answer, Reply
from computer_api.terminal.client.door import CLIENT, Door
from computer_api.terminal.groups import MARK, session_groups, signal_group
from computer_api.terminal.output import plain
from computer_api.terminal.place import Place, Started, start
from computer_api.terminal.sandbox import Command
from computer_api.terminal.waiting import waits_for_input
from computer_api.terminal.worker import AFTER_THE_END, GRACE, Block, Child, Worker, read_some

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

_HERE = Path(__file__).parent
_GUARD = _HERE / "shell_guard.sh"
_LONG_PATIENCE = 6.0  # seconds without output before a program that cannot be looked into is taken to wait
_MOST_ENDS = 3  # ends of input sent to a program before it is stopped
_END_OF_INPUT = b"\x04"
_MAY_DEFINE = re.compile(r"\(\s*\)")  # a function, in words that every shell knows
_DRAINING = 1.0  # seconds that the next of what was written into the terminal has to come out of it
_UNDER_WAY = 0.03  # and that on a busy machine its first part may still be on its way when its writer waits
_ROWS_AND_COLUMNS = struct.pack("HHHH", 40, 120, 0, 0)
_HIGH = 60  # numbers from here on no shell gives out itself, and few scripts use
_BETWEEN_BLOCKS = (
    "The computer can be used while a block runs, and none does now: end background jobs with their block."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One kind of shell: how it is started so that it reads the given start-up file, and what it cannot do.

    One that is not ``ignores_interrupts_at_prompt`` takes interrupts there until it has run ``__oi_keep``.
    """

    program: str
    start_up: Path
    arguments: tuple[str, ...]
    name_of_start_up: str = "rc"
    variable: str = ""
    tells_functions: bool = True
    ignores_interrupts_at_prompt: bool = True


BASH_DIALECT = Dialect(
    program="bash",
    start_up=_HERE / "shell.bash",
    arguments=("--noprofile", "--noediting", "--rcfile", "{file}", "-i"),
)
ZSH_DIALECT = Dialect(
    program="zsh",
    start_up=_HERE / "shell.zsh",
    arguments=("-d", "-i", "+Z"),
    name_of_start_up=".zshrc",
    variable="ZDOTDIR={folder}",
)
SH_DIALECT = Dialect(
    program="sh",
    start_up=_HERE / "shell.sh",
    arguments=("-i",),
    variable="ENV={file}",
    tells_functions=False,
    ignores_interrupts_at_prompt=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellLanguage:
    """A shell by its name; the first of its dialects whose program is there runs it.

    After ``patience`` seconds without output a program that reads the terminal is taken to wait for a line.
    """

    name: str
    dialects: tuple[Dialect, ...]
    aliases: tuple[str, ...] = ()
    patience: float = 0.4

    def missing(self, environment: Mapping[str, str]) -> str | None:
        """One sentence on what has to be installed, or None when it can run."""
        if self._found(environment) is not None:
            return None
        programs = " or ".join(f'"{dialect.program}"' for dialect in self.dialects)
        return f'The language "{self.name}" needs {programs}, which is not on the PATH; install it, or use another.'

    def worker(self, place: Place, answer: Answer | None) -> Worker:
        """A worker, whose process is not started yet. Raises ``UnsupportedError``."""
        found = self._found(place.environment)
        if found is None:
            raise UnsupportedError(self.missing(place.environment))
        return ShellWorker(place, answer, dialect=found[0], program=found[1], patience=self.patience)

    def _found(self, environment: Mapping[str, str]) -> tuple[Dialect, str] | None:
        for dialect in self.dialects:
            program = shutil.which(dialect.program, path=environment.get("PATH"))
            if program is not None:
                return dialect, program
        return None


SHELL = ShellLanguage(
    name="shell",
    dialects=(BASH_DIALECT, ZSH_DIALECT, SH_DIALECT),
    aliases=("console", "terminal", "shellscript", "shell-session"),  # as blocks in replies are marked
)
BASH = ShellLanguage(name="bash", dialects=(BASH_DIALECT,))
ZSH = ShellLanguage(name="zsh", dialects=(ZSH_DIALECT,))
SH = ShellLanguage(name="sh", dialects=(SH_DIALECT,))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """The descriptors that the shell inherits, by the names that its start-up file has for them."""

    records: int
    go: int
    lifeline: int
    door: int | None


class ShellWorker(Worker):
    """Runs blocks of one shell."""

    def __init__(
        self, place: Place, answer: Answer | None, *, dialect: Dialect, program: str, patience: float = 0.4
    ) -> None:
        super().__init__(place, answer)
        self._patience = patience
        self.title = "The shell"
        self._dialect = dialect
        self._program = program
        self._folder = Path(tempfile.mkdtemp(prefix="oi-shell-"))
        self._door: Door | None = None
        self._slave = -1
        self._go = -1
        self._modes: list[int | list[bytes | int]] = []
        self._count = 0
        self._code = 0
        self._ends = 0
        self._looked = 0.0
        self._saved = False
        self._only_shell = True
        self._interrupted = False  # and nothing has come since from the shell that shows that it knows
        self._cwd = place.cwd
        self._blocks: list[str] = []  # only of a shell that cannot tell its functions

    # Starting it.

    def start(self) -> Child:
        """Start the shell on a new terminal."""
        with contextlib.ExitStack() as resources, contextlib.ExitStack() as handed_over:
            master, self._slave = os.openpty()
            records, reported = os.pipe()
            waiting, self._go = os.pipe()
            lifeline, held = os.pipe()
            for descriptor in (master, self._slave, records, self._go, held):
                resources.callback(os.close, descriptor)
            for descriptor in (reported, waiting, lifeline):
                handed_over.callback(os.close, descriptor)
            self._open_door(resources)
            self._prepare_terminal()
            started = self._spawn(reported, waiting, lifeline)
            for descriptor in (master, self._slave, records, self._go):  # the shell opens its own slave
                os.set_blocking(descriptor, False)
            return Child(
                process=started.process,
                leader=started.leader,
                output=master,
                records=records,
                resources=resources.pop_all(),
                others={} if self._door is None else {self._door.fileno(): self._let_in},
            )

    def _open_door(self, resources: contextlib.ExitStack) -> None:
        """Make way for ``oi-computer``, where there is a computer."""
        if self._answer is None:
            return
        self._door = Door()
        resources.callback(self._door.close)
        programs = self._folder / "bin"
        programs.mkdir(exist_ok=True)
        script = programs / "oi-computer"
        python, client = shlex.quote(sys.executable), shlex.quote(str(CLIENT))
        script.write_text(
            f'#!/bin/sh\npython={python}\n[ -x {python} ] || python=python3\nexec "$python" -I -S {client} "$@"\n'
        )
        script.chmod(0o755)

    def _prepare_terminal(self) -> None:
        """Neither echo what is typed nor turn line ends into two characters."""
        modes = termios.tcgetattr(self._slave)
        modes[1] &= ~termios.OPOST
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(self._slave, termios.TCSANOW, modes)
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, _ROWS_AND_COLUMNS)
        self._modes = modes

    def _spawn(self, reported: int, waiting: int, lifeline: int) -> Started:
        given = [reported, waiting, lifeline, *([self._door.theirs.fileno()] if self._door else [])]
        numbers = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH) for descriptor in given]
        terminal = os.ttyname(self._slave)
        command = Command(
            argv=("/bin/sh", "-c", self._on_terminal(terminal)),
            environment=self.place.environment,
            cwd=self._cwd if self._cwd is not None and self._cwd.is_dir() else self.place.cwd,
            inherited=tuple(numbers),
            shared=(CLIENT,),
            written=(self._folder,),
            terminal=terminal,
        )
        self._write_start_up(numbers)
        try:
            return start(self.place, command)
        finally:
            for descriptor in numbers:
                os.close(descriptor)
            if self._door is not None:
                self._door.theirs.close()

    def _on_terminal(self, terminal: str) -> str:
        """The words by which a session's leader opens its terminal, to have it as its own, and becomes the shell."""
        file = self._folder / self._dialect.name_of_start_up
        name, _, value = self._dialect.variable.format(file=file, folder=self._folder).partition("=")
        given = f"export {name}={shlex.quote(value)}; " if name else ""
        arguments = [argument.format(file=file) for argument in self._dialect.arguments]
        return (
            f"exec <>{shlex.quote(terminal)} >&0 2>&0; {given}exec {shlex.join([self._program, *arguments])}"
        )

    def _write_start_up(self, numbers: list[int]) -> None:
        shutil.copyfile(_GUARD, self._folder / "guard")
        reported, waiting, lifeline, *door = numbers
        names = {
            "__oi_dir": self._folder,
            "__oi_records": reported,
            "__oi_go": waiting,
            "__oi_lifeline": lifeline,
            "__oi_tty": max(numbers) + 1,
        }
        lines = [f"{name}={shlex.quote(str(value))}" for name, value in names.items()]
        lines.append(f"export {MARK}={self.mark}")  # a sandbox may have kept it away
        lines.append(self._dialect.start_up.read_text())
        if door:
            lines.append(f"PATH={shlex.quote(str(self._folder / 'bin'))}${{PATH:+:$PATH}}")
            lines.append(f"export PATH OI_COMPUTER_FD={door[0]}")
        (self._folder / self._dialect.name_of_start_up).write_text("\n".join(lines) + "\n")

    # Running a block.

    def begin(self, child: Child, code: str) -> None:
        """Put the block into its file, the terminal into its usual modes, and have the shell read the file."""
        self._count += 1
        self._ends = 0
        self._interrupted = False
        self._saved = False
        if not self._dialect.tells_functions and _MAY_DEFINE.search(code):
            self._blocks.append(code)
        file = self._folder / "block"
        file.unlink(missing_ok=True)  # writing over it would wait for the disk, on ext4
        file.write_bytes(code.encode("utf-8", "surrogateescape") + b"\n")
        termios.tcflush(self._slave, termios.TCIFLUSH)
        self._echo(on=False)
        self._type(
            child,
            f" {{ set +euxv; }} 2>/dev/null; __oi_block={self._count} __oi_code={self._code};"
            f" {{ __oi_begin; }} 2>/dev/null; . {shlex.quote(str(file))}; {{ __oi_keep; }} 2>/dev/null\n".encode(),
        )

    def _echo(self, *, on: bool) -> None:
        """Put the terminal into its usual modes."""
        modes = list(self._modes)
        if on:
            modes[3] |= termios.ECHO  # type: ignore[operator]  # a number: only the seventh is a list
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._slave, termios.TCSANOW, modes)

    def split(self, pending: bytearray) -> list[bytes]:
        """Take records that end with a zero byte."""
        *records, rest = pending.split(b"\0")
        pending[:] = rest
        return [bytes(record) for record in records]

    def record(self, child: Child, block: Block, record: bytes) -> None:
        """Act on the begin or the end of the block, or on the end of the shell."""
        match record.split(b" ", 3):
            case [b"B", number] if number == b"%d" % self._count:
                self._echo(on=True)
                with contextlib.suppress(OSError):  # forged so often that the pipe is full
                    os.write(self._go, b"%s\n" % number)
                self.began(child, block)
            case [b"D", number, code, cwd] if number == b"%d" % self._count and code.isdigit():
                self._cwd = Path(os.fsdecode(cwd))
                self._code = int(code)
                if self._interrupted and not self._dialect.ignores_interrupts_at_prompt:
                    # One may still be on its way, and would then cut the next block's first line off.
                    self._interrupted = False
                    self._keep(child)
                    return
                self.ended(child, block, ok=code == b"0", exit_code=int(code))
            case [b"X", code] if code.isdigit():
                self._saved = True
                self._code = block.exit_code = int(code)
                if self._blocks:
                    self._keep_functions()
            case _:
                pass

    def keeps_state(self, block: Block) -> bool:
        """A shell that ended by itself has written its variables for the next one, and said so last of all."""
        if self._child is not None:
            self._child.pending.extend(read_some(self._child.records) or b"")
            for record in self.split(self._child.pending):
                self.record(self._child, block, record)
        if self._saved:
            block.ok = block.exit_code == 0
        else:
            self._blocks.clear()
        return self._saved

    def _keep_functions(self) -> None:
        """Write down the functions that the blocks defined, the last of each name, for the next shell."""
        from computer_api.terminal.languages.shell_functions import defined

        functions = defined("\n".join(self._blocks))
        self._blocks = list(functions.values())
        (self._folder / "functions").write_bytes(
            "\n".join(self._blocks).encode("utf-8", "surrogateescape") + b"\n"
        )

    # Stopping it.

    def stages(self, child: Child) -> tuple[tuple[float, Callable[[], None]], ...]:
        """Interrupt, kill what still runs in the foreground, kill the shell."""

        def interrupt() -> None:
            self._signal_foreground(child, signal.SIGINT)

        def interrupt_a_program() -> None:
            # A shell that waits for one ignores an interrupt that this did not get. The first may have
            # come just before the program had the terminal.
            if self._only_shell:
                interrupt()

        def interrupt_again() -> None:
            interrupt()
            if self._foreground(child) == child.leader:  # perhaps at a prompt that the block changed
                self._keep(child)

        def kill_program() -> None:
            self._signal_foreground(child, signal.SIGKILL)

        return (
            (0.0, interrupt),
            (0.05, interrupt_a_program),
            (0.3, interrupt_again),
            (0.6, interrupt_again),
            (1.0, kill_program),
            (1.4, kill_program),
            (GRACE, lambda: self.end(child)),
        )

    def _keep(self, child: Child) -> None:
        """Have the shell do at its prompt what it does after a block that came to its end."""
        self._echo(on=False)
        self._type(child, b" { __oi_keep; } 2>/dev/null\n")

    def _signal_foreground(self, child: Child, number: signal.Signals) -> None:
        """Signal the program in the foreground; the shell itself is only ever interrupted."""
        shell = child.leader
        foreground = self._foreground(child)
        self._only_shell = foreground in {0, shell}
        self._interrupted = True
        if not self._only_shell:
            signal_group(foreground, number)
        signal_group(shell, signal.SIGINT)

    def _foreground(self, child: Child) -> int:
        """The process group that has the terminal."""
        try:
            return os.tcgetpgrp(child.output)
        except OSError:
            return child.leader

    def groups(self, child: Child) -> set[int]:
        """Every group of the shell's session, where that can be found out, or else the foreground's."""
        return (session_groups(child.leader) | {self._foreground(child)}) - {0}

    # Programs that wait for a line.

    def on_quiet(self, child: Child, block: Block) -> None:
        """Notice a program that waits for a line, and ask for one."""
        now = time.monotonic()
        if not block.began or now - max(block.quiet_since, self._looked) < self._patience:
            return  # until it begins, it is the shell that reads the terminal
        self._looked = now
        if not self._waits(child, now - block.quiet_since):
            return
        if child.selector.select(_UNDER_WAY):
            return  # it is the shell that waits, for the next block: this one has just ended; or the question comes
        question = plain(block.kept.text()).rpartition("\n")[2]
        line = self.wait_for_line(child, block, question, secret=self._hides_what_is_typed())
        if line is not None:
            self.give_line(child, block, line)
        elif block.waiting is None:
            self.end_input(child, block)

    def _waits(self, child: Child, quiet: float) -> bool:
        """Whether a program waits for a line: known, or concluded from its silence."""
        foreground = self._foreground(child)
        known = waits_for_input(foreground)
        if known is not None:
            return known
        return foreground != child.leader and (self._hides_what_is_typed() or quiet > _LONG_PATIENCE)

    def _hides_what_is_typed(self) -> bool:
        """Whether a program has told the terminal not to show the line that it waits for."""
        modes = int(termios.tcgetattr(self._slave)[3])
        return not modes & termios.ECHO and bool(modes & termios.ICANON)

    def give_line(self, child: Child, block: Block, text: str) -> None:  # noqa: ARG002 - as the seam has it
        """Type the line."""
        self._type(child, text.encode("utf-8", "surrogateescape") + b"\n")

    def end_input(self, child: Child, block: Block) -> None:
        """Tell a program that there is no input; one that will not hear it is stopped."""
        self._ends += 1
        if self._ends <= _MOST_ENDS:
            self._type(child, _END_OF_INPUT)
        else:
            self.stop(child, block)

    def _type(self, child: Child, keys: bytes) -> None:
        with contextlib.suppress(OSError):  # a full terminal: the program does not read what it asked for
            os.write(child.output, keys)

    # Programs that use the computer.

    def _let_in(self, block: Block | None) -> bool:
        """Do what clients of ``oi-computer`` ask, and tell whether more may come."""
        clients = self._door.let_in() if self._door is not None else None
        for asked in clients or ():
            with asked:
                call = asked.call()
                if call is None:
                    continue
                asked.reply(
                    Reply(error=("RefusedError", _BETWEEN_BLOCKS)) if block is None else self.ask(block, call)
                )
        return clients is not None

    def _read_rest(self, child: Child, block: Block) -> None:
        """Read all that was printed until now.

        What is written into a terminal comes out of it a little later, unlike a pipe. So a mark of ours is written
        after it, and is read up to; it comes out last.
        """
        mark = left = b"\x1b]%s\x07" % secrets.token_hex(8).encode()
        rest, read = bytearray(), 0
        while read < AFTER_THE_END:
            try:
                left = left[os.write(self._slave, left) :] if left else left
            except BlockingIOError:
                pass  # it is full: what is read now makes room
            except OSError:  # it has hung up
                break
            if not select.select([child.output], [], [], _DRAINING)[0]:
                break
            data = read_some(child.output)
            if data == b"":
                break
            rest += data or b""
            read += len(data or b"")
            before, found, after = bytes(rest).partition(mark)
            if found:
                self._printed(block, before + after)
                return
            self._printed(block, bytes(rest[: -len(mark)]))
            del rest[: -len(mark)]
        self._printed(block, bytes(rest))
        super()._read_rest(child, block)

    def close(self) -> None:
        """Kill everything that was started, and remove the folder of blocks."""
        super().close()
        shutil.rmtree(self._folder, ignore_errors=True)
