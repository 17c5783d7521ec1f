"""Windows of real programs, asked for by name: what they do, what they refuse, and what is said of it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xvfb import end_programs, until, x_server

from computer_api import Computer
from computer_api.errors import ComputerError, NotFoundError, TimedOutError, UnsupportedError
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_platform.desktop import Window

pytestmark = pytest.mark.desktop

TK = """
import sys, tkinter
window = tkinter.Tk(className="Sized")
window.title(sys.argv[1])
window.minsize(200, 150)
window.maxsize(500, 400)
window.mainloop()
"""


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with x_server() as name:
        yield name


@pytest.fixture
def computer(screen: str, tmp_path: Path) -> Iterator[Computer]:
    """A computer whose windows all go with the test."""
    environment = dict(os.environ) | {"DISPLAY": screen, "GSETTINGS_BACKEND": "memory", "HOME": str(tmp_path)}
    desktop = X11Desktop(screen, environment=environment)
    with Computer.on(desktop, environment=environment) as computer:
        yield computer
        for window in computer.windows.all():
            desktop.windows.close(window)
            until(lambda window=window: window.id not in ids(computer), 2)
        end_programs(computer)  # those that ask before they close


def ids(computer: Computer) -> set[int]:
    return {window.id for window in computer.windows.all()}


def the(computer: Computer, title: str) -> Window:
    (found,) = (window for window in computer.windows.all() if window.title == title)
    return found


def sized(computer: Computer, title: str) -> None:
    """A window that is never smaller than 200x150 nor larger than 500x400 inside."""
    computer.windows.open("/usr/bin/python3", "-c", TK, title)
    assert until(lambda: any(window.title == title for window in computer.windows.all()))


def editor(computer: Computer, path: Path, text: str = "") -> None:
    path.write_text(text)
    computer.windows.open("dbus-run-session", "--", "mousepad", "--disable-server", str(path))
    computer.windows.wait(path.name)
    computer.windows.focus(path.name)


def test_a_window_goes_where_it_is_put_with_its_frame(computer: Computer) -> None:
    sized(computer, "placed")
    receipt = computer.windows.place("placed", left=0, top=0, width=402, height=325)
    assert receipt.output == "now 402x325 at 0,0"
    assert the(computer, "placed").frame == (0, 0, 402, 325)
    assert computer.windows.move("placed", 640, 300).output == "now 402x325 at 640,300"
    assert computer.windows.resize("placed", 302, 225).output == "now 302x225 at 640,300"


def test_a_size_that_the_program_does_not_take_is_said_with_the_one_it_took(computer: Computer) -> None:
    sized(computer, "limited")
    computer.windows.move("limited", 100, 100)
    assert re.fullmatch(r"now 502x4\d\d at 100,100", computer.windows.resize("limited", 900, 700).output)
    with pytest.raises(ComputerError, match=r'"limited" did not follow: it stays 502x4\d\d at 100,100'):
        computer.windows.resize("limited", 1000, 800)
    computer.windows.open("xterm", "-T", "cells")
    width, height = map(int, re.findall(r"\d+", computer.windows.resize("cells", 600, 400).output)[:2])
    assert 590 <= width <= 600
    assert 385 <= height <= 400


def test_windows_are_raised_minimised_maximised_and_restored_by_name(computer: Computer) -> None:
    sized(computer, "lower")
    computer.windows.open("xterm", "-T", "upper")
    for title in ("lower", "upper"):
        computer.windows.place(title, left=200, top=200)
    computer.windows.focus("upper")
    computer.windows.raise_("lower")
    assert computer.windows.all()[-1].title == "lower"
    active = computer.windows.active()
    assert active is not None
    assert active.title == "upper"
    computer.windows.maximize("upper")
    assert the(computer, "upper").maximized
    assert computer.windows.move("upper", 50, 60).output.endswith(" at 50,60")  # that ends it
    computer.windows.minimize("upper")
    assert the(computer, "upper").hidden
    computer.windows.raise_("upper")
    assert not the(computer, "upper").hidden


def test_a_window_that_cannot_be_maximised_is_said_to_be_as_it_was(computer: Computer) -> None:
    computer.windows.open("zenity", "--question", "--title=Fixed", "--text=Really?")
    with pytest.raises(ComputerError, match='"Fixed" was asked to be maximised, but it is not'):
        computer.windows.maximize("Fixed")
    with pytest.raises(ComputerError, match=r'"Fixed" did not follow: it stays \d+x\d+ at'):
        computer.windows.resize("Fixed", 900, 700)


def test_a_program_that_asks_whether_to_save_is_not_called_closed(computer: Computer, tmp_path: Path) -> None:
    editor(computer, tmp_path / "notes.txt")
    computer.keyboard.write("x")
    assert until(lambda: any(window.title.startswith("*") for window in computer.windows.all()))
    receipt = computer.windows.close("mousepad")
    assert receipt.closed == ()
    assert receipt.opened == ("Save Changes",) or len(receipt.opened) == 1
    assert "is still open: it asks in" in receipt.output
    dialog = computer.windows.all()[-1]
    owner = next(window for window in computer.windows.all() if window.id == dialog.dialog_of)
    assert "notes.txt" in owner.title
    with pytest.raises(ComputerError, match=r"cannot have the keyboard while its dialog .* is open"):
        computer.windows.focus(owner.title)
    computer.keyboard.press("escape")
    assert until(lambda: dialog.id not in ids(computer))


def test_a_window_that_closes_is_on_the_receipt(computer: Computer) -> None:
    sized(computer, "closing")
    receipt = computer.windows.close("closing")
    assert (receipt.closed, receipt.output) == (("closing",), "")
    with pytest.raises(NotFoundError, match='No window is called "closing"'):
        computer.windows.close("closing")


def test_a_window_is_waited_for_and_so_is_its_end(computer: Computer) -> None:
    later = 'sleep 0.4; exec zenity --info --title="Late news" --text=x --timeout=1'
    computer.desktop.launch(["sh", "-c", later])
    computer.windows.wait("late news")
    computer.windows.wait("late news", gone=True)
    assert not computer.windows.all()
    computer.windows.wait("late news", gone=True)
    with pytest.raises(
        TimedOutError, match=r'No window called "late news" has opened in 0.2 s\. Open are: none'
    ):
        computer.windows.wait("late news", seconds=0.2)


def test_a_program_is_opened_by_the_name_that_the_menu_shows(computer: Computer) -> None:
    entries = Path(os.environ["XDG_DATA_HOME"]) / "applications"
    entries.mkdir(parents=True)
    (entries / "notes.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Sticky Notes\nExec=zenity --info --title=%c --text=%%\n"
    )
    receipt = computer.windows.open("sticky notes")
    assert receipt.opened == ("Sticky Notes",)


def test_a_program_that_ends_at_once_is_an_error_with_its_last_words(computer: Computer) -> None:
    with pytest.raises(
        ComputerError, match=r'"sh" ended without a window: exit code 3, saying "no display for me"'
    ):
        computer.windows.open("sh", "-c", "echo no display for me >&2; exit 3")


def test_a_program_that_runs_already_shows_the_file_in_its_window(computer: Computer, tmp_path: Path) -> None:
    """As a browser does, or an editor with tabs: the second start hands over and ends."""
    handed = tmp_path / "handed over"
    running = f"""
import tkinter
from pathlib import Path
window = tkinter.Tk(className="Single")
window.title("empty")
def look():
    if Path({str(handed)!r}).exists():
        window.title("report.txt")
    window.after(20, look)
look()
window.mainloop()
"""
    computer.windows.open("/usr/bin/python3", "-c", running)
    receipt = computer.windows.open("touch", str(handed))
    assert receipt.output == '"touch" was running already and shows in "report.txt"'
    assert receipt.seconds < 5


def test_the_wrong_title_leaves_every_window_alone(computer: Computer) -> None:
    sized(computer, "only one")
    for act in (computer.windows.focus, computer.windows.close, computer.windows.maximize):
        with pytest.raises(NotFoundError, match=r'No window is called "on"\. Open are: "only one"'):
            act("on")
    with pytest.raises(UnsupportedError, match='"only one" was to be placed nowhere'):
        computer.windows.place("only one")
    with pytest.raises(UnsupportedError, match='A width of "0" is none'):
        computer.windows.resize("only one", 0, 100)
    with pytest.raises(ComputerError, match='There "only one" would be out of sight'):
        computer.windows.move("only one", 5000, 0)
