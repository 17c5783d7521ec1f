"""Windows and programs, for people and for code steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.actions import (
    ArrangeWindow,
    CloseWindow,
    FocusWindow,
    OpenApp,
    PlaceWindow,
    WaitForWindow,
)
from computer_api.arguments import as_count, as_seconds, as_text

if TYPE_CHECKING:
    from computer_api.actions import Arrangement
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

    def raise_(self, title: str) -> Receipt:
        """Put the window above all others; the keyboard stays where it is."""
        return self._arrange("windows.raise_", title, "raise")

    def maximize(self, title: str) -> Receipt:
        """Make the window as large as the screen allows."""
        return self._arrange("windows.maximize", title, "maximize")

    def minimize(self, title: str) -> Receipt:
        """Hide the window, as its minimise button would."""
        return self._arrange("windows.minimize", title, "minimize")

    def restore(self, title: str) -> Receipt:
        """Bring back a window that is minimised, or give one that is maximised its old size."""
        return self._arrange("windows.restore", title, "restore")

    def move(self, title: str, left: int, top: int) -> Receipt:
        """Put the window's left top corner, its frame included, there on the picture."""
        return self.place(title, left=left, top=top)

    def resize(self, title: str, width: int, height: int) -> Receipt:
        """Give the window that size, its frame included, in pixels of the picture."""
        return self.place(title, width=width, height=height)

    def place(
        self,
        title: str,
        *,
        left: int | None = None,
        top: int | None = None,
        width: int | None = None,
        height: int | None = None,
    ) -> Receipt:
        """Move the window, or give it a size, or both: what is not said stays.

        All in pixels of the picture, the window's frame included. The receipt's ``output`` says where it is then:
        programs may keep to sizes of their own, as terminals do.
        """
        for name, value in (("left", left), ("top", top), ("width", width), ("height", height)):
            if value is not None:
                as_count(f"windows.place({name}=)", value)
        return self._computer.perform(
            PlaceWindow(title=as_text("windows.place", title), left=left, top=top, width=width, height=height)
        )

    def close(self, title: str) -> Receipt:
        """Close the window of that title or program, as its close button would.

        When it asks first whether to save, the receipt says so in ``opened`` and ``output``.
        """
        return self._computer.perform(CloseWindow(title=as_text("windows.close", title)))

    def wait(self, title: str, *, gone: bool = False, seconds: float = 15.0) -> Receipt:
        """Wait until there is a window of that title or program, or none any more. Raises ``TimedOutError``."""
        name = as_text("windows.wait", title)
        patience = as_seconds("windows.wait(seconds=)", seconds)
        return self._computer.perform(WaitForWindow(title=name, gone=gone, seconds=patience))

    def _arrange(self, verb: str, title: str, how: Arrangement) -> Receipt:
        return self._computer.perform(ArrangeWindow(title=as_text(verb, title), how=how))
