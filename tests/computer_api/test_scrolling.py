"""Scrolling by pixels, on a desktop in memory whose one program scrolls."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from computer_api.actions import Scroll
from computer_api.computer import Computer, PictureLimit
from computer_api.errors import Stopped
from computer_api.receipt import Receipt, Scrolled
from computer_platform.desktop import Area, Frame
from computer_platform.memory import MemoryDesktop

if TYPE_CHECKING:
    from computer_platform.desktop import Activity, Window
    from computer_vision.reader import Pixels
    from computer_vision.tesseract import TesseractReader

SIZE = (500, 400)
SIDE = 3000


def sheet() -> Pixels:
    choose = np.random.default_rng(7)
    page: Pixels = np.full((SIDE, SIDE, 4), 255, dtype=np.uint8)
    for row in range(18, SIDE, 22):
        words = "".join(chr(97 + letter) for letter in choose.integers(0, 26, SIDE // 9))
        cv2.putText(page, words, (6, row), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (30, 20, 10, 255), 1)
    return page


SHEET = sheet()


@dataclass
class Scroller(MemoryDesktop):
    """Shows a part of a large sheet below a heading; the wheel moves that by ``notch`` pixels, ``faster`` each time."""

    notch: int = 53
    faster: int = 0
    end: tuple[int, int] = (SIDE - SIZE[0], SIDE - SIZE[1])
    at: tuple[int, int] = (0, 0)
    flips: bool = False
    pages: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(SIZE)

    def scroll(self, right: int, down: int) -> None:
        super().scroll(right, down)
        self.notch += self.faster
        wanted = self.at[0] + right * self.notch, self.at[1] + down * self.notch
        self.at = min(max(wanted[0], 0), self.end[0]), min(max(wanted[1], 0), self.end[1])
        if self.flips:
            self.pages.append(len(self.pages) + 1)

    def painted(self) -> tuple[int, int]:
        """What place of the sheet it shows."""
        return self.at

    def capture(self, area: Area | None = None) -> Frame:
        x, y = self.painted()
        view = SHEET[y : y + SIZE[1], x : x + SIZE[0]].copy()
        view[:30] = 180
        if self.flips:
            view[:] = np.random.default_rng(len(self.pages)).integers(0, 255, view.shape, dtype=np.uint8)
        shown = Area(0, 0, *SIZE) if area is None else area
        return Frame(pixels=view[shown.top : shown.bottom, shown.left : shown.right], area=shown)


@dataclass
class LatePainter(Scroller):
    """Paints half of what the wheel moved at once, and the rest after it was looked at ``late`` more times."""

    late: int = 8
    works: bool = False  # until all is painted
    half: tuple[int, int] = (0, 0)
    unpainted: int = 0

    def scroll(self, right: int, down: int) -> None:
        x, y = self.painted()
        super().scroll(right, down)
        self.half = (x + self.at[0]) // 2, (y + self.at[1]) // 2
        self.unpainted = self.late

    def painted(self) -> tuple[int, int]:
        return self.half if self.unpainted else self.at

    def capture(self, area: Area | None = None) -> Frame:
        frame = super().capture(area)
        self.unpainted = max(0, self.unpainted - 1)
        return frame

    def activity(self, window: Window | None) -> Activity:
        return "busy" if self.works and self.unpainted else super().activity(window)


@dataclass
class Ticking(Scroller):
    """Paints something small anew five times a second."""

    looks: int = 0

    def capture(self, area: Area | None = None) -> Frame:
        self.looks += 1
        frame = super().capture(area)
        frame.pixels[40:60, 40:60, :3] = 80 if int(time.monotonic() * 5) % 2 else 160
        return frame


def scrolled(
    desktop: Scroller, reader: TesseractReader, *, down: int = 0, right: int = 0
) -> tuple[Scrolled, ...]:
    computer = Computer(desktop, reader=reader, receipts=False)
    return computer.perform(Scroll(down=down, right=right, unit="pixels")).scrolled


@settings(max_examples=12)
@given(st.integers(15, 150), st.integers(-900, 900).filter(bool), st.booleans())
def test_it_goes_as_near_as_notches_can_and_says_exactly_how_far(
    reader: TesseractReader,
    notch: int,
    asked: int,
    sideways: bool,  # noqa: FBT001
) -> None:
    desktop = Scroller(notch=notch, at=(1000, 1000))
    (went,) = scrolled(desktop, reader, **{"right" if sideways else "down": asked})
    moved = desktop.at[0 if sideways else 1] - 1000
    assert went == Scrolled(way="right" if sideways else "down", asked=asked, moved=moved, end=False)
    assert abs(moved - asked) <= notch / 2 + 1 or (abs(asked) < notch and abs(moved) == notch)


def test_a_wheel_that_goes_faster_and_faster_is_turned_back_a_little(reader: TesseractReader) -> None:
    desktop = Scroller(notch=40, faster=3)
    (went,) = scrolled(desktop, reader, down=700)
    assert went.moved == desktop.at[1]
    assert abs(desktop.at[1] - 700) <= desktop.notch


def test_the_end_is_told(reader: TesseractReader) -> None:
    desktop = Scroller(notch=60, end=(0, 350))
    assert scrolled(desktop, reader, down=900) == (Scrolled(way="down", asked=900, moved=350, end=True),)
    assert scrolled(desktop, reader, down=100) == (Scrolled(way="down", asked=100, moved=0, end=True),)
    assert scrolled(desktop, reader, right=100) == (Scrolled(way="right", asked=100, moved=0, end=True),)


@pytest.mark.parametrize("asked", [50, 100, 700])
def test_what_is_painted_late_is_counted(reader: TesseractReader, asked: int) -> None:
    desktop = LatePainter(notch=50)
    (went,) = scrolled(desktop, reader, down=asked)
    assert went == Scrolled(way="down", asked=asked, moved=asked)
    assert desktop.at == (0, asked)


def test_what_ticks_now_and_then_neither_hides_how_far_it_went_nor_holds_it_up(
    reader: TesseractReader,
) -> None:
    desktop = Ticking(notch=50)
    assert scrolled(desktop, reader, down=300) == (Scrolled(way="down", asked=300, moved=300),)
    assert desktop.looks < 140


def test_while_the_program_is_at_work_nobody_says_how_far_it_went_nor_that_this_is_the_end(
    reader: TesseractReader,
) -> None:
    desktop = LatePainter(notch=60, end=(0, 350), late=10_000, works=True)
    (went,) = scrolled(desktop, reader, down=900)
    assert went == Scrolled(way="down", asked=900, moved=None, end=False)


def test_both_axes_are_scrolled_and_told_apart(reader: TesseractReader) -> None:
    desktop = Scroller(notch=60)
    down, right = scrolled(desktop, reader, down=180, right=240)
    assert (right.moved, down.moved) == desktop.at == (240, 180)


def test_pixels_are_those_of_the_picture_that_is_shown(reader: TesseractReader) -> None:
    desktop = Scroller(notch=50)
    computer = Computer(desktop, reader=reader, receipts=False, picture=PictureLimit(long_edge=250))
    (went,) = computer.perform(Scroll(down=200, unit="pixels")).scrolled
    assert desktop.at == (0, 400)
    assert went.moved == 200


def test_of_a_program_that_shows_something_else_nobody_says_how_far_it_scrolled(
    reader: TesseractReader,
) -> None:
    desktop = Scroller(notch=50, flips=True)
    (went,) = scrolled(desktop, reader, down=240)
    assert (went.moved, went.end) == (None, False)
    assert desktop.at == (0, 100)  # two notches: 120 pixels is what one usually goes


def test_it_can_be_stopped_between_the_looks(reader: TesseractReader) -> None:
    desktop = Scroller(notch=20)
    computer = Computer(desktop, reader=reader, receipts=False)
    asked = iter(range(12))

    def check() -> None:
        if next(asked, None) is None:
            raise Stopped("enough")

    computer.stop_when(check)
    with pytest.raises(Stopped):
        computer.perform(Scroll(down=5000, unit="pixels"))
    assert desktop.at[1] < 400


def test_the_receipt_of_a_scroll_by_pixels_is_honest_about_what_did_not_move(reader: TesseractReader) -> None:
    computer = Computer(Scroller(notch=50), reader=reader)
    up = computer.perform(Scroll(down=-100, unit="pixels"))
    assert (up.effect, up.sentence()) == ("nothing", "nothing scrolled up")
    down = computer.perform(Scroll(down=100, unit="pixels"))
    assert down.effect != "nothing"
    assert down.sentence() == "scrolled down 100 of 100 pixels"


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (Scrolled(way="down", asked=350, moved=340), "scrolled down 340 of 350 pixels"),
        (Scrolled(way="down", asked=-350, moved=-40, end=True), "scrolled up 40 of 350 pixels, to the end"),
        (Scrolled(way="right", asked=-9, moved=0, end=True), "nothing scrolled left"),
        (
            Scrolled(way="right", asked=90, moved=None),
            "turned the wheel right; how far it scrolled is unknown",
        ),
    ],
)
def test_how_far_it_went_is_said_in_words(one: Scrolled, said: str) -> None:
    assert Receipt(effect="here", scrolled=(one,)).sentence() == said
