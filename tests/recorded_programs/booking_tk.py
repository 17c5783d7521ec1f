"""A form for a test to be filled in: what was entered is written to the file that is named when Ctrl+S is pressed.

Its window lies where the second argument says. When it can be used the first line of the file is "ready".
"""

from __future__ import annotations

import sys
import tkinter as tk
from pathlib import Path

FONT = ("DejaVu Sans", 12)
out = Path(sys.argv[1])
root = tk.Tk()
root.title("Booking")
root.geometry(f"560x430{sys.argv[2]}")
root.resizable(width=False, height=False)

entries = {}
for row, (label, mark) in enumerate((("Full name", ""), ("City", ""), ("Password", "*"))):
    tk.Label(root, text=label, font=FONT).grid(row=row, column=0, sticky="w", padx=12, pady=8)
    entries[label] = tk.Entry(root, show=mark, width=30, font=FONT)
    entries[label].grid(row=row, column=1, sticky="w", pady=8)

chosen = tk.StringVar(value="nothing")
classes = tk.Listbox(root, height=3, font=FONT)
classes.insert("end", "Economy", "Business", "First")
classes.grid(row=3, column=1, sticky="w")
classes.bind("<Double-Button-1>", lambda event: chosen.set(classes.get(f"@{event.x},{event.y}")))

basket_holds = tk.StringVar(value="Basket")
ticket = tk.Label(root, text="Ticket", font=FONT, relief="raised", padx=10, pady=10)
basket = tk.Label(root, textvariable=basket_holds, font=FONT, relief="sunken", padx=30, pady=20)
ticket.grid(row=4, column=0, pady=20)
basket.grid(row=4, column=1, pady=20, sticky="w")


def dropped(event: tk.Event[tk.Misc]) -> None:
    if root.winfo_containing(event.x_root, event.y_root) is basket:
        basket_holds.set("Ticket in it")


def saved(_event: tk.Event[tk.Misc]) -> None:
    values = [entry.get() for entry in entries.values()]
    out.write_text(" | ".join([*values, chosen.get(), basket_holds.get()]), encoding="utf-8")
    root.destroy()


ticket.bind("<ButtonRelease-1>", dropped)
root.bind("<Control-s>", saved)
root.update()
root.after_idle(lambda: out.write_text("ready"))
root.mainloop()
