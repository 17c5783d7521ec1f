"""A Tk window, which only eyes can read: what is pressed goes to the file that is named."""

from __future__ import annotations

import sys
import tkinter as tk
from pathlib import Path

told = Path(sys.argv[1])
root = tk.Tk(className="People")
root.title("People")
root.geometry("760x420+20+30")


def tell(words: str) -> None:
    with told.open("a", encoding="utf-8") as out:
        out.write(words + "\n")


for row, name in enumerate(("Ada Byron", "Bob Hall", "Cleo Dane")):
    tk.Label(root, text=name).grid(row=row, column=0, sticky="w", padx=20, pady=8)
    for column, what in enumerate(("Edit", "Delete"), start=1):
        button = tk.Button(root, text=what, command=lambda what=what, name=name: tell(f"{what} {name}"))
        button.grid(row=row, column=column, padx=60)
tk.Label(root, text="Town").grid(row=3, column=0, sticky="w", padx=20, pady=12)
town = tk.Entry(root, width=24)
town.grid(row=3, column=1, columnspan=2, sticky="w")
town.bind("<Return>", lambda _: tell(f"town {town.get()}"))
news = tk.BooleanVar()
tk.Checkbutton(root, text="Newsletter", variable=news, command=lambda: tell(f"news {news.get()}")).grid(
    row=4, column=0, padx=20, pady=12
)
tk.Button(root, text="Save As...", command=lambda: tell("save as")).grid(row=5, column=0, pady=12)
root.mainloop()
