"""A GTK window of controls, for receipts: where each is goes to the file that is named."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402 - its version has to be chosen first

window = Gtk.Window(title="GTK controls")
window.set_default_size(480, 420)
grid = Gtk.Grid(row_spacing=8, column_spacing=8, margin=8)
count = 0
far = Gtk.Label(label="far away: 0")
places: dict[str, Gtk.Widget] = {}


def more(*_ignored: object) -> bool:
    global count  # noqa: PLW0603 - the window's own state
    count += 1
    far.set_text(f"far away: {count}")
    return False


def dialog(*_ignored: object) -> None:
    asked = Gtk.MessageDialog(transient_for=window, text="Sure?", title="Question")
    asked.add_button("Yes", 1)
    asked.connect("response", lambda shown, _: shown.destroy())
    asked.show_all()


def put(name: str, widget: Gtk.Widget, row: int, column: int) -> None:
    grid.attach(widget, column, row, 1, 1)
    places[name] = widget


def button(name: str, row: int, column: int, does: object = None) -> Gtk.Button:
    made = Gtk.Button(label=name)
    if does is not None:
        made.connect("clicked", does)
    put(name, made, row, column)
    return made


button("dead", 0, 0)
button("disabled", 0, 1, more).set_sensitive(False)
button("far", 0, 2, more)
button("dialog", 1, 0, dialog)
button("later", 1, 1, lambda _: GLib.timeout_add(900, more))
button("tipped", 1, 2).set_tooltip_text("This is what it is for")
button("title", 2, 0, lambda _: window.set_title("GTK renamed"))
put("tick", Gtk.CheckButton(label="Tick"), 2, 1)
put("switch", Gtk.Switch(), 2, 2)
entry = Gtk.Entry()
put("first", entry, 3, 0)
put("second", Gtk.Entry(), 3, 1)
put("toggle", Gtk.ToggleButton(label="Toggle"), 3, 2)
bar = Gtk.MenuBar()
file_item = Gtk.MenuItem(label="File")
file_menu = Gtk.Menu()
for name in ("New", "Count"):
    item = Gtk.MenuItem(label=name)
    if name == "Count":
        item.connect("activate", more)
    file_menu.append(item)
file_item.set_submenu(file_menu)
bar.append(file_item)
grid.attach(bar, 0, 4, 1, 1)
places["menu"] = file_item
combo = Gtk.ComboBoxText()
for name in ("Red", "Green", "Blue"):
    combo.append_text(name)
combo.set_active(0)
put("combo", combo, 4, 1)
rows = Gtk.ListBox()
for number in range(3):
    rows.add(Gtk.Label(label=f"Row {number}"))
put("list", rows, 5, 0)
spinner = Gtk.Spinner()
spinner.start()
spinner.set_size_request(32, 32)
put("spinner", spinner, 5, 1)
grid.attach(far, 2, 6, 1, 1)
window.add(grid)
window.connect("destroy", Gtk.main_quit)
window.show_all()


def tell() -> bool:
    top = window.get_window()
    _, left, up = top.get_origin()
    here = {}
    for name, widget in places.items():
        size = widget.get_allocation()
        x, y = widget.translate_coordinates(window, size.width // 2, size.height // 2)
        here[name] = [left + x, up + y]
    here["dead area"] = [left + 60, up + window.get_allocation().height - 12]
    Path(sys.argv[1]).write_text(json.dumps(here))
    return False


GLib.timeout_add(400, tell)
Gtk.main()
