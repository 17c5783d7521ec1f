"""Displays that a desktop in memory has: left of and above the primary one, few or one, changing under our hands."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from computer_api.actions import Click
from computer_api.bridge import answering
from computer_api.computer import Computer, PictureLimit
from computer_api.errors import ComputerError, DesktopUnavailable, OffScreenError
from computer_api.geometry import Pixel, Point, Size
from computer_api.targets import TextTarget
from computer_api.terminal import Call
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, form

if TYPE_CHECKING:
    from computer_vision.tesseract import TesseractReader

MAIN, LEFT, ABOVE = Area(0, 0, 640, 400), Area(-500, -40, 500, 300), Area(100, -300, 300, 300)


@settings(max_examples=60)  # each draws the pictures of three screens
@given(data=st.data())
def test_every_pixel_of_one_screen_is_clicked_on_that_screen_wherever_it_stands(
    reader: TesseractReader, data: st.DataObject
) -> None:
    displays = [MAIN, LEFT, ABOVE]
    number = data.draw(st.integers(0, 2))
    desktop = MemoryDesktop(displays=displays, scale=data.draw(st.sampled_from([1, 2])))
    limit = PictureLimit(long_edge=data.draw(st.integers(1, 700)))
    computer = Computer(desktop, reader=reader, picture=limit, receipts=False, screen=number)
    width, height = computer.display.size()
    pixel = Pixel(data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1)))
    computer.perform(Click(target=pixel))
    x, y = desktop.pointer()
    area = displays[number]
    assert area.left <= x < area.right
    assert area.top <= y < area.bottom
    again = Pixel(*computer.mouse.position())
    assert computer.look().point(again) == Point(x, y)
    if width <= area.width:  # else several pixels of the picture are one point
        assert again == pixel


def test_what_is_on_another_screen_is_not_found_by_whoever_works_on_one(reader: TesseractReader) -> None:
    desktop = MemoryDesktop(screens=form(), displays=[MAIN, LEFT])
    on_main = Computer(desktop, reader=reader, receipts=False, patience=0.0, screen=0)
    on_left = Computer(desktop, reader=reader, receipts=False, patience=0.0, screen=1)
    assert on_main.locate(TextTarget("Save")).point in on_main.look().box
    with pytest.raises(ComputerError, match='"Save" is not on the screen'):
        on_left.locate(TextTarget("Save"))
    on_main.mouse.click("Save")
    assert desktop.screen == "saved"


@pytest.mark.parametrize("number", [2, 17])
def test_a_screen_that_is_not_there_is_an_error_before_anything_is_done(
    reader: TesseractReader, number: int
) -> None:
    desktop = MemoryDesktop(displays=[MAIN, LEFT])
    with pytest.raises(DesktopUnavailable) as failure:
        Computer(desktop, reader=reader, screen=number)
    assert str(failure.value) == (
        f'There is no screen {number} on this desktop. Screens are 0 ("memory-0", 640x400 at 0,0), '
        '1 ("memory-1", 500x300 at -500,-40).'
    )
    assert desktop.log == ()


def test_a_pixel_means_a_place_on_the_picture_that_was_seen_last(reader: TesseractReader) -> None:
    desktop = MemoryDesktop(screens=form(), displays=[MAIN])
    computer = Computer(desktop, reader=reader, receipts=False)
    computer.mouse.move(10, 10)  # nobody has seen any: it is the one of now
    computer.observe()
    desktop.rearrange([MAIN, LEFT])
    with pytest.raises(ComputerError) as failure:
        computer.mouse.click(10, 10)
    assert str(failure.value) == (
        "The screen has changed since you saw it: the picture was 640x400 and is 1140x440 now. "
        "A pixel of that picture may be another place now, so nothing was done. Look again."
    )
    assert desktop.pointer() == (10, 10)
    computer.mouse.move("Save")  # what is named is found wherever it is
    assert desktop.pointer() != (10, 10)
    computer.observe()
    computer.mouse.click(10, 50)
    assert desktop.pointer() == (-490, 10)
    desktop.rearrange([MAIN, Area(-500, -40, 500, 301)])
    with pytest.raises(ComputerError, match="its monitors are placed otherwise"):
        computer.mouse.click(10, 50)
    desktop.rearrange([MAIN, Area(-500, -40, 250, 300), Area(-250, -40, 250, 300)])
    with pytest.raises(ComputerError, match="there were 2 monitors and are 3 now"):
        computer.mouse.click(10, 50)


@pytest.mark.parametrize("look", ["view", "size", "capture", "width", "center"])
def test_each_way_of_looking_makes_pixels_places_on_that_picture(reader: TesseractReader, look: str) -> None:
    desktop = MemoryDesktop(displays=[MAIN])
    computer = Computer(desktop, reader=reader, receipts=False)
    computer.observe()
    desktop.rearrange([LEFT])
    with pytest.raises(ComputerError, match="Look again"):
        computer.mouse.move(10, 10)
    seen = getattr(computer.display, look)
    if look != "width":
        seen()
    computer.mouse.move(10, 10)
    assert desktop.pointer() == (-490, -30)


def test_a_capture_goes_to_a_code_step_as_a_picture(reader: TesseractReader) -> None:
    window = Window(
        id=1, title="Form", app="form", pid=7, area=Area(100, 50, 300, 200), active=True, hidden=False
    )
    desktop = MemoryDesktop(screens=form(), displays=[MAIN, LEFT], windows=[window], scale=2)
    computer = Computer(desktop, reader=reader, receipts=False)
    captured = computer.display.capture(window="Form")
    assert (captured.size, captured.point(Pixel(599, 0))) == (Size(600, 400), Point(399, 50))
    reply = answering(computer)(Call(path=("display", "capture"), args=(), kwargs={"window": "Form"}))
    assert reply.png is not None
    assert Image.open(BytesIO(reply.png)).size == (600, 400)
    hidden = MemoryDesktop(windows=[Window(
        id=1, title="Form", app="form", pid=7, area=Area(100, 50, 300, 200), active=False, hidden=True
    )])  # fmt: skip
    with pytest.raises(OffScreenError, match='"Form" is minimised'):
        Computer(hidden, reader=reader).display.capture(window="Form")
    away = MemoryDesktop(windows=[Window(
        id=1, title="Form", app="form", pid=7, area=Area(5000, 50, 300, 200), active=False, hidden=False
    )])  # fmt: skip
    with pytest.raises(OffScreenError, match="5000, 50 of 300x200 points lies outside"):
        Computer(away, reader=reader).display.capture(window="Form")


def test_monitors_are_told_with_their_place_and_scale(reader: TesseractReader) -> None:
    display = Computer(MemoryDesktop(displays=[MAIN, LEFT]), reader=reader).display
    assert display.displays() == display.info()
    assert display.info()[1] == {
        "name": "memory-1", "primary": False, "left": -500, "top": -40, "width": 500, "height": 300, "scale": 1.0,
    }  # fmt: skip
