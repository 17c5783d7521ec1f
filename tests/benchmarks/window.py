"""A Tk window that keeps what it gets: text in a field above, clicks on a surface below, which shows each.

Answers lines, see ``bed.Child``: ``ready``, ``text``, ``clear``, ``clicks`` and ``drags`` (and forgets them),
``places``, ``show``.
"""

from __future__ import annotations

import json
import os
import sys
import tkinter as tk
from typing import Any

COLOURS = ("#3a6ea5", "#a53a3a", "#3aa56e", "#a5a53a", "#6e3aa5")  # five, so that none meets its like again


class Window:
    """The field and the surface."""

    def __init__(self) -> None:
        self.root = tk.Tk(className="Bench")
        self.root.title("Bench")
        self.root.geometry("800x560+40+40")
        self.field = tk.Text(self.root, height=12)
        self.field.pack(fill="x")
        self.surface = tk.Canvas(self.root, background="white")
        self.surface.pack(fill="both", expand=True)
        self.surface.bind("<ButtonPress-1>", self.clicked)
        self.surface.bind("<B1-Motion>", self.moved)
        self.surface.bind("<ButtonRelease-1>", self.released)
        self.got: list[tuple[int, int]] = []
        self.motions = 0
        self.dragged: list[tuple[tuple[int, int], tuple[int, int], int]] = []
        self.number = 0
        self.focused = False
        self.pictures: list[tk.PhotoImage] = []
        self.field.bind("<FocusIn>", self.focus)
        self.field.focus_force()
        self.root.tk.createfilehandler(sys.stdin, tk.READABLE, lambda *_: self.asked())

    def focus(self, _event: object) -> None:
        self.focused = True  # Tk drops keys that come before it has seen this

    def clicked(self, event: tk.Event[tk.Canvas]) -> None:
        self.got.append((event.x_root, event.y_root))
        self.motions = 0
        self.number += 1
        x, y, colour = event.x, event.y, COLOURS[self.number % len(COLOURS)]
        self.surface.create_rectangle(x - 30, y - 15, x + 30, y + 15, fill=colour)

    def moved(self, _event: tk.Event[tk.Canvas]) -> None:
        self.motions += 1

    def released(self, event: tk.Event[tk.Canvas]) -> None:
        self.dragged.append((self.got[-1], (event.x_root, event.y_root), self.motions))

    def asked(self) -> None:
        line = sys.stdin.readline()
        if not line:
            self.root.destroy()
            return
        question = json.loads(line)
        value = getattr(self, "on_" + question["verb"])(**question["arguments"])
        print(json.dumps({"seconds": 0.0, "value": value}), flush=True)

    def on_ready(self) -> bool:
        if not self.focused:
            self.field.focus_force()
        return self.focused

    def on_text(self) -> str:
        text = self.field.get("1.0", "end-1c")
        # Tk of Python 3.11 gives characters above U+FFFF as two halves.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def on_clear(self) -> None:
        self.field.delete("1.0", "end")
        self.field.focus_force()
        self.root.update()

    def on_clicks(self) -> list[tuple[int, int]]:
        got, self.got = self.got, []
        return got

    def on_drags(self) -> list[tuple[tuple[int, int], tuple[int, int], int]]:
        got, self.dragged = self.dragged, []
        return got

    def on_places(self) -> list[tuple[int, int]]:
        """Places on the surface, as coordinates of the screen."""
        self.root.update()
        left, top = self.surface.winfo_rootx(), self.surface.winfo_rooty()
        return [(left + x, top + y) for x in range(80, 720, 160) for y in (60, 140, 220)]

    def on_show(self, pictures: list[tuple[str, int, int]]) -> None:
        """Put pictures on the screen, each at its place, without borders."""
        for path, x, y in pictures:
            top = tk.Toplevel(self.root)
            top.overrideredirect(True)  # noqa: FBT003 - tkinter's
            top.geometry(f"+{x}+{y}")
            picture = tk.PhotoImage(master=top, file=path)
            tk.Label(top, image=picture, borderwidth=0).pack()
            self.pictures.append(picture)
        self.root.update()


def main() -> Any:  # noqa: ANN401 - tkinter's mainloop
    assert os.environ.get("DISPLAY"), "it opens a window on the screen of the benchmark, never on another"
    Window().root.mainloop()


if __name__ == "__main__":
    main()
