from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import alive, below, killed_after, listening_ports
from xvfb import until, x_server

from computer_platform.desktop import DesktopUnavailable
from computer_platform.private import attach, open_private, program_environment, running
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_platform.desktop import PersonEvent, Window
    from computer_platform.private import PrivateDesktop

pytestmark = pytest.mark.desktop

SERVERS = {"Xtigervnc", "Xvfb"}

# A person's program that owns a desktop: it says where, and then waits to be killed.
OWNER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from computer_platform.private import open_private
desktop = open_private((640, 480), os.environ)
desktop.launch(["xterm", "-e", "setsid sleep 1234 & sleep 5678"])
print(desktop.running.folder, desktop.running.display, flush=True)
sys.stdin.read()
"""


@contextmanager
def private(size: tuple[int, int] = (800, 600)) -> Iterator[PrivateDesktop]:
    desktop = open_private(size, os.environ)
    try:
        yield desktop
    finally:
        desktop.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[PrivateDesktop]:
    with private() as desktop:
        yield desktop


def x_socket(display: str) -> tuple[int, int] | None:
    """Which socket the display has now; when it has gone, another server may take its number at once."""
    try:
        found = Path(f"/tmp/.X11-unix/X{display.removeprefix(':')}").stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_ctime_ns


def guardian_of(desktop: PrivateDesktop) -> int:
    return next(pid for pid in below(os.getpid()) if desktop.running.folder in command(pid))


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def server_of(desktop: PrivateDesktop) -> int:
    """The process of its X server, whichever that is."""
    return next(pid for pid, name in below(guardian_of(desktop)).items() if name in SERVERS)


def programs(folder: Path, *names: str) -> dict[str, str]:
    """An environment in which only these programs are found."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name) or "/nowhere")
    return {**os.environ, "PATH": str(folder)}


def window_of(desktop: PrivateDesktop, pid: int) -> Window:
    def found() -> list[Window]:
        assert desktop.windows is not None
        return [window for window in desktop.windows.all() if window.pid == pid]

    assert until(found, 20), f"process {pid} showed no window"
    return found()[0]


def test_its_x_server_takes_no_connection_from_the_network(shared: PrivateDesktop) -> None:
    assert listening_ports(server_of(shared)) == []


def test_where_it_can_be_watched_by_vnc_only_its_owner_can_connect(shared: PrivateDesktop) -> None:
    if shutil.which("Xtigervnc") is None:
        pytest.skip("Xtigervnc is not installed")
    assert shared.running.vnc is not None
    assert Path(shared.running.vnc).stat().st_mode & 0o077 == 0
    assert Path(shared.running.vnc).parent == Path(shared.running.folder)
    with socket.socket(socket.AF_UNIX) as viewer:
        viewer.connect(shared.running.vnc)
        assert viewer.recv(12).startswith(b"RFB 003.")


def test_without_xtigervnc_it_runs_on_xvfb_and_has_no_vnc(tmp_path: Path) -> None:
    desktop = open_private((640, 480), programs(tmp_path / "bin", "Xvfb", "openbox", "dbus-daemon", "sh"))
    try:
        assert command(server_of(desktop)).split()[0].endswith("Xvfb")
        assert desktop.running.vnc is None
        assert desktop.capture().pixels.shape == (480, 640, 4)
    finally:
        desktop.close()


def test_an_xtigervnc_that_does_not_start_is_replaced_by_xvfb(tmp_path: Path) -> None:
    environment = programs(tmp_path / "bin", "Xvfb", "openbox", "dbus-daemon", "sh")
    broken(tmp_path / "bin" / "Xtigervnc")
    desktop = open_private((640, 480), environment)
    try:
        assert desktop.running.vnc is None
    finally:
        desktop.close()


def broken(program: Path) -> None:
    """A program that complains and ends."""
    program.write_text("#!/bin/sh\necho 'no room on this machine' >&2\nexit 1\n")
    program.chmod(0o755)


def test_it_leaves_the_number_and_the_socket_of_a_server_that_runs_alone() -> None:
    with x_server(manager=False) as theirs, private() as desktop:
        assert desktop.running.display != theirs
        X11Desktop(theirs).close()  # it still answers


@pytest.mark.parametrize("shown", ["no file", "an empty file", "another cookie"])
def test_whoever_lacks_its_cookie_is_refused(shared: PrivateDesktop, tmp_path: Path, shown: str) -> None:
    wrong = tmp_path / "authority"
    if shown != "no file":
        right = Path(shared.running.xauthority).read_bytes()
        wrong.write_bytes(b"" if shown == "an empty file" else right.replace(right[-16:], os.urandom(16)))
    with pytest.raises(DesktopUnavailable, match="refused"):
        X11Desktop(shared.running.display, environment={"XAUTHORITY": str(wrong)})


def test_only_its_owner_can_enter_its_folder(shared: PrivateDesktop) -> None:
    folder = Path(shared.running.folder)
    for path in (folder.parent, folder, folder / "run"):
        assert path.stat().st_mode & 0o077 == 0
    assert Path(shared.running.xauthority).stat().st_mode & 0o077 == 0


def test_a_new_window_gets_the_keyboard_and_a_place_on_the_screen(shared: PrivateDesktop) -> None:
    window = window_of(shared, shared.launch(["xterm", "-geometry", "40x10"]))
    assert window.area.left >= 0
    assert window.area.top >= 0
    assert window.area.right <= 800
    assert window.area.bottom <= 600
    assert until(lambda: window_of(shared, window.pid or 0).active)


def test_a_click_on_the_background_opens_nothing(shared: PrivateDesktop) -> None:
    shared.move(790, 590)
    before = shared.capture().pixels
    for button in ("left", "right", "middle"):
        shared.button(button, down=True)
        shared.button(button, down=False)
    assert shared.windows is not None
    shared.windows.all()  # answered after the clicks
    assert np.array_equal(shared.capture().pixels, before)


def test_two_run_at_once_and_do_not_see_each_other(shared: PrivateDesktop) -> None:
    with private() as other:
        assert other.running.display != shared.running.display
        window = window_of(other, other.launch(["xterm"]))
        assert shared.windows is not None
        assert window.pid not in {one.pid for one in shared.windows.all()}
        assert [one.display for one in running(os.environ)] == [shared.running.display, other.running.display]


def test_programs_are_told_of_this_desktop_and_of_no_other(shared: PrivateDesktop, tmp_path: Path) -> None:
    told = tmp_path / "told"
    shared.launch(["sh", "-c", f"env >{told}.part; mv {told}.part {told}"], environment={"EXTRA": "yes"})
    assert until(told.exists)
    environment = dict(line.split("=", 1) for line in told.read_text().splitlines() if "=" in line)
    assert environment["DISPLAY"] == shared.running.display
    assert environment["XAUTHORITY"] == shared.running.xauthority
    assert environment["XDG_RUNTIME_DIR"].startswith(shared.running.folder)
    assert environment["DBUS_SESSION_BUS_ADDRESS"].startswith(f"unix:path={shared.running.folder}")
    assert environment["EXTRA"] == "yes"


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "DBUS_STARTER_ADDRESS", "XAUTHORITY",
                "AT_SPI_BUS_ADDRESS", "XDG_RUNTIME_DIR", "SESSION_MANAGER", "GTK_A11Y", "GDK_SCALE",
            ]
        ),
        st.just("the person's"),
    )
)  # fmt: skip
def test_no_way_to_the_persons_desktop_is_handed_on(environment: dict[str, str]) -> None:
    own = program_environment({**environment, "LANG": "de_DE.UTF-8"}, Path("/folder"))
    assert "the person's" not in own.values()
    assert own["LANG"] == "de_DE.UTF-8"


def test_a_program_that_is_not_there_is_named(shared: PrivateDesktop) -> None:
    with pytest.raises(FileNotFoundError, match='"no-such-program"'):
        shared.launch(["no-such-program"])


def test_what_is_done_in_person_is_told_apart_from_what_the_agent_does(shared: PrivateDesktop) -> None:
    events: list[PersonEvent] = []
    person = attach(shared.running, in_person=True)
    assert shared.person is not None
    shared.person.listen(events.append)
    try:
        shared.move(300, 300)
        shared.button("left", down=True)
        shared.release_all()
        shared.type_text("\u03a9")
        person.move(310, 305)
        person.button("middle", down=True)
        assert shared.held() == frozenset()
        shared.release_all()
        assert until(lambda: [event.name for event in events if event.kind != "motion"] == ["middle"])
        person.key("Shift_L", down=True)
        person.type_text("\u017e")
        person.release_all()
        # The letter is typed with Shift let go: Shift's release is heard before the letter.
        assert until(
            lambda: sum(event.kind == "key" and event.down and not event.name for event in events) == 1
        )
        person.button("back", down=True)  # a button that not every such mouse has
        person.close()
        assert not shared._connection.root.query_pointer().mask & 0x1F00
    finally:
        shared.person.stop()
        person.close()


def test_a_watcher_finds_it_and_sees_what_it_shows(shared: PrivateDesktop) -> None:
    (found,) = running(os.environ)
    assert found == shared.running
    assert found.pid == os.getpid()
    watching = attach(found)
    assert np.array_equal(watching.capture().pixels, shared.capture().pixels)
    watching.close()
    shared.pointer()  # closing the watcher has ended nothing


def test_closing_leaves_no_process_and_no_folder() -> None:
    with private() as desktop:
        window_of(desktop, desktop.launch(["xterm", "-e", "setsid sleep 1234 & sleep 5678"]))
        guardian = guardian_of(desktop)
        assert until(lambda: list(below(guardian).values()).count("sleep") == 2)
        ours, served = {guardian, *below(guardian)}, x_socket(desktop.running.display)
        started = time.monotonic()
        desktop.close()
        took = time.monotonic() - started
        assert [pid for pid in ours if alive(pid)] == []
        assert not Path(desktop.running.folder).exists()
        assert served is not None
        assert x_socket(desktop.running.display) != served
        assert took < 2  # 0.2 s when the machine is idle
        with pytest.raises(DesktopUnavailable):
            desktop.launch(["xterm"])


def test_killing_its_owner_leaves_no_process_and_no_folder() -> None:
    floor = str(Path(__file__).parents[2] / "platform")
    command = [sys.executable, "-c", OWNER, floor]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with killed_after(started) as owner:
        assert owner.stdout is not None
        folder, display = owner.stdout.readline().split()
        assert until(lambda: list(below(owner.pid).values()).count("sleep") == 2, 20)
        ours, served = below(owner.pid), x_socket(display)
        assert {"openbox", "dbus-daemon", "xterm"} <= set(ours.values())
        assert not SERVERS.isdisjoint(ours.values())
        owner.send_signal(signal.SIGKILL)
    assert until(lambda: not any(map(alive, ours))), [ours[pid] for pid in ours if alive(pid)]
    assert until(lambda: not Path(folder).exists())
    assert served is not None
    assert x_socket(display) != served
    assert folder not in {one.folder for one in running(os.environ)}


def test_killing_its_guardian_ends_its_programs_and_the_remains_are_removed_by_the_next_look() -> None:
    with private() as desktop:
        guardian = guardian_of(desktop)
        xterm = desktop.launch(["xterm"])
        ours = below(guardian)
        os.kill(guardian, signal.SIGKILL)
        assert until(lambda: not alive(xterm))
        assert until(
            lambda: not any(alive(pid) for pid, name in ours.items() if name in {*SERVERS, "openbox"})
        )
        with pytest.raises(DesktopUnavailable):
            desktop.launch(["xterm"])
        assert desktop.running not in running(os.environ)
        assert not Path(desktop.running.folder).exists()


def test_when_its_x_server_has_died_it_says_so_and_still_closes() -> None:
    with private() as desktop:
        guardian = guardian_of(desktop)
        server = server_of(desktop)
        os.kill(server, signal.SIGKILL)
        assert until(lambda: not alive(server))
        with pytest.raises(DesktopUnavailable):
            desktop.launch(["xterm"])
        desktop.close()
        assert not alive(guardian)


def test_a_record_that_cannot_be_read_is_passed_over(shared: PrivateDesktop) -> None:
    record = Path(shared.running.folder) / "desktop.json"
    before = record.read_text()
    record.write_text(before[:20])
    try:
        assert running(os.environ) == ()
    finally:
        record.write_text(before)


def test_a_process_that_reuses_the_owners_number_is_not_taken_for_it(shared: PrivateDesktop) -> None:
    record = Path(shared.running.folder) / "desktop.json"
    before = record.read_text()
    record.write_text(before.replace(f'"started": {shared.running.started}', '"started": 1'))
    try:
        assert running(os.environ) == ()
        assert record.exists()  # its guardian lives and will clean up itself
    finally:
        record.write_text(before)


def test_without_the_programs_it_says_what_to_install() -> None:
    with pytest.raises(DesktopUnavailable, match="sudo apt install xvfb openbox dbus"):
        open_private((800, 600), {**os.environ, "PATH": ""})


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A folder with a short name, as the one of a session has."""
    with tempfile.TemporaryDirectory(prefix="oi-test-", dir="/tmp") as folder:
        yield Path(folder)


def test_an_x_server_that_does_not_start_is_quoted_and_nothing_stays(runtime: Path, tmp_path: Path) -> None:
    for name in SERVERS:
        broken(tmp_path / name)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(runtime)}
    with pytest.raises(DesktopUnavailable, match="no room on this machine"):
        open_private((800, 600), environment)
    assert list((runtime / "oi").iterdir()) == []


def test_a_folder_that_others_can_enter_is_refused(runtime: Path) -> None:
    (runtime / "oi").mkdir(mode=0o755)
    with pytest.raises(DesktopUnavailable, match="only you can enter"):
        open_private((800, 600), {**os.environ, "XDG_RUNTIME_DIR": str(runtime)})


def test_a_folder_that_is_a_link_to_elsewhere_is_refused(runtime: Path) -> None:
    (runtime / "elsewhere").mkdir(mode=0o700)
    (runtime / "oi").symlink_to("elsewhere")
    with pytest.raises(DesktopUnavailable, match="only you can enter"):
        open_private((800, 600), {**os.environ, "XDG_RUNTIME_DIR": str(runtime)})


@pytest.mark.parametrize("deep", [False, True])
def test_without_a_runtime_folder_of_the_person_the_temporary_one_is_used(runtime: Path, deep: bool) -> None:  # noqa: FBT001 - a case
    temporary = runtime / ("deeper" * 12 if deep else "")
    temporary.mkdir(exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
    environment["TMPDIR"] = str(temporary)
    before = running(environment)
    desktop = open_private((640, 480), environment)
    try:
        # sockets below a deep folder would have names that are too long
        home = Path("/tmp" if deep else temporary) / f"oi-{os.getuid()}"
        assert Path(desktop.running.folder).parent == home
        assert set(running(environment)) == {*before, desktop.running}
    finally:
        desktop.close()
