"""A label that was misread is sought again, also where its words are a part of another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from computer_api.computer import Computer
from computer_api.errors import NotFoundError
from computer_api.geometry import Box
from computer_api.targets import TextTarget
from computer_platform.memory import MemoryDesktop, Screen
from computer_vision.reader import Line, Region, Word

if TYPE_CHECKING:
    from computer_vision.reader import Pixels

SENTENCE: Final = ("Nothing", "will", "Cancel", "what", "has", "been", "sent", "to", "the", "bank")
AT: Final = Region(40, 120, 60, 14)


def line(words: tuple[str, ...], left: int, top: int) -> Line:
    """Words of six pixels a letter, beside each other."""
    placed = []
    for word in words:
        placed.append(Word(text=word, region=Region(left, top, 6 * len(word), 12), score=0.95))
        left += 6 * len(word) + 5
    return Line(words=tuple(placed))


class Misreading:
    """Reads a sentence rightly and a label wrongly; at a second look, the label as what it says."""

    def __init__(self, label: str, says: str) -> None:
        self.first = (line(SENTENCE, 20, 40), line((label,), AT.left, AT.top))
        self.says = says

    def read(self, pixels: Pixels) -> tuple[Line, ...]:
        """What was read at first."""
        return self.first

    def seek(self, text: str) -> tuple[Line, ...]:
        """The label, where it is what is sought."""
        return (self.first[0], line((self.says,), AT.left, AT.top)) if text == self.says else self.first


def computer(reader: Misreading) -> Computer:
    picture = np.full((200, 700, 4), 255, np.uint8)
    picture[AT.top : AT.bottom : 3, AT.left : AT.right : 2] = 0
    return Computer(
        MemoryDesktop((700, 200), screens=(Screen(name="one", picture=picture),)), reader=reader, patience=0.0
    )


@pytest.mark.parametrize("misread", ["Cahcel", "Qxzvw"])
def test_a_label_that_was_misread_is_meant_and_not_the_same_word_in_a_sentence(misread: str) -> None:
    match = computer(Misreading(misread, "Cancel")).locate(TextTarget("Cancel"))
    assert match.point in Box(*AT)
    assert match.source == "sought text"


def test_a_word_of_a_sentence_is_meant_where_no_label_may_say_it() -> None:
    match = computer(Misreading("Save", "Save")).locate(TextTarget("Cancel"))
    assert match.point.y < 60
    assert match.source == "text"


def test_what_no_label_may_say_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        computer(Misreading("Save", "Save")).locate(TextTarget("Delete"))
