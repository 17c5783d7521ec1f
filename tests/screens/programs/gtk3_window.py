"""GTK 3 windows that write where their texts are, then stay open: gtk3_window.py SCENE OUT.json."""

import json
import os
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk, Pango  # noqa: E402 - the version comes first

SCALE = int(os.environ.get("GDK_SCALE", "1"))
CONTROLS = (Gtk.Button, Gtk.MenuItem, Gtk.Entry, Gtk.ListBoxRow)


def row(*widgets, vertical=False, spacing=6, border=0):
    direction = Gtk.Orientation.VERTICAL if vertical else Gtk.Orientation.HORIZONTAL
    box = Gtk.Box(orientation=direction, spacing=spacing, border_width=border)
    for widget in widgets:
        box.pack_start(widget, widget.get_name() == "wide", True, 0)
    return box


def wide(widget):
    widget.set_name("wide")
    return widget


def text(words, **properties):
    return Gtk.Label(label=words, xalign=0, **properties)


def button(words, style=None, off=False):
    made = Gtk.Button(label=words)
    made.set_sensitive(not off)
    if style:
        made.get_style_context().add_class(style)
    return made


def entry(words="", hint=""):
    made = Gtk.Entry(text=words)
    made.set_placeholder_text(hint)
    return made


def table(columns, rows):
    store = Gtk.ListStore(*[str] * len(columns))
    for values in rows:
        store.append([str(value) for value in values])
    view = Gtk.TreeView(model=store)
    for number, title in enumerate(columns):
        column = Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=number)
        column.set_resizable(True)
        view.append_column(column)
    return view


def menus(described):
    bar = Gtk.MenuBar()
    for title, items in described.items():
        top = Gtk.MenuItem(label=title)
        below = Gtk.Menu()
        for words in items:
            if words == "-":
                below.append(Gtk.SeparatorMenuItem())
                continue
            item = (
                Gtk.CheckMenuItem(label=words[1:])
                if words[0] == "*"
                else Gtk.MenuItem(label=words.lstrip("!"))
            )
            item.set_sensitive(words[0] != "!")
            if words[0] == "*":
                item.set_active(True)
            below.append(item)
        top.set_submenu(below)
        bar.append(top)
    return bar


def tools(*words):
    bar = Gtk.Toolbar()
    bar.set_style(Gtk.ToolbarStyle.BOTH_HORIZ)
    for word in words:
        icon, _, label = word.rpartition(":")
        tool = Gtk.ToolButton(label=label, icon_name=icon or None)
        tool.set_is_important(True)
        bar.add(tool)
    return bar


def planner():
    """A time-sheet: menus, a toolbar with text, a table, a form, disabled buttons."""
    bar = menus(
        {
            "Sheet": ["New week", "Open archive", "-", "Lock period", "!Unlock period", "Quit"],
            "Entries": [
                "Add entry",
                "Split entry",
                "-",
                "Copy from last week",
                "!Paste entry",
                "*Round to quarter hours",
                "Assign to project",
                "Delete entry",
            ],
            "Reports": ["By customer", "By colleague", "Overtime"],
            "Help": ["Manual", "About Timesheet"],
        }
    )
    rows = [
        ("Mon 3", "Harbour bridge", "Site visit", "07:45", "11:30", "3.75"),
        ("Mon 3", "Internal", "Staff meeting", "13:00", "14:00", "1.00"),
        ("Tue 4", "Harbour bridge", "Load tables", "08:10", "12:20", "4.17"),
        ("Tue 4", "Mill Street flats", "Drawings, revision C", "13:05", "17:40", "4.58"),
        ("Wed 5", "Mill Street flats", "Phone call with owner", "09:00", "09:35", "0.58"),
        ("Wed 5", "Town hall roof", "Survey of the rafters", "10:15", "15:50", "5.58"),
        ("Thu 6", "Holiday", "", "", "", "8.00"),
        ("Fri 7", "Town hall roof", "Report", "08:30", "12:45", "4.25"),
    ]
    form = Gtk.Grid(row_spacing=6, column_spacing=10)
    for number, (name, value) in enumerate(
        (
            ("Project", "Town hall roof"),
            ("Activity", "Report"),
            ("Begin", "08:30"),
            ("End", "12:45"),
            ("Remark", ""),
        )
    ):
        form.attach(text(name), 0, number, 1, 1)
        form.attach(entry(value, "visible to the customer"), 1, number, 1, 1)
    ticks = row(
        Gtk.CheckButton(label="Billable"),
        Gtk.CheckButton(label="Travel included"),
        Gtk.CheckButton(label="Needs receipt"),
        vertical=True,
    )
    ticks.get_children()[2].set_sensitive(False)
    side = row(
        text("<b>Selected entry</b>", use_markup=True),
        form,
        ticks,
        row(
            button("Apply", "suggested-action"),
            button("Revert", off=True),
            button("Remove", "destructive-action"),
        ),
        text("Colleague: Ingrid Solberg"),
        text("Approved until 28 February"),
        vertical=True,
        border=10,
    )
    body = row(wide(table(["Day", "Project", "Activity", "From", "Until", "Hours"], rows)), side, spacing=0)
    status = row(
        text("31.91 hours this week"),
        text("2 entries without a project"),
        text("Saved at 16:20"),
        spacing=30,
        border=4,
    )
    window = Gtk.Window(title="Timesheet - week 10", default_width=980, default_height=560)
    window.add(
        row(
            bar,
            tools(
                "document-new:Add",
                "edit-copy:Duplicate",
                "go-previous:Earlier",
                "go-next:Later",
                "printer:Print week",
            ),
            wide(body),
            status,
            vertical=True,
            spacing=0,
        )
    )
    return window, bar.get_children()[1]


def backup():
    """A dialog with tabs and a list, for a dense screen."""
    tabs = Gtk.Notebook()
    general = Gtk.Grid(row_spacing=8, column_spacing=12, border_width=12)
    for number, (name, value) in enumerate(
        (
            ("Source folder", "/home/maria/Pictures"),
            ("Destination", "nas.local:/vault"),
            ("Keep copies for", "18 months"),
            ("Bandwidth limit", "2500 kB/s"),
        )
    ):
        general.attach(text(name), 0, number, 1, 1)
        general.attach(entry(value), 1, number, 1, 1)
        general.attach(button("Browse" if number < 2 else "Default", off=number == 3), 2, number, 1, 1)
    for number, words in enumerate(
        (
            "Compress archives",
            "Encrypt with a passphrase",
            "Verify after writing",
            "Skip when on battery",
            "Follow symbolic links",
        )
    ):
        tick = Gtk.CheckButton(label=words, active=number % 2 == 0)
        tick.set_sensitive(number != 4)
        general.attach(tick, 0, 5 + number, 2, 1)
    tabs.append_page(general, Gtk.Label(label="What to copy"))
    for title in ("Schedule", "Exclusions", "Notifications", "History"):
        tabs.append_page(text(""), Gtk.Label(label=title))
    listed = Gtk.ListBox()
    for words in (
        "Photos of 2023",
        "Letters and contracts",
        "Music collection",
        "Virtual machines",
        "Mail archive",
    ):
        listed.add(text(words, margin=6))
    foot = row(
        text("Next run tomorrow at 02:00"),
        button("Run now", "suggested-action"),
        button("Pause"),
        button("Restore files"),
        button("Close"),
        border=10,
    )
    window = Gtk.Window(title="Vault backup", default_width=760, default_height=420)
    window.add(row(row(listed, wide(tabs), spacing=8, border=8), foot, vertical=True))
    return window, None


def library():
    """A catalogue: a menu open over a table."""
    bar = menus(
        {
            "Catalogue": ["Register book", "Withdraw book", "-", "Print spine labels", "Exit"],
            "Readers": [
                "Enrol reader",
                "Renew card",
                "-",
                "Send reminders",
                "!Waive fees",
                "Suspend reader",
                "*Show guests only",
                "Export addresses",
            ],
            "Loans": ["Check out", "Check in"],
            "View": ["Shelves", "Queue"],
        }
    )
    rows = [
        ("QA 76.9", "Computing with pebbles", "Ostrander", 1987, "On shelf"),
        ("PR 6019", "The lighthouse ledger", "Fairweather", 1934, "Due 12 May"),
        ("GV 1469", "Chess for two kitchens", "Bellamy", 2003, "On shelf"),
        ("TX 724", "Soups of the coast", "Marchetti", 1999, "Overdue"),
        ("QL 696", "Owls by moonlight", "Thackeray", 2015, "Reserved"),
        ("ML 410", "Letters of a cellist", "Vasquez", 1961, "In repair"),
        ("HD 9000", "Salt, tin and barley", "Pemberton", 1978, "On shelf"),
        ("DA 690", "Streets that vanished", "Kowalczyk", 2010, "Missing"),
    ]
    search = row(
        text("Search for"),
        wide(entry(hint="title, author or shelf mark")),
        button("Find book", "suggested-action"),
        button("Clear"),
        button("Request elsewhere", off=True),
        border=8,
    )
    foot = row(
        text("8 of 41,203 volumes"),
        text("Branch: Riverside"),
        text("Librarian: T. Adeyemi"),
        spacing=30,
        border=6,
    )
    window = Gtk.Window(title="Riverside library", default_width=900, default_height=480)
    window.add(
        row(
            bar,
            tools("list-add:Register", "view-refresh:Refresh", "mail-send:Remind", "edit-find:Look up"),
            search,
            wide(table(["Shelf mark", "Title", "Author", "Year", "State"], rows)),
            foot,
            vertical=True,
            spacing=0,
        )
    )
    return window, bar.get_children()[1]


def booking():
    """A seat-booking form, wide and light on text."""
    form = Gtk.Grid(row_spacing=8, column_spacing=14, border_width=14)
    fields = (
        ("Passenger", "Rosalind Okafor"),
        ("Departure", "Gothenburg"),
        ("Arrival", "Hamburg"),
        ("Travel date", "19 June"),
        ("Coach", "Quiet zone"),
        ("Discount card", ""),
    )
    for number, (name, value) in enumerate(fields):
        form.attach(text(name), 0, number, 1, 1)
        form.attach(entry(value, "card number"), 1, number, 1, 1)
    seats = row(
        *[
            Gtk.RadioButton(label=words)
            for words in ("Window seat", "Aisle seat", "Table for four", "Bicycle space")
        ],
        vertical=True,
        border=14,
    )
    extras = row(
        *[
            Gtk.CheckButton(label=words)
            for words in ("Seat reservation", "Flexible ticket", "Breakfast on board")
        ],
        vertical=True,
        border=14,
    )
    extras.get_children()[2].set_sensitive(False)
    foot = row(
        text("<big>Fare: 84.50 euros</big>", use_markup=True),
        button("Buy ticket", "suggested-action"),
        button("Hold for 24 hours"),
        button("Cancel trip", "destructive-action"),
        button("Seat map", off=True),
        border=14,
    )
    window = Gtk.Window(title="Night express", default_width=800, default_height=420)
    window.add(
        row(
            row(
                form,
                row(text("Preference"), seats, vertical=True),
                row(text("Extras"), extras, vertical=True),
            ),
            foot,
            vertical=True,
        )
    )
    return window, None


def aquarium():
    """A window that others cover."""
    rows = [
        ("Clownfish", "2 pairs", "healthy"),
        ("Seahorse", "5", "quarantine"),
        ("Moray eel", "1", "hiding"),
        ("Starfish", "14", "healthy"),
        ("Cuttlefish", "3", "not feeding"),
        ("Sea urchin", "9", "healthy"),
    ]
    top = row(
        button("Feed all", "suggested-action"),
        button("Clean filter"),
        button("Change water"),
        button("Breeding", off=True),
        border=10,
    )
    state = row(
        text("Salinity 35 grams per litre"),
        text("Last water test on Tuesday"),
        text("Curator: Bartholomew"),
        vertical=True,
        border=10,
    )
    window = Gtk.Window(title="Aquarium", default_width=640, default_height=420)
    window.add(row(top, row(wide(table(["Species", "Count", "Condition"], rows)), state), vertical=True))
    return window, None


def stables():
    """Another window that others cover."""
    rows = [
        ("Bramble", "Exmoor pony", "paddock"),
        ("Juniper", "Haflinger", "stall six"),
        ("Marigold", "Shire", "farrier"),
        ("Thistledown", "Welsh cob", "lunged"),
        ("Quicksilver", "Arab", "on loan"),
        ("Dumpling", "Shetland", "dieting"),
    ]
    top = row(
        button("Saddle up", "suggested-action"),
        button("Order hay"),
        button("Call vet", "destructive-action"),
        button("Geld", off=True),
        border=10,
    )
    state = row(
        text("Mucked out at 06:15"),
        text("Oats for eleven days"),
        text("Groom: Siobhan Kelleher"),
        vertical=True,
        border=10,
    )
    window = Gtk.Window(title="Stables", default_width=640, default_height=420)
    window.add(row(top, row(wide(table(["Horse", "Breed", "Whereabouts"], rows)), state), vertical=True))
    return window, None


def pharmacy():
    """A dispensary: a menu open over a table, a form below."""
    bar = menus(
        {
            "Patient": ["Register patient", "Merge files"],
            "Prescription": [
                "Repeat prescription",
                "Check interactions",
                "-",
                "Substitute generic",
                "!Override warning",
                "*Print leaflet",
                "Return to shelf",
            ],
            "Inventory": ["Expiring soon"],
            "Wholesale": ["Place order"],
        }
    )
    rows = [
        ("Amoxicillin", "500 mg", "capsules", "Drawer 14", "62"),
        ("Salbutamol", "100 mcg", "inhaler", "Cabinet C", "9"),
        ("Paracetamol", "120 mg", "suppository", "Fridge", "18"),
        ("Levothyroxine", "75 mcg", "tablets", "Drawer 31", "240"),
        ("Ibuprofen", "4 percent", "syrup", "Counter", "33"),
        ("Metformin", "850 mg", "tablet, coated", "Drawer 22", "150"),
        ("Diazepam", "5 mg", "locked", "Safe", "12"),
    ]
    form = Gtk.Grid(row_spacing=6, column_spacing=10)
    for number, (name, value) in enumerate(
        (("Insured person", "Leopold Brandt"), ("Physician", "Dr Okonkwo"), ("Dosage", "one at bedtime"))
    ):
        form.attach(text(name), 0, number, 1, 1)
        form.attach(entry(value), 1, number, 1, 1)
    side = row(
        form,
        Gtk.CheckButton(label="Allergic to penicillin"),
        Gtk.CheckButton(label="Deliver to home"),
        text("Co-payment: 7.35"),
        text("Stock counted at closing time"),
        vertical=True,
        border=12,
    )
    foot = row(
        button("Dispense", "suggested-action"),
        button("Call surgery"),
        button("Put aside"),
        button("Reject script", "destructive-action"),
        button("Sign electronically", off=True),
        border=10,
    )
    window = Gtk.Window(title="Rosewood dispensary", default_width=900, default_height=430)
    view = table(["Medicine", "Strength", "Form", "Location", "In stock"], rows)
    window.add(row(bar, row(wide(view), side, spacing=0), foot, vertical=True, spacing=0))
    return window, bar.get_children()[1]


def lines_of(layout):
    iterator = layout.get_iter()
    while True:
        line = iterator.get_line_readonly()
        _, logical = iterator.get_line_extents()
        raw = layout.get_text().encode()
        yield raw[line.start_index : line.start_index + line.length].decode(), logical
        if not iterator.next_line():
            return


def box_of(widget):
    """The widget's box on the screen."""
    place = widget.get_allocation()
    window = widget.get_window()
    _, x, y = window.get_origin()
    if not widget.get_has_window():
        x, y = x + place.x, y + place.y
    return [x * SCALE, y * SCALE, place.width * SCALE, place.height * SCALE]


def control_of(widget):
    above = widget
    while above is not None and not isinstance(above, CONTROLS):
        above = above.get_parent()
    return above


def kind_of(control):
    if isinstance(control, Gtk.MenuItem):
        return "menu"
    if isinstance(control, Gtk.CheckButton):
        return "tick"
    if isinstance(control, Gtk.ListBoxRow):
        return "item"
    return "button" if control is not None else "label"


def of_label(widget):
    layout = widget.get_layout()
    left, top = widget.get_layout_offsets()
    _, x, y = widget.get_window().get_origin()
    control = control_of(widget)
    for words, place in lines_of(layout):
        box = [
            x + left + place.x // Pango.SCALE,
            y + top + place.y // Pango.SCALE,
            place.width // Pango.SCALE,
            place.height // Pango.SCALE,
        ]
        found = {"text": words, "box": [value * SCALE for value in box], "kind": kind_of(control)}
        yield found | ({"control": box_of(control)} if control is not None else {})


def of_entry(widget):
    words = widget.get_text() or widget.get_placeholder_text()
    if not words:
        return
    layout = widget.get_layout()
    left, top = widget.get_layout_offsets()
    width, height = layout.get_pixel_size()
    x, y, across, down = box_of(widget)
    box = [x + left * SCALE, y + top * SCALE, width * SCALE, height * SCALE]
    yield {"text": words, "box": box, "kind": "field", "control": [x, y, across, down]}


def of_table(view):
    model = view.get_model()
    for entry in model:
        for column in view.get_columns():
            number = view.get_columns().index(column)
            area = view.get_cell_area(entry.path, column)
            _, x, y = view.get_bin_window().get_origin()
            box = [(x + area.x) * SCALE, (y + area.y) * SCALE, area.width * SCALE, area.height * SCALE]
            layout = view.create_pango_layout(entry[number])
            width = min(layout.get_pixel_size()[0] + 4, area.width) * SCALE
            yield {
                "text": entry[number],
                "box": [box[0], box[1], width, box[3]],
                "kind": "cell",
                "control": box,
            }


def walk(widget):
    if not widget.get_mapped():
        return
    if isinstance(widget, Gtk.Label):
        yield from of_label(widget)
    elif isinstance(widget, Gtk.Entry):
        yield from of_entry(widget)
    elif isinstance(widget, Gtk.TreeView):
        yield from of_table(widget)
    if isinstance(widget, Gtk.Container):
        children = []
        widget.forall(children.append)
        for child in children:
            yield from walk(child)


def apart(one, other):
    across = one[0] >= other[0] + other[2] or one[0] + one[2] <= other[0]
    return across or one[1] >= other[1] + other[3] or one[1] + one[3] <= other[1]


def main():
    scene, out = sys.argv[1:]
    settings = Gtk.Settings.get_default()
    settings.set_property("gtk-application-prefer-dark-theme", "DARK" in os.environ)
    settings.set_property("gtk-enable-animations", False)
    settings.set_property("gtk-cursor-blink", False)
    settings.set_property("gtk-xft-antialias", 1)
    if "SUBPIXEL" in os.environ:
        settings.set_property("gtk-xft-rgba", "rgb")
    if "FONT" in os.environ:
        settings.set_property("gtk-font-name", os.environ["FONT"])
    window, opened = globals()[scene]()
    window.connect("destroy", Gtk.main_quit)
    window.move(*(int(value) for value in os.environ.get("AT", "40,40").split(",")))
    window.show_all()
    window.set_focus(None)
    if opened is not None and "CLOSED" not in os.environ:
        opened.get_submenu().set_name("opened")
        GLib.timeout_add(
            1500,
            lambda: opened.get_submenu().popup_at_widget(
                opened, Gdk.Gravity.SOUTH_WEST, Gdk.Gravity.NORTH_WEST, None
            ),
        )

    def tell():
        found = list(walk(window))
        if opened is not None and opened.get_submenu().get_mapped():
            menu = box_of(opened.get_submenu())
            found = [entry for entry in found if apart(entry["box"], menu)] + list(walk(opened.get_submenu()))
        with open(out + ".part", "w") as file:
            json.dump(found, file)
        os.replace(out + ".part", out)

    GLib.timeout_add(3500, tell)
    Gtk.main()


main()
