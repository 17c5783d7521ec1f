"""What belongs to the whole desktop: tell the person something, what is selected, open a file with its program."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from computer_api.actions import ClipboardGet, ClipboardSet, Notify, OpenApp, PressKeys
from computer_api.arguments import as_text
from computer_api.errors import ComputerError, UnsupportedError
from computer_api.receipt import Receipt

if TYPE_CHECKING:
    from computer_api.computer import Computer
    from computer_platform.desktop import Desktop

_SECONDS = 5.0  # for the program that shows it; it has ended long before
_POLL_SECONDS = 0.01
_WITH_PRIMARY = ("x11", "private")  # where what is selected can be read without any key
_BUS_NAME = "org.freedesktop.Notifications"
_SCRIPT = ("on run words", "display notification (item 2 of words) with title (item 1 of words)", "end run")


class OsVerbs:
    """The desktop as a whole."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def notify(self, text: str, title: str = "oi") -> Receipt:
        """Show the person a notification. Raises ``UnsupportedError`` where nothing shows any."""
        return self._computer.perform(
            Notify(text=as_text("os.notify", text), title=as_text("os.notify(title)", title))
        )

    def get_selected_text(self) -> str:
        """The text that is selected now, ``""`` for none; the clipboard holds afterwards what it held before."""
        if self._computer.desktop.name in _WITH_PRIMARY:
            return self._computer.perform(ClipboardGet(selection="primary")).output
        return self._copied()

    def selected_text(self) -> str:
        """The same as ``get_selected_text``."""
        return self.get_selected_text()

    def open(self, what: str, *arguments: str) -> Receipt:
        """Open a file or a web address with its usual program, or start a program; waits for its window."""
        words = tuple(as_text("os.open", one) for one in arguments)
        return self._computer.perform(OpenApp(program=as_text("os.open", what), arguments=words))

    def _copied(self) -> str:
        """What copying gives, the only way where there is no selection to read."""
        clipboard = self._computer.desktop.clipboard
        if clipboard is None:
            raise UnsupportedError("This desktop has no clipboard, so what is selected cannot be read.")
        before = clipboard.contents()
        try:
            self._computer.perform(ClipboardSet(text=""))
            command = "Super_L" if sys.platform == "darwin" else "Control_L"
            self._computer.perform(PressKeys(keys=(command, "c")))
            return self._computer.perform(ClipboardGet()).output
        finally:
            clipboard.write(before)


def notify(desktop: Desktop, action: Notify) -> Receipt:
    """Show a notification through the desktop's own service. Raises ``UnsupportedError`` and ``ComputerError``."""
    for command in _commands(action):
        try:
            pid = desktop.launch(command)
        except (FileNotFoundError, OSError, ValueError):
            continue
        _wait_for(desktop, pid, command[0])
        return Receipt(effect="unknown", output=f'The person was shown "{action.text}".')
    raise UnsupportedError(
        'Nothing here can show a notification: install "notify-send" (the package libnotify-bin on Debian), '
        "or print what is to be said."
    )


def _commands(action: Notify) -> list[list[str]]:
    """What shows it, the best first."""
    if sys.platform == "darwin":
        script = [word for line in _SCRIPT for word in ("-e", line)]
        return [["osascript", *script, action.title, action.text]]
    if sys.platform == "win32":
        return []
    call = [
        "gdbus", "call", "--session", f"--dest={_BUS_NAME}", "--object-path=/org/freedesktop/Notifications",
        f"--method={_BUS_NAME}.Notify", "--", "oi", "0", "", _quoted(action.title), _quoted(action.text),
        "[]", "{}", "-1",
    ]  # fmt: skip
    return [["notify-send", "--app-name=oi", "--", action.title, action.text], call]


def _quoted(text: str) -> str:
    """The text as GVariant writes one."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def _wait_for(desktop: Desktop, pid: int, program: str) -> None:
    """Wait for the program's end, and raise ``ComputerError`` with its own words when it failed."""
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        ended = desktop.ended(pid)
        if ended is not None:
            if ended.code != 0:
                raise ComputerError(
                    f'No notification was shown: "{program}" said "{ended.said or f"exit code {ended.code}"}".'
                )
            return
        if desktop.name == "memory":  # where nothing runs
            return
        time.sleep(_POLL_SECONDS)
