from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import killed_after
from xvfb import until

from computer_platform.atspi import ROLES, STATES, AtspiAccessibility
from computer_platform.atspi.roles import state_names
from computer_platform.desktop import Area
from computer_platform.private import open_private
from computer_vision.reader import open_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from computer_platform.desktop import Accessibility, Element, Elements
    from computer_platform.private import PrivateDesktop

pytestmark = pytest.mark.desktop

PAGE = """<!doctype html><title>Form</title>
<label>Name <input value=Ada></label> <label>Secret <input type=password value=hidden></label>
<textarea aria-label=Notes>one
two</textarea> <input type=range value=30 aria-label=Volume> <button>Save</button>
<p style="display:none"><button>Nowhere</button></p>
<div style="height:9000px"></div><button>Far below</button>"""
SHOWING, VISIBLE, FOCUSED = 1 << 25, 1 << 30, 1 << 12
BUTTON, FRAME = 43, 23


@pytest.fixture(scope="module")
def desktop() -> Iterator[PrivateDesktop]:
    opened = open_private((1000, 700), os.environ)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def spoken(desktop: PrivateDesktop) -> Accessibility:
    assert desktop.accessibility is not None
    return desktop.accessibility


@contextmanager
def started(desktop: PrivateDesktop, *argv: str, **environment: str) -> Iterator[int]:
    pid = desktop.launch(argv, environment=environment)
    yield pid
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: not Path(f"/proc/{pid}").exists())


@pytest.fixture
def mousepad(desktop: PrivateDesktop) -> Iterator[int]:
    with started(desktop, "mousepad", "--disable-server") as pid:
        yield pid


FORM = (
    "zenity",
    "--forms",
    "--text=Contact",
    "--add-entry=Name",
    "--add-entry=City",
    "--add-password=Secret",
)


def of(spoken: Accessibility, pid: int, fits: Callable[[Element], bool], seconds: float = 30) -> Element:
    found: list[Element] = []

    def look() -> bool:
        found[:] = [one for one in spoken.elements(pid=pid, seconds=2).items if fits(one)]
        return bool(found)

    assert until(look, seconds), spoken.elements(pid=pid, seconds=2).items
    return found[0]


def click(desktop: PrivateDesktop, element: Element) -> None:
    desktop.move(element.area.left + element.area.width // 2, element.area.top + element.area.height // 2)
    desktop.button("left", down=True)
    desktop.button("left", down=False)


def test_the_controls_of_a_gtk_form_are_told_with_role_name_and_place(
    desktop: PrivateDesktop, spoken: Accessibility
) -> None:
    with started(desktop, *FORM) as pid:
        save = of(spoken, pid, lambda one: one.name == "OK")
        assert save.role == "push button"
        assert save.pid == pid
        assert {"showing", "focusable", "enabled"} <= save.states
        told = spoken.elements(pid=pid, seconds=5)
        assert not told.truncated
        fields = [one for one in told.items if one.role in {"text", "password text"}]
        labels = [one for one in told.items if one.name in {"Name", "City", "Secret"}]
        assert [one.role for one in fields] == ["text", "text", "password text"]
        assert [one.area.top for one in labels] == [one.area.top for one in fields]
        assert desktop.windows is not None
        (window,) = (one for one in desktop.windows.all() if one.pid == pid)
        assert all(inside(one.area, window.area) for one in [*fields, *labels, save])


def inside(area: Area, other: Area) -> bool:
    return (
        other.left <= area.left
        and other.top <= area.top
        and area.right <= other.right
        and area.bottom <= other.bottom
    )


def test_what_a_field_holds_is_told_and_what_a_password_field_holds_is_not(
    desktop: PrivateDesktop, spoken: Accessibility
) -> None:
    with started(desktop, *FORM) as pid:
        for role, text in (("text", "Ada Lovelace"), ("password text", "hidden")):
            click(desktop, of(spoken, pid, lambda one, role=role: one.role == role))
            assert until(lambda role=role: has_focus(spoken, pid, role))
            desktop.type_text(text)
        assert of(spoken, pid, lambda one: one.value == "Ada Lovelace").role == "text"
        assert of(spoken, pid, lambda one: one.role == "password text").value == ""
        focused = spoken.focused(pid=pid, seconds=2)
        assert focused is not None
        assert (focused.role, focused.value) == ("password text", "")


def has_focus(spoken: Accessibility, pid: int, role: str) -> bool:
    focused = spoken.focused(pid=pid, seconds=2)
    return focused is not None and focused.role == role


def test_places_under_gdk_scale_are_those_on_the_screen(
    desktop: PrivateDesktop, spoken: Accessibility
) -> None:
    with started(desktop, "zenity", "--info", "--text=Twice", GDK_SCALE="2") as pid:
        save = of(spoken, pid, lambda one: one.role == "push button")
        assert desktop.windows is not None
        (window,) = (one for one in desktop.windows.all() if one.pid == pid)
        assert inside(save.area, window.area)
        assert save.area.bottom > window.area.top + window.area.height // 2


def test_typed_text_can_be_read_back_from_the_focused_control(
    desktop: PrivateDesktop, spoken: Accessibility, mousepad: int
) -> None:
    assert until(lambda: has_focus(spoken, mousepad, "text"), 30)
    desktop.type_text("Grüße,\nAda")
    assert until(lambda: getattr(spoken.focused(seconds=1), "value", None) == "Grüße,\nAda")
    focused = spoken.focused(seconds=1)
    assert focused is not None
    assert focused.pid == mousepad
    assert {"focused", "editable"} <= focused.states


def test_an_open_menu_is_told_and_a_closed_one_is_not(
    desktop: PrivateDesktop, spoken: Accessibility, mousepad: int
) -> None:
    assert until(lambda: has_focus(spoken, mousepad, "text"), 30)
    file = of(spoken, mousepad, lambda one: one.name == "File")
    told = spoken.elements(pid=mousepad, seconds=5)
    assert "Open..." not in {one.name for one in told.items}
    assert not told.truncated  # a closed menu hides nothing
    click(desktop, file)
    assert of(spoken, mousepad, lambda one: one.name == "Open...").role == "menu item"


def test_the_controls_of_a_web_page_are_told_but_not_what_is_hidden_or_scrolled_away(
    desktop: PrivateDesktop, spoken: Accessibility, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    chromium = (
        "chromium", "--no-sandbox", "--no-first-run", "--force-renderer-accessibility", "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}", "--window-size=900,600", str(tmp_path / "page.html"),
    )  # fmt: skip
    with started(desktop, *chromium) as pid:
        name = of(spoken, pid, lambda one: (one.role, one.name) == ("entry", "Name"), 60)
        assert name.value == "Ada"
        told = {one.name: one for one in spoken.elements(pid=pid, seconds=10).items if one.role != "static"}
        assert (told["Secret"].role, told["Secret"].value) == ("password text", "")
        assert told["Notes"].value == "one\ntwo"
        assert told["Volume"].value == "30"
        assert told["Save"].role == "push button"
        assert "Nowhere" not in told
        assert "Far below" not in told
        click(desktop, name)
        assert until(lambda: getattr(spoken.focused(pid=pid, seconds=2), "name", None) == "Name")


def test_a_program_that_hangs_costs_only_its_own_part_of_the_answer(
    desktop: PrivateDesktop, spoken: Accessibility, mousepad: int
) -> None:
    of(spoken, mousepad, lambda one: one.name == "File")
    with started(desktop, *FORM) as hanging:
        of(spoken, hanging, lambda one: one.name == "OK")
        os.kill(hanging, signal.SIGSTOP)
        before = time.monotonic()
        told = spoken.elements(seconds=1)
        took = time.monotonic() - before
        assert told.truncated
        assert "File" in {one.name for one in told.items if one.pid == mousepad}
        assert hanging not in {one.pid for one in told.items}
        assert took < 1.5
        before = time.monotonic()
        spoken.focused(seconds=0.3)
        assert time.monotonic() - before < 0.8


@contextmanager
def program(
    desktop: PrivateDesktop, toolkit: str, controls: Sequence[tuple[str | int | Area, ...]]
) -> Iterator[int]:
    """A program of that toolkit with controls of (path, parent, role, name, states, place[, claimed children])."""
    keys = ("path", "parent", "role", "name", "states", "extents", "count")
    tree = {"toolkit": toolkit, "controls": [dict(zip(keys, one, strict=False)) for one in controls]}
    bus = f"unix:path={desktop.running.folder}/run/bus"
    script = Path(__file__).with_name("spoken_program.py")
    command = [sys.executable, str(script), bus, json.dumps(tree)]
    with killed_after(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process.pid


ROOT = "/org/a11y/atspi/accessible/root"


def test_a_program_without_a_cache_is_walked_down_to_what_shows(
    desktop: PrivateDesktop, spoken: Accessibility
) -> None:
    shows, place = SHOWING | VISIBLE, Area(10, 10, 50, 20)
    controls = [
        ("/window", ROOT, FRAME, "Window", shows, Area(0, 0, 400, 300)),
        ("/window/low", "/window", BUTTON, "Low", shows, Area(10, 200, 50, 20)),
        ("/window/high", "/window", BUTTON, "High", shows | FOCUSED, place),
        ("/window/tab", "/window", BUTTON, "Hidden", VISIBLE, place),
        ("/window/tab/button", "/window/tab", BUTTON, "In the hidden", shows, place),
        ("/window/flat", "/window", BUTTON, "Flat", shows, Area(10, 10, 50, 0)),
        ("/window/away", "/window", BUTTON, "Off the screen", shows, Area(5000, 10, 50, 20)),
    ]
    with program(desktop, "Qt", controls) as pid:
        told = spoken.elements(pid=pid, seconds=5)
        assert [one.name for one in told.items] == ["Window", "High", "Low"]
        assert told.items[1].area == place
        assert not told.truncated
        focused = spoken.focused(pid=pid, seconds=5)
        assert focused is not None
        assert focused.name == "High"


def test_a_sheet_that_claims_a_billion_cells_is_not_asked_for_them(
    desktop: PrivateDesktop, spoken: Accessibility
) -> None:
    shows = SHOWING | VISIBLE
    controls = [
        ("/window", ROOT, FRAME, "Window", shows, Area(0, 0, 400, 300)),
        ("/window/save", "/window", BUTTON, "Save", shows, Area(10, 10, 50, 20)),
        ("/window/sheet", "/window", ROLES.index("table"), "Sheet", shows, Area(10, 40, 300, 200), 1 << 30),
    ]
    with program(desktop, "Qt", controls) as pid:
        began = time.monotonic()
        told = spoken.elements(pid=pid, seconds=5)
        found = spoken.find("save", pid=pid, seconds=5)
        assert time.monotonic() - began < 4
        assert {one.name for one in told.items} == {"Window", "Save", "Sheet"}
        assert told.truncated
        assert [one.name for one in found.items] == ["Save"]


def words(desktop: PrivateDesktop, text: str) -> list[Area]:
    """Where that word is read on the picture of the screen."""
    lines = open_reader().read(desktop.capture().pixels)
    return [Area(*word.region) for line in lines for word in line.words if text in word.text]


def lies_in(word: Area, box: Area) -> bool:
    """Whether the middle of the word is in the box, which is hardly higher than it."""
    x, y = word.left + word.width // 2, word.top + word.height // 2
    return box.left <= x < box.right and abs(y - (box.top + box.height // 2)) <= max(6, box.height // 4)


@pytest.mark.parametrize(
    ("program_name", "name"), [("mousepad", "File"), ("gnome-text-editor", "Open"), ("featherpad", "Options")]
)
def test_the_word_that_is_seen_lies_in_the_box_that_is_told(
    desktop: PrivateDesktop, spoken: Accessibility, program_name: str, name: str
) -> None:
    if shutil.which(program_name) is None:
        pytest.skip(f"{program_name} is not installed")
    with started(desktop, program_name) as pid:
        of(spoken, pid, lambda one: one.name == name)

        def agree() -> bool:
            boxes = [one.area for one in spoken.find(name, pid=pid, seconds=2).items]
            return any(lies_in(word, box) for word in words(desktop, name) for box in boxes)

        assert until(agree, 20), (words(desktop, name), spoken.find(name, pid=pid, seconds=2).items)


NO_TIPS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Office.Common/Misc">
<prop oor:name="ShowTipOfTheDay" oor:op="fuse"><value>false</value></prop></item></oor:items>"""


@contextmanager
def office(desktop: PrivateDesktop, folder: Path, *arguments: str) -> Iterator[None]:
    """LibreOffice with a profile of its own; its processes end with it."""
    if shutil.which("soffice") is None:
        pytest.skip("LibreOffice is not installed")
    settings = folder / "profile" / "user" / "registrymodifications.xcu"
    settings.parent.mkdir(parents=True)
    settings.write_text(NO_TIPS)
    desktop.launch(["soffice", f"-env:UserInstallation=file://{folder}/profile", "--norestore", *arguments])
    try:
        yield
    finally:
        windows = desktop.windows.all()
        for pid in {one.pid for one in windows if one.pid is not None and "LibreOffice" in one.title}:
            os.kill(pid, signal.SIGKILL)
            assert until(partial(is_gone, pid))


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def office_button(spoken: Accessibility, name: str) -> Element:
    found: list[Element] = []

    def look() -> bool:
        buttons = frozenset({"push button", "toggle button"})
        found[:] = spoken.find(name, roles=buttons, seconds=2).items
        return bool(found)

    assert until(look, 60)
    return found[0]


def test_what_libreoffice_tells_lies_where_it_is_seen_and_works(
    desktop: PrivateDesktop, spoken: Accessibility, tmp_path: Path
) -> None:
    with office(desktop, tmp_path, "--writer"):
        office_button(spoken, "Bold")

        def agree() -> bool:
            menus = [one.area for one in spoken.find("Edit", seconds=2).items if one.role == "menu"]
            return len(menus) == 1 and any(lies_in(word, menus[0]) for word in words(desktop, "Edit"))

        assert until(agree, 20), spoken.find("Edit", seconds=2)
        click(desktop, office_button(spoken, "Bold"))  # a row of buttons higher it would be another one
        on = {"pressed", "checked"}
        assert until(lambda: bool(office_button(spoken, "Bold").states & on), 20)


def test_a_real_sheet_is_told_in_time_and_asking_for_secrets_does_not_hang_it(
    desktop: PrivateDesktop, spoken: Accessibility, tmp_path: Path
) -> None:
    with office(desktop, tmp_path, "--calc"):
        office_button(spoken, "Save")
        asked: dict[str, Callable[[], Elements]] = {
            "secrets": lambda: spoken.secrets(seconds=2),
            "find": lambda: spoken.find("Save", seconds=2),
            "all": lambda: spoken.elements(seconds=2),
        }
        for what, ask in asked.items():
            began = time.monotonic()
            told = ask()
            assert time.monotonic() - began < 2.5, what  # 2.2 and what a busy machine adds
            assert what == "secrets" or "Save" in {one.name for one in told.items}


@pytest.mark.parametrize("asked", ["open file", "_Open File...", "Open File:", "OPEN  FILE"])
def test_a_control_is_found_by_its_name_however_it_is_written(
    desktop: PrivateDesktop, spoken: Accessibility, asked: str
) -> None:
    shows, place = SHOWING | VISIBLE, Area(10, 10, 50, 20)
    controls = [
        ("/window", ROOT, FRAME, "Window", shows, Area(0, 0, 400, 300)),
        ("/window/open", "/window", BUTTON, "Open _File…", shows, place),
        ("/window/other", "/window", BUTTON, "Open Files", shows, Area(80, 10, 50, 20)),
        ("/window/hidden", "/window", BUTTON, "Open File", VISIBLE, Area(150, 10, 50, 20)),
        ("/window/label", "/window", ROLES.index("label"), "Open File", shows, Area(10, 50, 50, 20)),
    ]
    with program(desktop, "Qt", controls) as pid:
        found = spoken.find(asked, roles=frozenset({"push button"}), pid=pid, seconds=5)
        assert [(one.name, one.area) for one in found.items] == [("Open _File…", place)]
        assert len(spoken.find(asked, pid=pid, seconds=5).items) == 2
        assert spoken.find("Open", pid=pid, seconds=5).items == ()
        assert spoken.find("", pid=pid, seconds=5).items == ()


def test_in_a_toolkit_that_never_says_showing_visible_is_enough(
    desktop: PrivateDesktop, spoken: Accessibility
) -> None:
    controls = [
        ("/window", ROOT, FRAME, "Window", VISIBLE, Area(0, 0, 400, 300)),
        ("/window/button", "/window", BUTTON, "Seven", VISIBLE, Area(10, 10, 50, 20)),
        ("/window/hidden", "/window", BUTTON, "Hidden", 0, Area(10, 40, 50, 20)),
    ]
    with program(desktop, "GTK", controls) as pid:
        assert [one.name for one in spoken.elements(pid=pid, seconds=5).items] == ["Window", "Seven"]
    with program(desktop, "gtk", controls) as pid:
        assert spoken.elements(pid=pid, seconds=5).items == ()


def test_a_tree_with_a_loop_comes_to_an_end(desktop: PrivateDesktop, spoken: Accessibility) -> None:
    shows = SHOWING | VISIBLE
    controls = [
        ("/one", ROOT, FRAME, "One", shows, Area(0, 0, 40, 30)),
        ("/two", "/three", BUTTON, "Two", shows | FOCUSED, Area(0, 0, 40, 30)),
        ("/three", "/two", BUTTON, "Three", shows, Area(0, 0, 40, 30)),
    ]
    with program(desktop, "Qt", controls) as pid:
        assert [one.name for one in spoken.elements(pid=pid, seconds=3).items] == ["One"]


def test_without_a_bus_nothing_is_told_and_nothing_raised(tmp_path: Path) -> None:
    silent = AtspiAccessibility(f"unix:path={tmp_path / 'none'}")
    assert not silent.available()
    assert silent.elements().items == ()
    assert silent.elements().truncated
    assert silent.focused() is None
    silent.close()
    silent.close()


def test_a_bus_that_never_answers_is_waited_for_no_longer_than_allowed(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "bus"))
        listening.listen()
        silent = AtspiAccessibility(f"unix:path={tmp_path / 'bus'}")
        before = time.monotonic()
        assert not silent.available(seconds=0.3)
        assert silent.elements(seconds=0.3).truncated
        assert time.monotonic() - before < 1.5
        silent.close()


def test_it_can_be_asked_again_after_it_hung_up(desktop: PrivateDesktop, mousepad: int) -> None:
    again = AtspiAccessibility(f"unix:path={desktop.running.folder}/run/bus")
    of(again, mousepad, lambda one: one.name == "File")
    again.close()
    of(again, mousepad, lambda one: one.name == "File")
    again.close()


@given(st.sets(st.sampled_from(STATES)))
def test_states_are_numbered_as_in_the_specification(states: set[str]) -> None:
    numbers = {"active": 1, "editable": 7, "focused": 12, "showing": 25, "visible": 30, "read only": 43}
    assert {name: STATES.index(name) for name in numbers} == numbers
    assert state_names(sum(1 << STATES.index(name) for name in states)) == states


def test_roles_are_numbered_as_in_the_specification() -> None:
    numbers = {"check box": 7, "password text": 40, "push button": 43, "text": 61, "entry": 79, "link": 88}
    assert {name: ROLES.index(name) for name in numbers} == numbers


def test_a_bus_that_ends_is_no_error_to_be_logged(caplog: pytest.LogCaptureFixture) -> None:
    with open_session() as (bus, session):
        spoken = AtspiAccessibility(bus)
        assert spoken.available()
        session.kill()
        session.wait()
        assert until(lambda: spoken.elements().items == () and spoken.elements().truncated)
        spoken.close()
    gc.collect()
    assert caplog.records == []


@contextmanager
def open_session() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A bare session bus, and the process it is; what it starts ends with it."""
    started = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with killed_after(started) as session:
        assert session.stdout is not None
        yield session.stdout.readline().strip(), session
