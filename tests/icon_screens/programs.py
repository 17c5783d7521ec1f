"""Real programs whose icons are asked for: what their buttons are called, and where accessibility has them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from computer_platform.private import open_private

if TYPE_CHECKING:
    from pathlib import Path

    from computer_platform.desktop import Area, Element

# What accessibility calls a button, and the meaning of the icon on it.
OFFICE = {
    "New": "new document", "Open": "open", "Save": "save", "Export Directly as PDF": "pdf", "Print": "print",
    "Toggle Print Preview": "print preview", "Cut": "cut", "Copy": "copy", "Paste": "paste", "Undo": "undo",
    "Redo": "redo", "Clone": "clone formatting", "Clear": "clear formatting", "Find & Replace": "find and replace",
    "Spelling": "spelling", "Formatting Marks": "formatting marks", "Image": "image", "Chart": "chart",
    "Text Box": "text box", "Page Break": "page break", "Symbol": "special character", "Hyperlink": "link",
    "Footnote": "footnote", "Bold": "bold", "Italic": "italic", "Strikethrough": "strikethrough",
    "Superscript": "superscript", "Subscript": "subscript", "Left": "align left", "Right": "align right",
    "Justified": "justify", "Bullets": "bulleted list", "Numbering": "numbered list", "Sort": "sort",
    "Ascending": "sort ascending", "Sort Ascending": "sort ascending", "Sort Descending": "sort descending",
    "Descending": "sort descending", "Wrap Text": "wrap text", "Merge and Center Cells": "merge cells",
    "Percent": "percent", "Increase": "indent", "Decrease": "outdent", "Function Wizard": "function",
    "Select Function": "sum", "Comment": "chat", "Align Left": "align left", "Align Right": "align right",
}  # fmt: skip
OTHERS = {
    "Back": "back", "Forward": "forward", "Open Parent": "up", "Home": "home", "Reload": "reload",
    "View Menu": "menu", "Menu": "menu", "New": "add", "Search": "search", "New Tab": "new tab", "Undo": "undo",
    "Redo": "redo", "Save": "save", "Open": "open", "Find": "search", "Close": "close", "Close tab": "close",
    "Close Tab": "close", "Open Parent Folder": "up", "Open the parent folder": "up", "Trash": "trash",
    "Print": "print", "Reload Document": "reload", "Quit": "close",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program with icons: its command, the split it belongs to, and how its buttons are to be read."""

    name: str
    split: str
    command: tuple[str, ...]
    named: dict[str, str]
    theme: str = ""


PROGRAMS = (
    Program(
        name="writer",
        split="tuning",
        command=("soffice", "--norestore", "--nologo", "--writer"),
        named=OFFICE,
    ),
    Program(
        name="calc", split="test", command=("soffice", "--norestore", "--nologo", "--calc"), named=OFFICE
    ),
    Program(name="thunar", split="tuning", command=("thunar", "/usr/share"), named=OTHERS),
    Program(name="thunar_papirus", split="test", command=("thunar", "/usr"), named=OTHERS, theme="Papirus"),
    Program(name="thunar_adwaita", split="test", command=("thunar", "/usr"), named=OTHERS),
    Program(name="gedit", split="test", command=("gedit",), named=OTHERS),
)


def snap(program: Program, folder: Path) -> list[dict[str, object]]:
    """Start the program on a desktop of its own and take its picture; what is where, in pixels of the picture."""
    (folder / "gtk-3.0").mkdir(parents=True, exist_ok=True)
    theme = f"gtk-icon-theme-name={program.theme}\n" if program.theme else ""
    (folder / "gtk-3.0" / "settings.ini").write_text(f"[Settings]\n{theme}gtk-enable-animations=0\n")
    environment = {"XDG_CONFIG_HOME": str(folder), "HOME": str(folder)}
    desktop = open_private((1280, 720), dict(os.environ))
    try:
        desktop.launch(program.command, environment=environment)
        elements = _when_shown(desktop, program)
        for window in desktop.windows.all():
            desktop.windows.arrange(window, "maximize")
        desktop.move(1279, 719)
        time.sleep(2)
        elements = _when_shown(desktop, program)
        frame = desktop.capture()
        cv2.imwrite(str(folder / f"{program.name}.png"), np.ascontiguousarray(frame.pixels[:, :, :3]))
        return [
            {"meaning": program.named[element.name], "box": list(element.area)}
            for element in elements
            if element.name in program.named
            and _an_icon(element)
            and (element.name, element.area.width) != ("New", 33)
        ]
    finally:
        desktop.close()


def _when_shown(desktop: object, program: Program) -> tuple[Element, ...]:
    for _ in range(40):
        time.sleep(0.5)
        elements = desktop.accessibility.elements(seconds=3).items
        if sum(element.name in program.named and _an_icon(element) for element in elements) > 1:
            return elements
    return ()


def _an_icon(element: Element) -> bool:
    area: Area = element.area
    return "button" in element.role and 8 <= area.width <= 46 and 8 <= area.height <= 60


# What the pictures show besides, seen by eye: accessibility gives these no box, or another name.
SEEN: dict[str, tuple[tuple[str, tuple[int, int, int, int]], ...]] = {
    "writer": (
        ("search", (511, 55, 24, 24)), ("find and replace", (511, 55, 24, 24)), ("print preview", (216, 55, 24, 24)),
        ("bookmark", (998, 55, 24, 24)), ("underline", (662, 95, 18, 24)), ("align center", (992, 95, 22, 22)),
        ("bulleted list", (1096, 95, 24, 24)), ("numbered list", (1140, 95, 24, 24)), ("table", (616, 55, 24, 24)),
        ("menu", (1242, 136, 20, 20)), ("close", (1257, 27, 14, 14)), ("close", (1261, 3, 16, 16)),
        ("down", (555, 97, 20, 18)), ("down", (446, 97, 20, 18)),
        ("down", (165, 97, 20, 18)),
    ),
    "calc": (
        ("search", (544, 55, 24, 24)), ("find and replace", (544, 55, 24, 24)), ("print preview", (216, 55, 24, 24)),
        ("filter", (814, 55, 24, 24)), ("underline", (400, 95, 18, 24)), ("align center", (580, 95, 24, 24)),
        ("currency", (906, 95, 26, 24)), ("menu", (1242, 136, 20, 20)), ("close", (1257, 27, 14, 14)),
        ("close", (1261, 3, 16, 16)), ("down", (183, 97, 20, 18)),
        ("down", (295, 97, 20, 18)), ("down", (138, 136, 20, 18)), ("down", (1198, 136, 20, 18)),
        ("up", (655, 96, 20, 22)),
    ),
    "gedit": (
        ("minimize", (1164, 12, 18, 18)), ("maximize", (1204, 12, 18, 18)), ("down", (86, 12, 18, 18)),
    ),
    "thunar": (("search", (1245, 56, 26, 26)), ("folder", (160, 59, 18, 20))),
    "thunar_adwaita": (("search", (1245, 56, 26, 26)), ("folder", (160, 59, 18, 20))),
    "thunar_papirus": (
        ("search", (1245, 56, 26, 26)), ("folder", (160, 59, 18, 20)), ("home", (19, 160, 18, 18)),
    ),
}  # fmt: skip
