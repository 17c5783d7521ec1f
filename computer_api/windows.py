"""Windows and programs, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.actions import CloseWindow, FocusWindow, OpenApp
from computer_api.arguments import as_text

if TYPE_CHECKING:
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt
    from computer_platform.desktop import Window


class WindowVerbs:
    """The windows on the desktop, and the programs that open them."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def all(self) -> tuple[Window, ...]:
        """Every window, from the bottom of the stack to the top; none where no window manager answers."""
        manager = self._computer.desktop.windows
        return () if manager is None else manager.all()

    def active(self) -> Window | None:
        """The window that has the keyboard."""
        return next((window for window in self.all() if window.active), None)

    def open(self, program: str, *arguments: str) -> Receipt:
        """Start a program and wait for its window: ``open("mousepad", "notes.txt")``."""
        name = as_text("windows.open", program)
        words = tuple(as_text("windows.open", argument) for argument in arguments)
        return self._computer.perform(OpenApp(program=name, arguments=words))

    def focus(self, title: str) -> Receipt:
        """Raise the window of that title or program and give it the keyboard."""
        return self._computer.perform(FocusWindow(title=as_text("windows.focus", title)))

    def close(self, title: str) -> Receipt:
        """Close the window of that title or program."""
        return self._computer.perform(CloseWindow(title=as_text("windows.close", title)))
