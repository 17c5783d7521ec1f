"""What the mouse does to real programs, as they tell it themselves."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from itertools import cycle, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from mouse_page import MousePage
from processes import below
from xvfb import connected, until, x_server

from computer_api.computer import Computer
from computer_api.errors import Stopped
from computer_platform.x11 import X11Desktop
from computer_vision.tesseract import TesseractReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_platform.desktop import Window

pytestmark = pytest.mark.desktop

SIZE = (1280, 800)
SYSTEM_PYTHON = "/usr/bin/python3"
START_SECONDS = 40.0  # the machine may be busy
CHROMIUM = (
    *("--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--disable-quic", "--password-store=basic", "--kiosk"),
)


class Browser(NamedTuple):
    computer: Computer
    page: MousePage


@contextmanager
def desk(folder: Path, *, receipts: bool = False) -> Iterator[Computer]:
    """A computer on a screen of its own, for whose programs the folder is the home."""
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "GSETTINGS_BACKEND": "memory"}
    with x_server(SIZE) as display:
        desktop = X11Desktop(display, environment=dict(os.environ) | home)
        with Computer(
            desktop, reader=TesseractReader(), receipts=receipts, patience=START_SECONDS
        ) as computer:
            yield computer


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("browser")
    with desk(folder) as computer, MousePage() as page:
        computer.desktop.launch(["chromium", *CHROMIUM, f"--user-data-dir={folder}/profile", page.address])
        assert until(lambda: page.told["size"] == list(SIZE), START_SECONDS), "chromium did not show the page"
        assert until(
            lambda: caught_up(computer, page, 1), START_SECONDS
        )  # it drops what comes before it has painted
        yield Browser(computer, page)


def caught_up(computer: Computer, page: MousePage, seconds: float = 10.0) -> bool:
    """Whether the page tells of a move that is made now, and so has told of all that came before."""
    page.forget()
    x, y = page.box("pad").middle
    computer.desktop.move(x, y)
    computer.desktop.move(x + 1, y)
    return until(
        lambda: any((event["x"], event["y"]) == (x + 1, y) for event in page.events("move")), seconds
    )


@pytest.fixture
def browser(opened: Browser) -> Iterator[Browser]:
    assert caught_up(*opened)
    opened.page.forget()
    yield opened
    opened.computer.stop_when(lambda: None)
    opened.computer.desktop.release_all()


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Computer]:
    with desk(tmp_path) as computer:
        yield computer


# Clicks.


@pytest.mark.parametrize(
    ("button", "number"), [("left", 0), ("middle", 1), ("right", 2), ("back", 3), ("forward", 4)]
)
def test_each_button_arrives_as_itself(browser: Browser, button: str, number: int) -> None:
    computer, page = browser
    computer.mouse.click(*page.box("pad").at(30, 40), button=button)  # type: ignore[arg-type] # one of them
    (up,) = page.waits_for("mouseup")
    (down,) = page.events("mousedown")
    assert (down["button"], up["button"], down["on"]) == (number, number, "pad")
    assert (down["x"], down["y"]) == page.box("pad").at(30, 40)


def test_the_side_buttons_go_back_and_forward_in_the_history(browser: Browser) -> None:
    computer, page = browser
    computer.mouse.click(*page.box("there").at(20, 15))
    assert page.says("hash", "#there")
    computer.mouse.back(*page.box("pad").middle)
    assert page.says("hash", "")
    computer.mouse.forward()
    assert page.says("hash", "#there")
    computer.mouse.back()
    assert page.says("hash", "")


def test_a_double_click_selects_a_word_and_a_triple_click_the_line(browser: Browser) -> None:
    computer, page = browser
    word = page.box("words").at(50, 15)
    computer.mouse.double_click(*word)
    assert page.says("selected", "two"), page.told["selected"]
    computer.mouse.triple_click(*word)
    assert until(lambda: page.told["selected"].strip() == "one two three"), page.told["selected"]
    assert [event["count"] for event in page.events("mousedown")] == [1, 2, 1, 2, 3]


def test_two_clicks_on_one_spot_are_never_a_double_click(browser: Browser) -> None:
    computer, page = browser
    place = page.box("pad").at(100, 100)
    for _ in range(3):
        computer.mouse.click(*place)
    assert [event["count"] for event in page.waits_for("click", count=3)] == [1, 1, 1]
    assert not page.events("dblclick")


def test_clicks_on_different_spots_do_not_wait_for_each_other(browser: Browser) -> None:
    computer, page = browser
    began = time.monotonic()
    for x in range(20, 220, 20):
        computer.mouse.click(*page.box("pad").at(x, 150))
    assert time.monotonic() - began < 10 * 0.5
    assert [event["count"] for event in page.waits_for("click", count=10)] == [1] * 10


def test_keys_are_held_during_a_click_and_not_after_it(browser: Browser) -> None:
    computer, page = browser
    computer.mouse.click(*page.box("pad").at(10, 10), keys="ctrl")
    computer.mouse.click(*page.box("pad").at(60, 10), keys="shift+alt")
    computer.mouse.click(*page.box("pad").at(110, 10))
    held = [event["held"] for event in page.waits_for("click", count=3)]
    assert held == ["ctrlKey", "shiftKey,altKey", ""]


def test_shift_and_a_click_select_as_far_as_there(browser: Browser) -> None:
    computer, page = browser
    words = page.box("words")
    computer.mouse.click(1200, 700)  # where no text is: a click into what is selected begins no selection
    assert page.says("selected", "")
    computer.mouse.click(*words.at(1, 15))
    computer.mouse.click(*words.at(290, 15), keys="shift")
    assert page.says("selected", "one two three"), page.told["selected"]


def test_a_button_stays_down_over_moves_until_it_is_released(browser: Browser) -> None:
    computer, page = browser
    pad = page.box("pad")
    computer.mouse.move(*pad.at(10, 10))
    computer.mouse.down("right")
    for place in (pad.at(50, 60), pad.at(90, 20)):
        computer.mouse.move(*place)
        assert until(lambda place=place: went_over(page, place, buttons=2))
    computer.mouse.up("right")
    computer.mouse.move(*pad.at(10, 90))
    assert until(lambda: went_over(page, pad.at(10, 90), buttons=0))
    (up,) = page.events("mouseup")
    assert (up["x"], up["y"]) == pad.at(90, 20)


def went_over(page: MousePage, place: tuple[int, int], *, buttons: int) -> bool:
    return any(
        (event["x"], event["y"], event["buttons"]) == (*place, buttons) for event in page.events("move")
    )


# Drags.


def test_a_drag_goes_over_every_point_of_its_path_and_nowhere_else(browser: Browser) -> None:
    computer, page = browser
    sheet = page.box("sheet")
    path = [sheet.at(*place) for place in ((20, 20), (320, 20), (320, 200), (21, 200), (120, 120))]
    computer.mouse.drag(path[0], path[-1], via=path[1:-1])
    (up,) = page.waits_for("mouseup")
    (down,) = page.events("mousedown")
    assert (down["x"], down["y"]) == path[0]
    assert (up["x"], up["y"]) == path[-1]
    moved = [(event["x"], event["y"]) for event in page.events("move") if event["buttons"] == 1]
    assert all(any(near(point, *ends) for ends in pairwise(path)) for point in moved)
    # That it is on each point exactly is seen by a program that misses no motion: tests/computer_platform.
    assert all(any(abs(x - cx) + abs(y - cy) <= 60 for x, y in moved) for cx, cy in path)
    assert len(moved) >= 8


def test_dragging_over_text_selects_it(browser: Browser) -> None:
    computer, page = browser
    words = page.box("words")
    computer.mouse.click(1200, 700)
    assert page.says("selected", "")
    computer.mouse.drag(words.at(1, 15), words.at(290, 45))
    chosen = ["one", "two", "three", "four", "five", "six"]
    assert until(lambda: page.told["selected"].split() == chosen), page.told["selected"]
    assert computer.desktop.clipboard is not None
    clipboard = computer.desktop.clipboard
    assert until(lambda: clipboard.read("primary").split() == chosen)


def test_html_drag_and_drop_delivers_what_was_dragged(browser: Browser) -> None:
    computer, page = browser
    computer.mouse.drag(page.box("from").middle, page.box("to").middle)
    (drop,) = page.waits_for("drop")
    assert drop["on"] == "to"
    assert page.says("dropped", "parcel")
    assert page.waits_for("dragend")


def test_a_slider_is_dragged_to_its_value(browser: Browser) -> None:
    computer, page = browser
    slider = page.box("range")
    computer.mouse.click(*slider.at(8, 15))
    assert page.says("range", 0)
    computer.mouse.drag(slider.at(8, 15), slider.at(8 + (slider.width - 16) * 0.75, 15))
    assert until(lambda: 74 <= page.told["range"] <= 76), page.told["range"]


def test_a_stop_in_the_middle_of_a_drag_releases_button_and_keys(browser: Browser) -> None:
    computer, page = browser
    sheet = page.box("sheet")
    steps = iter(range(12))

    def stop() -> None:
        if next(steps, None) is None:
            raise Stopped("The person stopped it.")

    computer.stop_when(stop)
    with pytest.raises(Stopped):
        computer.mouse.drag(sheet.at(20, 20), sheet.at(380, 280), keys="shift")
    (up,) = page.waits_for("mouseup")
    assert sheet.at(20, 20) < (up["x"], up["y"]) < sheet.at(380, 280)
    assert computer.desktop.held() == frozenset()
    computer.stop_when(lambda: None)
    computer.mouse.click(*page.box("pad").at(10, 10))
    assert until(lambda: [one["held"] for one in page.events("click") if one["on"] == "pad"] == [""])


# The wheel.


@pytest.mark.parametrize(
    ("notches", "horizontal", "turned"),
    [(-3, False, (0, 360)), (2, False, (0, -240)), (3, True, (360, 0)), (-1, True, (-120, 0))],
)
def test_the_wheel_turns_by_notches_both_ways_on_both_axes(
    browser: Browser, notches: int, turned: tuple[int, int], *, horizontal: bool
) -> None:
    computer, page = browser
    computer.mouse.scroll(notches, *page.box("pad").middle, horizontal=horizontal)

    def sums() -> tuple[int, int]:
        wheel = page.events("wheel")
        return sum(event["dx"] for event in wheel), sum(event["dy"] for event in wheel)

    assert until(lambda: sums() == turned), sums()


def test_ctrl_and_the_wheel_arrive_together(browser: Browser) -> None:
    computer, page = browser
    computer.mouse.scroll(-1, *page.box("pad").middle, keys="ctrl")
    assert [event["held"] for event in page.waits_for("wheel")] == ["ctrlKey"]


def begin_of_the_list(browser: Browser) -> tuple[int, int]:
    """The middle of the list, which shows its left top corner from now on."""
    computer, page = browser
    middle = page.box("list").middle
    computer.mouse.scroll(100, *middle)
    computer.mouse.scroll(-100, *middle, horizontal=True)
    assert page.says("list", [0, 0]), page.told["list"]
    return middle


def test_many_notches_all_count(browser: Browser) -> None:
    computer, page = browser
    middle = begin_of_the_list(browser)
    computer.mouse.scroll(-60, *middle)
    # 120 each; a busy page joins some, and of what is joined nothing counts beyond one view, which is three of them
    assert until(lambda: page.told["list"][1] >= 40 * 120), page.told["list"]


@contextmanager
def stopping_and_going(computer: Computer) -> Iterator[None]:
    """What shows the browser's page stops for a moment again and again, as where a machine has much else to do."""
    (pid,) = {window.pid for window in computer.desktop.windows.all() if window.pid is not None}
    shown = [one for one in below(pid) if b"--type=renderer" in Path(f"/proc/{one}/cmdline").read_bytes()]
    over = threading.Event()

    def stop_and_go() -> None:
        for number in cycle((signal.SIGSTOP, signal.SIGCONT)):
            for one in shown:
                with suppress(ProcessLookupError):
                    os.kill(one, number)
            if over.wait(0.1) and number == signal.SIGCONT:
                return

    stopper = threading.Thread(target=stop_and_go)
    stopper.start()
    try:
        yield
    finally:
        over.set()
        stopper.join()


def test_the_wheel_waits_for_a_page_that_has_not_taken_a_notch(browser: Browser) -> None:
    computer, page = browser
    middle = begin_of_the_list(browser)
    with stopping_and_going(computer):
        computer.mouse.scroll(-40, *middle)
    # all but a few even where the machine is busy, too; of those that do not wait a third is lost
    assert until(lambda: page.told["list"][1] >= 36 * 120), page.told["list"]


def test_scrolling_by_pixels_says_how_far_it_really_went(browser: Browser) -> None:
    computer, page = browser
    middle = begin_of_the_list(browser)
    told = []
    for asked in (350, 20, 900, -500):
        before = page.told["list"][1]
        (scrolled,) = computer.mouse.scroll_pixels(*middle, down=asked).scrolled
        assert not scrolled.end
        if scrolled.moved is None:  # on a busy machine a page is seen half-way, and then nobody can tell
            assert caught_up(computer, page)
            continue
        told.append(scrolled.moved)
        assert page.says("list", [0, before + scrolled.moved]), (asked, scrolled, page.told["list"])
        assert abs(scrolled.moved - asked) <= 60 or (asked, scrolled.moved) == (20, 120)
    assert len(told) >= 3


def test_scrolling_by_pixels_goes_sideways_too_and_says_where_the_end_is(browser: Browser) -> None:
    computer, page = browser
    for _ in range(3):
        middle = begin_of_the_list(browser)
        assert not computer.mouse.scroll_pixels(right=-300).scrolled[0].moved
        (scrolled,) = computer.mouse.scroll_pixels(*middle, right=5000).scrolled
        assert caught_up(computer, page)
        if scrolled.end:
            assert until(lambda: 1000 < page.told["list"][0] < 1600), (scrolled, page.told["list"])
        if scrolled.moved is not None:  # otherwise the machine is busy, as above
            break
    assert scrolled.moved is not None
    assert page.says("list", [scrolled.moved, 0]), (scrolled, page.told["list"])
    assert scrolled.end
    there = page.told["list"]
    computer.mouse.scroll(20, *middle, horizontal=True)
    assert caught_up(computer, page)
    assert page.told["list"] == there
    (more,) = computer.mouse.scroll_pixels(right=300).scrolled
    assert more.sentence() == "nothing scrolled right" or (more.moved, more.end) == (None, False)


def near(point: tuple[int, int], start: tuple[int, int], end: tuple[int, int]) -> bool:
    """Whether the point is within two pixels of the line between the others."""
    across, down = end[0] - start[0], end[1] - start[1]
    away = (point[0] - start[0], point[1] - start[1])
    along = (away[0] * across + away[1] * down) / (across**2 + down**2)
    along = min(max(along, 0.0), 1.0)
    return max(abs(away[0] - along * across), abs(away[1] - along * down)) <= 2


# Other programs.


def shown(computer: Computer, title: str) -> Window:
    """The window of that title, once it is there and has the keyboard."""
    found: list[Window] = []

    def there() -> bool:
        manager = computer.desktop.windows
        windows = [] if manager is None else [one for one in manager.all() if title in one.title]
        found[:] = windows[-1:]
        if windows and not windows[-1].active and manager is not None:
            manager.activate(windows[-1])
        return bool(windows) and windows[-1].active

    assert until(there, START_SECONDS), f"{title} did not open"
    computer.observe()
    return found[0]


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def selects(computer: Computer, words: str) -> bool:
    clipboard = computer.desktop.clipboard
    assert clipboard is not None
    return until(lambda: clipboard.read("primary").strip() == words, 10)


def types_into_without_replacing(computer: Computer, note: Path, word: str) -> bool:
    """Whether a key that is typed now lands inside the word, which a double click would have let it replace."""
    computer.keyboard.press("x")

    def kept() -> bool:
        computer.keyboard.hotkey("ctrl", "s")
        return any(f"{word[:at]}x{word[at:]}" in note.read_text() for at in range(len(word) + 1))

    return until(kept)


def in_dbus(*argv: str) -> Sequence[str]:
    return ["dbus-run-session", "--", *argv]


def test_a_gtk_editor_selects_by_double_click_and_moves_text_by_drag_and_drop(
    mine: Computer, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("parcel rest of line\n\nend")  # whatever is dropped beside or below the end goes there
    mine.desktop.launch(in_dbus("mousepad", "--disable-server", str(note)))
    shown(mine, "note.txt")
    (word,) = [match for match in mine.display.find("parcel") if isinstance(match["coordinates"], tuple)]
    place = word["coordinates"]
    assert isinstance(place, tuple)
    mine.mouse.click(*place)
    mine.mouse.click(*place)
    assert types_into_without_replacing(mine, note, "parcel")
    mine.keyboard.press("backspace")
    mine.mouse.double_click(*place)
    assert selects(mine, "parcel")
    (last,) = mine.display.find('"end"')
    end = last["coordinates"]
    assert isinstance(end, tuple)
    mine.mouse.drag(place, (end[0] + 100, end[1]))

    def saved() -> str:
        mine.keyboard.hotkey("ctrl", "s")
        return note.read_text().strip()

    assert until(lambda: saved() == "rest of line\n\nendparcel"), saved()


def test_a_gtk_slider_is_dragged(mine: Computer, tmp_path: Path) -> None:
    out = tmp_path / "value"
    command = f"exec zenity --scale --title=Level --text=Level --value=0 > {out}"
    mine.desktop.launch(in_dbus("sh", "-c", command))
    window = shown(mine, "Level").area
    row = window.top + window.height // 2
    mine.mouse.drag((window.left + 25, row), (window.left + window.width // 2, row))
    mine.keyboard.press("tab")
    mine.keyboard.press("enter")
    assert until(lambda: out.read_text().strip().isdigit())
    assert 45 <= int(out.read_text()) <= 70


def test_a_file_manager_moves_what_is_dragged_onto_a_folder_and_with_ctrl_copies_it(
    mine: Computer, tmp_path: Path
) -> None:
    needs("pcmanfm")
    place = tmp_path / "files"
    (place / "Archive").mkdir(parents=True)
    (place / "report.txt").write_text("figures")
    (place / "sketch.txt").write_text("lines")
    mine.desktop.launch(in_dbus("pcmanfm", "--no-desktop", str(place)))
    shown(mine, "files")
    mine.mouse.drag("sketch.txt", "Archive", keys="ctrl")
    assert until((place / "Archive" / "sketch.txt").exists, 15)
    assert (place / "sketch.txt").exists()
    mine.observe()
    mine.mouse.drag("report.txt", "Archive")
    assert until((place / "Archive" / "report.txt").exists, 15)
    assert not (place / "report.txt").exists()


GTK4 = """
import sys, gi
gi.require_version("Gtk", "4.0")
from gi.repository import GObject, Gdk, Gtk
def show(app):
    window = Gtk.ApplicationWindow(application=app, title="Parcels", default_width=400, default_height=200)
    row = Gtk.Box(homogeneous=True)
    here, there = Gtk.Label(label="here"), Gtk.Label(label="there")
    source = Gtk.DragSource()
    source.connect("prepare", lambda *_: Gdk.ContentProvider.new_for_value("parcel"))
    here.add_controller(source)
    target = Gtk.DropTarget.new(GObject.TYPE_STRING, Gdk.DragAction.COPY)
    target.connect("drop", lambda _, value, *__: open(sys.argv[1], "w").write(value) > 0)
    there.add_controller(target)
    row.append(here)
    row.append(there)
    window.set_child(row)
    window.present()
app = Gtk.Application()
app.connect("activate", show)
app.run()
"""


def test_gtk4_drag_and_drop_delivers_what_was_dragged(mine: Computer, tmp_path: Path) -> None:
    probe = [SYSTEM_PYTHON, "-c", "import gi; gi.require_version('Gtk', '4.0')"]
    if subprocess.run(probe, check=False, capture_output=True).returncode:
        pytest.skip("GTK 4 is not installed for the system's Python")
    program, dropped = tmp_path / "parcels.py", tmp_path / "dropped"
    program.write_text(GTK4)
    mine.desktop.launch(
        in_dbus(SYSTEM_PYTHON, str(program), str(dropped)), environment={"GSK_RENDERER": "cairo"}
    )
    area = shown(mine, "Parcels").area
    row = area.top + area.height // 2
    mine.mouse.drag((area.left + area.width // 4, row), (area.left + area.width * 3 // 4, row))
    assert until(lambda: dropped.exists() and dropped.read_text() == "parcel")


def test_a_window_is_dragged_by_its_title_bar(mine: Computer) -> None:
    mine.desktop.launch(["xterm", "-T", "Dragged", "-geometry", "60x10+100+100"])
    before = shown(mine, "Dragged").area
    title = (before.left + 60, before.top - 8)
    mine.mouse.drag(title, (title[0] + 237, title[1] + 151))
    manager = mine.desktop.windows
    assert manager is not None

    def moved() -> tuple[int, int]:
        (now,) = (window.area for window in manager.all() if window.title == "Dragged")
        return now.left - before.left, now.top - before.top

    assert until(lambda: moved() == (237, 151)), moved()


def test_a_terminal_selects_a_word_by_double_click(mine: Computer) -> None:
    # It has its title only when the words before it are there.
    prints = r"printf 'alpha beta\n\033]2;Words\007'; exec sleep 1000"
    mine.desktop.launch(["xterm", "-T", "Opening", "-e", "sh", "-c", prints])
    area = shown(mine, "Words").area
    place = (area.left + 20, area.top + 8)
    mine.mouse.double_click(*place)
    assert selects(mine, "alpha")
    mine.mouse.click(*place)
    mine.mouse.triple_click(*place)
    assert selects(mine, "alpha beta")


def test_a_qt_editor_counts_clicks_right(mine: Computer, tmp_path: Path) -> None:
    needs("featherpad")
    note = tmp_path / "words.txt"
    note.write_text("alpha beta gamma\n")
    mine.desktop.launch(in_dbus("featherpad", "--standalone", str(note)))
    shown(mine, "words.txt")
    (word,) = mine.display.find('"beta"')
    place = word["coordinates"]
    assert isinstance(place, tuple)
    mine.mouse.double_click(*place)
    assert selects(mine, "beta")
    mine.mouse.triple_click(*place)
    assert selects(mine, "alpha beta gamma")
    mine.mouse.click(*place)
    mine.mouse.click(*place)
    assert types_into_without_replacing(mine, note, "beta")


def test_no_button_is_left_down_by_any_of_it(mine: Computer) -> None:
    display = mine.desktop._display  # type: ignore[attr-defined] # the name that the test gave it
    mine.mouse.drag((10, 10), (600, 400), button="middle")
    with connected(display) as connection:
        assert connection.screen().root.query_pointer().mask & 0x1F00 == 0
