"""GTK 4 windows that write where their texts are, then stay open: gtk4_window.py SCENE OUT.json."""

import ctypes
import json
import os
import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
gi.require_version("GdkX11", "4.0")
from gi.repository import GdkX11, GLib, Gtk, Pango  # noqa: E402 - the version comes first

SCALE = int(os.environ.get("GDK_SCALE", "1"))
CONTROLS = (
    Gtk.Button,
    Gtk.Entry,
    Gtk.CheckButton,
    Gtk.ListBoxRow,
    Gtk.DropDown,
    Gtk.SearchEntry,
    Gtk.MenuButton,
)


def row(*widgets, vertical=False, spacing=8, border=0):
    direction = Gtk.Orientation.VERTICAL if vertical else Gtk.Orientation.HORIZONTAL
    box = Gtk.Box(orientation=direction, spacing=spacing)
    for side in ("start", "end", "top", "bottom"):
        getattr(box, f"set_margin_{side}")(border)
    for widget in widgets:
        box.append(widget)
    return box


def wide(widget):
    widget.set_hexpand(True)
    return widget


def text(words, style=None):
    made = Gtk.Label(label=words, xalign=0)
    if style:
        made.add_css_class(style)
    return made


def button(words, style=None, off=False):
    made = Gtk.Button(label=words, sensitive=not off)
    if style:
        made.add_css_class(style)
    return made


def entry(words="", hint=None):
    return Gtk.Entry(text=words, placeholder_text=hint)


def form(fields):
    grid = Gtk.Grid(row_spacing=8, column_spacing=12)
    for number, (name, value) in enumerate(fields):
        grid.attach(text(name), 0, number, 1, 1)
        field = wide(Gtk.DropDown.new_from_strings(value)) if isinstance(value, list) else wide(entry(value))
        grid.attach(field, 1, number, 1, 1)
    return grid


def listed(*rows):
    made = Gtk.ListBox()
    made.add_css_class("boxed-list")
    for words in rows:
        parts = words.split("|")
        inner = row(wide(text(parts[0])), *[text(part, "dim-label") for part in parts[1:]], border=7)
        made.append(inner)
    return made


def shown(window, *starts, ends=()):
    bar = Gtk.HeaderBar()
    for widget in starts:
        bar.pack_start(widget)
    for widget in ends:
        bar.pack_end(widget)
    window.set_titlebar(bar)
    return window


def podcasts():
    """A player's settings: lists, drop-downs, switches."""
    stack = row(*[button(words) for words in ("Subscriptions", "Episodes", "Queue", "Statistics")], spacing=2)
    left = row(
        text("Shows", "heading"),
        listed(
            "Deep sea radio|14 new",
            "Kitchen chemistry|3 new",
            "The slow train|none",
            "Voices of the archive|1 new",
            "Garden weekly|27 new",
        ),
        row(button("Add show", "suggested-action"), button("Unsubscribe", "destructive-action")),
        vertical=True,
    )
    right = row(
        text("Playback", "heading"),
        form(
            (
                ("Skip forward", ["30 seconds", "60 seconds"]),
                ("Default speed", ["1.25 times"]),
                ("Output device", ["Headphones"]),
                ("Download folder", "/media/podcasts"),
                ("Keep episodes", "21 days"),
            )
        ),
        Gtk.CheckButton(label="Trim silence", active=True),
        Gtk.CheckButton(label="Boost volume"),
        Gtk.CheckButton(label="Stream over mobile data", sensitive=False),
        row(button("Mark all as played"), button("Refresh feeds"), button("Restore purchases", off=True)),
        vertical=True,
    )
    window = Gtk.Window(title="Podcasts", default_width=900, default_height=470)
    window.set_child(row(wide(left), wide(right), spacing=24, border=14))
    return shown(window, button("Import"), ends=(stack,)), None


def recipes():
    """A recipe with a menu open."""
    opener = Gtk.MenuButton(label="More")
    items = row(
        *[
            button(words, "flat")
            for words in (
                "Duplicate recipe",
                "Convert to grams",
                "Share by mail",
                "Print card",
                "Move to rubbish",
            )
        ],
        vertical=True,
        spacing=2,
    )
    opener.set_popover(Gtk.Popover(child=items, autohide=False))
    left = row(
        text("Walnut bread", "title-2"),
        text("Two loaves, ready in three hours"),
        listed(
            "Rye flour|350 g",
            "Wheat flour|650 g",
            "Walnuts|200 g",
            "Fresh yeast|20 g",
            "Sea salt|22 g",
            "Lukewarm water|7 dl",
        ),
        vertical=True,
    )
    right = row(
        text("Steps", "heading"),
        text("Dissolve the yeast in the water"),
        text("Knead for eleven minutes"),
        text("Let it rise under a cloth"),
        text("Shape, then rest once more"),
        text("Bake at 230 degrees"),
        form((("Servings", "12"), ("Source", "Aunt Wilhelmina"), ("Course", ["Breakfast"]))),
        Gtk.CheckButton(label="Contains nuts", active=True),
        Gtk.CheckButton(label="Gluten free", sensitive=False),
        vertical=True,
    )
    window = Gtk.Window(title="Cookbook", default_width=860, default_height=520)
    foot = row(
        button("Start cooking", "suggested-action"),
        button("Shopping list"),
        button("Scale up"),
        button("Undo", off=True),
    )
    window.set_child(row(row(wide(left), wide(right), spacing=30), foot, vertical=True, border=14))
    return shown(window, button("Browse"), ends=(opener,)), opener


def workshop():
    """A violin maker's order: lists, a form, ticks."""
    left = row(
        text("Instruments on the bench", "heading"),
        listed(
            "Viola, cracked belly|glueing",
            "Cello by Gagliano|new bridge",
            "Quarter-size violin|varnish",
            "Double bass|waiting",
            "Baroque bow|rehair",
        ),
        row(
            button("Take in", "suggested-action"),
            button("Hand over"),
            button("Write off", "destructive-action"),
        ),
        vertical=True,
    )
    right = row(
        text("Customer order", "heading"),
        form(
            (
                ("Owner", "Ottoline Vasari"),
                ("Telephone", "0664 1180 29"),
                ("Wood", ["Bosnian maple"]),
                ("Strings", ["Plain gut"]),
                ("Estimate", "1,350 francs"),
            )
        ),
        Gtk.CheckButton(label="Insured in transit", active=True),
        Gtk.CheckButton(label="Keep old fittings"),
        Gtk.CheckButton(label="Rush job", sensitive=False),
        row(button("Send estimate"), button("Photograph damage"), button("Close order", off=True)),
        text("Humidity in the room is 48 percent"),
        vertical=True,
    )
    window = Gtk.Window(title="Luthier", default_width=900, default_height=430)
    window.set_child(row(wide(left), wide(right), spacing=24, border=14))
    return shown(window, button("Calendar"), button("Suppliers"), ends=(button("Till"),)), None


def lines_of(layout):
    iterator = layout.get_iter()
    while True:
        line = iterator.get_line_readonly()
        _, logical = iterator.get_line_extents()
        raw = layout.get_text().encode()
        yield raw[line.start_index : line.start_index + line.length].decode(), logical
        if not iterator.next_line():
            return


class Root:
    """Where a window's surface is on the screen, asked of the X server itself."""

    def __init__(self):
        self.x = ctypes.CDLL("libX11.so.6")
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(None))
        self.root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))

    def origin(self, native):
        window = ctypes.c_ulong(GdkX11.X11Surface.get_xid(native.get_surface()))
        x, y, child = ctypes.c_int(), ctypes.c_int(), ctypes.c_ulong()
        self.x.XTranslateCoordinates(
            self.display, window, self.root, 0, 0, ctypes.byref(x), ctypes.byref(y), ctypes.byref(child)
        )
        inner = native.get_surface_transform()
        return x.value / SCALE + inner[0], y.value / SCALE + inner[1]


ROOT = Root()


def box_of(widget):
    native = widget.get_native()
    left, top = ROOT.origin(native)
    _, place = widget.compute_bounds(native)
    return [
        round((left + place.get_x()) * SCALE),
        round((top + place.get_y()) * SCALE),
        round(place.get_width() * SCALE),
        round(place.get_height() * SCALE),
    ]


def of_label(widget):
    left, top = widget.get_layout_offsets()
    x, y, _, _ = box_of(widget)
    control = widget
    while control is not None and not isinstance(control, CONTROLS):
        control = control.get_parent()
    kind = (
        "tick"
        if isinstance(control, Gtk.CheckButton)
        else "item"
        if isinstance(control, Gtk.ListBoxRow)
        else "button"
    )
    for words, place in lines_of(widget.get_layout()):
        box = [
            x + (left + place.x // Pango.SCALE) * SCALE,
            y + (top + place.y // Pango.SCALE) * SCALE,
            place.width // Pango.SCALE * SCALE,
            place.height // Pango.SCALE * SCALE,
        ]
        found = {"text": words, "box": box, "kind": kind if control is not None else "label"}
        yield found | ({"control": box_of(control)} if control is not None else {})


def of_entry(widget):
    words = widget.get_text() or widget.get_placeholder_text()
    if not words:
        return
    inner = widget.get_first_child()
    while not isinstance(inner, Gtk.Text):
        inner = inner.get_next_sibling()
    x, y, _, height = box_of(inner)
    width = inner.create_pango_layout(words).get_pixel_size()[0] * SCALE
    yield {"text": words, "box": [x, y, width, height], "kind": "field", "control": box_of(widget)}


def walk(widget):
    if not widget.get_mapped() or (isinstance(widget, Gtk.Popover) and not widget.get_visible()):
        return
    if isinstance(widget, Gtk.Label) and widget.has_css_class("title"):
        return  # in a header bar it is drawn beside where it says
    if isinstance(widget, Gtk.Label) and widget.get_text():
        yield from of_label(widget)
    elif isinstance(widget, Gtk.Entry):
        yield from of_entry(widget)
        return
    child = widget.get_first_child()
    while child is not None:
        yield from walk(child)
        child = child.get_next_sibling()


def apart(one, other):
    across = one[0] >= other[0] + other[2] or one[0] + one[2] <= other[0]
    return across or one[1] >= other[1] + other[3] or one[1] + one[3] <= other[1]


def main():
    scene, out = sys.argv[1:]
    Gtk.init()
    settings = Gtk.Settings.get_default()
    settings.set_property("gtk-application-prefer-dark-theme", "DARK" in os.environ)
    settings.set_property("gtk-enable-animations", False)
    settings.set_property("gtk-cursor-blink", False)
    if "FONT" in os.environ:
        settings.set_property("gtk-font-name", os.environ["FONT"])
    loop = GLib.MainLoop()
    window, opener = globals()[scene]()
    window.connect("close-request", lambda _: loop.quit())
    window.present()
    window.set_focus(None)
    if opener is not None:
        GLib.timeout_add(1500, opener.popup)

    def tell():
        found = list(walk(window))
        if opener is not None:
            popover = opener.get_popover()
            inner = list(walk(popover))
            found = [entry for entry in found if apart(entry["box"], box_of(popover))] + inner
        with open(out + ".part", "w") as file:
            json.dump(found, file)
        os.replace(out + ".part", out)

    GLib.timeout_add(3500, tell)
    loop.run()


main()
