"""A scene as a Tk window, which only eyes can read: window_tk.py SCENE JOURNAL PLACES."""

import tkinter as tk
from tkinter import font as fonts

from telling import Telling

told = Telling()
scene = told.scene
root = tk.Tk(className="Drifts")
root.title(scene["title"])
scale = scene.get("zoom", 1.0)
root.tk.call("tk", "scaling", 96 / 72 * scale)
for name in ("TkDefaultFont", "TkTextFont", "TkMenuFont"):
    fonts.nametofont(name).configure(family="DejaVu Sans", size=scene["font"])
ink, paper, field = ("#eeeeee", "#2b2b2b", "#3c3c3c") if scene["dark"] else ("#111111", "#e8e8e8", "#ffffff")
root.option_add("*background", paper)
root.option_add("*foreground", ink)
root.option_add("*Entry.background", field)
root.option_add("*Listbox.background", field)
root.option_add("*insertBackground", ink)
root.option_add("*Checkbutton.selectColor", field)
root.option_add("*activeBackground", paper)
root.option_add("*activeForeground", ink)
root.configure(background=paper)
placed = {}
listed = {}
bars = []
said = tk.Label(root, text="")


def pad(pixels):
    return round(pixels * scale)


def pressed(name):
    told.press(name)
    if scene["closes"] == name:
        root.destroy()
        return
    said.configure(text=scene["says"].get(name, "Done: " + name))


def add_field(parent, item, row):
    tk.Label(parent, text=item["label"]).grid(row=row, column=0, sticky="w", padx=pad(12), pady=pad(6))
    held = tk.StringVar()
    entry = tk.Entry(parent, textvariable=held, width=22)
    entry.grid(row=row, column=1, sticky="ew", padx=pad(12))
    entry.bind("<Button-1>", lambda _: told.touch(item["id"]))
    told.values[item["id"]] = ""
    held.trace_add("write", lambda *_: told.value(item["id"], held.get()))
    placed[item["id"]] = entry


def add_tick(parent, item, row):
    held = tk.BooleanVar()
    tick = tk.Checkbutton(
        parent, text=item["label"], variable=held, command=lambda: told.value(item["id"], held.get())
    )
    tick.grid(row=row, column=0, columnspan=2, sticky="w", padx=pad(12), pady=pad(6))
    told.values[item["id"]] = False
    placed[item["id"]] = tick


def add_buttons(parent, item, row):
    line = tk.Frame(parent)
    line.grid(row=row, column=0, columnspan=2, sticky="w", padx=pad(12), pady=pad(6))
    if item.get("text"):
        tk.Label(line, text=item["text"], width=20, anchor="w").pack(side="left")
    for name, label in item["of"]:
        made = tk.Button(line, text=label, command=lambda name=name: pressed(name))
        made.pack(side="left", padx=pad(6))
        placed[name] = made


def add_list(parent, item, row):
    box = tk.Listbox(parent, height=len(item["of"]), exportselection=False)
    for _, label in item["of"]:
        box.insert("end", label)
    box.grid(row=row, column=0, columnspan=2, sticky="ew", padx=pad(12), pady=pad(6))
    box.bind("<<ListboxSelect>>", lambda _: [pressed(item["of"][at][0]) for at in box.curselection()])
    for at, (name, _) in enumerate(item["of"]):
        listed[name] = (box, at)


def add_menu(item):
    bar = tk.Menu(root)
    menu = tk.Menu(bar, tearoff=False)
    for name, label in item["of"]:
        menu.add_command(label=label, command=lambda name=name: pressed(name))
    bar.add_cascade(label=item["label"], menu=menu)
    root.configure(menu=bar)
    bars.append(bar)


def add_note(parent, item, row):
    tk.Label(parent, text=item["text"]).grid(
        row=row, column=0, columnspan=2, sticky="w", padx=pad(12), pady=pad(6)
    )


ADD = {"field": add_field, "tick": add_tick, "buttons": add_buttons, "list": add_list, "note": add_note}


def build():
    body = tk.Frame(root)
    body.pack(fill="both", expand=True)
    body.columnconfigure(1, weight=1)
    said.lift()
    row = 0
    for item in scene["items"]:
        if item["kind"] == "menu":
            add_menu(item)
            continue
        ADD[item["kind"]](body, item, row)
        row += 1
    said.grid(in_=body, row=row, column=0, columnspan=2, sticky="w", padx=pad(12), pady=pad(6))
    if scene["dialog"]:
        root.after(150, interrupt)


def interrupt():
    asked = tk.Toplevel(root)
    asked.title(scene["dialog"])
    tk.Label(asked, text="A new version can be installed.").pack(padx=pad(60), pady=pad(40))
    tk.Button(asked, text="Later", command=lambda: told.press("dialog")).pack(pady=pad(12))
    asked.geometry(f"+{root.winfo_rootx() + 30}+{root.winfo_rooty() + 20}")
    asked.transient(root)
    asked.lift()
    asked.grab_set()


def place():
    left, top = (
        root.winfo_rootx(),
        root.winfo_rooty() - sum(bar.winfo_reqheight() for bar in bars),
    )  # above it
    found = {}
    for name, widget in placed.items():
        if widget.winfo_ismapped():
            found[name] = [
                widget.winfo_rootx() - left,
                widget.winfo_rooty() - top,
                widget.winfo_width(),
                widget.winfo_height(),
            ]
    for name, (box, at) in listed.items():
        inside = box.bbox(at)
        if inside:
            found[name] = [
                box.winfo_rootx() - left + inside[0],
                box.winfo_rooty() - top + inside[1],
                inside[2],
                inside[3],
            ]
    told.place(found)
    root.after(100, place)


root.geometry("{}x{}".format(*map(pad, scene["size"])))
root.after(round(scene["late"] * 1000) or 1, build)
root.after(100, place)
root.mainloop()
