"""One list of what can be acted on, from programs that describe themselves and from those that do not."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xvfb import until

from computer_api.computer import Computer
from computer_platform.desktop import Area
from computer_platform.memory import MemoryDesktop, Screen, Widget, form
from computer_platform.private import open_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_api.elements import ScreenElement, ScreenElements
    from computer_platform.private import PrivateDesktop
    from computer_vision.reader import Reader

TK_FORM = Path(__file__).parents[2] / "fixtures" / "screens" / "form_tk.py"


def short(found: ScreenElements) -> list[tuple[int, str, str]]:
    return [(one.number, one.role, one.name) for one in found.items]


def test_a_form_is_listed_as_people_read_with_values_and_states_and_no_label_twice(reader: Reader) -> None:
    with Computer(MemoryDesktop((640, 400), form()), reader=reader, receipts=False, patience=0.0) as computer:
        before = computer.display.elements()
        field = next(one for one in before.items if one.role == "field")
        computer.mouse.click(field.pixel.x, field.pixel.y)
        computer.keyboard.write("Ada")
        found = computer.display.elements()
    assert not found.truncated
    assert [one.number for one in found.items] == list(range(1, len(found.items) + 1))
    filled = next(one for one in found.items if one.name == field.name)
    assert filled.value == "Ada"
    assert "focused" in filled.states
    names = [one.name for one in found.items]
    assert len(set(names)) == len(names), "a label is its field, a button's text its button"
    tops = [one.box.top for one in found.items]
    assert tops == sorted(tops)


def test_of_too_many_the_texts_are_left_out_first_and_that_is_said(reader: Reader) -> None:
    labels = tuple(
        Widget(kind="label", name=f"Number {n}", area=Area(20, 20 + 40 * n, 120, 30)) for n in range(6)
    )
    buttons = tuple(
        Widget(kind="button", name=name, area=Area(300, y, 100, 40))
        for name, y in (("Save", 20), ("Close", 100))
    )
    screen = Screen(name="many", widgets=labels + buttons)
    with Computer(MemoryDesktop((640, 400), (screen,)), reader=reader, receipts=False) as computer:
        few = computer.display.elements(most=2)
        assert short(few) == [(1, "button", "Save"), (2, "button", "Close")]
        assert few.truncated
        assert not computer.display.elements().truncated


@pytest.mark.parametrize(("given", "why"), [({"most": 0}, "most"), ({"seconds": 0}, "seconds")])
def test_a_budget_of_nothing_is_refused(reader: Reader, given: dict[str, int], why: str) -> None:
    with (
        Computer(MemoryDesktop((640, 400), form()), reader=reader) as computer,
        pytest.raises(ValueError, match=why),
    ):
        computer.display.elements(**given)


# ---------------------------------------------------------------- real programs


@pytest.fixture(scope="module")
def desktop() -> Iterator[PrivateDesktop]:
    opened = open_private((1000, 700), os.environ)
    yield opened
    opened.close()


@pytest.fixture
def eyes(desktop: PrivateDesktop, reader: Reader) -> Computer:
    return Computer(desktop, reader=reader, receipts=False)


@contextmanager
def started(desktop: PrivateDesktop, *argv: str) -> Iterator[int]:
    pid = desktop.launch(argv)
    yield pid
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: not Path(f"/proc/{pid}").exists())


def listed(eyes: Computer, fits: Callable[[dict[str, ScreenElement]], bool]) -> dict[str, ScreenElement]:
    """The elements by name, once they are as wanted."""
    found: dict[str, ScreenElement] = {}

    def there() -> bool:
        found.clear()
        found.update({one.name: one for one in eyes.elements(eyes.observe(), seconds=3).items})
        return fits(found)

    assert until(there, 60), list(found)
    return found


@pytest.mark.desktop
def test_zenity_s_fields_bear_the_labels_that_stand_beside_them(
    desktop: PrivateDesktop, eyes: Computer
) -> None:
    argv = ("zenity", "--forms", "--title=Travel", "--text=Where to?", "--add-entry=Full name", "--add-entry=City",
            "--add-password=Access code", "--add-combo=Class", "--combo-values=Economy|First")  # fmt: skip
    with started(desktop, *argv):
        # Until all is painted, a label is a text of its own.
        names = {"Full name", "City", "Access code", "OK"}
        found = listed(eyes, lambda one: all(name in one and one[name].role != "text" for name in names))
    assert found["Full name"].role == found["City"].role == "field"
    assert found["Access code"].role == "password"
    assert found["Full name"].box.bottom <= found["City"].box.top
    assert found["City"].box.bottom <= found["Access code"].box.top
    assert found["OK"].role == "button"
    assert {one.window for one in found.values()} == {"Travel"}


@pytest.mark.desktop
def test_a_tk_window_that_describes_nothing_is_listed_from_its_drawing(
    desktop: PrivateDesktop, eyes: Computer
) -> None:
    with started(desktop, sys.executable, str(TK_FORM)):
        found = listed(eyes, lambda one: {"Name", "Save", "Close"} <= one.keys())
    assert found["Name"].role == "field"
    assert found["Name"].source == "field"
    assert found["Save"].role == found["Close"].role == "button"
    assert found["Save"].box.right <= found["Close"].box.left


@pytest.mark.desktop
def test_what_another_window_covers_is_not_listed(desktop: PrivateDesktop, eyes: Computer) -> None:
    with started(desktop, "zenity", "--question", "--text=Really go?", "--title=Ask"):
        listed(eyes, lambda one: {"Yes", "No"} <= one.keys())
        with started(
            desktop,
            "xterm",
            "-fa",
            "Monospace",
            "-fs",
            "14",
            "-geometry",
            "90x35+0+0",
            "-e",
            "echo nothing here; read x",
        ):
            assert until(lambda: any(one.app.casefold() == "xterm" for one in desktop.windows.all()))
            (over,) = (one for one in desktop.windows.all() if one.app.casefold() == "xterm")
            desktop.windows.activate(over)
            found = listed(eyes, lambda one: "Yes" not in one)
    assert "No" not in found
    assert any(one.source == "text" and "nothing here" in one.name for one in found.values())


@pytest.mark.desktop
def test_a_program_that_hangs_costs_the_time_allowed_and_is_said_to_be_missing(
    desktop: PrivateDesktop, eyes: Computer
) -> None:
    with started(desktop, "zenity", "--question", "--text=Really go?", "--title=Ask") as pid:
        listed(eyes, lambda one: "Yes" in one)
        os.kill(pid, signal.SIGSTOP)
        screenshot = eyes.look()
        before = time.process_time()
        assert eyes.elements(screenshot, seconds=0.3).truncated
        assert time.process_time() - before < 2
