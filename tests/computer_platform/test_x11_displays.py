"""Monitors on a real X server: where they are, what they show, and what happens when they come, go and grow."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from monitors import LEFT, MIDDLE, RIGHT, THREE, UNION, add, geometry, put_up, resize, settings, take_away
from Xlib import X, Xatom
from xvfb import connected, server, until

from computer_platform.desktop import Area, DesktopUnavailable
from computer_platform.x11.screens import scale_in_resources, scale_in_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from Xlib.display import Display

    from computer_platform.x11 import X11Desktop

pytestmark = pytest.mark.desktop

AREAS = {
    "left": Area(0, 360, 1920, 1080),
    "middle": Area(1920, 0, 1280, 1440),
    "right": Area(3200, 100, 1280, 720),
}
BLUE, GREEN, RED = 0x0000FF, 0x00FF00, 0xFF0000


def painted(connection: Display, area: Area, colour: int) -> None:
    """Cover the area with a window of that colour that no window manager touches."""
    window = connection.screen().root.create_window(
        *area, 0, X.CopyFromParent, X.InputOutput, background_pixel=colour, override_redirect=True
    )
    window.map()
    connection.sync()


def colours(pixels: NDArray[np.uint8]) -> set[int]:
    blue, green, red = (pixels[..., channel].astype(int) for channel in range(3))
    return set(np.unique(red << 16 | green << 8 | blue).tolist())


def test_each_of_several_monitors_is_told_and_captured_by_itself(
    open_desktop: Callable[..., X11Desktop], observe: Callable[[str], Display]
) -> None:
    with server(UNION) as (name, _):
        put_up(name, *THREE)
        desktop, connection = open_desktop(name), observe(name)
        for monitor, colour in zip(AREAS, (BLUE, GREEN, RED), strict=True):
            painted(connection, AREAS[monitor], colour)
        told = {display.name: display for display in desktop.displays()}
        assert {monitor: display.area for monitor, display in told.items()} == AREAS
        assert desktop.displays()[0].name == "middle"
        assert [display.primary for display in desktop.displays()] == [True, False, False]
        for monitor, colour in zip(AREAS, (BLUE, GREEN, RED), strict=True):
            frame = desktop.capture(told[monitor].area)
            assert frame.area == AREAS[monitor]
            assert colours(frame.pixels) == {colour}
        everything = desktop.capture()
        assert everything.area == Area(0, 0, *UNION)
        assert everything.monitors == (AREAS["middle"], AREAS["left"], AREAS["right"])
        assert colours(everything.pixels) == {BLUE, GREEN, RED, 0}  # black where no monitor is
        assert colours(everything.pixels[:360, :1920]) == {0}
        desktop.close()


def test_a_part_of_the_root_that_no_monitor_reaches_is_not_captured(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server((1600, 900)) as (name, _):
        put_up(
            name,
            geometry("one", Area(100, 50, 800, 600), primary=True),
            geometry("two", Area(900, 80, 300, 200)),
        )
        desktop = open_desktop(name)
        assert desktop.capture().area == Area(100, 50, 1100, 600)
        desktop.close()


def test_a_monitor_that_is_added_or_taken_away_is_seen_in_the_next_picture(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server(UNION) as (name, _):
        put_up(name, LEFT, MIDDLE)
        desktop = open_desktop(name)
        assert desktop.capture().area == Area(0, 0, 3200, 1440)
        add(name, RIGHT)
        frame = desktop.capture()
        assert (frame.area, frame.pixels.shape) == (Area(0, 0, 4480, 1440), (1440, 4480, 4))
        take_away(name, "middle")
        assert [display.name for display in desktop.displays()] == ["left", "right"]
        assert [display.primary for display in desktop.displays()] == [True, False]
        frame = desktop.capture()
        assert (frame.area, len(frame.monitors)) == (Area(0, 100, 4480, 1340), 2)
        take_away(name, "right")
        assert desktop.capture().area == AREAS["left"]
        desktop.close()


@pytest.mark.parametrize(
    "options", [(), ("-extension", "MIT-SHM")], ids=["shared memory", "through the socket"]
)
def test_a_screen_that_shrinks_and_grows_is_captured_at_its_size_of_now(
    open_desktop: Callable[..., X11Desktop], options: tuple[str, ...]
) -> None:
    with server((1600, 1200), options=options) as (name, _):
        resize(name, 800, 600)
        desktop = open_desktop(name)
        connection = (
            desktop._connection.server
        )  # another of python-xlib's would mix up the two servers' events
        painted(connection, Area(0, 0, 1600, 1200), GREEN)
        kept = []
        for size in ((800, 600), (1600, 1200), (500, 700), (1600, 300), (1024, 768)):
            resize(name, *size)
            frame = desktop.capture()
            assert frame.area == Area(0, 0, *size)
            assert frame.pixels.shape == (size[1], size[0], 4)
            assert colours(frame.pixels) == {GREEN}
            assert desktop.displays()[0].area == Area(0, 0, *size)
            kept.append(frame)
        painted(connection, Area(0, 0, 1600, 1200), RED)
        assert colours(desktop.capture().pixels) == {RED}
        assert all(colours(frame.pixels) == {GREEN} for frame in kept)
        desktop.close()


def test_an_area_that_a_shrunk_screen_has_no_more_is_an_error_and_the_rest_is_clipped(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server((1600, 1200)) as (name, _):
        desktop = open_desktop(name)
        assert desktop.capture(Area(1000, 800, 200, 200)).area == Area(1000, 800, 200, 200)
        resize(name, 1100, 700)
        with pytest.raises(ValueError, match=r'"\(1000, 800, 200, 200\)" lies outside'):
            desktop.capture(Area(1000, 800, 200, 200))
        assert desktop.capture(Area(1000, 600, 200, 200)).area == Area(1000, 600, 100, 100)
        desktop.move(1500, 1100)
        assert desktop.pointer() == (1099, 699)
        desktop.close()


def test_a_defined_monitor_is_no_larger_than_the_screen_that_shrank_under_it(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server((1600, 600)) as (name, _):
        put_up(
            name, geometry("one", Area(0, 0, 900, 600), primary=True), geometry("two", Area(900, 0, 700, 600))
        )
        desktop = open_desktop(name)
        resize(name, 1000, 400)
        assert {display.name: display.area for display in desktop.displays()} == {
            "one": Area(0, 0, 900, 400),
            "two": Area(900, 0, 100, 400),
        }
        resize(name, 800, 400)
        assert [display.name for display in desktop.displays()] == ["one"]
        assert desktop.capture().area == Area(0, 0, 800, 400)
        desktop.close()


def test_many_pictures_may_be_held_and_each_stays_what_it_was(
    open_desktop: Callable[..., X11Desktop], observe: Callable[[str], Display]
) -> None:
    with server((320, 200)) as (name, _):
        desktop, connection = open_desktop(name), observe(name)
        held = []
        for number in range(25):
            painted(connection, Area(0, 0, 320, 200), number)
            held.append(desktop.capture())
        assert [colours(frame.pixels) for frame in held] == [{number} for number in range(25)]
        part = held[3].pixels[10:20, 10:20]
        del held
        gc.collect()
        for number in range(100, 125):
            painted(connection, Area(0, 0, 320, 200), number)
            assert colours(desktop.capture().pixels) == {number}
        assert colours(part) == {3}
        last = desktop.capture()
        desktop.close()
        assert colours(last.pixels) == {124}
        assert colours(part) == {3}


def test_no_shared_memory_is_left_behind(open_desktop: Callable[..., X11Desktop]) -> None:
    def made_here() -> int:
        """How many segments this process has made that still are, here or at the server."""
        segments = Path("/proc/sysvipc/shm").read_text(encoding="ascii").splitlines()
        return sum(line.split()[4] == str(os.getpid()) for line in segments[1:])

    gc.collect()
    before = made_here()
    with server((1920, 1080)) as (name, _):
        desktop = open_desktop(name)
        frames = [desktop.capture() for _ in range(4)]
        assert made_here() > before
        desktop.close()
        del frames
        gc.collect()
        assert until(lambda: made_here() <= before)


def test_a_huge_screen_is_captured_whole_and_in_parts(
    open_desktop: Callable[..., X11Desktop], observe: Callable[[str], Display]
) -> None:
    with server((7680, 4320)) as (name, _):
        desktop = open_desktop(name)
        painted(observe(name), Area(7600, 4300, 80, 20), RED)
        assert desktop.capture().pixels.shape == (4320, 7680, 4)
        frames = [desktop.capture(Area(7600, 4300, 500, 500)) for _ in range(3)]
        assert all(
            colours(frame.pixels) == {RED} and frame.area == Area(7600, 4300, 80, 20) for frame in frames
        )
        desktop.move(7679, 4319)
        assert desktop.pointer() == (7679, 4319)
        desktop.close()


def test_servers_that_number_their_extensions_otherwise_are_used_side_by_side(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server((640, 400)) as (one, _), server((800, 600), options=("-extension", "MIT-SHM")) as (other, _):
        for first, second in ((one, other), (other, one)):
            desktops = [open_desktop(first), open_desktop(second)]
            for desktop in (*desktops, *desktops):
                area = desktop.capture().area
                desktop.move(area.width - 5, area.height - 5)
                assert desktop.pointer() == (area.width - 5, area.height - 5)
                assert desktop.displays()[0].area == area
            for desktop in desktops:
                desktop.close()


def test_a_server_that_goes_away_is_said_to_be_gone(open_desktop: Callable[..., X11Desktop]) -> None:
    with server((640, 400)) as (name, process):
        desktop = open_desktop(name)
        frame = desktop.capture()
        process.kill()
        process.wait()
        with pytest.raises(DesktopUnavailable):
            desktop.capture()
        assert frame.pixels.shape == (400, 640, 4)
        with pytest.raises(DesktopUnavailable):
            desktop.displays()
        desktop.close()


def test_the_scale_is_what_the_resources_say_else_the_settings_daemon_else_one(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server((640, 400)) as (name, _), connected(name) as daemon:
        desktop = open_desktop(name)

        def scale() -> float:
            return desktop.displays()[0].scale

        assert scale() == 1.0
        owner = daemon.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        owner.set_selection_owner(daemon.intern_atom("_XSETTINGS_S0"), X.CurrentTime)
        kept = daemon.intern_atom("_XSETTINGS_SETTINGS")
        for told, expected in (
            (settings(Xft_DPI=144 * 1024), 1.5),
            (settings(Gdk_WindowScalingFactor=2, Xft_DPI=96 * 1024), 2.0),
            (settings(Gdk_WindowScalingFactor=1, Xft_DPI=120 * 1024), 1.25),
            (b"\0\0\0", 1.0),
        ):
            owner.change_property(kept, kept, 8, told)
            daemon.sync()
            assert scale() == expected
        owner.change_property(kept, kept, 8, settings(Xft_DPI=144 * 1024))
        root = daemon.screen().root
        for resources, expected in (
            ("Xft.dpi:\t192\n", 2.0),
            ("*foo: 1\nXft.dpi: 144\n", 1.5),
            ("a: b", 1.5),
        ):
            root.change_property(Xatom.RESOURCE_MANAGER, Xatom.STRING, 8, resources.encode())
            daemon.sync()
            assert scale() == expected
        desktop.close()


@given(st.binary(max_size=200))
def test_no_settings_are_so_broken_that_they_cannot_be_read_over(told: bytes) -> None:
    scale = scale_in_settings(told)
    assert scale == 0.0 or 0.5 <= scale <= 8


@pytest.mark.parametrize(
    ("resources", "scale"),
    [
        ("Xft.dpi: 96", 1.0),
        ("Xft.dpi: none", 0.0),
        ("Xft.dpi: -5", 0.0),
        ("Xft.dpi: nan", 0.0),
        ("! Xft.dpi: 192", 0.0),
    ],
)
def test_a_resource_that_makes_no_sense_asks_for_no_scale(resources: str, scale: float) -> None:
    assert scale_in_resources(resources.encode()) == scale
