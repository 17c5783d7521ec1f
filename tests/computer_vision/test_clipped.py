"""Lines that a scrolled page's edge cuts are told from those that are drawn whole."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from screens.session import frames
from screens.truth import screens

from computer_vision.clipped import is_clipped
from computer_vision.networks import SMALL
from computer_vision.picture import from_image
from computer_vision.polyglot import PolyglotRecogniser
from computer_vision.ppocr import PpocrRecogniser
from computer_vision.reader import Region
from computer_vision.sheet import Sheet

if TYPE_CHECKING:
    from screens.truth import Label

    from computer_vision.reader import Pixels
    from computer_vision.recogniser import Crop

HEIGHT, TOP, INK = 28, 6, range(9, 22)  # of a line as it is drawn here, and its rows with letters
FRAME = (58, 69, 84)  # a colour of what stands around a page


def drawn(*, shown: tuple[int, int] = (0, HEIGHT), underlined: bool = False, paper: int = 255) -> Crop:
    """A line of which those rows are shown; above and below is the frame."""
    image = Image.new("RGB", (300, HEIGHT), (paper,) * 3)
    draw = ImageDraw.Draw(image)
    colour = (255 - paper,) * 3
    draw.text((8, TOP), "The nightjar is heard early", fill=colour, font=ImageFont.load_default(16))
    if underlined:
        draw.line((8, INK[-1] - 3, 292, INK[-1] - 3), fill=colour)
    crop = np.ascontiguousarray(from_image(image)[:, :, :3])
    crop[: shown[0]] = crop[shown[1] :] = FRAME
    return crop


@pytest.mark.parametrize("paper", [255, 30])
@pytest.mark.parametrize("shown", [(0, 14), (0, 16), (14, HEIGHT), (16, HEIGHT)])
def test_a_line_that_ends_at_an_edge_is_clipped(shown: tuple[int, int], paper: int) -> None:
    assert is_clipped(drawn(shown=shown, paper=paper))


@pytest.mark.parametrize("paper", [255, 30])
@pytest.mark.parametrize("shown", [(0, HEIGHT), (INK[0] - 3, INK[-1] + 3), (0, INK[-1] + 2)])
def test_a_line_that_is_whole_is_not_clipped(shown: tuple[int, int], paper: int) -> None:
    assert not is_clipped(drawn(shown=shown, paper=paper))


def test_a_line_that_is_underlined_is_not_clipped() -> None:
    assert not is_clipped(drawn(underlined=True))


def lines_of(pixels: Pixels) -> list[tuple[Region, Crop]]:
    return [(region, _crop(pixels, region)) for region in Sheet(pixels).lines]


def _crop(pixels: Pixels, region: Region) -> Crop:
    return np.ascontiguousarray(pixels[region.top : region.bottom, region.left : region.right, :3])


def test_no_labelled_text_is_taken_for_a_clipped_one() -> None:
    counted = 0
    for screen in screens("tuning"):
        for region, crop in lines_of(screen.pixels):
            held = [label.text for label in screen.labels if _holds(region, label)]
            counted += len(held)
            assert not (held and is_clipped(crop)), f"{screen.name}: {held}"
    assert counted > 1000


def _holds(region: Region, label: Label) -> bool:
    left, top, width, height = label.box
    x, y = left + width / 2, top + height / 2
    return region.left < x < region.right and region.top < y < region.bottom


def frame(number: int) -> Pixels:
    return next(islice(frames(), number, None)).pixels


def test_a_clipped_line_is_not_read_twice() -> None:
    crops = [crop for _, crop in lines_of(frame(32)) if is_clipped(crop) and crop.shape[1] > 300]
    alone, larger = PpocrRecogniser().recognise(crops), PpocrRecogniser(SMALL).recognise(crops)
    assert len(crops) == 2
    assert alone != larger
    assert PolyglotRecogniser().recognise(crops) == alone


@pytest.mark.parametrize(
    ("number", "region", "character"),
    [(258, Region(564, 440, 36, 14), "\u4e00"), (284, Region(637, 468, 20, 10), "\u516b")],
)
def test_what_is_read_as_a_bar_or_a_chevron_is_not_read_twice(
    number: int, region: Region, character: str
) -> None:
    crop = _crop(frame(number), region)
    assert [line.text for line in PpocrRecogniser().readings([crop])] == [character]
    alone = PpocrRecogniser().recognise([crop])
    assert alone != PpocrRecogniser(SMALL).recognise([crop])
    assert PolyglotRecogniser().recognise([crop]) == alone
