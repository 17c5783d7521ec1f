"""A wait for a program that hangs is broken off at once, by a signal or by who is asked, and leaves nothing behind."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
import typing_sinks
from typing_sinks.cells import caps_lock, held_shift
from Xlib import X
from xvfb import connected, server, until, window_manager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

    Wish = Callable[["X11Desktop", "Stop"], None]

pytestmark = pytest.mark.desktop

LOG = logging.getLogger(__name__)
HALTED = 1.0  # it takes less than 0.1 s; a busy machine is given more
AFTER = 0.3  # seconds in the wait, which lasts two to ten
FOREIGN = "éèàùçñöäüßæøåÉÜÑ¿¡ΩαβγδςσΆώЖжщЯфыйцукенё你好世界東京한글🙂🚀"


class Stopped(BaseException):
    """What whoever is asked raises."""


@dataclass(slots=True)
class Stop:
    """A person's wish, and when it was made."""

    wished: float = 0.0
    asked: list[float] = field(default_factory=list)


def by_ctrl_c(_desktop: X11Desktop, stop: Stop) -> None:
    ours = threading.get_ident()

    def press() -> None:
        stop.wished = time.monotonic()
        signal.pthread_kill(ours, signal.SIGINT)

    threading.Timer(AFTER, press).start()


def by_a_flag(desktop: X11Desktop, stop: Stop) -> None:
    def check() -> None:
        stop.asked.append(time.monotonic())
        if stop.wished:
            raise Stopped

    def wish() -> None:
        stop.wished = time.monotonic()

    desktop.stop_when(check)
    threading.Timer(AFTER, wish).start()


@contextmanager
def halts_at_once(desktop: X11Desktop, wish: Wish) -> Iterator[None]:
    stop = Stop()
    wish(desktop, stop)
    with pytest.raises((KeyboardInterrupt, Stopped)):
        yield
    seconds = time.monotonic() - stop.wished
    desktop.stop_when(lambda: None)
    LOG.info("halted after %.0f ms", seconds * 1000)
    assert stop.wished
    assert seconds < HALTED


@contextmanager
def hanging(desktop: X11Desktop) -> Iterator[None]:
    """The program with the keyboard hangs."""
    (pid,) = [window.pid for window in desktop.windows.all() if window.active]
    assert pid is not None
    with paused(pid):
        yield


@contextmanager
def paused(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def pressed(screen: str) -> list[int]:
    with connected(screen) as looking:
        bits = enumerate(looking.query_keymap())
        return [8 * byte + bit for byte, kept in bits for bit in range(8) if kept >> bit & 1]


def modifiers(screen: str) -> int:
    with connected(screen) as looking:
        return int(looking.screen().root.query_pointer().mask) & 0xFF


@pytest.fixture(scope="module")
def managed() -> Iterator[tuple[str, int]]:
    """A screen and the process of its window manager."""
    with server() as (name, _), window_manager(name) as manager:
        yield name, manager.pid


@pytest.fixture
def screen(managed: tuple[str, int]) -> str:
    return managed[0]


@pytest.fixture
def desktop(screen: str, open_desktop: Callable[..., X11Desktop]) -> X11Desktop:
    return open_desktop(screen, own_keyboard=True)


WISHES = (by_ctrl_c, by_a_flag)


@pytest.mark.parametrize("program", ["xterm", "tk", "gtk3"])
def test_typing_into_a_program_that_hangs_is_broken_off(
    screen: str, desktop: X11Desktop, tmp_path: Path, program: str
) -> None:
    far_behind, keys_to_bind = "x" * 401, FOREIGN
    with typing_sinks.PROGRAMS[program].opened(desktop, tmp_path) as sink:
        with hanging(desktop):
            desktop.type_text("abc")
            for text in (far_behind, keys_to_bind):
                for wish in WISHES:
                    with halts_at_once(desktop, wish):
                        desktop.type_text(text)
                    assert pressed(screen) == []
        desktop.type_text("né Ж later")
        assert sink.received("abcné Ж later") == "abcné Ж later"


def test_what_was_lifted_while_typing_is_as_before(screen: str, desktop: X11Desktop, tmp_path: Path) -> None:
    with typing_sinks.xterm(desktop, tmp_path), caps_lock(screen), held_shift(screen):
        before = pressed(screen), modifiers(screen)
        assert before[1] & (X.LockMask | X.ShiftMask) == X.LockMask | X.ShiftMask
        with hanging(desktop):
            desktop.type_text("abc")
            for wish in WISHES:
                with halts_at_once(desktop, wish):
                    desktop.type_text(FOREIGN)
                assert (pressed(screen), modifiers(screen)) == before


@pytest.mark.parametrize("program", ["xterm", "tk"])
def test_a_paste_that_nobody_fetches_is_broken_off_and_the_clipboard_is_as_before(
    screen: str, desktop: X11Desktop, tmp_path: Path, program: str
) -> None:
    desktop.clipboard.write("before")
    desktop.clipboard.write("before", "primary")
    with typing_sinks.PROGRAMS[program].opened(desktop, tmp_path), hanging(desktop):
        for wish in WISHES:
            with halts_at_once(desktop, wish):
                desktop.paste_text("x" * 5000)
            assert pressed(screen) == []
            assert desktop.clipboard.read() == desktop.clipboard.read("primary") == "before"


def test_waiting_for_a_window_manager_that_hangs_is_broken_off(
    managed: tuple[str, int], desktop: X11Desktop, tmp_path: Path
) -> None:
    def press_after_a_click() -> None:
        desktop.button("left", down=True)
        desktop.button("left", down=False)
        desktop.key("a", down=True)

    with typing_sinks.xterm(desktop, tmp_path) as sink:
        windows = desktop.windows
        (window,) = [window for window in windows.all() if window.title == sink.title]
        acts = (
            lambda: windows.activate(window),
            lambda: windows.arrange(window, "maximize"),
            lambda: windows.move(window, window.area._replace(left=5)),
            press_after_a_click,
        )
        with paused(managed[1]):
            for act in acts:
                for wish in WISHES:
                    with halts_at_once(desktop, wish):
                        act()
        assert not desktop.held()
        assert pressed(managed[0]) == []


def test_a_check_that_uses_the_desktop_itself_takes_nothing_from_who_waits(
    desktop: X11Desktop, tmp_path: Path
) -> None:
    with typing_sinks.PROGRAMS["gtk3"].opened(desktop, tmp_path) as sink:
        times: list[float] = []

        def check() -> None:
            times.append(time.monotonic())
            (window,) = [window for window in desktop.windows.all() if window.active]
            desktop.windows.activate(window)  # waits for events itself

        desktop.stop_when(check)
        began = time.monotonic()
        desktop.type_text(FOREIGN)
        desktop.type_text("né" + FOREIGN[::-1])
        assert time.monotonic() - began < 4, "an answer got lost"
        desktop.stop_when(lambda: None)
        assert sink.received(FOREIGN + "né" + FOREIGN[::-1]) == FOREIGN + "né" + FOREIGN[::-1]
        assert len(times) > 1


def test_closing_does_not_wait_for_a_program_that_was_waited_for_in_vain(
    screen: str, open_desktop: Callable[..., X11Desktop], tmp_path: Path
) -> None:
    desktop = open_desktop(screen, own_keyboard=True)
    with typing_sinks.xterm(desktop, tmp_path):
        desktop.type_text("é")
        with hanging(desktop):
            by_a_flag(desktop, Stop())
            with pytest.raises(Stopped):
                desktop.type_text(FOREIGN)
            began = time.monotonic()
            desktop.close()
            assert time.monotonic() - began < HALTED
    assert until(lambda: pressed(screen) == [])
