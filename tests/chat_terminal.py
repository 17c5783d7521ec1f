"""A conversation with `oi` on a pseudo-terminal, with a model behind a real socket."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from model_server import Call, ModelServer, Reply, Scripted
from oi_process import ABLE
from pseudo_terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from model_server import Turn

PROMPT = "\n>"


def runs(code: str, language: str = "python", text: str = "") -> Reply:
    """The model runs code."""
    return Reply(text=text, calls=(Call("run_code", {"language": language, "code": code}),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """The terminal, the server of the model, and the folder of the person."""

    terminal: Terminal
    server: ModelServer
    home: Path

    def says(self, words: str) -> None:
        """The person types that and presses Enter."""
        self.terminal.types(f"{words}\r")

    def is_asked(self, words: str = PROMPT) -> None:
        """Wait for the prompt after what was typed last."""
        self.terminal.shows(words)

    def interrupts(self) -> float:
        """Ctrl-C, and how many seconds it takes until the prompt is there."""
        began = time.monotonic()
        self.terminal.types("\x03")
        self.terminal.shows(PROMPT)
        return time.monotonic() - began

    def leaves(self) -> int:
        """Ctrl-D; gives the exit code."""
        self.terminal.types("\x04")
        return self.terminal.ends()

    @property
    def kept(self) -> list[Path]:
        """The files of conversations."""
        return conversations(self.home)


def conversations(home: Path) -> list[Path]:
    """The files of conversations below that home."""
    return sorted((home / "state" / "oi" / "conversations").glob("*.jsonl"))


def environment(home: Path, **more: str) -> dict[str, str]:
    """Variables of a person who has set nothing, with a home of their own."""
    for name in ("work", "state", "config"):
        (home / name).mkdir(exist_ok=True)
    ours = ("TERM", "COLUMNS", "LINES", "DISPLAY", "TMUX", "SSH_CONNECTION", "SSH_TTY", "EDITOR", "VISUAL")
    return {
        **{name: value for name, value in os.environ.items() if name not in ours},
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        **more,
    }


def of_model(server: ModelServer) -> list[str]:
    """The arguments that name the model."""
    return ["--model", "openai/test", "--api-base", server.api_base, "--context_window", "100000", *ABLE]


@contextmanager
def chatting(
    home: Path,
    turns: Sequence[Turn],
    *arguments: str,
    resumed: str = "",
    variables: Mapping[str, str] | None = None,
) -> Iterator[Chat]:
    """`oi` at its first prompt, or going on with an earlier conversation. Whatever happens, it has ended afterwards."""
    with ModelServer(Scripted(turns)) as server:
        terminal = Terminal(
            *(["resume", resumed] if resumed else []),
            *of_model(server),
            *arguments,
            cwd=home / "work",
            environment=environment(home, **(variables or {})),
        )
        try:
            terminal.shows(">")
            yield Chat(terminal=terminal, server=server, home=home)
        finally:
            server.closing.set()
            terminal.kills()
