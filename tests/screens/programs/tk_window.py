"""Tk windows that write where their texts are, then stay open: tk_window.py SCENE OUT.json."""

import json
import os
import sys
import tkinter as tk
from tkinter import font as fonts
from tkinter import ttk

DARK = "DARK" in os.environ
CONTROLS = (tk.Button, ttk.Button, tk.Checkbutton, tk.Radiobutton)


def form(parent, fields):
    frame = tk.Frame(parent)
    for number, (name, value) in enumerate(fields):
        tk.Label(frame, text=name).grid(row=number, column=0, sticky="w", padx=8, pady=3)
        field = tk.Entry(frame, width=24)
        field.insert(0, value)
        field.grid(row=number, column=1, padx=8, pady=3)
    return frame


def buttons(parent, *words):
    frame = tk.Frame(parent)
    for word in words:
        name, _, colour = word.lstrip("!").partition("|")
        made = tk.Button(frame, text=name, state="disabled" if word[0] == "!" else "normal")
        if colour:
            made.configure(bg=colour, fg="white")
        made.pack(side="left", padx=5, pady=8)
    return frame


def choices(parent, title, *words, kind=tk.Checkbutton):
    frame = tk.LabelFrame(parent, text=title, padx=8, pady=4)
    for word in words:
        kind(frame, text=word.lstrip("!"), state="disabled" if word[0] == "!" else "normal").pack(anchor="w")
    return frame


def seismograph(root):
    root.title("Station monitor")
    form(
        root,
        (
            ("Station code", "KVLD"),
            ("Sampling rate", "200 Hz"),
            ("Latitude", "64.1412"),
            ("Longitude", "-21.927"),
            ("Elevation", "58 m"),
            ("Instrument", "broadband"),
        ),
    ).grid(row=0, column=0)
    choices(root, "Channels", "Vertical", "North-south", "East-west", "!Strain gauge").grid(
        row=0, column=1, sticky="n", padx=6
    )
    choices(root, "Trigger", "Ratio of averages", "Fixed threshold", "By hand", kind=tk.Radiobutton).grid(
        row=0, column=2, sticky="n"
    )
    log = tk.Listbox(root, width=64, height=6)
    for line in (
        "03:14:07 tremor of magnitude 2.1",
        "03:15:30 clock locked to satellite",
        "04:02:51 battery at 12.6 volts",
        "05:47:19 wind noise above limit",
        "06:00:00 daily file closed",
    ):
        log.insert("end", line)
    log.grid(row=1, column=0, columnspan=3, sticky="we", padx=8)
    buttons(root, "Arm trigger|#2e7d32", "Send event", "Calibrate", "!Replay", "Shut down|#b71c1c").grid(
        row=2, column=0, columnspan=3
    )


def choir(root):
    root.title("Choir register")
    form(
        root,
        (
            ("Singer", "Bernadette Quill"),
            ("Voice", "second alto"),
            ("Joined in", "2011"),
            ("Mobile", "0171 555 208"),
            ("Robe size", "medium"),
        ),
    ).grid(row=0, column=0)
    choices(root, "Rehearsals", "Tuesday evening", "Saturday morning", "!Summer school", "Sectional").grid(
        row=0, column=1, sticky="n", padx=6
    )
    choices(root, "Subscription", "Full member", "Student rate", "Honorary", kind=tk.Radiobutton).grid(
        row=0, column=2, sticky="n"
    )
    log = tk.Listbox(root, width=64, height=6)
    for line in (
        "Requiem, movements one to four",
        "Folk songs arranged for three voices",
        "Carols by candlelight",
        "Madrigals of the north",
        "Vespers in the cathedral",
    ):
        log.insert("end", line)
    log.grid(row=1, column=0, columnspan=3, sticky="we", padx=8)
    buttons(root, "Enrol|#1565c0", "Print badge", "Lend score", "!Merge records", "Expel|#c62828").grid(
        row=2, column=0, columnspan=3
    )


def ferry_office(root):
    root.title("Lost property")
    form(
        root,
        (
            ("Object", "umbrella, tartan"),
            ("Found on", "upper deck"),
            ("Date", "6 April"),
            ("Finder", "Mr Abernathy"),
            ("Shelf", "row K"),
            ("Remarks", "handle chipped"),
        ),
    ).grid(row=0, column=0)
    choices(root, "Category", "Clothing", "Jewellery", "Electronics", "!Livestock", "Keys").grid(
        row=0, column=1, sticky="n", padx=6
    )
    choices(root, "Fate", "Keep a year", "Auction", "Charity shop", kind=tk.Radiobutton).grid(
        row=0, column=2, sticky="n"
    )
    log = tk.Listbox(root, width=60, height=6)
    for line in (
        "left glove, knitted, bottle green",
        "pocket watch without hands",
        "novel in Portuguese, page 212 marked",
        "child's scooter",
        "bag of walnuts, claimed on Thursday",
    ):
        log.insert("end", line)
    log.grid(row=1, column=0, columnspan=3, sticky="we", padx=8)
    buttons(
        root, "Hand back|#00695c", "Write postcard", "Store away", "!Reopen case", "Throw out|#ad1457"
    ).grid(row=2, column=0, columnspan=3)


def box(widget):
    return [widget.winfo_rootx(), widget.winfo_rooty(), widget.winfo_width(), widget.winfo_height()]


def texts(widget):
    if isinstance(widget, tk.Listbox):
        for number in range(widget.size()):
            left, top, width, height = widget.bbox(number)
            x, y, across, _ = box(widget)
            yield {
                "text": widget.get(number),
                "box": [x + left, y + top, width, height],
                "kind": "item",
                "control": [x, y + top, across, height],
            }
    elif isinstance(widget, tk.Entry):
        x, y, _, height = box(widget)
        width = fonts.Font(font=widget["font"]).measure(widget.get())
        yield {
            "text": widget.get(),
            "box": [x + 2, y, width, height],
            "kind": "field",
            "control": box(widget),
        }
    elif isinstance(widget, tk.LabelFrame):
        x, y, _, _ = box(widget)
        font = fonts.Font(font=widget["font"])
        yield {
            "text": widget["text"],
            "box": [x + 6, y, font.measure(widget["text"]) + 4, font.metrics("linespace")],
            "kind": "heading",
        }
    elif isinstance(widget, CONTROLS):
        kind = "button" if isinstance(widget, tk.Button) else "tick"
        yield {"text": widget["text"], "box": box(widget), "kind": kind, "control": box(widget)}
    elif isinstance(widget, tk.Label):
        yield {"text": widget["text"], "box": box(widget), "kind": "label"}
    for child in widget.winfo_children():
        yield from texts(child)


def main():
    scene, out = sys.argv[1:]
    root = tk.Tk()
    if "FONT" in os.environ:
        for name in ("TkDefaultFont", "TkTextFont"):
            family, size = os.environ["FONT"].rsplit(" ", 1)
            fonts.nametofont(name).configure(family=family, size=int(size))
    if DARK:
        root.tk_setPalette(background="#26292e", foreground="#e8e8e8")
    root.geometry("+40+40")
    globals()[scene](root)

    def tell():
        with open(out + ".part", "w") as file:
            json.dump(list(texts(root)), file)
        os.replace(out + ".part", out)

    root.after(2500, tell)
    root.mainloop()


main()
