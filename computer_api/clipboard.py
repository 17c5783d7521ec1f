"""The clipboard, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.actions import ClipboardGet, ClipboardSet, PressKeys
from computer_api.arguments import as_text

if TYPE_CHECKING:
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt


class ClipboardVerbs:
    """The clipboard's text."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def view(self) -> str:
        """The text on the clipboard, ``""`` when it holds none."""
        return self._computer.perform(ClipboardGet()).output

    def copy(self, text: str | None = None) -> Receipt:
        """Put text on the clipboard, or, without one, press Ctrl+C for what is selected."""
        if text is None:
            return self._computer.perform(PressKeys(keys=("Control_L", "c")))
        return self._computer.perform(ClipboardSet(text=as_text("clipboard.copy", text)))

    def paste(self) -> Receipt:
        """Press Ctrl+V."""
        return self._computer.perform(PressKeys(keys=("Control_L", "v")))
