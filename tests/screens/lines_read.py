"""The lines of a labelled screen as the smallest network is shown them, and what it makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.truth import screens

from computer_vision.ppocr import PpocrRecogniser
from computer_vision.screen import ScreenReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_vision.ppocr import Reading
    from computer_vision.recogniser import Crop


class _Keeping(PpocrRecogniser):
    def __init__(self) -> None:
        super().__init__()
        self.made: list[tuple[Crop, Reading]] = []

    def readings(self, crops: Sequence[Crop]) -> list[Reading]:
        readings = super().readings(crops)
        self.made += zip(crops, readings, strict=True)
        return readings


def lines_read(name: str) -> list[tuple[Crop, Reading]]:
    """Each line of the screen of this name, of the tuning part, and its reading."""
    kept = _Keeping()
    ScreenReader(kept).read(next(screen for screen in screens("tuning") if screen.name == name).pixels)
    return kept.made
