"""A program's output as it comes: without codes that move a cursor, and a line that rewrites itself shown once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from computer_agent.lmc import WithoutEscapes

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class OutputFlow:
    """Gives what is to be shown to ``write``.

    After a carriage return a line is held until it ends: of a bar of progress the last state is shown.
    """

    write: Callable[[str], None]
    _plain: WithoutEscapes = field(default_factory=WithoutEscapes, init=False)
    _held: str = field(default="", init=False)
    _open: bool = field(default=False, init=False)  # a part of the line is shown

    def add(self, text: str) -> None:
        """Take a piece."""
        *lines, rest = (self._held + self._plain.add(text)).split("\n")
        shown = [self._state(line.removesuffix("\r"), "\n") for line in lines]
        self._held = ""
        if "\r" in rest:
            body = rest.removesuffix("\r")
            _, again, newest = body.rpartition("\r")
            self._held = again + newest + rest[len(body) :]
        elif rest:
            shown.append(self._state(rest, ""))
        if shown:
            self.write("".join(shown))

    def end(self) -> None:
        """Show what is held; the next piece begins a line of its own."""
        held, self._held = self._held + self._plain.end(), ""
        if held.strip("\r"):
            self.write(self._state(held.removesuffix("\r"), ""))
        self._open = False

    def _state(self, line: str, end: str) -> str:
        """The last state of the line, below an earlier one that stands there."""
        _, again, line = line.rpartition("\r")
        below = "\n" if again and self._open else ""
        self._open = not end
        return below + line + end
