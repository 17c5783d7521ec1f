"""Windows as the window manager lists them."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typing_sinks
from Xlib import X, Xatom
from xvfb import connected, server, until, window_manager, x_server

from computer_platform import connect
from computer_platform.desktop import Area, Ended
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
    with typing_sinks.tk(desktop, tmp_path) as sink:
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


def test_a_window_is_arranged_as_asked_and_goes_back_to_where_it_was(
    desktop: X11Desktop, windows: X11Windows
) -> None:
    _, window = opened(desktop, "arranged")
    windows.arrange(window, "maximize")
    assert the(windows, "arranged").maximized
    assert the(windows, "arranged").area.width > 1200
    windows.arrange(window, "minimize")
    assert the(windows, "arranged").hidden
    windows.arrange(window, "restore")
    now = the(windows, "arranged")
    assert (now.hidden, now.maximized, now.area) == (False, False, window.area)


def test_raising_leaves_the_keyboard_where_it_is(desktop: X11Desktop, windows: X11Windows) -> None:
    _, below = opened(desktop, "below")
    opened(desktop, "above")
    windows.activate(the(windows, "above"))
    windows.arrange(below, "raise")
    assert [(window.title, window.active) for window in windows.all()] == [("above", True), ("below", False)]


def test_raising_does_not_wait_for_a_panel_to_go_below(desktop: X11Desktop, windows: X11Windows) -> None:
    with connected(desktop._connection.display) as display:
        panel = display.screen().root.create_window(0, 0, 1280, 30, 0, X.CopyFromParent)
        kind = display.intern_atom("_NET_WM_WINDOW_TYPE_DOCK")
        panel.change_property(display.intern_atom("_NET_WM_WINDOW_TYPE"), Xatom.ATOM, 32, [kind])
        panel.map()
        display.sync()
        opened(desktop, "one")
        opened(desktop, "two")
        assert until(lambda: panel.id in windows._stack())
        took = []
        for title in ("one", "two", "one"):
            began = time.monotonic()
            windows.arrange(the(windows, title), "raise")
            took.append(time.monotonic() - began)
            assert windows.all()[-1].title == title
        assert min(took) < 1.5  # and not the two seconds after which it gives up


def test_a_window_on_another_virtual_desktop_is_hidden_until_it_is_activated(
    desktop: X11Desktop, windows: X11Windows
) -> None:
    _, window = opened(desktop, "elsewhere")
    windows._ask(window.id, "_NET_WM_DESKTOP", [2, 2, 0, 0, 0])
    assert until(lambda: the(windows, "elsewhere").hidden)
    windows.activate(window)
    assert (the(windows, "elsewhere").hidden, the(windows, "elsewhere").active) == (False, True)


def test_the_shadow_that_a_program_draws_is_no_part_of_its_window(
    desktop: X11Desktop, windows: X11Windows
) -> None:
    """As GTK does under a compositor: its own frame and a shadow around it, all in one X window."""
    program = """
import tkinter
window = tkinter.Tk()
window.title("shadowed")
window.overrideredirect(False)
window.attributes("-type", "normal")
window.geometry("400x300")
window.mainloop()
"""
    desktop.launch(["/usr/bin/python3", "-c", program])
    assert until(lambda: [window.title for window in windows.all()] == ["shadowed"], 30)
    plain = the(windows, "shadowed")
    with connected(desktop._display) as person:
        shown = person.create_resource_object("window", plain.id)
        shown.change_property(person.intern_atom("_GTK_FRAME_EXTENTS"), Xatom.CARDINAL, 32, [26, 26, 23, 29])
        person.sync()
    left, top, width, height = plain.area
    assert the(windows, "shadowed").area == Area(left + 26, top + 23, width - 52, height - 52)
    windows.move(the(windows, "shadowed"), Area(200, 150, 500, 350))
    assert the(windows, "shadowed").area == Area(200, 150, 500, 350)


def test_a_dialog_says_whose_it_is(desktop: X11Desktop, windows: X11Windows) -> None:
    program = """
import tkinter
window = tkinter.Tk()
window.title("owner")
dialog = tkinter.Toplevel(window)
dialog.title("dialog")
dialog.transient(window)
window.mainloop()
"""
    desktop.launch(["/usr/bin/python3", "-c", program])
    assert until(lambda: {window.title for window in windows.all()} == {"owner", "dialog"}, 30)
    assert until(lambda: the(windows, "dialog").dialog_of is not None)
    assert (the(windows, "owner").dialog_of, the(windows, "owner").maximized) == (None, False)
    # Tk puts a window of its own around each, and it is that which the manager has
    assert the(windows, "dialog").dialog_of in {window.id for window in windows.all()}


def test_a_window_manager_that_is_behind_is_waited_for(open_desktop: Callable[..., X11Desktop]) -> None:
    """It deals with nothing for longer than a request usually takes, as openbox does after a change of the keyboard."""
    with server() as (display, _), window_manager(display) as manager:
        desktop = open_desktop(display)
        opened(desktop, "first")
        opened(desktop, "second")
        windows = desktop.windows
        assert windows is not None
        manager.send_signal(signal.SIGSTOP)
        later = threading.Timer(2.5, manager.send_signal, [signal.SIGCONT])
        later.start()
        try:
            windows.activate(the(windows, "first"))
            assert the(windows, "first").active
        finally:
            later.join()
        desktop.close()


def test_without_a_manager_windows_are_listed_and_moved_all_the_same(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server() as (display, _):
        desktop = open_desktop(display)
        windows = desktop.windows
        assert windows is not None
        assert (windows.managed, windows.all()) == (False, ())
        pid, first = opened(desktop, "first")
        _, second = opened(desktop, "second")
        assert (first.pid, first.app) == (pid, "XTerm")
        for window in (first, second, first):
            windows.activate(window)
            assert [(one.id, one.active) for one in windows.all()][-1] == (window.id, True)
        windows.move(first, Area(50, 60, 400, 300))
        assert the(windows, "first").area == Area(50, 60, 400, 300)
        windows.arrange(second, "raise")
        assert [(one.title, one.active) for one in windows.all()] == [("first", True), ("second", False)]
        windows.close(first)
        assert until(lambda: [one.title for one in windows.all()] == ["second"])
        desktop.close()


def test_a_manager_takes_over_when_it_starts_and_is_missed_when_it_ends(
    open_desktop: Callable[..., X11Desktop],
) -> None:
    with server() as (display, _):
        desktop = open_desktop(display)
        with window_manager(display) as manager:
            assert desktop.windows is not None
            assert desktop.windows.managed
            manager.kill()
            manager.wait()
            assert until(lambda: desktop.windows is not None and not desktop.windows.managed)
        desktop.type_text("nobody manages, and typing still works")
        desktop.close()


@pytest.mark.parametrize("kind", ["x11", "private"])
def test_how_a_program_ended_is_known_with_its_last_words(
    open_desktop: Callable[..., X11Desktop], kind: str
) -> None:
    with ExitStack() as parts:
        if kind == "private":
            desktop = connect("private", size=(320, 240), environment=os.environ)
            parts.callback(desktop.close)
        else:
            desktop = open_desktop(parts.enter_context(x_server(manager=False)))

        def end_of(script: str) -> Ended | None:
            pid = desktop.launch(["sh", "-c", script])
            assert until(lambda: desktop.ended(pid) is not None)
            return desktop.ended(pid)

        assert end_of("echo first >&2; echo last words >&2; exit 3") == Ended(code=3, said="last words")
        assert end_of("exit 0") == Ended(code=0)
        assert end_of("kill -KILL $$") == Ended(code=-9)
        noisy = end_of("yes complaint | head -c 3000000 >&2; exit 1")
        assert noisy is not None
        assert (noisy.code, noisy.said.strip("complaint")) == (1, "")
        running = desktop.launch(["sleep", "60"])
        assert desktop.ended(running) is None
        assert desktop.ended(1) is None
        os.kill(running, signal.SIGKILL)


def test_programs_that_have_ended_leave_no_file_open_and_are_still_known(desktop: X11Desktop) -> None:
    def files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    pids = []
    before = files()
    for number in range(8):
        pids.append(desktop.launch(["sh", "-c", f"echo number {number} >&2; exit {number}"]))
        assert until(lambda: desktop.ended(pids[-1]) is not None)
    assert until(lambda: desktop.launch(["true"]) and files() < before + 5)
    assert [desktop.ended(pid) for pid in pids] == [
        Ended(code=number, said=f"number {number}") for number in range(8)
    ]


def test_a_program_goes_on_complaining_after_we_have_ended(tmp_path: Path) -> None:
    """A pipe of ours would break, and the program with it."""
    done = tmp_path / "done"
    with x_server(manager=False) as display:
        desktop = X11Desktop(display)
        go = tmp_path / "go"
        wait = f"while [ ! -e {go} ]; do sleep 0.02; done"
        desktop.launch(["sh", "-c", f"{wait}; yes | head -c 300000 >&2 && echo x >&2 && touch {done}"])
        desktop.close()
        go.touch()
        assert until(done.exists)
