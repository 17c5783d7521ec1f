"""A scene as a GTK 4 window: window_gtk4.py SCENE JOURNAL PLACES."""

import gi
from telling import Telling

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402 - its version comes first

told = Telling()
scene = told.scene
Gtk.init()
settings = Gtk.Settings.get_default()
settings.set_property("gtk-application-prefer-dark-theme", scene["dark"])
settings.set_property("gtk-font-name", f"DejaVu Sans {scene['font']}")
settings.set_property("gtk-enable-animations", False)
loop = GLib.MainLoop()
window = Gtk.Window(title=scene["title"])
window.set_default_size(*scene["size"])
placed = {}
said = Gtk.Label(label="", xalign=0)


def pressed(name):
    told.press(name)
    if scene["closes"] == name:
        window.destroy()
        loop.quit()
        return
    said.set_text(scene["says"].get(name, "Done: " + name))


def add_field(grid, item, row):
    label = Gtk.Label(label=item["label"], xalign=0)
    entry = Gtk.Entry(hexpand=True)
    label.set_mnemonic_widget(entry)
    told.values[item["id"]] = ""
    touch = Gtk.GestureClick(propagation_phase=Gtk.PropagationPhase.CAPTURE)
    touch.connect("pressed", lambda *_: told.touch(item["id"]))
    entry.add_controller(touch)
    entry.connect("changed", lambda one: told.value(item["id"], one.get_text()))
    grid.attach(label, 0, row, 1, 1)
    grid.attach(entry, 1, row, 1, 1)
    placed[item["id"]] = entry


def add_tick(grid, item, row):
    tick = Gtk.CheckButton(label=item["label"])
    told.values[item["id"]] = False
    tick.connect("toggled", lambda one: told.value(item["id"], one.get_active()))
    grid.attach(tick, 0, row, 2, 1)
    placed[item["id"]] = tick


def add_buttons(grid, item, row):
    line = Gtk.Box(spacing=12)
    if item.get("text"):
        line.append(Gtk.Label(label=item["text"], xalign=0, width_chars=20))
    for name, label in item["of"]:
        made = Gtk.Button(label=label)
        made.connect("clicked", lambda _, name=name: pressed(name))
        line.append(made)
        placed[name] = made
    grid.attach(line, 0, row, 2, 1)


def add_list(grid, item, row):
    rows = Gtk.ListBox()
    for name, label in item["of"]:
        line = Gtk.ListBoxRow(child=Gtk.Label(label=label, xalign=0))
        rows.append(line)
        placed[name] = line
    rows.connect("row-activated", lambda _, line: pressed(item["of"][line.get_index()][0]))
    grid.attach(rows, 0, row, 2, 1)


def add_note(grid, item, row):
    grid.attach(Gtk.Label(label=item["text"], xalign=0), 0, row, 2, 1)


ADD = {"field": add_field, "tick": add_tick, "buttons": add_buttons, "list": add_list, "note": add_note}


def build():
    grid = Gtk.Grid(row_spacing=10, column_spacing=12)
    for side in ("top", "bottom", "start", "end"):
        getattr(grid, f"set_margin_{side}")(16)
    for row, item in enumerate(scene["items"]):
        ADD[item["kind"]](grid, item, row)
    grid.attach(said, 0, len(scene["items"]), 2, 1)
    window.set_child(grid)
    if scene["dialog"]:
        GLib.timeout_add(150, interrupt)
    return False


def interrupt():
    asked = Gtk.Window(title=scene["dialog"], transient_for=window, modal=True)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
    for side in ("top", "bottom", "start", "end"):
        getattr(box, f"set_margin_{side}")(40)
    box.append(Gtk.Label(label="A new version can be installed."))
    later = Gtk.Button(label="Later")
    later.connect("clicked", lambda _: told.press("dialog"))
    box.append(later)
    asked.set_child(box)
    asked.present()
    return False


def place():
    found = {}
    for name, widget in placed.items():
        known, bounds = widget.compute_bounds(window)
        if known and widget.get_mapped():
            ratio = widget.get_scale_factor()
            box = (bounds.get_x(), bounds.get_y(), bounds.get_width(), bounds.get_height())
            found[name] = [round(one * ratio) for one in box]
    told.place(found)
    return True


window.connect("close-request", lambda _: loop.quit())
if scene["late"]:
    GLib.timeout_add(round(scene["late"] * 1000), build)
else:
    build()
window.present()
GLib.timeout_add(100, place)
loop.run()
