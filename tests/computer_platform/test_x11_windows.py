"""Windows as the window manager lists them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import x11_sinks
from xvfb import server, until, window_manager, x_server

from computer_platform.desktop import Area
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_platform.desktop import Window
    from computer_platform.x11.windows import X11Windows

pytestmark = pytest.mark.desktop


@pytest.fixture
def desktop() -> Iterator[X11Desktop]:
    with x_server() as display:
        opened = X11Desktop(display)
        yield opened
        opened.close()


@pytest.fixture
def windows(desktop: X11Desktop) -> X11Windows:
    found = desktop.windows
    assert found is not None
    return found


def opened(desktop: X11Desktop, title: str) -> tuple[int, Window]:
    pid = desktop.launch(["xterm", "-T", title])
    windows = desktop.windows
    assert windows is not None
    assert until(lambda: any(window.title == title for window in windows.all()), 30)
    return pid, the(windows, title)


def the(windows: X11Windows, title: str) -> Window:
    (found,) = (window for window in windows.all() if window.title == title)
    return found


def test_a_window_is_listed_with_its_title_program_and_place(
    desktop: X11Desktop, windows: X11Windows
) -> None:
    assert windows.all() == ()
    pid, window = opened(desktop, "Übersicht 你好")
    assert window.app == "XTerm"
    assert window.pid == pid
    assert not window.hidden
    # the client area of a terminal is its background: white in every corner
    corners = [(0, 0), (window.area.width - 1, 0), (0, window.area.height - 1)]

    def white() -> bool:
        pixels = desktop.capture(the(windows, window.title).area).pixels
        return all((pixels[y, x, :3] == 255).all() for x, y in corners)

    assert until(white)


def test_the_last_in_the_list_is_on_top_and_activation_raises(
    desktop: X11Desktop, windows: X11Windows
) -> None:
    opened(desktop, "first")
    opened(desktop, "second")
    for title in ("first", "second", "first"):
        windows.activate(the(windows, title))
        listed = windows.all()
        assert listed[-1].title == title
        assert [window.title for window in listed if window.active] == [title]


def test_a_minimised_window_is_hidden_and_comes_back_when_activated(
    desktop: X11Desktop, windows: X11Windows
) -> None:
    _, window = opened(desktop, "shy")
    windows._ask(window.id, "WM_CHANGE_STATE", [3, 0, 0, 0, 0])
    assert until(lambda: the(windows, "shy").hidden)
    windows.activate(window)
    assert not the(windows, "shy").hidden
    assert the(windows, "shy").active


@pytest.mark.parametrize("corner", [(300, 200), (60, 90), (0, 40)])
def test_a_window_goes_exactly_where_it_is_moved(
    desktop: X11Desktop, windows: X11Windows, corner: tuple[int, int]
) -> None:
    _, window = opened(desktop, "moving")
    windows.move(window, Area(*corner, window.area.width, window.area.height))
    assert the(windows, "moving").area == Area(*corner, window.area.width, window.area.height)


def test_a_window_can_be_resized(desktop: X11Desktop, windows: X11Windows) -> None:
    desktop.launch(["zenity", "--entry", "--title", "resizing"])
    assert until(lambda: any(window.title == "resizing" for window in windows.all()), 30)
    windows.move(the(windows, "resizing"), Area(100, 120, 600, 400))
    assert the(windows, "resizing").area == Area(100, 120, 600, 400)


def test_the_process_is_known_of_a_program_that_does_not_say_it(
    desktop: X11Desktop, windows: X11Windows, tmp_path: Path
) -> None:
    with x11_sinks.tk(desktop, tmp_path) as sink:
        pid = the(windows, sink.title).pid
        assert b"tk_sink.py" in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_closed_window_leaves_the_list_and_requests_about_it_do_nothing(
    desktop: X11Desktop, windows: X11Windows
) -> None:
    _, window = opened(desktop, "going")
    _, other = opened(desktop, "staying")
    windows.close(window)
    assert until(lambda: [window.title for window in windows.all()] == ["staying"])
    windows.close(window)
    windows.activate(window)
    windows.move(window, Area(0, 0, 100, 100))
    assert the(windows, "staying").id == other.id


def test_there_are_no_windows_without_a_manager_and_some_when_it_starts(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server() as (display, _):
        desktop = open_desktop(display)
        assert desktop.windows is None
        with window_manager(display) as manager:
            assert desktop.windows is not None
            manager.kill()
            manager.wait()
            assert until(lambda: desktop.windows is None)
        desktop.type_text("nobody manages, and typing still works")
        desktop.close()
