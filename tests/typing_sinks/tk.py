"""A Tk text field, which is stored whenever it changes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from typing_sinks.sink import START_SECONDS, Sink, activate, running
from xvfb import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

PROGRAM = """
import os, sys, tkinter
from pathlib import Path
kept = Path(sys.argv[1])
window = tkinter.Tk(className="Sink")
window.title("Tk sink")
field = tkinter.Text(window)
field.pack()
field.focus_force()
seen = None
def keep():
    global seen
    text = field.get("1.0", "end-1c").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if seen != text:
        seen = text
        kept.with_suffix(".new").write_text(text, encoding="utf-8")
        os.replace(kept.with_suffix(".new"), kept)
    window.after(5, keep)
def ready(_):
    field.unbind("<FocusIn>")
    keep()
field.bind("<FocusIn>", ready)  # Tk drops keys that come before it has seen this
window.mainloop()
"""


@contextmanager
def tk(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """Tk looks every key up in the server's map when it comes."""
    kept, program = folder / "tk.txt", folder / "tk_sink.py"
    program.write_text(PROGRAM)
    with running(desktop, ["/usr/bin/python3", str(program), str(kept)]):
        assert until(kept.exists, START_SECONDS), "Tk did not start"
        activate(desktop, "Tk sink")
        yield Sink("Tk sink", desktop, lambda: kept.read_text("utf-8"))
