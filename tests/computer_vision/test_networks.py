"""The networks as they run: what is left out of their answers, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from screens.lines_read import lines_read
from screens.truth import SCREENS

from computer_vision.alphabets import ALPHABETS
from computer_vision.networks import HANGUL_HEAD, SMALL, TINY, File, loaded
from computer_vision.ppocr import PpocrRecogniser, page_of
from computer_vision.reader import ReaderUnavailable

if TYPE_CHECKING:
    from computer_vision.networks import Pages, Weights
    from computer_vision.recogniser import Crop

WIDTHS = (72, 72, 96, 57)  # of the lines of seldom_characters.png
WIDTH = 72  # of lines of the Japanese page, of which some may be Chinese and some not


def lines_of(name: str) -> list[Pages]:
    """The lines of a screen, each as the network takes it."""
    return [page_of(crop, TINY.larger)[np.newaxis] for crop, _ in lines_read(name)]


def seldom() -> list[Crop]:
    """The picture's lines."""
    with Image.open(SCREENS / "seldom_characters.png") as picture:
        drawn = np.asarray(picture)
    return [drawn[24 * row : 24 * row + 24, :width] for row, width in enumerate(WIDTHS)]


@pytest.mark.parametrize("name", ["chromium_bookshop_cjk", "chromium_calendar_ja", "chromium_changelog"])
def test_no_line_says_anything_else_for_what_is_left_out(name: str) -> None:
    network = loaded(TINY)
    for page in lines_of(name):
        ((some,),), ((all_,),) = network.run(page), network.run(page, whole=True)
        assert (some.argmax(axis=1) == all_.argmax(axis=1)).all()
        assert np.abs(some.max(axis=1) - all_.max(axis=1)).max() < 0.002


def test_characters_that_come_seldom_are_read() -> None:
    read = ["".join(span.text for span in spans) for spans in PpocrRecogniser().recognise(seldom())]
    assert read == ["饕餮盛宴", "熵增原理", "File蜈蚣2", "螺蛳粉"]


def test_characters_that_come_seldom_are_sought_on_all_lines() -> None:
    crops = [*seldom(), *(crop for crop, _ in lines_read("chromium_changelog")[:8])]
    found = PpocrRecogniser().seek(crops, "饕餮盛宴")
    assert [index for index, spans in enumerate(found) if spans] == [0]


@pytest.mark.parametrize("weights", [TINY, SMALL, HANGUL_HEAD, ALPHABETS])
def test_files_that_are_damaged_or_missing_are_told_by_name(weights: Weights) -> None:
    for file in filter(None, (weights.network, weights.whole, weights.characters)):
        part = next(name for name, value in weights._asdict().items() if value == file)
        with pytest.raises(ReaderUnavailable, match=f'"{file.name}" is damaged; install the package again'):
            loaded(weights._replace(**{part: file._replace(digest="0" * 64)}))
        with pytest.raises(ReaderUnavailable, match='gone" of this package is missing; install'):
            loaded(weights._replace(**{part: File("gone", file.digest)}))


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
