from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from xvfb import server, x_server

from computer_platform import NAMES, connect
from computer_platform.desktop import DesktopUnavailable

FLOOR = Path(__file__).parents[2] / "platform"


def test_importing_the_package_imports_nothing_heavy() -> None:
    script = "import sys, computer_platform; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(FLOOR)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "computer_platform" in loaded
    heavy = {"numpy", "PIL", "Xlib", "mss", "dbus_fast", "asyncio", "subprocess", "computer_platform.x11"}
    assert heavy.isdisjoint(loaded)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r'"vnc".*x11, private, memory'):
        connect("vnc", environment={})
    assert NAMES == ("x11", "private", "memory")


@pytest.mark.parametrize("size", [(0, 800), (1280, -1), (1280, 100_000)])
def test_an_impossible_size_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"{size[0]}x{size[1]}"):
        connect("memory", size=size, environment={})


def test_the_desktop_in_memory_has_the_size_asked_for() -> None:
    desktop = connect("memory", size=(640, 480), environment={})
    assert desktop.name == "memory"
    assert desktop.displays()[0].area == (0, 0, 640, 480)


@pytest.mark.desktop
def test_the_screen_that_the_environment_names_is_taken() -> None:
    with x_server((640, 480)) as display:
        for name in (None, "x11"):
            desktop = connect(name, environment={**os.environ, "DISPLAY": display})
            assert desktop.name == "x11"
            assert desktop.displays()[0].area == (0, 0, 640, 480)
            assert desktop.accessibility is None  # no bus answers in the tests' session
            desktop.close()


@pytest.mark.desktop
def test_the_session_of_the_person_gives_accessibility() -> None:
    theirs = connect("private", size=(640, 480), environment=os.environ)
    try:
        assert theirs.accessibility is not None
        folder = theirs.running.folder  # type: ignore[attr-defined]  # only a private one has it
        session = {
            "DISPLAY": theirs.running.display,  # type: ignore[attr-defined]  # see above
            "XAUTHORITY": f"{folder}/Xauthority",
            "XDG_RUNTIME_DIR": f"{folder}/run",  # the bus is found there, as on a person's desktop
        }
        desktop = connect(None, environment=session)
        assert desktop.name == "x11"
        assert desktop.accessibility is not None
        assert not desktop.accessibility.elements(seconds=5).truncated
        desktop.close()
    finally:
        theirs.close()


@pytest.mark.desktop
def test_a_private_one_is_opened_where_there_is_no_screen() -> None:
    with server() as (display, process):
        process.kill()
        process.wait()
    for environment in ({}, {"DISPLAY": display}):
        desktop = connect(None, size=(640, 480), environment={**os.environ, **environment})
        assert desktop.name == "private"
        assert desktop.displays()[0].area == (0, 0, 640, 480)
        desktop.close()


@pytest.mark.desktop
def test_a_screen_that_was_asked_for_and_does_not_answer_is_an_error() -> None:
    with server() as (display, process):
        process.kill()
        process.wait()
    with pytest.raises(DesktopUnavailable, match=display):
        connect("x11", environment={"DISPLAY": display})


@pytest.mark.desktop
def test_without_display_the_x11_desktop_says_what_to_do() -> None:
    with pytest.raises(DesktopUnavailable, match="DISPLAY is not set"):
        connect("x11", environment={})


@pytest.mark.skipif(sys.platform != "linux", reason="other systems are refused before this is looked at")
def test_a_wayland_session_without_x_is_said_to_be_unsupported() -> None:
    with pytest.raises(DesktopUnavailable, match=r"Wayland.*private"):
        connect(None, environment={"WAYLAND_DISPLAY": "wayland-0"})


@pytest.mark.skipif(sys.platform == "linux", reason="Linux is supported")
@pytest.mark.parametrize("name", [None, "x11", "private"])
def test_another_system_is_said_to_be_unsupported(name: str | None) -> None:
    with pytest.raises(DesktopUnavailable, match=sys.platform):
        connect(name, environment={"DISPLAY": ":0"})
