"""The networks as they run: what is left out of their answers, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from screens.truth import SCREENS, screens

from computer_vision.networks import TINY, loaded
from computer_vision.ppocr import PpocrRecogniser, page_of
from computer_vision.screen import ScreenReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_vision.networks import Pages
    from computer_vision.recogniser import Crop, Spans

WIDTH = 72  # of lines of the Japanese page, of which some may be Chinese and some not


class Keeping(PpocrRecogniser):
    """The smallest network, and the lines that it was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[Crop] = []

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        self.shown += crops
        return super().recognise(crops)


def lines_of(name: str) -> list[Pages]:
    """The lines of a screen, each as the network takes it."""
    kept = Keeping()
    ScreenReader(kept).read(next(screen for screen in screens("tuning") if screen.name == name).pixels)
    return [page_of(crop, TINY.larger)[np.newaxis] for crop in kept.shown]


@pytest.mark.parametrize("name", ["chromium_bookshop_cjk", "chromium_calendar_ja", "chromium_changelog"])
def test_no_line_says_anything_else_for_what_is_left_out(name: str) -> None:
    network = loaded(TINY)
    for page in lines_of(name):
        ((some,),), ((all_,),) = network.run(page), network.run(page, whole=True)
        assert (some.argmax(axis=1) == all_.argmax(axis=1)).all()
        assert np.abs(some.max(axis=1) - all_.max(axis=1)).max() < 0.002


def test_characters_that_come_seldom_are_read() -> None:
    with Image.open(SCREENS / "seldom_characters.png") as picture:
        drawn = np.asarray(picture)
    lines = ["饕餮盛宴", "熵增原理", "File蜈蚣2", "螺蛳粉"]
    widths = [72, 72, 96, 57]
    crops = [drawn[24 * row : 24 * row + 24, :width] for row, width in enumerate(widths)]
    read = ["".join(span.text for span in spans) for spans in PpocrRecogniser().recognise(crops)]
    assert read == lines


def test_latin_lines_are_not_compared_with_characters_that_come_seldom() -> None:
    network = loaded(TINY)
    answers = [network.run(page)[0][0] for page in lines_of("chromium_changelog")]
    few = [answer for answer in answers if answer.shape[1] < len(network.alphabets[0].characters) / 4]
    assert len(few) > 0.9 * len(answers)


def test_a_line_answers_the_same_beside_one_with_characters_that_come_seldom() -> None:
    network = loaded(TINY)
    pages = [page for page in lines_of("chromium_calendar_ja") if page.shape[3] == WIDTH]
    alone = [network.run(page)[0][0] for page in pages]
    assert len({answer.shape[1] for answer in alone}) > 1
    together = [answer for (answer,) in network.run(np.concatenate(pages))]
    assert [answer.shape for answer in together] == [answer.shape for answer in alone]
    assert all(np.allclose(one, other, atol=1e-4) for one, other in zip(together, alone, strict=True))
