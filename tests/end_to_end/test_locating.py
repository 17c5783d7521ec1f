"""Real programs, told where things lie: the right one of many is used, as the program itself says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest
from web_page import CHROMIUM_FLAGS, WebPage
from xvfb import end_programs, until

from computer_api.actions import Tick, TypeText
from computer_api.computer import Computer
from computer_api.errors import AmbiguousError, NotFoundError
from computer_api.targets import ElementTarget, Relation, TextTarget

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.desktop

PROGRAMS = Path(__file__).parents[1] / "locating_programs"
PYTHON = "/usr/bin/python3"  # which has Tk and GTK
START_SECONDS = 40.0


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Computer]:
    environment = dict(os.environ) | {"HOME": str(tmp_path_factory.mktemp("home"))}
    with Computer.open("private", size=(1100, 760), environment=environment) as computer:
        yield computer


@pytest.fixture
def computer(desktop: Computer) -> Iterator[Computer]:
    """A computer whose programs all end with the test."""
    yield desktop
    end_programs(desktop)


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """Where the program tells what was done with it."""
    return tmp_path / "told.txt"


def said(told: Path, words: str) -> bool:
    """Whether the program tells that last."""
    return until(lambda: told.exists() and told.read_text().splitlines()[-1:] == [words], 20.0)


def field(side: str, label: str) -> ElementTarget:
    relation = Relation("below" if side == "below" else "right of", TextTarget(label))
    return ElementTarget("", role="field", where=(relation,))


def test_in_a_window_that_only_eyes_can_read(computer: Computer, told: Path) -> None:
    computer.desktop.launch([PYTHON, str(PROGRAMS / "people_tk.py"), str(told)])
    computer.locate(TextTarget("Newsletter"), seconds=START_SECONDS)
    computer.mouse.click("Delete", near="Bob Hall")
    assert said(told, "Delete Bob Hall")
    computer.mouse.click("Edit", right_of="Cleo Dane")
    assert said(told, "Edit Cleo Dane")
    computer.mouse.click("Delete", above=TextTarget("Delete", 2))
    assert said(told, "Delete Ada Byron")
    with pytest.raises(AmbiguousError, match='"Delete" fits 3 places'):
        computer.mouse.click("Delete")
    computer.perform(TypeText(text="Turin", into=field("right of", "Town")))
    computer.keyboard.press("enter")
    assert said(told, "town Turin")
    computer.mouse.tick("Newsletter")
    assert said(told, "news True")
    before = told.read_text()
    assert computer.mouse.tick("Newsletter").output == "It was already ticked."
    computer.mouse.untick("Newsletter")
    assert said(told, "news False")
    assert told.read_text() == before + "news False\n", "nothing was clicked that was ticked already"
    with pytest.raises(NotFoundError, match='"Save" is only a part of the control "Save As'):
        computer.mouse.click("Save")


def test_in_a_dialog_over_a_window(computer: Computer, told: Path) -> None:
    computer.desktop.launch([PYTHON, str(PROGRAMS / "dialog_gtk.py"), str(told)])
    computer.locate(TextTarget("Your letter was changed."), seconds=START_SECONDS)
    computer.windows.move("Letters", 100, 20)
    computer.windows.move("Save changes", 101, 76)  # its title bar lies on the other window's buttons
    with pytest.raises(
        NotFoundError, match=r'its push button "OK" is at .* the window "Save changes" covers it'
    ):
        computer.mouse.click("OK", within="Letters")
    assert not told.exists()
    computer.windows.move("Save changes", 500, 400)
    computer.mouse.click("OK", within="dialog")
    assert said(told, "OK of the dialog")
    computer.mouse.click("OK", within="Letters")
    assert said(told, "OK of the window")
    computer.mouse.click(icon="Strong letters")
    assert said(told, "strong")
    computer.perform(Tick(target=ElementTarget("Agree", role="tick")))
    assert said(told, "agree True")
    assert computer.perform(Tick(target=ElementTarget("Agree", role="tick"))).output


def test_zenitys_form_whose_labels_are_told_a_row_too_far(computer: Computer, told: Path) -> None:
    form = "zenity --forms --title=Trip --text=Where --add-entry=First --add-entry=City --add-entry=Country"
    computer.desktop.launch(["sh", "-c", f"{form} > {told}"])
    computer.locate(TextTarget("Country"), seconds=START_SECONDS)
    computer.perform(TypeText(text="Ada", into=ElementTarget("First", role="field")))
    computer.perform(TypeText(text="Turin", into=field("right of", "City")))
    computer.perform(TypeText(text="Italy", into=ElementTarget("Country", role="field")))
    computer.mouse.click("OK", within="Trip")
    assert said(told, "Ada|Turin|Italy")


_ROWS = "".join(
    f"<tr><td>{name}<td>{town}<td><button name=gone value='{name}'>Delete</button>"
    for name, town in (
        ("Ada Byron", "London"),
        ("Bob Hall", "York"),
        ("Cleo Dane", "Bath"),
        ("Dora Kent", "Ely"),
    )
)
_PAGE = f"""<!doctype html><meta charset=utf-8><title>People</title>
<style>body,button{{font:18px sans-serif}} td{{padding:8px 40px}}</style>
<form method=post><table>{_ROWS}</table></form>
<p id=n>Notes</p><div contenteditable style="border:1px solid #888;padding:8px;width:300px" aria-labelledby=n
oninput="document.title=this.textContent">&nbsp;</div>"""


def test_in_a_table_of_a_page(computer: Computer, tmp_path: Path) -> None:
    gone: list[str] = []

    def posted(body: bytes) -> bytes:
        gone.extend(parse_qs(body.decode())["gone"])
        return _PAGE.encode()

    with WebPage(_PAGE.encode(), posted) as site:
        flags = [f"--{flag}" for flag in CHROMIUM_FLAGS]
        computer.desktop.launch(
            ["chromium", *flags, f"--user-data-dir={tmp_path}/profile", f"--app={site.address}"]
        )
        computer.locate(TextTarget("Dora Kent"), seconds=START_SECONDS)
        computer.mouse.click("Delete", near="Cleo Dane")
        assert until(lambda: gone == ["Cleo Dane"], 20.0)
        computer.observe()
        computer.mouse.click("Delete", right_of="York")
        assert until(lambda: gone == ["Cleo Dane", "Bob Hall"], 20.0)
        computer.observe()
        computer.perform(TypeText(text="By hand", into=ElementTarget("Notes", role="field")))
        assert until(lambda: any("By hand" in one.title for one in computer.windows.all()), 20.0)
