"""A scene as a GTK 3 window: window_gtk3.py SCENE JOURNAL PLACES."""

import gi
from telling import Telling

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402 - its version comes first

told = Telling()
scene = told.scene
settings = Gtk.Settings.get_default()
settings.set_property("gtk-application-prefer-dark-theme", scene["dark"])
settings.set_property("gtk-font-name", f"DejaVu Sans {scene['font']}")
settings.set_property("gtk-enable-animations", False)
window = Gtk.Window(title=scene["title"])
window.set_default_size(*scene["size"])
placed = {}
said = Gtk.Label(label="", xalign=0)


def identified(widget, name):
    """The program's own id of a control, as a builder file would give it."""
    widget.set_name(name)
    if hasattr(widget.get_accessible(), "set_accessible_id"):
        widget.get_accessible().set_accessible_id(name)
    placed[name] = widget
    return widget


def pressed(name):
    told.press(name)
    if scene["closes"] == name:
        window.destroy()
        return
    said.set_text(scene["says"].get(name, "Done: " + name))


def add_field(grid, item, row):
    label = Gtk.Label(label=item["label"], xalign=0)
    entry = identified(Gtk.Entry(hexpand=True), item["id"])
    label.set_mnemonic_widget(entry)
    told.values[item["id"]] = ""
    entry.connect("button-press-event", lambda *_: told.touch(item["id"]))
    entry.connect("changed", lambda one: told.value(item["id"], one.get_text()))
    grid.attach(label, 0, row, 1, 1)
    grid.attach(entry, 1, row, 1, 1)


def add_tick(grid, item, row):
    tick = identified(Gtk.CheckButton(label=item["label"]), item["id"])
    told.values[item["id"]] = False
    tick.connect("toggled", lambda one: told.value(item["id"], one.get_active()))
    grid.attach(tick, 0, row, 2, 1)


def add_buttons(grid, item, row):
    line = Gtk.Box(spacing=12)
    if item.get("text"):
        line.add(Gtk.Label(label=item["text"], xalign=0, width_chars=20))
    for name, label in item["of"]:
        made = identified(Gtk.Button(label=label), name)
        made.connect("clicked", lambda _, name=name: pressed(name))
        line.add(made)
    grid.attach(line, 0, row, 2, 1)


def add_list(grid, item, row):
    rows = Gtk.ListBox()
    for name, label in item["of"]:
        line = Gtk.ListBoxRow()
        line.add(Gtk.Label(label=label, xalign=0))
        rows.add(identified(line, name))
    rows.connect("row-activated", lambda _, line: pressed(item["of"][line.get_index()][0]))
    grid.attach(rows, 0, row, 2, 1)


def add_menu(grid, item, row):
    bar = Gtk.MenuBar()
    head = identified(Gtk.MenuItem(label=item["label"]), "menu")
    menu = Gtk.Menu()
    for name, label in item["of"]:
        entry = Gtk.MenuItem(label=label)
        entry.connect("activate", lambda _, name=name: pressed(name))
        menu.append(entry)
    head.set_submenu(menu)
    bar.append(head)
    grid.attach(bar, 0, row, 2, 1)


def add_note(grid, item, row):
    grid.attach(Gtk.Label(label=item["text"], xalign=0), 0, row, 2, 1)


ADD = {
    "field": add_field,
    "tick": add_tick,
    "buttons": add_buttons,
    "list": add_list,
    "menu": add_menu,
    "note": add_note,
}


def build():
    grid = Gtk.Grid(row_spacing=10, column_spacing=12, margin=16)
    for row, item in enumerate(scene["items"]):
        ADD[item["kind"]](grid, item, row)
    grid.attach(said, 0, len(scene["items"]), 2, 1)
    window.add(grid)
    grid.show_all()
    if scene["dialog"]:
        GLib.timeout_add(150, interrupt)
    return False


def interrupt():
    asked = Gtk.MessageDialog(
        transient_for=window, modal=True, title=scene["dialog"], text="A new version can be installed."
    )
    asked.set_position(Gtk.WindowPosition.CENTER_ON_PARENT)
    asked.add_button("Later", 1)
    asked.connect("response", lambda *_: told.press("dialog"))
    asked.show_all()
    return False


def place():
    found = {}
    for name, widget in placed.items():
        if widget.get_mapped() and widget.get_toplevel() is window:
            size, ratio = widget.get_allocation(), widget.get_scale_factor()
            x, y = widget.translate_coordinates(window, 0, 0)
            found[name] = [one * ratio for one in (x, y, size.width, size.height)]
    told.place(found)
    return True


window.connect("destroy", Gtk.main_quit)
window.show()
if scene["late"]:
    GLib.timeout_add(round(scene["late"] * 1000), build)
else:
    build()
GLib.timeout_add(100, place)
Gtk.main()
