"""Programs that receive typed text and keep it in a file, so that a test can read what arrived."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from xvfb import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

START_SECONDS = 30.0  # the machine may be busy
ARRIVE_SECONDS = 6.0

TK_TEXT = """
import sys, tkinter
from pathlib import Path
kept = Path(sys.argv[1])
window = tkinter.Tk(className="Sink")
window.title("Tk sink")
field = tkinter.Text(window)
field.pack()
field.focus_force()
def keep():
    text = field.get("1.0", "end-1c").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if not kept.exists() or kept.read_text() != text:
        kept.write_text(text)
    window.after(5, keep)
def ready(_):
    field.unbind("<FocusIn>")
    keep()
field.bind("<FocusIn>", ready)  # Tk drops keys that come before it has seen this
window.mainloop()
"""


class Sink(NamedTuple):
    """A program with the keyboard, and how to read what it has got so far."""

    title: str
    text: Callable[[], str]

    def received(self, wanted: str) -> str:
        """What has arrived: the wanted text as soon as it has, otherwise whatever there is in the end."""
        until(lambda: self.text() == wanted, ARRIVE_SECONDS)
        return self.text()


@contextmanager
def xterm(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """A terminal whose program stores every byte as it comes; Return is a carriage return there."""
    kept = folder / "xterm.txt"
    command = f"stty raw -echo; exec cat > {shlex.quote(str(kept))}"
    desktop.launch(["xterm", "-u8", "-T", "xterm sink", "-e", "sh", "-c", command])
    yield ready(desktop, "xterm sink", kept, lambda raw: raw.replace("\r", "\n"))


@contextmanager
def tk(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """A Tk text field."""
    kept, program = folder / "tk.txt", folder / "tk_sink.py"
    program.write_text(TK_TEXT)
    desktop.launch(["/usr/bin/python3", str(program), str(kept)])
    yield ready(desktop, "Tk sink", kept, str)


@contextmanager
def mousepad(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """A GTK editor; what it has is what it saves."""
    kept = folder / "mousepad.txt"
    kept.write_text("")
    desktop.launch(
        ["dbus-run-session", "--", "mousepad", "--disable-server", str(kept)],
        environment={"GSETTINGS_BACKEND": "memory", "XDG_CONFIG_HOME": str(folder / "config")},
    )

    def saved() -> str:
        desktop.key("Control_L", down=True)
        desktop.key("s", down=True)
        desktop.key("s", down=False)
        desktop.key("Control_L", down=False)
        return kept.read_text().removesuffix("\n")

    sink = ready(desktop, "mousepad.txt", kept, str)
    yield sink._replace(text=saved)


def ready(desktop: X11Desktop, title: str, kept: Path, cleaned: Callable[[str], str] = str) -> Sink:
    """The program of that title, once it has the keyboard; it keeps in that file what it gets."""

    def active() -> bool:
        windows = desktop.windows
        assert windows is not None
        for window in windows.all():
            if title in window.title:
                windows.activate(window)
        return any(title in window.title and window.active for window in windows.all())

    assert until(kept.exists, START_SECONDS), f"{title} did not start"
    assert until(active, START_SECONDS), f"{title} did not get the keyboard"
    return Sink(title, lambda: cleaned(kept.read_bytes().decode("utf-8", "replace")))
