"""The shell worker: bash on a terminal of its own, as a person would have it, that never waits for one.

A block goes into a file that bash reads with ``.``, so that bash's own parser judges it; its end is
reported on descriptor 8, not in the output. The terminal makes programs behave as for a person
(Ctrl-C, questions, progress), and job control keeps what a block started in groups that can be
stopped without the shell, so that directory, variables and functions survive.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.terminal.call import Answer, Call
from computer_api.terminal.groups import session_groups, signal_group
from computer_api.terminal.output import plain
from computer_api.terminal.place import Place, Started, start
from computer_api.terminal.sandbox import Command
from computer_api.terminal.waiting import waits_for_input
from computer_api.terminal.worker import GRACE, Block, Child, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

_RC = Path(__file__).with_name("shell.bash")
_PATIENCE = 0.4  # seconds without output before a program that reads the terminal is taken to wait
_MOST_ENDS = 3  # ends of input sent to a program before it is stopped
_END_OF_INPUT = b"\x04"
_ROWS_AND_COLUMNS = struct.pack("HHHH", 40, 120, 0, 0)
# bash must open its terminal itself, as the leader of its session, to have it as its own.
_ON_TERMINAL = 'exec <>"$1" >&0 2>&0; exec "$2" --noprofile --noediting --rcfile "$3" -i'


class ShellWorker(Worker):
    """Runs blocks of bash."""

    title = "The shell"

    def __init__(self, place: Place, answer: Answer | None, *, bash: str) -> None:
        super().__init__(place, answer)
        self._bash = bash
        self._folder = Path(tempfile.mkdtemp(prefix="oi-shell-"))
        self._slave = -1
        self._modes: list[int | list[bytes | int]] = []
        self._count = 0
        self._ends = 0
        self._saved = False
        self._only_shell = True
        self._cwd = place.cwd

    def start(self) -> Child:
        """Start bash on a new terminal."""
        with contextlib.ExitStack() as resources, contextlib.ExitStack() as handed_over:
            master, self._slave = os.openpty()
            records, reported = os.pipe()
            lifeline, held = os.pipe()
            for descriptor in (master, self._slave, records, held):
                resources.callback(os.close, descriptor)
            for descriptor in (reported, lifeline):
                handed_over.callback(os.close, descriptor)
            self._prepare_terminal()
            started = self._spawn(reported, lifeline)
            os.set_blocking(master, False)
            os.set_blocking(records, False)
            return Child(
                process=started.process,
                leader=started.leader,
                output=master,
                records=records,
                resources=resources.pop_all(),
            )

    def _prepare_terminal(self) -> None:
        """Neither echo what is typed nor turn line ends into two characters."""
        modes = termios.tcgetattr(self._slave)
        modes[1] &= ~termios.OPOST
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(self._slave, termios.TCSANOW, modes)
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, _ROWS_AND_COLUMNS)
        self._modes = modes

    def _spawn(self, reported: int, lifeline: int) -> Started:
        # Numbers that bash does not give out itself, nor the start-up file.
        numbers = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20) for descriptor in (reported, lifeline)]
        rc = self._folder / "rc"
        names = dict(zip(("__oi_records", "__oi_lifeline"), numbers, strict=True), __oi_dir=self._folder)
        given = [f"{name}={shlex.quote(str(value))}\n" for name, value in names.items()]
        rc.write_text("".join(given) + _RC.read_text())
        terminal = os.ttyname(self._slave)
        command = Command(
            argv=(self._bash, "--norc", "-c", _ON_TERMINAL, "bash", terminal, self._bash, str(rc)),
            environment=self.place.environment,
            cwd=self._cwd if self._cwd is not None and self._cwd.is_dir() else self.place.cwd,
            inherited=tuple(numbers),
            written=(self._folder,),
            terminal=terminal,
        )
        try:
            return start(self.place, command)
        finally:
            for descriptor in numbers:
                os.close(descriptor)

    def begin(self, child: Child, code: str) -> None:
        """Put the block into its file, the terminal into its usual modes, and have bash read the file."""
        self._count += 1
        self._ends = 0
        self._saved = False
        file = self._folder / "block"
        file.unlink(missing_ok=True)  # writing over it would wait for the disk, on ext4
        file.write_bytes(code.encode("utf-8", "surrogateescape") + b"\n")
        termios.tcflush(self._slave, termios.TCIFLUSH)
        termios.tcsetattr(self._slave, termios.TCSANOW, self._modes)
        read = f". {shlex.quote(str(file))}"
        line = f" __oi_block={self._count}; __oi_begin; {read}; {{ __oi_keep; }} 2>/dev/null\n"
        self._type(child, line.encode())

    def split(self, pending: bytearray) -> list[bytes]:
        """Take records that end with a zero byte."""
        *records, rest = pending.split(b"\0")
        pending[:] = rest
        return [bytes(record) for record in records]

    def record(self, child: Child, block: Block, record: bytes) -> None:
        """Act on the begin or the end of the block, or on the end of the shell."""
        match record.split(b" ", 3):
            case [b"B", number] if number == b"%d" % self._count:
                self.began(child, block)
            case [b"D", number, code, cwd] if number == b"%d" % self._count and code.isdigit():
                self._cwd = Path(os.fsdecode(cwd))
                self.ended(child, block, ok=code == b"0", exit_code=int(code))
            case [b"X", code] if code.isdigit():
                self._saved = True
                block.exit_code = int(code)
            case _:
                pass

    def keeps_state(self, block: Block) -> bool:
        """A shell that ended by itself has written its variables for the next one."""
        if self._saved:
            block.ok = block.exit_code == 0
        return self._saved

    def stages(self, child: Child) -> tuple[tuple[float, Callable[[], None]], ...]:
        """Interrupt, kill what still runs in the foreground, kill the shell."""

        def interrupt() -> None:
            self._signal_foreground(child, signal.SIGINT)

        def interrupt_a_program() -> None:
            # bash that waits for one ignores an interrupt that this did not get. The first may have
            # come just before the program had the terminal.
            if self._only_shell:
                interrupt()

        def interrupt_again() -> None:
            interrupt()
            if self._foreground(child) == child.leader:  # perhaps at a prompt that the block changed
                self._type(child, b" { __oi_keep; } 2>/dev/null\n")

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

    def _signal_foreground(self, child: Child, number: signal.Signals) -> None:
        """Signal the program in the foreground; the shell itself is only ever interrupted."""
        shell = child.leader
        foreground = self._foreground(child)
        self._only_shell = foreground in {0, shell}
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

    def on_quiet(self, child: Child, block: Block) -> None:
        """Answer a program that waits for input, or tell it that there is none."""
        if time.monotonic() - block.quiet_since < _PATIENCE:
            return
        block.quiet_since = time.monotonic()
        if not waits_for_input(self._foreground(child)):
            return
        line = self._asked(block)
        if line is not None:
            self._type(child, line.encode() + b"\n")
            return
        self._ends += 1
        if self._ends == 1:
            block.notes.append("a program waited for input; there is none, and it was told so")
        if self._ends <= _MOST_ENDS:
            self._type(child, _END_OF_INPUT)
        else:
            self.stop(child, block)

    def _asked(self, block: Block) -> str | None:
        """The line that the terminal's owner answers to the last line on it."""
        if self._answer is None or self._ends:
            return None
        question = plain(block.kept.text()).rpartition("\n")[2]
        reply = self.ask(block, Call(path=("input",), args=(question,)))
        return reply.value if isinstance(reply.value, str) and reply.error is None else None

    def _type(self, child: Child, keys: bytes) -> None:
        with contextlib.suppress(OSError):  # a full terminal: the program does not read what it asked for
            os.write(child.output, keys)

    def close(self) -> None:
        """Kill everything that was started, and remove the folder of blocks."""
        super().close()
        shutil.rmtree(self._folder, ignore_errors=True)
