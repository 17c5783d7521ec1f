"""A Tk window with a control for each thing that a receipt tells of: where each is goes to the file that is named."""

from __future__ import annotations

import json
import sys
import tkinter as tk
from pathlib import Path
from tkinter import ttk

root = tk.Tk(className="Controls")
root.title("Controls")
root.geometry("620x700+20+30")
far = tk.Label(root, text="far away: 0")
far.place(x=330, y=660)
count = 0
extra: list[tk.Toplevel] = []


def later(milliseconds: int, what) -> None:  # noqa: ANN001 - any callable
    root.after(milliseconds, what)


def more() -> None:
    global count  # noqa: PLW0603 - the window's own state
    count += 1
    far.config(text=f"far away: {count}")


def dialog() -> None:
    window = tk.Toplevel(root)
    window.title("A dialog")
    window.geometry("200x120+700+300")
    tk.Button(window, text="Close it", command=window.destroy).place(x=40, y=30, width=110, height=40)
    extra.append(window)


def hang(seconds: float) -> None:
    import time

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
    more()


places: dict[str, tuple[tk.Widget, int, int]] = {}


def put(name: str, widget: tk.Widget, x: int, y: int, width: int = 130, height: int = 30) -> tk.Widget:
    widget.place(x=x, y=y, width=width, height=height)
    places[name] = (widget, width // 2, height // 2)
    return widget


def button(name: str, command, x: int, y: int, **options) -> tk.Button:  # noqa: ANN001, ANN003 - Tk's own
    made = tk.Button(root, text=name, command=command, **options)
    put(name, made, x, y)
    return made


button("dead", lambda: None, 20, 10)
button("disabled", more, 170, 10, state="disabled")
button("far", more, 320, 10)
itself = button("itself", lambda: itself.config(text="changed"), 470, 10)
for index, delay in enumerate((100, 300, 700, 1200, 1800)):
    button(f"after {delay}", lambda delay=delay: later(delay, more), 20 + 120 * index, 50)
    places[f"after {delay}"][0].place(width=110)
button("dialog", dialog, 20, 90)
button("title", lambda: root.title("Renamed"), 170, 90)
button("copies", lambda: (root.clipboard_clear(), root.clipboard_append("copied")), 320, 90)
button("computes", lambda: hang(1.5), 470, 90)
button("stages", lambda: (more(), later(120, lambda: root.config(bg="#c0d8c0"))), 20, 130)
button("quits later", lambda: later(600, lambda: extra[-1].destroy() if extra else None), 170, 130)
ticked = tk.IntVar()
put("tick", tk.Checkbutton(root, text="Tick", variable=ticked), 20, 180)
chosen = tk.IntVar(value=1)
put("radio 1", tk.Radiobutton(root, text="One", variable=chosen, value=1), 170, 180)
put("radio 2", tk.Radiobutton(root, text="Two", variable=chosen, value=2), 320, 180)
put("slider", tk.Scale(root, orient="horizontal", to=100), 20, 230, 280, 50)
first, second = tk.Entry(root), tk.Entry(root)
put("first", first, 20, 300, 200)
put("second", second, 240, 300, 200)
locked = tk.Entry(root, state="disabled")
put("locked", locked, 460, 300, 140)
listing = tk.Listbox(root)
for number in range(40):
    listing.insert("end", f"Row {number}")
put("list", listing, 20, 350, 200, 160)
menu_button = tk.Menubutton(root, text="Menu", relief="raised")
menu = tk.Menu(menu_button, tearoff=False)
inner = tk.Menu(menu, tearoff=False)
inner.add_command(label="Deeper")
menu.add_cascade(label="More", menu=inner)
menu.add_command(label="Count", command=more)
menu_button.config(menu=menu)
put("menu", menu_button, 240, 350)
combo = ttk.Combobox(root, values=["Red", "Green", "Blue"], state="readonly")
put("combo", combo, 400, 350)
canvas = tk.Canvas(root, bg="white")
box = canvas.create_rectangle(10, 10, 50, 50, fill="blue")
canvas.tag_bind(box, "<B1-Motion>", lambda event: canvas.moveto(box, event.x - 20, event.y - 20))
put("canvas", canvas, 240, 400, 180, 110)
hover = button("hover", lambda: None, 440, 400, activebackground="#ffcc00")
tip: list[tk.Toplevel] = []


def show_tip(_event) -> None:  # noqa: ANN001 - Tk's own
    def shown() -> None:
        window = tk.Toplevel(root)
        window.overrideredirect(boolean=True)
        window.wm_attributes("-type", "tooltip")
        tk.Label(window, text="This is a tip", bg="#ffffc0").pack()
        window.geometry(f"+{root.winfo_pointerx() + 12}+{root.winfo_pointery() + 16}")
        tip.append(window)

    later(500, shown)


tipped = button("tipped", lambda: None, 440, 440)
tipped.bind("<Enter>", show_tip)
tipped.bind("<Leave>", lambda _event: [window.destroy() for window in tip])
clock = tk.Label(root, text="0", font=("DejaVu Sans", 14))
put("clock", clock, 20, 540, 100)
spinner = tk.Canvas(root, bg="white", highlightthickness=0)
arc = spinner.create_arc(4, 4, 28, 28, start=0, extent=100, style="arc", width=4)
put("spinner", spinner, 140, 540, 32, 32)
button("beside", more, 190, 540)
film = tk.Canvas(root, bg="black", highlightthickness=0)
band = film.create_rectangle(0, 0, 20, 80, fill="red")
put("film", film, 340, 530, 160, 80)
root.bind("<F5>", lambda _event: more())
seconds, angle = 0, 0


def tick() -> None:
    global seconds  # noqa: PLW0603 - the window's own state
    seconds += 1
    clock.config(text=f"12:00:{seconds % 60:02d}")
    root.after(1000, tick)


def turn() -> None:
    global angle  # noqa: PLW0603 - the window's own state
    angle = (angle + 24) % 360
    spinner.itemconfig(arc, start=angle)
    film.moveto(band, angle * 140 // 360, 0)
    root.after(60, turn)


if "still" not in sys.argv[2:]:
    tick()
    turn()
root.update()
here = {name: [widget.winfo_rootx() + x, widget.winfo_rooty() + y] for name, (widget, x, y) in places.items()}
here["dead area"] = [root.winfo_rootx() + 560, root.winfo_rooty() + 600]
here["corner"] = [root.winfo_rootx() + 100, root.winfo_rooty() - 12]
Path(sys.argv[1]).write_text(json.dumps(here))
root.mainloop()
