"""A sheet to draw on, with nothing written where it is drawn: tells where it was clicked and how far it was turned.

``pad_tk.py OUT``; the places are those on the sheet, in steps of 8 points.
"""

from __future__ import annotations

import sys
import tkinter as tk
from pathlib import Path

STEP = 8
out = Path(sys.argv[1])
root = tk.Tk()
root.title("Pad")
root.geometry("520x360")
bar = tk.Frame(root)
bar.pack(anchor="w")
for column, words in enumerate(("Pencil", "Colours", "Undo all")):
    tk.Label(bar, text=words, font=("DejaVu Sans", 11), padx=14, pady=6).grid(row=0, column=column)
sheet = tk.Canvas(root, bg="white", highlightthickness=0)
sheet.pack(fill="both", expand=True)


def told(words: str) -> None:
    with out.open("a", encoding="utf-8") as lines:
        lines.write(f"{words}\n")


def clicked(event: tk.Event[tk.Misc]) -> None:
    sheet.create_oval(event.x - 6, event.y - 6, event.x + 6, event.y + 6, fill="red")
    told(f"dot {round(event.x / STEP)},{round(event.y / STEP)}")


def turned(_event: tk.Event[tk.Misc]) -> None:
    sheet.move("all", 0, -STEP)
    told("turned")


sheet.bind("<Button-1>", clicked)
sheet.bind("<Button-5>", turned)
root.mainloop()
