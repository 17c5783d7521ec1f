"""The approval question on a real terminal: asked before anything happens, answered as a person would."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from pseudo_terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop


def asking(task: str, cwd: Path, *, color: bool = True) -> Terminal:
    return Terminal("--os", "--private", "--model", "steps", "--trace", "trace", task, cwd=cwd, color=color)


OPEN = 'open "zenity" with "--entry" "--title=Question" "--text=Your name"'


def test_nothing_happens_before_yes_and_a_no_goes_back_with_its_reason(tmp_path: Path) -> None:
    terminal = asking(f'{OPEN}; type "Ada" into "Your name"; run shell "touch done"', tmp_path)
    terminal.shows("Allow?")
    assert "It wants to:" in terminal.text
    assert 'open "zenity"' in terminal.text
    assert "→" not in terminal.text
    terminal.types("yes\n")
    terminal.shows("Allow?")
    assert 'opened "Question"' in terminal.text
    assert 'on "Your name"' in terminal.text
    assert "picture: trace/questions/2.png" in terminal.text
    with Image.open(tmp_path / "trace" / "questions" / "2.png") as picture:
        assert picture.width > 100
    terminal.types("n not this name\n")
    assert terminal.ends() == 1
    assert "not this name" in terminal.text
    assert not (tmp_path / "done").exists()


def test_all_is_not_asked_again_and_stop_ends_with_130(tmp_path: Path) -> None:
    terminal = asking('run shell "touch one"; run shell "touch two"', tmp_path)
    terminal.shows("Allow?")
    terminal.types("a\n")
    assert terminal.ends() == 0
    assert (tmp_path / "one").exists()
    assert (tmp_path / "two").exists()


@pytest.mark.parametrize("answer", ["s\n", "\x03", "\x04"], ids=["stop", "Ctrl-C", "Ctrl-D"])
def test_a_run_can_be_stopped_at_the_question(tmp_path: Path, answer: str) -> None:
    terminal = asking('run shell "touch done"', tmp_path)
    terminal.shows("Allow?")
    assert "run this code" in terminal.text
    terminal.types(answer)
    assert terminal.ends() == 130
    assert "Stopped: You stopped the run." in terminal.text
    assert "Traceback" not in terminal.text
    assert not (tmp_path / "done").exists()


def test_what_was_typed_before_the_question_does_not_answer_it(tmp_path: Path) -> None:
    terminal = asking('run shell "touch done"', tmp_path)
    terminal.types("y\na\n")
    terminal.shows("Allow?")
    terminal.types("s\n")
    assert terminal.ends() == 130
    assert not (tmp_path / "done").exists()


def test_no_color_is_followed_on_a_terminal(tmp_path: Path) -> None:
    terminal = asking("look", tmp_path, color=False)
    assert terminal.ends() == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", terminal.raw)
