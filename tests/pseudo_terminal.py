"""`oi` on a pseudo-terminal, as a person has it before them."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from oi_process import OI

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SECONDS = 60.0


class Terminal:
    """`oi` on a pseudo-terminal: what it shows, and a person's answers."""

    def __init__(
        self,
        *arguments: str,
        cwd: Path,
        color: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._screen, inside = pty.openpty()
        given = dict(environment or os.environ)
        environment = given | {
            "TERM": "dumb" if given.get("TERM") == "dumb" and environment else "xterm-256color",
            "COLUMNS": "160",  # so that few sentences are broken
            "LINES": "40",
        }
        if not color:
            environment["NO_COLOR"] = "1"
        self._process = subprocess.Popen(
            ["setsid", "--ctty", *OI, *arguments], cwd=cwd, env=environment, stdin=inside, stdout=inside, stderr=inside
        )  # fmt: skip
        os.close(inside)
        self.raw = ""

    @property
    def text(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.raw).replace("\r", "")

    def shows(self, words: str) -> None:
        """Wait until the words are there, after what was seen before."""
        deadline = time.monotonic() + SECONDS
        while words not in self.text:
            assert time.monotonic() < deadline, self.text
            self._read()

    def now(self) -> str:
        """What it shows now, without waiting for more."""
        while select.select([self._screen], [], [], 0)[0]:
            if not self._read():
                break
        return self.text

    def types(self, keys: str) -> None:
        self.raw = ""
        os.write(self._screen, keys.encode())

    def ends(self) -> int:
        while self._read():
            pass
        os.close(self._screen)
        return self._process.wait(SECONDS)

    @property
    def pid(self) -> int:
        """Of `oi`."""
        return self._process.pid

    def kills(self) -> None:
        """End it, if it has not ended."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(SECONDS)
        with suppress(OSError):  # it is closed
            os.close(self._screen)

    def closes(self) -> None:
        """The person closes the terminal's window; returns when `oi` has ended."""
        os.close(self._screen)
        self._process.wait(SECONDS)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._screen], [], [], SECONDS)
        try:
            data = os.read(self._screen, 65536) if ready else b""
        except OSError:  # the other end is closed
            return False
        self.raw += data.decode(errors="replace")
        return bool(data)
