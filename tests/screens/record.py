"""Records fixtures/screens/session: real programs side by side, and what their screen showed after each thing done.

    python tests/screens/record.py

A browser, an editor and a terminal; typing, menus, real scrolls, windows dragged over each other, a tooltip, a
dialog, a spinner, a clock, a blinking caret, windows that open, grow and close.
"""

from __future__ import annotations

import os
import select
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

assert sys.platform == "linux"

if __name__ == "__main__":  # run as a program, it is not on the path of the tests
    sys.path[:0] = [
        str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "vision", "platform", "")
    ]

import numpy as np  # noqa: E402 - the paths come first
from screens.chromium import PAGES, browser  # noqa: E402 - see above
from screens.session import Recording, frames  # noqa: E402 - see above
from screens.stage import stage  # noqa: E402 - see above

if TYPE_CHECKING:
    from screens.chromium import Browser
    from screens.stage import Stage

    from computer_platform.desktop import Window
    from computer_vision.reader import Pixels

SIZE = (1280, 800)
EDITED = """Packing list
two warm jumpers
torch with spare battery
tin opener
map of the northern fells
"""


class Recorder:
    """Does things to the desktop and keeps each new picture of it."""

    def __init__(self, on: Stage) -> None:
        self.on = on
        self.kept = Recording()
        self._last: Pixels | None = None

    def look(self, what: str, seconds: float = 0.25) -> bool:
        """Keep the picture as soon as it differs from the last one kept; whether it did within that time."""
        deadline = time.monotonic() + seconds
        while True:
            now = np.array(self.on.desktop.capture().pixels)
            if self._last is None or not np.array_equal(now, self._last):
                self.kept.add(what, now)
                self._last = now
                return True
            if time.monotonic() > deadline:
                return False
            select.select([], [], [], 0.02)

    def rest(self, what: str) -> None:
        """Keep the picture when it has come to rest."""
        self.on.still()
        self.look(what)

    def typed(self, text: str, what: str) -> None:
        """One letter after the other."""
        for letter in text:
            self.on.desktop.type_text(letter)
            self.look(what)

    def pressed(self, what: str, *keys: str) -> None:
        """A key or a chord."""
        self.on.press(*keys)
        select.select([], [], [], 0.15)
        self.look(what)

    def dragged(self, what: str, start: tuple[int, int], end: tuple[int, int], steps: int) -> None:
        """With the left button held, in so many steps."""
        desktop = self.on.desktop
        desktop.move(*start)
        desktop.button("left", down=True)
        for step in range(1, steps + 1):
            desktop.move(*(round(a + (b - a) * step / steps) for a, b in zip(start, end, strict=True)))
            select.select([], [], [], 0.08)
            self.look(what)
        desktop.button("left", down=False)


def main() -> None:
    flags = ("--force-renderer-accessibility=0", "--window-size=600,520", "--window-position=10,10",
             f"--app={(PAGES / 'almanac.html').as_uri()}", "--lang=en")  # fmt: skip
    with stage(SIZE) as on, browser({**os.environ, **surroundings(on)}, *flags) as page:
        recorder = Recorder(on)
        page_window, editor, terminal = opened(on)
        in_the_page(recorder, page, page_window)
        in_the_editor(recorder, editor)
        in_the_terminal(recorder, terminal)
        windows(recorder, editor, terminal)
        recorder.kept.store()
    count = sum(1 for _ in frames())
    print(f"{count} frames, {sum(map(len, recorder.kept.crops.values())) // 1024} KB")


def surroundings(on: Stage) -> dict[str, str]:
    """How programs that the desktop does not start itself reach it."""
    running = on.desktop.running
    home = str(on.folder / "another home")  # where no setting keeps the caret from blinking
    return {
        "DISPLAY": running.display,
        "XAUTHORITY": running.xauthority,
        "HOME": home,
        "XDG_CONFIG_HOME": home,
    }


def opened(on: Stage) -> tuple[Window, Window, Window]:
    """The three windows, placed."""
    page = on.window("Almanac")
    text = on.folder / "packing.txt"
    text.write_text(EDITED)
    on.desktop.launch(["mousepad", "--disable-server", str(text)])
    on.window("packing")
    on.desktop.launch(["xterm", "-fn", "6x13", "-geometry", "90x18+640+480", "-T", "Shell", "-e", "sh"])
    terminal = on.window("Shell")
    windows = on.desktop.windows
    assert windows is not None
    editor = on.window("packing")
    windows.move(editor, editor.area._replace(left=640, top=40, width=560, height=380))
    on.still()
    return page, on.window("packing"), terminal


def in_the_page(recorder: Recorder, page: Browser, window: Window) -> None:
    """Scrolling with the wheel, typing in a field, a tooltip, a spinner, a clock."""
    on, left, top = recorder.on, window.area.left, window.area.top
    recorder.rest("beginning")
    on.desktop.move(left + 300, top + 300)
    for step in range(34):
        on.desktop.scroll(0, 1 if step < 24 else -2)
        recorder.look("scroll", 0.6)
        recorder.rest("scrolled")
    for _ in range(20):
        on.desktop.scroll(0, -5)
    recorder.rest("scrolled up")
    place = page.run(
        "(r => [r.left + 20, r.top + 8])(document.getElementById('town').getBoundingClientRect())"
    )
    inside = page.run("[outerWidth - innerWidth, outerHeight - innerHeight]")
    at = (left + int(place[0]), top + int(place[1] + inside[1]))
    on.click(*at)
    recorder.rest("field")
    recorder.typed("Whitby harbour", "typed in the page")
    for _ in range(6):
        recorder.look("caret", 0.8)
    button = page.run(
        "(r => [r.left + 20, r.top + 8])(document.getElementById('go').getBoundingClientRect())"
    )
    on.desktop.move(left + int(button[0]), top + int(button[1] + inside[1]))
    for _ in range(4):
        recorder.look("tooltip", 1.5)
    on.click(left + int(button[0]), top + int(button[1] + inside[1]))
    recorder.rest("answer")
    page.run("document.getElementById('spin').className = 'on'")
    for _ in range(14):
        recorder.look("spinner", 0.4)
    page.run("document.getElementById('spin').className = ''")
    for minute in range(5):
        page.run(f"document.getElementById('clock').textContent = '10:0{minute}'")
        recorder.rest("clock")


def in_the_editor(recorder: Recorder, window: Window) -> None:
    """Typing, deleting, undoing; menus; the search bar; a dialog."""
    on = recorder.on
    on.click(window.area.left + 200, window.area.top + 250)
    recorder.rest("editor")
    on.press("Control_L", "End")
    recorder.typed("three pairs of socks\nrain coat, and the ", "typed")
    for _ in range(5):
        recorder.pressed("deleted", "BackSpace")
    for _ in range(3):
        recorder.pressed("undone", "Control_L", "z")
    recorder.pressed("menu", "F10")
    recorder.rest("menu")
    for key in ("Right", "Right", "Right", "Down", "Down", "Down", "Right", "Left", "Right", "Down"):
        recorder.pressed("in the menu", key)
        recorder.rest("in the menu")
    for _ in range(3):
        recorder.pressed("menu gone", "Escape")
    recorder.rest("menu gone")
    recorder.pressed("search bar", "Control_L", "f")
    recorder.rest("search bar")
    recorder.typed("torch", "searched")
    recorder.pressed("search bar gone", "Escape")
    recorder.rest("search bar gone")
    recorder.pressed("dialog", "Control_L", "r")
    recorder.rest("dialog")
    recorder.typed("tin", "typed in a dialog")
    recorder.pressed("dialog gone", "Escape")
    recorder.rest("dialog gone")


def in_the_terminal(recorder: Recorder, window: Window) -> None:
    """Commands whose output scrolls."""
    on = recorder.on
    on.click(window.area.left + 200, window.area.top + 100)
    recorder.rest("terminal")
    recorder.typed("seq 3 7", "typed in the terminal")
    recorder.pressed("output", "Return")
    recorder.typed("for n in 1 2 3 4 5 6 7 8; do echo kettle $n; sleep 0.3; done", "typed in the terminal")
    on.press("Return")
    for _ in range(9):
        recorder.look("output scrolls", 0.6)
    recorder.rest("output")


def windows(recorder: Recorder, editor: Window, terminal: Window) -> None:
    """One window over another, a dialog that opens and closes, resizing, closing."""
    on = recorder.on
    title = (editor.area.left + 250, editor.area.top - 12)
    recorder.dragged("window dragged over another", title, (title[0] - 330, title[1] + 120), 14)
    recorder.rest("overlap")
    shell = (terminal.area.left + 400, terminal.area.top - 12)
    recorder.dragged("window dragged over another", shell, (shell[0] - 280, shell[1] - 190), 12)
    recorder.rest("overlap")
    on.click(60, 300)
    recorder.rest("raised")
    on.desktop.launch(["zenity", "--question", "--text", "Leave the kettle on?", "--ok-label", "Leave it"])
    on.window("Question")
    recorder.rest("dialog opened")
    recorder.pressed("dialog", "Tab")
    recorder.pressed("dialog closed", "Escape")
    recorder.rest("dialog closed")
    shown = on.desktop.windows
    assert shown is not None
    for wider in (40, 90, 150, 90, 20):
        now = on.window("packing")
        shown.move(now, now.area._replace(width=480 + wider, height=300 + wider))
        recorder.rest("resized")
    shown.close(on.window("Shell"))
    recorder.rest("closed")
    on.desktop.launch(["xterm", "-fn", "6x13", "-geometry", "60x10+30+560", "-T", "Second", "-e", "cat"])
    on.window("Second")
    recorder.rest("opened")
    recorder.typed("once more", "typed")
    shown.close(on.window("Second"))
    recorder.rest("closed")


if __name__ == "__main__":
    main()
