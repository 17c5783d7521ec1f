"""Starting programs on a display."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from computer_platform.desktop import Ended
from computer_platform.inherited import without_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Without these, toolkits that start before a screen reader tell nobody what they show.
_SPEAKING = {
    "GTK_MODULES": "gail:atk-bridge",
    "NO_AT_BRIDGE": "0",
    "GNOME_ACCESSIBILITY": "1",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
}
_KEEP = "dd bs=512 count=128; exec cat > /dev/null"  # dd writes what it has read at once
_KEEPER_SECONDS = 0.3  # how much longer than the program that may take
_LONGEST_LINE = 300
_ELSEWHERE = ("NO_AT_BRIDGE", "WAYLAND_DISPLAY")  # they would mute programs, or put them on another screen


def environment_for(display: str, *added: Mapping[str, str], accessible: bool) -> dict[str, str]:
    """What a program is started with: a copy of ours without secrets, then what is added, and the display."""
    ours = {name: value for name, value in without_secrets(os.environ).items() if name not in _ELSEWHERE}
    environment = ours | (_SPEAKING if accessible else {})
    for more in added:
        environment |= more
    return environment | {"DISPLAY": display}


class Programs:
    """Programs that were started apart from us: they outlive us, hear no Ctrl-C of ours and write to no terminal."""

    def __init__(self) -> None:
        self._started: dict[int, _Program | Ended] = {}

    def start(self, argv: Sequence[str], environment: Mapping[str, str]) -> int:
        """Start a program and return its process id. Raises ``FileNotFoundError`` and ``OSError``."""
        self._put_away()
        complaints = _Complaints()
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints.into,
                env=dict(environment),
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f'There is no program "{argv[0]}" here. Install it, or give its full path.'
            ) from error
        finally:
            complaints.begun()
        # One that ends must not stay behind as a zombie, and a SIGCHLD handler is not ours to set.
        threading.Thread(target=process.wait, name=f"oi waits for {process.pid}", daemon=True).start()
        self._started[process.pid] = _Program(process, complaints)
        return process.pid

    def ended(self, pid: int) -> Ended | None:
        """How a program that was started here has ended; None while it runs."""
        program = self._started.get(pid)
        if not isinstance(program, _Program):
            return program
        code = program.process.poll()
        return None if code is None else Ended(code=code, said=last_line(program.complaints.read()))

    def _put_away(self) -> None:
        """Of programs that have ended keep what there is to be said; their open files would add up."""
        for pid, program in self._started.items():
            if isinstance(program, _Program) and program.complaints.over() and (ended := self.ended(pid)):
                program.complaints.forget()
                self._started[pid] = ended

    def close(self) -> None:
        """Ask about none of them any more."""
        while self._started:
            program = self._started.popitem()[1]
            if isinstance(program, _Program):
                program.complaints.forget()


class _Program(NamedTuple):
    process: subprocess.Popen[bytes]
    complaints: _Complaints


class _Complaints:
    """What a program writes to its standard error: the beginning of it, in a file without a name.

    A pipe of ours would break when we end, and the program with it; a file of its own would grow for as long as it
    runs. So two small programs outlive us in between: one keeps the beginning, then another drops the rest.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - kept as long as it may be asked
        reading, self.into = os.pipe()
        try:
            self._keeper = subprocess.Popen(
                ["/bin/sh", "-c", _KEEP],
                stdin=reading,
                stdout=self._file,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            os.close(self.into)
            raise
        finally:
            os.close(reading)
        threading.Thread(
            target=self._keeper.wait, name=f"oi waits for {self._keeper.pid}", daemon=True
        ).start()

    def begun(self) -> None:
        """The program has its end of the pipe, or never will."""
        os.close(self.into)

    def over(self) -> bool:
        """Whether nobody writes there any more."""
        return self._keeper.poll() is not None

    def forget(self) -> None:
        """Drop what has been kept."""
        self._file.close()

    def read(self) -> bytes:
        """What has been kept, all of it once every program that writes there has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._keeper.wait(_KEEPER_SECONDS)
        self._file.seek(0)
        return self._file.read()


def last_line(complaints: bytes) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in complaints.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:_LONGEST_LINE] if lines else ""
