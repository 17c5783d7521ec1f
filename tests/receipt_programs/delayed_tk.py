"""A Tk window that reacts to a click only after a while, in two parts, beside a caret, a spinner and a clock.

``argv`` is the file that the place of the button goes to, and the one that each painting's time goes to. Every click
takes the next of the delays that the third argument lists, in milliseconds.
"""

from __future__ import annotations

import json
import sys
import time
import tkinter as tk
from pathlib import Path

told, painted = Path(sys.argv[1]), Path(sys.argv[2])
delays = [int(delay) for delay in sys.argv[3].split(",")]
root = tk.Tk(className="Delayed")
root.title("Delayed")
root.geometry("600x400+40+60")
result = tk.Label(root, text="0", font=("DejaVu Sans", 20))
result.place(x=300, y=200)
detail = tk.Label(root, text="")
detail.place(x=300, y=260)
entry = tk.Entry(root)
entry.place(x=20, y=80)
entry.focus_set()
clock = tk.Label(root, font=("DejaVu Sans", 14))
clock.place(x=20, y=350)
spinner = tk.Canvas(root, width=32, height=32, highlightthickness=0)
spinner.place(x=200, y=20)
arc = spinner.create_arc(4, 4, 28, 28, start=0, extent=100, style="arc", width=4)
clicks = 0


def go() -> None:
    global clicks
    delay, clicks = delays[clicks % len(delays)], clicks + 1
    root.after(delay, first)


def first() -> None:
    result.config(text=str(clicks))
    root.after(100, second)


def second() -> None:
    detail.config(text=f"and so it is, {clicks} times")
    root.update_idletasks()
    with painted.open("a") as file:
        file.write(f"{time.monotonic()}\n")


def tick(seconds: int = 0) -> None:
    clock.config(text=f"12:{seconds // 60 % 60:02d}:{seconds % 60:02d}")
    root.after(1000, tick, seconds + 1)


def turn(angle: int = 0) -> None:
    spinner.itemconfig(arc, start=angle)
    root.after(60, turn, (angle + 24) % 360)


button = tk.Button(root, text="Go", command=go)
button.place(x=20, y=20, width=120, height=36)
tick()
turn()
root.update()
told.write_text(json.dumps({"go": [button.winfo_rootx() + 60, button.winfo_rooty() + 18]}))
root.mainloop()
