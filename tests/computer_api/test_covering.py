"""Password fields and typed secrets are on no picture that leaves; what is looked at in between stays whole."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from web_page import CHROMIUM_FLAGS
from xvfb import until

from computer_api.actions import TypeText, Zoom
from computer_api.computer import Computer
from computer_api.covering import without
from computer_api.geometry import Box, Point
from computer_platform.desktop import Area
from computer_platform.memory import MemoryDesktop, Screen, Widget
from computer_platform.private import open_private
from computer_vision.picture import GREY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_api.screenshot import Screenshot
    from computer_platform.private import PrivateDesktop
    from computer_vision.reader import Reader

_boxes = st.builds(Box, st.integers(0, 30), st.integers(0, 30), st.integers(1, 20), st.integers(1, 20))

FIELD = Area(200, 100, 240, 40)
LOGIN = Screen(
    name="login",
    widgets=(
        Widget(kind="password", name="Code", area=FIELD, value="hunter2hunter2"),
        Widget(kind="field", name="Name", area=Area(200, 200, 240, 40)),
    ),
)


@given(_boxes, _boxes)
def test_the_rest_of_a_box_outside_another_is_told_in_parts_that_do_not_overlap(box: Box, hole: Box) -> None:
    parts = without(box, hole)
    for x in range(box.left - 1, box.right + 1):
        for y in range(box.top - 1, box.bottom + 1):
            point = Point(x, y)
            assert sum(point in part for part in parts) == (point in box and point not in hole)


def crop(image: Image.Image | bytes, area: Area) -> np.ndarray:
    picture = image if isinstance(image, Image.Image) else Image.open(BytesIO(image))
    return np.asarray(picture.convert("RGB"))[area.top + 1 : area.bottom - 1, area.left + 1 : area.right - 1]


def is_solid(image: Image.Image | bytes, area: Area) -> bool:
    """Whether nothing at all can be seen there; JPEG may move a level by one or two."""
    return bool((abs(crop(image, area).astype(int) - GREY) <= 3).all())


@pytest.fixture
def computer(reader: Reader) -> Iterator[Computer]:
    with Computer(MemoryDesktop((640, 400), (LOGIN,)), reader=reader, patience=0.0, receipts=False) as opened:
        yield opened


def test_every_picture_that_leaves_is_covered_and_the_frame_is_not(computer: Computer) -> None:
    seen = computer.observe()
    assert not is_solid(Image.fromarray(seen.frame.pixels[:, :, 2::-1]), FIELD), "the frame is for locating"
    for data in (seen.png(), seen.jpeg(), seen.image()):
        assert is_solid(data, FIELD)
    assert is_solid(computer.display.view(), FIELD)
    assert is_solid(computer.display.capture(region=(150, 50, 640, 400)).image(), Area(50, 50, 240, 40))
    assert is_solid(
        computer.perform(Zoom(left=200, top=100, right=440, bottom=140)).images[0], Area(0, 0, 240, 40)
    )


def test_what_is_looked_at_to_see_whether_the_screen_is_quiet_asks_no_program(computer: Computer) -> None:
    assert computer.look().covered == ()


def test_a_secret_that_was_typed_is_covered_wherever_it_stands_in_clear(computer: Computer) -> None:
    computer.perform(TypeText(text="Zanzibar99", into=None, secret=True))  # nothing has the keyboard
    computer.mouse.click(320, 220)
    computer.keyboard.write("Zanzibar99")
    seen = computer.observe()
    field = Area(206, 206, 60, 28)
    assert (seen.frame.pixels[206:234, 206:260, :3] < 100).any(), "the field shows it"
    dark = crop(seen.png(), field) < 100
    assert not dark.any()
    assert all("Zanzibar99" not in one.name + one.value for one in computer.elements(seen).items)


# ---------------------------------------------------------------- real programs


@pytest.fixture(scope="module")
def desktop() -> Iterator[PrivateDesktop]:
    opened = open_private((1000, 700), os.environ)
    yield opened
    opened.close()


@pytest.fixture
def eyes(desktop: PrivateDesktop, reader: Reader) -> Computer:
    return Computer(desktop, reader=reader, receipts=False)


@contextmanager
def started(desktop: PrivateDesktop, *argv: str) -> Iterator[int]:
    pid = desktop.launch(argv)
    yield pid
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: not Path(f"/proc/{pid}").exists())


def covered(eyes: Computer, pid: int) -> tuple[Screenshot, Area]:
    """A picture on which the only password field of a program is covered, and the field as the program tells it."""
    accessibility = eyes.desktop.accessibility
    assert accessibility is not None
    found: list[Area] = []

    def in_its_window(field: Area) -> bool:
        """A window that has just come tells places from before the window manager moved it."""
        own = [one for one in eyes.desktop.windows.all() if one.pid == pid] if eyes.desktop.windows else []
        return any(Box(*field).center in Box(*one.area) for one in own)

    def shows() -> bool:
        found[:] = [
            one.area
            for one in accessibility.elements(pid=pid, seconds=5).items
            if one.role == "password text" and one.area.width > 20
        ]
        return bool(found and in_its_window(found[0]) and eyes.observe().covered)

    assert until(shows, 60)
    return eyes.observe(), found[0]


PAGE = """<!doctype html><title>Sign in</title><body style="font:20px sans-serif">
<p><label>Secret <input id=s type=password value=Kilimanjaro></label>
<table>""" + "".join(f"<tr><td>Row {row}<td><a href=#>link</a><td><button>Go</button>" for row in range(200))
GTK4 = """
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk
def show(app):
    entry = Gtk.PasswordEntry(show_peek_icon=True)
    entry.set_text("Kilimanjaro")
    Gtk.ApplicationWindow(application=app, title="Sign in", child=entry, default_width=400).present()
app = Gtk.Application()
app.connect("activate", show)
app.run()
"""


@pytest.mark.desktop
def test_a_gtk3_password_is_covered_and_still_when_its_window_moves(
    desktop: PrivateDesktop, eyes: Computer
) -> None:
    with started(desktop, "zenity", "--forms", "--title=Login", "--add-password=Access code") as pid:
        _, field = covered(eyes, pid)
        eyes.mouse.click(*field_middle(field))
        desktop.type_text("Kilimanjaro")
        assert until(lambda: shows_ink(eyes, field))
        seen, field = covered(eyes, pid)
        assert is_solid(seen.png(), inner(field))
        (window,) = (one for one in desktop.windows.all() if one.pid == pid)
        desktop.windows.move(window, Area(40, 60, window.area.width, window.area.height))
        assert until(lambda: covered(eyes, pid)[1].left < field.left)
        seen, field = covered(eyes, pid)
        assert is_solid(seen.png(), inner(field))


@pytest.mark.desktop
def test_the_fields_of_a_program_that_hangs_stay_covered(desktop: PrivateDesktop, eyes: Computer) -> None:
    with started(desktop, "zenity", "--password", "--title=Login") as pid:
        _, field = covered(eyes, pid)
        os.kill(pid, signal.SIGSTOP)
        seen = eyes.observe()
        assert not seen.sure
        assert is_solid(seen.png(), inner(field))


@pytest.mark.desktop
def test_what_covers_a_password_field_is_seen(desktop: PrivateDesktop, eyes: Computer) -> None:
    with started(desktop, "zenity", "--password", "--title=Login") as pid:
        _, field = covered(eyes, pid)
        with started(desktop, "xterm", "-geometry", "160x50+0+0"):
            assert until(lambda: len(desktop.windows.all()) >= 2)
            (over,) = (one for one in desktop.windows.all() if one.app.casefold() == "xterm")
            desktop.windows.activate(over)
            assert until(lambda: not any(box.overlap(Box(*field)) for box in eyes.observe().covered))


@pytest.mark.desktop
def test_a_chromium_password_is_covered_on_a_page_of_a_thousand_controls(
    desktop: PrivateDesktop, eyes: Computer, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    flags = [f"--{flag}" for flag in (*CHROMIUM_FLAGS, "force-renderer-accessibility")]
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    with started(desktop, "chromium", *flags, profile, f"--app=file://{tmp_path / 'page.html'}") as pid:
        seen, field = covered(eyes, pid)
        assert is_solid(seen.png(), inner(field))


@pytest.mark.desktop
def test_a_gtk4_password_is_covered_also_while_it_is_shown_in_clear(
    desktop: PrivateDesktop, eyes: Computer, tmp_path: Path
) -> None:
    program = tmp_path / "sign_in.py"
    program.write_text(GTK4)
    python = "/usr/bin/python3" if sys.platform == "linux" else sys.executable
    with started(desktop, python, str(program)) as pid:
        seen, field = covered(eyes, pid)
        assert is_solid(seen.png(), inner(field))
        eyes.mouse.click(field.left + field.width - 14, field.top + field.height // 2)  # the eye
        assert until(lambda: "Kilimanjaro" in " ".join(eyes.text()), 20), "it is shown in clear now"
        assert is_solid(eyes.observe().png(), inner(field))


def inner(field: Area) -> Area:
    """The field without its round corners."""
    return Area(field.left + 4, field.top + 4, field.width - 8, field.height - 8)


def field_middle(field: Area) -> tuple[int, int]:
    return field.left + field.width // 2, field.top + field.height // 2


def shows_ink(eyes: Computer, field: Area) -> bool:
    """Whether there is something to read in the field, on the uncovered frame."""
    return bool((eyes.look().part(Box(*field)).pixels[6:-6, 10:-10, :3] < 80).any())
