"""A Tk text field, which is stored whenever it changes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from typing_sinks.sink import Sink, ready, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

TK_TEXT = """
import sys, tkinter
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
        kept.write_text(text, encoding="utf-8")
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
    program.write_text(TK_TEXT)
    with running(desktop, ["/usr/bin/python3", str(program), str(kept)]):
        yield ready(desktop, "Tk sink", kept)
