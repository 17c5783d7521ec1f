"""A terminal emulator without a window: tmux, on a server of its own."""

from __future__ import annotations

import shlex
import subprocess
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xvfb import until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Tmux:
    """One window. ``scrollback`` is all that was ever shown in it, and ``joined`` the same with broken lines whole."""

    server: str

    @property
    def scrollback(self) -> list[str]:
        """The lines, as they stand now."""
        return self._do("capture-pane", "-p", "-S", "-").rstrip("\n").split("\n")

    @property
    def joined(self) -> list[str]:
        """The lines, those whole that the terminal has broken."""
        return self._do("capture-pane", "-p", "-J", "-S", "-").rstrip("\n").split("\n")

    def types(self, keys: str) -> None:
        """A person types that and Enter."""
        self._do("send-keys", "-l", keys)
        self._do("send-keys", "Enter")

    def presses(self, key: str) -> None:
        """A person presses that key, named as tmux names it: ``C-c``."""
        self._do("send-keys", key)

    def resizes(self, width: int, height: int) -> None:
        """The window gets another size."""
        self._do("resize-window", "-x", str(width), "-y", str(height))

    def shows(self, words: str, times: int = 1) -> None:
        """Wait until as many lines have these words."""
        assert until(lambda: sum(words in line for line in self.joined) >= times, seconds=_SECONDS), (
            self.scrollback[-50:]
        )

    def _do(self, *words: str) -> str:
        return subprocess.run(
            ["tmux", "-L", self.server, *words], capture_output=True, text=True, check=True, timeout=30
        ).stdout


@contextmanager
def tmux(
    command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], size: tuple[int, int] = (80, 24)
) -> Iterator[Tmux]:
    """The command in a window of that size; afterwards nothing of it is left."""
    server = f"oi-test-{uuid.uuid4().hex[:12]}"
    start = ["tmux", "-L", server, "-f", "/dev/null", "-u"]
    width, height = map(str, size)
    subprocess.run(
        [*start, "set-option", "-g", "history-limit", "50000", ";", "new-session", "-d", "-x", width, "-y", height,
         "-c", str(cwd), shlex.join(command)],
        env=dict(environment), check=True, timeout=30,
    )  # fmt: skip
    try:
        yield Tmux(server)
    finally:
        subprocess.run(["tmux", "-L", server, "kill-server"], check=False, timeout=30, capture_output=True)
