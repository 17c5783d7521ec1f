"""The terminal, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.actions import AnswerPrompt, RunCode
from computer_api.arguments import as_text

if TYPE_CHECKING:
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt


class TerminalVerbs:
    """Code in any language that is here, and lines for the programs that wait for one."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def run(self, language: str, code: str, *, outside: bool = False) -> Receipt:
        """Run a block and wait for its end; what it printed is the receipt's ``output``.

        Variables are kept between blocks. ``outside`` runs it without the sandbox, where there is one. A receipt with
        ``waiting`` says that a program in it waits for a line: see ``answer``.
        Raises ``UnsupportedError`` for a language that is not here.
        """
        return self._computer.perform(
            RunCode(
                language=as_text("terminal.run(language)", language),
                code=as_text("terminal.run(code)", code),
                outside=outside,
            )
        )

    def answer(self, text: str, *, secret: bool = False) -> Receipt:
        """Type a line for the program that waits, and follow it on. ``secret`` texts are never shown or recorded."""
        return self._computer.perform(AnswerPrompt(text=as_text("terminal.answer", text), secret=secret))
