"""The pointer on a real X server: where it lands, and what a program that is slow to look sees of it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import pytest
from xvfb import connected, until, x_server

from computer_api.geometry import Point
from computer_api.pointer import Pointer
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.desktop

POLL_SECONDS = 0.01
BUTTON_1 = 1 << 8


@contextmanager
def desk(size: tuple[int, int], *, manager: bool = False) -> Iterator[tuple[X11Desktop, str]]:
    with x_server(size, manager=manager) as display:
        desktop = X11Desktop(display)
        yield desktop, display
        desktop.close()


@pytest.mark.parametrize("size", [(1280, 800), (1921, 1079), (3840, 2160), (501, 333)])
def test_the_pointer_lands_on_the_very_point_at_every_size(size: tuple[int, int]) -> None:
    choose = random.Random(size[0])  # noqa: S311 - any points will do
    with desk(size) as (desktop, display), connected(display) as other:
        root = other.screen().root
        for _ in range(500):
            point = choose.randrange(size[0]), choose.randrange(size[1])
            desktop.move(*point)
            seen = root.query_pointer()
            assert (seen.root_x, seen.root_y) == desktop.pointer() == point


def test_windows_that_open_under_the_pointer_move_it_nowhere() -> None:
    with desk((1280, 800), manager=True) as (desktop, _):
        for number, point in enumerate([(300, 200), (640, 400), (20, 780)]):
            desktop.move(*point)
            at = f"{point[0] - 100}".join(("60x12+", f"+{point[1] - 100}"))
            desktop.launch(["xterm", "-T", f"number {number}", "-geometry", at])
            assert until(lambda wanted=f"number {number}": opened(desktop, wanted), 30)
            assert desktop.pointer() == point


def opened(desktop: X11Desktop, title: str) -> bool:
    return desktop.windows is not None and any(one.title == title for one in desktop.windows.all())


class Poller:
    """A program that looks at the buttons every 10 ms, as games do, and knows when it came late."""

    def __init__(self, display: str) -> None:
        self.presses = 0
        self.late = 0  # looks between which a whole press had room
        self._display = display
        self._done = threading.Event()
        self._looked = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._looked.wait(10)
        return self

    def __exit__(self, *_error: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        with connected(self._display) as connection:
            root, down, last = connection.screen().root, False, time.monotonic()
            while not self._done.wait(POLL_SECONDS):
                now_down = bool(root.query_pointer().mask & BUTTON_1)
                now = time.monotonic()
                self.late += now - last > 0.0115
                last = now
                self.presses += now_down and not down
                down = now_down
                self._looked.set()


def test_a_program_that_polls_the_buttons_sees_every_click() -> None:
    with desk((640, 480)) as (desktop, display), Poller(display) as poller:
        pointer = Pointer(desktop, check=lambda: None)
        desktop.move(100, 100)
        for _ in range(10):
            pointer.click(count=2)
            desktop.move(*((400, 300) if desktop.pointer() == (100, 100) else (100, 100)))
            time.sleep(POLL_SECONDS)
        time.sleep(2 * POLL_SECONDS)
        seen, late = poller.presses, poller.late
    assert seen <= 20
    assert seen + late >= 20, f"{seen} of 20 presses were seen, and the program looked late {late} times"


def test_every_press_and_every_release_between_two_lasts_long_enough_to_be_polled() -> None:
    with desk((640, 480)) as (desktop, display), presses(display) as times:
        pointer = Pointer(desktop, check=lambda: None)
        desktop.move(100, 100)
        pointer.click(count=3)
        assert until(lambda: len(times) == 6)
    assert [kind for kind, _ in times] == ["down", "up"] * 3
    assert all(later - earlier >= 11 for (_, earlier), (_, later) in pairwise(times))


@contextmanager
def presses(display: str) -> Iterator[list[tuple[str, int]]]:
    """Each press and release on a window of a program's own, with the server's time in milliseconds."""
    from Xlib import X

    told: list[tuple[str, int]] = []
    done = threading.Event()
    with connected(display) as connection:
        mask = X.ButtonPressMask | X.ButtonReleaseMask
        window = connection.screen().root.create_window(
            0, 0, 640, 480, 0, X.CopyFromParent, X.InputOnly, event_mask=mask
        )
        window.map()
        connection.sync()

        def listen() -> None:
            while not done.wait(0.002):
                for _ in range(connection.pending_events()):
                    event = connection.next_event()
                    if event.type in (X.ButtonPress, X.ButtonRelease):
                        told.append(("down" if event.type == X.ButtonPress else "up", event.time))

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield told
        finally:
            done.set()
            thread.join()


def test_a_drag_shows_every_point_of_its_path_to_a_program_that_misses_no_motion() -> None:
    path = [Point(20, 30), Point(400, 31), Point(401, 300), Point(33, 250), Point(33, 251)]
    with desk((640, 480)) as (desktop, display), events(display) as told:
        pointer = Pointer(desktop, check=lambda: None)
        pointer.move(path[0])
        pointer.drag(path, "left")
        assert until(lambda: any(kind == "up" for kind, *_ in told))
    (press,) = (number for number, (kind, *_) in enumerate(told) if kind == "down")
    (release,) = (number for number, (kind, *_) in enumerate(told) if kind == "up")
    assert (told[press][1:], told[release][1:]) == ([1, 20, 30], [1, 33, 251])
    moves = [Point(x, y) for kind, _, x, y in told[press + 1 : release]]
    rest = iter(moves)
    assert all(point in rest for point in path[1:])  # each comes after the one before it


def test_the_wheel_turns_as_many_notches_as_asked_on_both_axes() -> None:
    with desk((640, 480)) as (desktop, display), events(display) as told:
        pointer = Pointer(desktop, check=lambda: None)
        desktop.move(100, 100)
        pointer.scroll(-3, 25)
        assert until(lambda: sum(kind == "down" for kind, *_ in told) == 28)
    assert sorted(button for kind, button, *_ in told if kind == "down") == [5] * 25 + [6] * 3


WATCHER = """
import json, sys
from Xlib import X, display
connection = display.Display(sys.argv[1])
mask = X.ButtonPressMask | X.ButtonReleaseMask | X.PointerMotionMask
window = connection.screen().root.create_window(0, 0, 640, 480, 0, 0, X.InputOnly, event_mask=mask)
window.map()
connection.sync()
print(json.dumps(["ready", 0, 0, 0]), flush=True)
names = {X.ButtonPress: "down", X.ButtonRelease: "up", X.MotionNotify: "move"}
while True:
    event = connection.next_event()
    print(json.dumps([names[event.type], event.detail, event.root_x, event.root_y]), flush=True)
"""


@contextmanager
def events(display: str) -> Iterator[list[list[Any]]]:
    """What reaches a program's window: down, up or move, the button, and the place."""
    process = subprocess.Popen([sys.executable, "-c", WATCHER, display], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pipe, told = process.stdout, list[list[Any]]()
    assert json.loads(pipe.readline())[0] == "ready"

    def read() -> None:
        for line in pipe:
            told.append(json.loads(line))

    reading = threading.Thread(target=read)
    reading.start()
    try:
        yield told
    finally:
        process.kill()
        process.wait()
        reading.join()
        pipe.close()


def test_a_button_that_does_not_exist_is_named_in_the_error() -> None:
    with desk((640, 480)) as (desktop, _):
        with pytest.raises(ValueError, match='"thumb"'):
            desktop.button("thumb", down=True)  # type: ignore[arg-type] # that is the point
        assert desktop.held() == frozenset()
