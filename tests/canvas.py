"""Drawn screens: texts and boxes that nobody but a reader can tell anything about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from computer_api.computer import Computer
from computer_api.geometry import Box
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, Screen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_vision.reader import Reader

SIZE = (900, 600)
GREY, WHITE, BLACK = (236, 236, 236), (255, 255, 255), (20, 20, 20)


@dataclass
class Canvas:
    """A picture to put texts and boxes on: nobody but a reader can tell what is there."""

    image: Image.Image = field(default_factory=lambda: Image.new("RGB", SIZE, GREY))

    def text(self, words: str, at: tuple[int, int], size: int = 16) -> Box:
        """The words with their upper left corner there, and the box of their ink."""
        font = ImageFont.load_default(size=size)
        pen = ImageDraw.Draw(self.image)
        pen.text(at, words, font=font, fill=BLACK)
        left, top, right, bottom = pen.textbbox(at, words, font=font)
        return Box(int(left), int(top), int(right - left), int(bottom - top))

    def box(self, area: Area, fill: tuple[int, int, int] = WHITE) -> Box:
        """A bordered box."""
        edges = (area.left, area.top, area.right - 1, area.bottom - 1)
        ImageDraw.Draw(self.image).rectangle(edges, fill=fill, outline=BLACK)
        return Box(*area)

    def button(self, words: str, area: Area) -> Box:
        """A box with words in its middle."""
        box = self.box(area, fill=(215, 215, 215))
        middle = (area.left + area.width // 2, area.top + area.height // 2)
        font = ImageFont.load_default(size=16)
        ImageDraw.Draw(self.image).text(middle, words, font=font, fill=BLACK, anchor="mm")
        return box

    def computer(self, reader: Reader, windows: Sequence[Window] | None = None) -> Computer:
        """A computer whose screen is this picture."""
        desktop = MemoryDesktop(SIZE, [Screen(name="drawn", picture=self.image)], windows=windows)
        return Computer(desktop, reader=reader, patience=0.0)


def window(number: int, title: str, area: Area, *, app: str = "app", hidden: bool = False) -> Window:
    return Window(id=number, title=title, app=app, pid=None, area=area, active=False, hidden=hidden)
