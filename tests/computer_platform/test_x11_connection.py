"""Opening a display, losing it, starting programs on it, and what it shows."""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xvfb import server, until, x_server

from computer_platform.desktop import Area, DesktopUnavailable, Elements
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_platform.desktop import Element

pytestmark = pytest.mark.desktop


@pytest.fixture
def desktop() -> Iterator[X11Desktop]:
    with x_server() as name:
        opened = X11Desktop(name)
        yield opened
        opened.close()


def unused_display() -> str:
    with server() as (name, _):
        return name


def test_a_display_that_nobody_serves_is_named_with_what_to_do(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    name = unused_display()
    with pytest.raises(DesktopUnavailable, match=f'"{name}".*DISPLAY'):
        open_desktop(name)


@pytest.mark.parametrize("name", [":98765", ":99999999999999999999", "localhost:98765"])
def test_a_number_past_all_ports_is_a_display_that_nobody_serves(
    name: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    with pytest.raises(DesktopUnavailable, match=f'No X server answers at "{name}".*DISPLAY'):
        open_desktop(name)


@pytest.mark.parametrize("name", ["", "zero", "1", ":x"])
def test_a_name_that_is_none_is_quoted(name: str, open_desktop: Callable[..., X11Desktop]) -> None:
    with pytest.raises(DesktopUnavailable, match=f'"{name}".*":0"'):
        open_desktop(name)


def test_a_display_that_asks_for_a_cookie_opens_only_with_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], open_desktop: Callable[..., X11Desktop]
) -> None:
    file, cookie = tmp_path / "authority", os.urandom(16)
    parts = (socket.gethostname().encode(), b"", b"MIT-MAGIC-COOKIE-1", cookie)
    entry = b"".join(struct.pack(">H", len(part)) + part for part in parts)
    file.write_bytes(struct.pack(">H", 256) + entry)
    with server(authority=file) as (name, _):
        with pytest.raises(DesktopUnavailable, match="XAUTHORITY"):
            open_desktop(name)
        desktop = open_desktop(name, environment={"XAUTHORITY": str(file)})
        assert desktop.capture().area == Area(0, 0, 1280, 800)
        desktop.clipboard.write("with the cookie")
        assert desktop.clipboard.read() == "with the cookie"
        desktop.close()
    assert "XAUTHORITY" not in os.environ
    assert capfd.readouterr() == ("", "")


def test_an_empty_authority_file_is_no_reason_to_print(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], open_desktop: Callable[..., X11Desktop]
) -> None:
    empty = tmp_path / "Xauthority"
    empty.touch()
    with server() as (name, _):
        open_desktop(name, environment={"XAUTHORITY": str(empty)}).close()
    assert capfd.readouterr() == ("", "")


VERBS: dict[str, Callable[[X11Desktop], object]] = {
    "displays": lambda desktop: desktop.displays(),
    "capture": lambda desktop: desktop.capture(),
    "a part": lambda desktop: desktop.capture(Area(0, 0, 9, 9)),
    "pointer": lambda desktop: desktop.pointer(),
    "move": lambda desktop: desktop.move(5, 5),
    "button": lambda desktop: desktop.button("left", down=False),
    "scroll": lambda desktop: desktop.scroll(0, 1),
    "key": lambda desktop: desktop.key("a", down=True),
    "type_text": lambda desktop: desktop.type_text("é"),
    "release_all": lambda desktop: desktop.release_all(),
    "windows": lambda desktop: desktop.windows,
    "launch": lambda desktop: desktop.launch(["true"]),
    "read": lambda desktop: desktop.clipboard.read(),
    "write": lambda desktop: desktop.clipboard.write("x"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_that_the_screen_went_away(
    verb: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    with server() as (name, process):
        desktop = open_desktop(name)
        desktop.capture()
        desktop.key("Shift_L", down=True)
        process.kill()
        process.wait()
        for _ in range(2):
            with pytest.raises(DesktopUnavailable, match=name):
                VERBS[verb](desktop)
        desktop.close()
        desktop.close()


def test_closing_after_the_screen_went_away_is_safe(open_desktop: Callable[..., X11Desktop]) -> None:
    with server() as (name, process):
        desktop = open_desktop(name)
        desktop.clipboard.write("x")
        desktop.type_text("é")
        desktop.capture()
        process.send_signal(signal.SIGKILL)
        process.wait()
        desktop.close()


class Speaking:
    """Stands for the controls of programs; only whether there is one matters here."""

    def elements(self, *, pid: int | None = None, seconds: float = 1.0) -> Elements:
        return Elements()

    def focused(self, *, seconds: float = 0.3) -> Element | None:
        return None


def environment_of(desktop: X11Desktop, folder: Path, **added: str) -> dict[str, str]:
    kept = folder / "environment"
    desktop.launch(["sh", "-c", f"env > {kept}.new; mv {kept}.new {kept}"], environment=added)
    assert until(kept.exists)
    return dict(line.split("=", 1) for line in kept.read_text().splitlines() if "=" in line)


def test_programs_start_with_our_environment_and_what_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_desktop: Callable[..., X11Desktop]
) -> None:
    monkeypatch.setenv("FROM_US", "1")
    monkeypatch.setenv("NO_AT_BRIDGE", "1")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with server() as (name, _):
        desktop = open_desktop(name, environment={"FROM_DESKTOP": "2", "BOTH": "desktop", "DISPLAY": ":77"})
        found = environment_of(desktop, tmp_path, BOTH="launch")
        desktop.close()
    assert (found["FROM_US"], found["FROM_DESKTOP"], found["BOTH"]) == ("1", "2", "launch")
    assert found["DISPLAY"] == name
    assert not found.keys() & {"NO_AT_BRIDGE", "WAYLAND_DISPLAY", "GTK_MODULES"}


def test_programs_describe_their_controls_when_somebody_listens(
    tmp_path: Path, open_desktop: Callable[..., X11Desktop]
) -> None:
    with server() as (name, _):
        desktop = open_desktop(name, accessibility=Speaking())
        found = environment_of(desktop, tmp_path)
        desktop.close()
    assert found["GTK_MODULES"] == "gail:atk-bridge"
    assert found["NO_AT_BRIDGE"] == "0"


def test_a_program_that_ended_leaves_no_zombie(desktop: X11Desktop) -> None:
    pid = desktop.launch(["true"])
    assert until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_program_has_a_session_of_its_own_and_no_terminal(desktop: X11Desktop) -> None:
    pid = desktop.launch(["sleep", "60"])
    assert os.getsid(pid) == pid
    files = [str(Path(f"/proc/{pid}/fd/{number}").readlink()) for number in (0, 1, 2)]
    assert files[:2] == [os.devnull] * 2
    assert files[2].startswith("pipe:"), "where it may complain, and is heard while it starts"
    os.kill(pid, signal.SIGTERM)


def test_a_program_that_is_not_named_is_refused(desktop: X11Desktop) -> None:
    with pytest.raises(ValueError, match="No program"):
        desktop.launch([])


def test_a_picture_has_blue_green_and_red_in_that_order(desktop: X11Desktop) -> None:
    root = desktop._connection.root
    root.change_attributes(background_pixel=0x102030)
    root.clear_area()
    desktop._connection.sync()
    assert desktop.capture(Area(5, 5, 2, 2)).pixels[:, :, :3].tolist() == [[[0x30, 0x20, 0x10]] * 2] * 2


def test_monitors_are_listed_with_the_primary_first(open_desktop: Callable[..., X11Desktop]) -> None:
    with server((1600, 600)) as (name, _):
        for monitor, left in (("left", 0), ("*right", 800)):
            place = f"800/200x600/150+{left}+0"
            subprocess.run(["xrandr", "-d", name, "--setmonitor", monitor, place, "none"], check=True)
        desktop = open_desktop(name)
        listed = [(shown.name, shown.primary, shown.area.left) for shown in desktop.displays()]
        assert listed[0] == ("right", True, 800)
        assert ("left", False, 0) in listed
        assert [primary for _, primary, _ in listed].count(True) == 1
        assert desktop.capture().area == Area(0, 0, 1600, 600)
        desktop.close()


def test_buttons_and_the_wheel_reach_the_program_under_the_pointer(
    tmp_path: Path, open_desktop: Callable[..., X11Desktop]
) -> None:
    kept = tmp_path / "events"
    with server() as (name, _):
        desktop = open_desktop(name)
        desktop.launch(["sh", "-c", f"exec xev -event button -geometry 400x400+0+0 > {kept}"])
        desktop.move(390, 380)
        assert until(
            lambda: kept.exists() and (desktop.capture(Area(390, 380, 1, 1)).pixels[..., :3] == 255).all()
        )
        for button in ("left", "middle", "right", "back", "forward"):
            desktop.button(button, down=True)
            desktop.button(button, down=False)
        desktop.scroll(0, 2)
        desktop.scroll(0, -1)
        desktop.scroll(1, 0)
        desktop.scroll(-1, 0)
        numbers = [1, 2, 3, 8, 9, 5, 5, 4, 7, 6]
        assert until(lambda: pressed(kept) == numbers), pressed(kept)
        desktop.close()


def pressed(kept: Path) -> list[int]:
    events = kept.read_text().split("\n\n")
    found = [re.search(r"button (\d+)", event) for event in events if event.startswith("ButtonPress")]
    return [int(match[1]) for match in found if match]
