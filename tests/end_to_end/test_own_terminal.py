"""On a person's screen: the terminal that runs `oi` is no part of the task."""

from __future__ import annotations

import os
import shlex
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from oi_process import OI, says
from processes import killed_after
from Xlib import XK, X
from Xlib.ext import xtest
from xvfb import connected, until, x_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.desktop


@pytest.fixture
def screen() -> Iterator[str]:
    with x_server() as name:
        yield name


@contextmanager
def in_a_terminal(screen: str, folder: Path, *arguments: str) -> Iterator[None]:
    """`oi` in an xterm on that screen, as a person starts it there; what it says goes to the file ``said`` too."""
    words = shlex.join([*OI, "--os", "--model", "steps", "--trace", "trace", *arguments])
    script = f"{words} 2>&1 | tee said; echo ended >> said; cat"
    terminal = subprocess.Popen(
        ["xterm", "-geometry", "80x30+780+300", "-e", "sh", "-c", script],
        cwd=folder,
        env=dict(os.environ) | {"DISPLAY": screen},
        stdin=subprocess.DEVNULL,
    )
    with killed_after(terminal):
        yield


def press(screen: str, keys: str) -> None:
    """What a person types, into whatever has the keyboard."""
    with connected(screen) as connection:
        for key in keys:
            code = connection.keysym_to_keycode(XK.XK_Return if key == "\n" else ord(key))
            xtest.fake_input(connection, X.KeyPress, code)
            xtest.fake_input(connection, X.KeyRelease, code)
        connection.sync()


def test_words_that_we_print_ourselves_are_not_what_was_expected(screen: str, tmp_path: Path) -> None:
    with in_a_terminal(screen, tmp_path, "-y", 'expect "Zebra Invoice Saved" within 2 seconds'):
        assert until(lambda: (tmp_path / "said").exists() and says(tmp_path / "said", "ended")(), 60)
    said = (tmp_path / "said").read_text()
    assert "Not done" in said
    assert "is not on the screen" in said


def answer(screen: str, said: Path, question: int, keys: str) -> None:
    """As a person does: wait for that question, go to the terminal, type."""
    assert until(lambda: said.exists() and said.read_text().count("Allow?") >= question, 60), said.read_text()
    click_on(screen, 1100, 600)
    assert until(lambda: has_the_keyboard(screen, "xterm"))
    press(screen, keys)


def test_an_approved_text_goes_to_the_window_behind_the_terminal_and_answers_no_question(
    screen: str, tmp_path: Path
) -> None:
    entry = 'open "sh" with "-c" "zenity --entry --title=Question --text=Name > answer.txt"'
    said = tmp_path / "said"
    with in_a_terminal(screen, tmp_path, f'{entry}; type "a"; run shell "touch never-allowed"'):
        answer(screen, said, 1, "y\n")
        answer(screen, said, 2, "y\n")
        answer(screen, said, 3, "n\n")
        assert until(says(said, "ended"), 60)
    words = said.read_text()
    assert 'in the window "Question"' in words
    assert 'type "a"' in words
    assert not (tmp_path / "never-allowed").exists()
    results = [
        line for line in (tmp_path / "trace" / "trace.jsonl").read_text().splitlines() if '"result"' in line
    ]
    assert '"outcome":"done"' in results[1]
    assert '"effect":"here"' in results[1]


def click_on(screen: str, x: int, y: int) -> None:
    """A person's click."""
    with connected(screen) as connection:
        xtest.fake_input(connection, X.MotionNotify, x=x, y=y)
        xtest.fake_input(connection, X.ButtonPress, 1)
        xtest.fake_input(connection, X.ButtonRelease, 1)
        connection.sync()


def has_the_keyboard(screen: str, program: str) -> bool:
    """Whether what is typed goes to a window of that program: a click there moves the keyboard a moment later."""
    with connected(screen) as connection:
        focus = connection.get_input_focus().focus
        # A number stands for no window, and for whichever is under the mouse.
        return not isinstance(focus, int) and program in (focus.get_wm_class() or ())
