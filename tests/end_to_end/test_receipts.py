"""Scripted actions on real programs whose effects are known, and what their receipts say of them."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from web_page import CHROMIUM_FLAGS, WebPage
from xvfb import connected, end_programs, until, x_server

from computer_api import Computer
from computer_api.actions import Click, Drag, Move, PressKeys, Scroll, TypeText
from computer_api.geometry import Pixel
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_api.actions import Action
    from computer_api.receipt import Receipt

pytestmark = pytest.mark.desktop

PROGRAMS = Path(__file__).parents[1] / "receipt_programs"
PYTHON = "/usr/bin/python3"  # which has Tk and GTK
START_SECONDS = 60.0

Places = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An action, the effects of which one is right, and words that its receipt has."""

    what: str
    action: Action
    effect: str
    words: str = ""

    def wrong(self, receipt: Receipt) -> str:
        """What is wrong with the receipt, or nothing."""
        said = receipt.sentence()
        right = receipt.effect in self.effect.split("|") and self.words in said
        return "" if right else f"{self.what}: {receipt.effect}, {said}; changed {receipt.changed}"


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with x_server() as name:
        yield name


@pytest.fixture
def computer(screen: str, tmp_path: Path) -> Iterator[Computer]:
    """A computer whose programs all end with the test."""
    environment = dict(os.environ) | {"DISPLAY": screen, "HOME": str(tmp_path), "NO_AT_BRIDGE": "1"}
    with Computer.on(X11Desktop(screen, environment=environment), environment=environment) as computer:
        yield computer
        end_programs(computer)


@contextmanager
def places_of(computer: Computer, program: str, folder: Path, *options: str) -> Iterator[Places]:
    """Start a program of the tests, and where its controls are."""
    told = folder / f"{program}.json"
    computer.desktop.launch([PYTHON, str(PROGRAMS / program), str(told), *options])
    assert until(lambda: told.exists() and told.read_text().endswith("}"), START_SECONDS)
    computer.observe()
    yield {name: (x, y) for name, (x, y) in json.loads(told.read_text()).items()}


def click(where: tuple[int, int], button: str = "left", count: int = 1) -> Click:
    return Click(target=Pixel(*where), button=button, count=count)  # type: ignore[arg-type] # the two that there are


def keys(*names: str) -> PressKeys:
    return PressKeys(keys=names)


def wrongs(computer: Computer, rows: list[Row]) -> str:
    return "\n".join(wrong for row in rows if (wrong := row.wrong(computer.perform(row.action))))


def test_a_button_that_lights_up_late_under_the_pointer_has_done_nothing_when_clicked(
    computer: Computer, screen: str, tmp_path: Path
) -> None:
    with places_of(computer, "controls_tk.py", tmp_path) as at:
        (pid,) = (window.pid for window in computer.windows.all())
        assert pid is not None
        computer.perform(Move(target=Pixel(*at["dead area"])))

        def go_on_some_time_after_the_pointer_has_come() -> None:
            with connected(screen) as connection:
                root = connection.screen().root

                def there() -> bool:
                    pointer = root.query_pointer()
                    return (pointer.root_x, pointer.root_y) == at["dead"]

                until(there)
                time.sleep(0.2)
            os.kill(pid, signal.SIGCONT)

        going_on = Thread(target=go_on_some_time_after_the_pointer_has_come)
        os.kill(pid, signal.SIGSTOP)
        going_on.start()
        try:
            receipt = computer.perform(click(at["dead"]))
        finally:
            going_on.join()
    assert receipt.effect == "nothing", receipt.changed


def test_in_tk_beside_a_clock_a_spinner_and_a_film(computer: Computer, tmp_path: Path) -> None:
    with places_of(computer, "controls_tk.py", tmp_path) as at:
        x, y = at["canvas"]
        more = (at["menu"][0] - 30, at["menu"][1] + 26)
        rows = [
            # Nothing is known of the clock yet, which may have been the click's doing.
            Row(what="first of all", action=click(at["dead area"]), effect="nothing|unknown"),
            Row(what="dead area", action=click(at["dead area"]), effect="nothing", words="nothing changed"),
            Row(what="a button without effect", action=click(at["dead"]), effect="nothing"),
            Row(what="a disabled button", action=click(at["disabled"]), effect="nothing"),
            Row(what="a label far away", action=click(at["far"]), effect="elsewhere", words="elsewhere"),
            Row(what="its own label", action=click(at["itself"]), effect="here", words="changed here"),
            *(
                Row(what=f"after {ms} ms", action=click(at[f"after {ms}"]), effect="elsewhere")
                for ms in (100, 300, 700, 1200, 1800)
            ),
            Row(what="a dialog", action=click(at["dialog"]), effect="elsewhere", words='opened "A dialog"'),
            Row(what="its end", action=click((795, 380)), effect="here", words='closed "A dialog"'),
            Row(what="a title", action=click(at["title"]), effect="elsewhere", words='now called "Renamed"'),
            Row(what="only copied", action=click(at["copies"]), effect="nothing"),
            Row(what="computes for long", action=click(at["computes"]), effect="here|elsewhere"),
            Row(what="two stages", action=click(at["stages"]), effect="here"),
            Row(what="a tick", action=click(at["tick"]), effect="here"),
            Row(what="a tick taken away", action=click(at["tick"]), effect="here"),
            Row(what="a radio button", action=click(at["radio 2"]), effect="here"),
            Row(what="the same radio button", action=click(at["radio 2"]), effect="nothing"),
            Row(what="focus", action=click(at["first"]), effect="here", words="only the focus changed"),
            Row(what="focus once more", action=click(at["first"]), effect="nothing"),
            Row(what="a locked field", action=click(at["locked"]), effect="nothing"),
            Row(what="beside the caret", action=click(at["dead area"]), effect="nothing"),
            Row(what="typed", action=TypeText(text="Ada"), effect="here"),
            Row(what="a key of the program", action=keys("F5"), effect="here"),
            Row(what="tab", action=keys("Tab"), effect="here"),
            Row(what="a row", action=click(at["list"]), effect="here"),
            Row(what="the same row", action=click(at["list"]), effect="nothing"),
            Row(what="a key without effect", action=keys("F9"), effect="nothing"),
            Row(what="a menu", action=click(at["menu"]), effect="here|elsewhere", words="opened a menu"),
            Row(what="a submenu", action=click(more), effect="here|elsewhere", words="opened a menu"),
            Row(what="out of it", action=keys("Escape"), effect="here", words="closed a menu"),
            Row(what="all closed", action=keys("Escape"), effect="here", words="closed a menu"),
            Row(what="a list drops", action=click(at["combo"]), effect="here|elsewhere", words="opened"),
            Row(what="it closes", action=keys("Escape"), effect="here", words="closed"),
            Row(
                what="a drag",
                action=Drag(start=Pixel(x - 60, y - 25), end=Pixel(x + 30, y + 20)),
                effect="here",
            ),
            Row(what="scrolled", action=Scroll(down=3, target=Pixel(*at["list"])), effect="here"),
            Row(what="back", action=Scroll(down=-3, target=Pixel(*at["list"])), effect="here"),
            Row(what="at the end", action=Scroll(down=-3, target=Pixel(*at["list"])), effect="nothing"),
            Row(what="hover", action=Move(target=Pixel(*at["hover"])), effect="here"),
            Row(what="a tooltip", action=click(at["tipped"]), effect="nothing"),
            Row(what="beside the spinner", action=click(at["beside"]), effect="elsewhere"),
            Row(what="the film", action=click(at["film"]), effect="unknown", words="unknown"),
        ]
        assert wrongs(computer, rows) == ""


def test_in_gtk(computer: Computer, tmp_path: Path) -> None:
    with places_of(computer, "controls_gtk.py", tmp_path) as at:
        rows = [
            Row(what="dead area", action=click(at["dead area"]), effect="nothing"),
            Row(what="a disabled button", action=click(at["disabled"]), effect="nothing"),
            Row(what="a label far away", action=click(at["far"]), effect="elsewhere"),
            Row(what="later", action=click(at["later"]), effect="elsewhere"),
            Row(what="a tooltip", action=click(at["tipped"]), effect="nothing"),
            Row(what="a title", action=click(at["title"]), effect="elsewhere", words='called "GTK renamed"'),
            Row(what="a tick", action=click(at["tick"]), effect="here"),
            Row(what="a switch", action=click(at["switch"]), effect="here"),
            Row(what="a toggle", action=click(at["toggle"]), effect="here"),
            Row(what="focus", action=click(at["first"]), effect="here", words="only the focus"),
            Row(what="typed", action=TypeText(text="Ada"), effect="here"),
            Row(what="a row", action=click(at["list"]), effect="here"),
            Row(what="a dialog", action=click(at["dialog"]), effect="elsewhere", words='opened "Question"'),
            Row(what="its end", action=keys("Escape"), effect="here", words='closed "Question"'),
            Row(what="a menu", action=click(at["menu"]), effect="here", words="opened a menu"),
            Row(what="its end", action=keys("Escape"), effect="here", words="closed a menu"),
        ]
        assert wrongs(computer, rows) == ""


def test_in_a_page(computer: Computer, tmp_path: Path) -> None:
    slow = Event()

    def posted(_body: bytes) -> bytes:
        slow.wait(1.2)  # a server that takes its time
        return b"<!doctype html><title>Next</title><h1>The next page</h1>"

    with WebPage((PROGRAMS / "page.html").read_bytes(), posted) as site:
        flags = [f"--{flag}" for flag in CHROMIUM_FLAGS]
        computer.desktop.launch(
            ["chromium", *flags, f"--user-data-dir={tmp_path}/profile", "--kiosk", site.address]
        )
        assert until(
            lambda: any("Receipts" in window.title for window in computer.windows.all()), START_SECONDS
        )
        assert until(lambda: "nowhere" in " ".join(computer.text()), START_SECONDS)
        computer.observe()
        rows = [
            Row(what="dead area", action=click((900, 500)), effect="nothing"),
            Row(what="a button without effect", action=click((80, 36)), effect="nothing"),
            Row(what="a disabled button", action=click((220, 36)), effect="nothing"),
            Row(what="a label far away", action=click((360, 36)), effect="elsewhere"),
            Row(what="its own label", action=click((500, 36)), effect="here"),
            Row(what="after 300 ms", action=click((80, 86)), effect="elsewhere"),
            Row(what="after 1000 ms", action=click((220, 86)), effect="elsewhere"),
            Row(what="after 1900 ms", action=click((360, 86)), effect="elsewhere"),
            Row(what="after a request", action=click((500, 86)), effect="elsewhere"),
            Row(what="only copied", action=click((80, 136)), effect="nothing"),
            Row(what="a dialog of the page", action=click((220, 136)), effect="here|elsewhere"),
            Row(what="its end", action=keys("Escape"), effect="here"),
            Row(what="works, then is finished", action=click((360, 136)), effect="elsewhere"),
            Row(what="a tick", action=click((452, 136)), effect="here"),
            Row(what="focus", action=click((80, 196)), effect="here", words="only the focus"),
            Row(what="typed", action=TypeText(text="Ada"), effect="here"),
            Row(what="a list drops", action=click((360, 196)), effect="here|elsewhere"),
            Row(what="it closes", action=keys("Escape"), effect="here|elsewhere"),
            Row(what="a slider", action=click((540, 196)), effect="here"),
            Row(what="scrolled", action=Scroll(down=3, target=Pixel(100, 400)), effect="here"),
            Row(what="the film", action=click((760, 60)), effect="unknown"),
            Row(what="a slow page", action=click((220, 256)), effect="here|elsewhere"),
        ]
        assert wrongs(computer, rows) == ""
