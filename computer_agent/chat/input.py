"""How a person's next message is read: a line editor where the terminal can be drawn on, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

from computer_agent.chat.line import read_line
from computer_agent.chat.lines import as_text, message_of, needs_more

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from computer_agent.chat.magic_completion import Names

_PROMPT, _MORE = "> ", ". "


class Input(Protocol):
    """Where messages come from."""

    def read(self) -> str:
        """The next message. Raises ``EOFError`` at the end, and ``KeyboardInterrupt`` for Ctrl-C."""


def _typed(prompt: str) -> str:
    """A line, which may have been typed or pasted before its prompt."""
    return read_line(prompt, forgets=False)


class PlainInput:
    """Lines as the terminal gives them. ``quotes``: three of them begin and end a text of several lines."""

    def __init__(self, *, quotes: bool = True, read: Callable[[str], str] = _typed) -> None:
        self._quotes = quotes
        self._read = read

    def read(self) -> str:
        """The next message."""
        text = self._line(_PROMPT)
        while needs_more(text, quotes=self._quotes):
            text += f"\n{self._line(_MORE)}"
        return message_of(text, quotes=self._quotes)

    def _line(self, prompt: str) -> str:
        return as_text(self._read(prompt), sys.stdin.encoding)


def input_for(
    environment: Mapping[str, str], history: Path, *, quotes: bool = True, names: Names | None = None
) -> Input:
    """The input that this terminal can have. ``history`` is the file of what was typed before."""
    if environment.get("TERM", "") in ("dumb", "unknown") or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return PlainInput(quotes=quotes)
    from computer_agent.chat.edited_input import EditedInput

    return EditedInput(history, quotes=quotes, names=names)
