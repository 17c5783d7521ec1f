"""Programs that receive typed text, so that a test can read what arrived from the program itself.

Each opener starts its program on a desktop, waits until it takes keys, and ends it with all it started.
"""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from typing_sinks.browser import chromium
from typing_sinks.editors import featherpad, mousepad, text_editor
from typing_sinks.office import libreoffice
from typing_sinks.sink import Sink, activate, ready
from typing_sinks.terminals import vte, xterm
from typing_sinks.widget import TK_TEXT, tk

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

    Opener = Callable[[X11Desktop, Path], AbstractContextManager[Sink]]

__all__ = [
    "PROGRAMS",
    "TK_TEXT",
    "Program",
    "Sink",
    "activate",
    "chromium",
    "featherpad",
    "libreoffice",
    "mousepad",
    "ready",
    "text_editor",
    "tk",
    "vte",
    "xterm",
]


class Program(NamedTuple):
    """What is typed into: its name, the command that must be there, how to start it."""

    name: str
    command: str
    opened: Opener

    def missing(self) -> str | None:
        """Why it cannot be started here; ``None`` when it can."""
        return None if shutil.which(self.command) else f"{self.name} is not installed here"


PROGRAMS = {
    "xterm": Program("xterm", "xterm", partial(xterm, shown=True)),
    "vte": Program("A terminal with VTE (lxterminal)", "lxterminal", partial(vte, shown=True)),
    "tk": Program("Tk", "/usr/bin/python3", tk),
    "gtk3": Program("mousepad", "mousepad", mousepad),
    "gtk4": Program("gnome-text-editor", "gnome-text-editor", text_editor),
    "qt": Program("featherpad", "featherpad", featherpad),
    "chromium": Program("Chromium", "chromium", chromium),
    "libreoffice": Program("LibreOffice", "soffice", libreoffice),
}
