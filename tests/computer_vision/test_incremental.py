"""What a reader that has followed a session says of a frame is what one says that sees only this frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.session import events, frames

from computer_vision.polyglot import PolyglotRecogniser
from computer_vision.reader import open_reader
from computer_vision.screen import ScreenReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_vision.recogniser import Crop, Spans

ALONE = 48  # one in so many frames is read by a reader for which not one line is known


class Remembering:
    """A recogniser that reads no crop twice: what a line says depends on its pixels alone."""

    def __init__(self) -> None:
        self._recogniser = PolyglotRecogniser()
        self._known: dict[tuple[tuple[int, ...], bytes], Spans] = {}

    def recognise(self, crops: Sequence[Crop]) -> list[Spans]:
        keys = [(crop.shape, crop.tobytes()) for crop in crops]
        new = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in self._known}
        self._known |= zip(new, self._recogniser.recognise(list(new.values())), strict=True)
        return [self._known[key] for key in keys]


def test_following_a_session_reads_every_frame_as_if_it_were_the_first() -> None:
    following, recogniser = open_reader(), Remembering()
    different = []
    for number, frame in enumerate(frames()):
        followed = following.read(frame.pixels)
        alone = (
            ScreenReader(PolyglotRecogniser()) if number % ALONE == ALONE - 1 else ScreenReader(recogniser)
        )
        if followed != alone.read(frame.pixels):
            different.append((number, frame.event))
    assert not different, f"{len(different)} frames"


def test_going_back_to_an_earlier_frame_reads_it_as_before() -> None:
    shown = [frame for number, frame in enumerate(frames()) if number % 20 == 0]
    following = open_reader()
    there = [following.read(frame.pixels) for frame in shown]
    back = [following.read(frame.pixels) for frame in reversed(shown)]
    assert back[::-1] == there


def test_the_session_is_long_and_has_what_readers_get_wrong() -> None:
    done = events()
    assert len(done) >= 200
    assert {
        "scroll", "menu", "window dragged over another", "typed", "spinner", "clock", "caret", "tooltip",
        "dialog opened", "dialog closed", "opened", "closed", "resized",
    } <= set(done)  # fmt: skip
