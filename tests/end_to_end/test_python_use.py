"""The Computer as people use it from Python, and the README's own example."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from xvfb import until, x_server

from computer_api import Computer, ElementTarget
from computer_api.actions import TypeText
from computer_api.errors import NotFoundError, OffScreenError

pytestmark = pytest.mark.desktop

README = Path(__file__).parents[2] / "README.md"


def example(folder: Path) -> str:
    """Run the README's example there and return what it printed."""
    code = next(
        block
        for block in re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
        if "with" in block
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=100, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_example_of_the_readme_runs_as_it_stands(tmp_path: Path) -> None:
    printed = example(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "Grüße aus Zürich\n"
    assert printed.startswith('the field holds "Grüße aus Zürich"\n')


def test_text_left_unsaved_on_one_desktop_is_no_question_on_the_next(tmp_path: Path) -> None:
    with Computer.open("private", size=(800, 600)) as computer:
        computer.windows.open("mousepad")
        computer.keyboard.write("never saved")
        assert "never saved" in " ".join(computer.text())
    example(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "Grüße aus Zürich\n"


def test_a_private_desktop_serves_every_verb(tmp_path: Path) -> None:
    with Computer.open("private", size=(1024, 700)) as computer:
        assert computer.display.size() == (1024, 700)
        receipt = computer.windows.open("zenity", "--entry", "--title=Question", "--text=Your name")
        assert receipt.opened == ("Question",)
        assert computer.windows.active().title == "Question"  # type: ignore[union-attr]
        receipt = computer.perform(TypeText(text="Ada", into=ElementTarget("Your name", role="field")))
        assert (receipt.effect, receipt.value) == ("here", "Ada")
        computer.keyboard.hotkey("ctrl", "a")
        computer.keyboard.write("Łukasz")
        computer.keyboard.hotkey("ctrl+a")
        computer.clipboard.copy()
        assert until(lambda: computer.clipboard.view() == "Łukasz")
        assert [found["text"] for found in computer.display.find_text("Cancel")] == ["Cancel"]
        assert computer.run("python", "computer.display.size()").output.strip() in {
            "(1024, 700)",
            "[1024, 700]",
        }
        computer.mouse.move(5, 6)
        assert computer.mouse.position() == (5, 6)
        assert computer.mouse.click(5, 6).effect == "nothing"
        with pytest.raises(OffScreenError, match="1024x700"):
            computer.mouse.click(1024, 0)
        with pytest.raises(NotFoundError, match="No window is called"):
            computer.windows.focus("Nothing like it")
        assert computer.mouse.click("Cancel").closed == ("Question",)


def test_the_screen_of_the_person_is_taken_where_there_is_one() -> None:
    with x_server(size=(900, 600)) as name:
        environment = dict(os.environ) | {"DISPLAY": name}
        with Computer.open(environment=environment) as computer:
            assert computer.desktop.name == "x11"
            assert computer.display.size() == (900, 600)
