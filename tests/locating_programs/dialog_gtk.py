"""A GTK window with a dialog over it; both have an "OK". What is pressed goes to the file that is named."""

from __future__ import annotations

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402 - its version comes first

told = Path(sys.argv[1])


def tell(words: str) -> None:
    with told.open("a", encoding="utf-8") as out:
        out.write(words + "\n")


def button(words: str, *, icon: str = "", name: str = "") -> Gtk.Button:
    made = (
        Gtk.Button.new_from_icon_name(icon, Gtk.IconSize.LARGE_TOOLBAR) if icon else Gtk.Button(label=words)
    )
    if name:
        made.get_accessible().set_name(name)
    made.connect("clicked", lambda _: tell(words))
    return made


window = Gtk.Window(title="Letters")
window.set_default_size(700, 460)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12, margin=20)
row = Gtk.Box(spacing=12)
row.add(button("strong", icon="format-text-bold", name="Strong letters"))
row.add(button("main OK"))
ok = button("OK of the window")
ok.set_label("OK")
row.add(ok)
box.add(row)
agree = Gtk.CheckButton(label="Agree")
agree.connect("toggled", lambda check: tell(f"agree {check.get_active()}"))
box.add(agree)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
dialog = Gtk.Dialog(title="Save changes", transient_for=window)
dialog.set_default_size(300, 120)
answer = button("OK of the dialog")
answer.set_label("OK")
dialog.get_content_area().add(Gtk.Label(label="Your letter was changed."))
dialog.get_action_area().add(answer)
dialog.show_all()
Gtk.main()
