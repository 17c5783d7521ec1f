"""The clipboard between this desktop and other programs."""

from __future__ import annotations

import operator
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from Xlib import X
from xvfb import server, until

from computer_platform.desktop import DesktopUnavailable
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.desktop

TEXT = "naïve, 你好 🙂\nsecond line"
LONG = "0123456789 é 好\n" * 170_000  # 3 MB


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with server() as (name, _):
        yield name


@pytest.fixture
def desktop(screen: str) -> Iterator[X11Desktop]:
    opened = X11Desktop(screen, name="ours")
    yield opened
    opened.close()


def xclip(screen: str, *options: str, given: str | None = None) -> str:
    command = ["xclip", "-selection", "clipboard", "-display", screen, *options]
    if given is not None:
        subprocess.run(
            command, input=given.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
        )
        return ""
    return subprocess.run(command, capture_output=True, check=True, timeout=20).stdout.decode()


@pytest.mark.parametrize("text", [TEXT, LONG], ids=["short", "three megabytes"])
def test_another_program_pastes_what_we_wrote(screen: str, desktop: X11Desktop, text: str) -> None:
    desktop.clipboard.write(text)
    assert xclip(screen, "-o", "-target", "UTF8_STRING") == text


@pytest.mark.parametrize("text", [TEXT, LONG], ids=["short", "three megabytes"])
def test_we_read_what_another_program_copied(screen: str, desktop: X11Desktop, text: str) -> None:
    xclip(screen, "-in", given=text)
    assert until(lambda: desktop.clipboard.read() == text)  # xclip returns before it owns the clipboard


def test_two_desktops_take_the_clipboard_from_each_other(
    screen: str, desktop: X11Desktop, open_desktop: Callable[..., X11Desktop]
) -> None:
    other = open_desktop(screen, name="other")
    for turn in range(20):
        writer, reader = (desktop, other) if turn % 2 else (other, desktop)
        writer.clipboard.write(f"turn {turn} ж")
        assert reader.clipboard.read() == f"turn {turn} ж"
        assert writer.clipboard.read() == f"turn {turn} ж"
    desktop.clipboard.write(LONG)
    assert other.clipboard.read() == LONG
    other.close()


def test_every_kind_that_is_announced_is_given(screen: str, desktop: X11Desktop) -> None:
    desktop.clipboard.write("café")
    kinds = xclip(screen, "-o", "-target", "TARGETS").split()
    assert set(kinds) == {
        "TARGETS",
        "TIMESTAMP",
        "MULTIPLE",
        "TEXT",
        "UTF8_STRING",
        "text/plain;charset=utf-8",
        "text/plain",
        "STRING",
    }
    for kind in ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT"):
        assert xclip(screen, "-o", "-target", kind) == "café"
    latin = subprocess.run(
        ["xclip", "-selection", "clipboard", "-display", screen, "-o", "-target", "STRING"],
        capture_output=True,
        check=True,
    )
    assert latin.stdout == "café".encode("latin-1")


def test_an_empty_clipboard_reads_as_no_text(open_desktop: Callable[..., X11Desktop]) -> None:
    with server() as (name, _):
        desktop = open_desktop(name)
        assert desktop.clipboard.read() == ""
        desktop.close()


def test_the_text_outlives_a_desktop_of_the_person(
    screen: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    desktop = open_desktop(screen)
    desktop.clipboard.write(TEXT)
    desktop.close()
    reader = open_desktop(screen, name="reader")
    assert until(lambda: reader.clipboard.read() == TEXT)
    reader.close()


def test_what_another_program_copied_since_is_left_alone(
    screen: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    desktop = open_desktop(screen)
    desktop.clipboard.write("ours")
    xclip(screen, "-in", given="theirs")
    assert until(lambda: desktop.clipboard.read() == "theirs")
    desktop.close()
    assert xclip(screen, "-o") == "theirs"


def test_the_text_of_any_other_desktop_ends_with_it(
    screen: str, open_desktop: Callable[..., X11Desktop]
) -> None:
    desktop = open_desktop(screen, name="private")
    desktop.clipboard.write(TEXT)
    desktop.close()
    reader = open_desktop(screen, name="reader")
    connection = reader._connection
    selection = connection.atom("CLIPBOARD")
    assert until(lambda: connection.server.get_selection_owner(selection) == X.NONE)
    assert reader.clipboard.read() == ""
    reader.close()


def test_no_thread_or_pipe_is_left_behind(screen: str, open_desktop: Callable[..., X11Desktop]) -> None:
    before = open_files_and_threads()
    for _ in range(5):
        desktop = open_desktop(screen, name="brief")
        desktop.clipboard.write("x")
        desktop.capture()
        desktop.close()
    assert until(lambda: all(map(operator.le, open_files_and_threads(), before)))


def open_files_and_threads() -> tuple[int, int]:
    own = Path("/proc/self")
    return len(list((own / "fd").iterdir())), len(list((own / "task").iterdir()))


def test_writing_says_so_when_the_screen_has_gone(open_desktop: Callable[..., X11Desktop]) -> None:
    with server() as (name, process):
        desktop = open_desktop(name)
        desktop.clipboard.write("before")
        process.kill()
        process.wait()
        with pytest.raises(DesktopUnavailable, match=name):
            desktop.clipboard.write("after")
        with pytest.raises(DesktopUnavailable, match=name):
            desktop.clipboard.read()
        desktop.close()
