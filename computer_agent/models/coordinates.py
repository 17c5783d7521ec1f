"""The spaces that models count places in, and the only arithmetic between them and pixels of the picture as sent.

Which model counts how is a table (``dialects.table``), never guessed from the values. Going from a place of ours to
the model's numbers and back gives the same pixel at every size of picture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from computer_agent.models.dialects.arguments import BadCall
from computer_api.actions import Zoom, aimed_at, targets_of
from computer_api.geometry import Pixel, Size

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_api.actions import Action

Number = float


class Space(Protocol):
    """A way of counting places on a picture."""

    def pixel(self, x: Number, y: Number, size: Size) -> Pixel:
        """The pixel of a picture of that size that the model's numbers mean.

        Raises ``BadCall`` for numbers outside of the picture.
        """
        ...

    def numbers(self, pixel: Pixel, size: Size) -> tuple[Number, Number]:
        """What the model would write for that pixel; ``pixel`` of it is the same again."""
        ...


@dataclass(frozen=True, slots=True)
class Pixels:
    """Pixels of the picture as sent."""

    def pixel(self, x: Number, y: Number, size: Size) -> Pixel:
        """The same numbers, as whole ones."""
        column, row = _whole(x), _whole(y)
        if not (0 <= column < size.width and 0 <= row < size.height):
            raise BadCall(
                f"{_said(x, y)} is outside of the picture, which is {size} pixels: x is 0 to {size.width - 1}, "
                f"y is 0 to {size.height - 1}."
            )
        return Pixel(column, row)

    def numbers(self, pixel: Pixel, _: Size) -> tuple[Number, Number]:
        """The same numbers."""
        return pixel.x, pixel.y


@dataclass(frozen=True, slots=True)
class Relative:
    """Each side counted from 0 to ``full``, whatever the picture's size: 1000, or 1 for fractions."""

    full: int

    def pixel(self, x: Number, y: Number, size: Size) -> Pixel:
        """The pixel at that part of each side; ``full`` itself is the last one."""
        if not (0 <= x <= self.full and 0 <= y <= self.full):
            raise BadCall(
                f"{_said(x, y)} is outside of the picture: x and y are 0 to {self.full} of its width and height, "
                "whatever its size in pixels."
            )
        return Pixel(_part(x / self.full, size.width), _part(y / self.full, size.height))

    def numbers(self, pixel: Pixel, size: Size) -> tuple[Number, Number]:
        """The shortest numbers in the pixel's span: whole ones where there are any."""
        return _shortest(pixel.x, size.width, self.full), _shortest(pixel.y, size.height, self.full)


@dataclass(frozen=True, slots=True)
class Resized:
    """Pixels of the picture after the model's own server has resized it; ``resize`` gives that size."""

    resize: Callable[[Size], Size]

    def pixel(self, x: Number, y: Number, size: Size) -> Pixel:
        """The pixel of the picture as sent."""
        seen = self.resize(size)
        if not (0 <= x <= seen.width and 0 <= y <= seen.height):
            raise BadCall(f"{_said(x, y)} is outside of the picture, which is {seen} pixels.")
        return Pixel(_part(x / seen.width, size.width), _part(y / seen.height, size.height))

    def numbers(self, pixel: Pixel, size: Size) -> tuple[Number, Number]:
        """The shortest numbers in the pixel's span of the resized picture."""
        seen = self.resize(size)
        return _shortest(pixel.x, size.width, seen.width), _shortest(pixel.y, size.height, seen.height)


def smart_resize(factor: int, most: int, least: int = 56 * 56) -> Callable[[Size], Size]:
    """Qwen-VL's rule: sides that are multiples of ``factor``, an area between ``least`` and ``most`` pixels.

    Each side is rounded to the nearest multiple; a picture that is then too large is shrunk with its sides rounded
    down, one that is too small grown with them rounded up.
    """

    def resize(size: Size) -> Size:
        width, height = (max(factor, round(side / factor) * factor) for side in size.pair)
        if width * height > most:
            scale = math.sqrt(size.width * size.height / most)
            width, height = (max(factor, math.floor(side / scale / factor) * factor) for side in size.pair)
        elif width * height < least:
            scale = math.sqrt(least / (size.width * size.height))
            width, height = (math.ceil(side * scale / factor) * factor for side in size.pair)
        return Size(width, height)

    return resize


def moved(action: Action, place: Callable[[Pixel], Pixel]) -> Action:
    """The action with each of its pixels on the picture, corners of a zoom too, as ``place`` makes it."""
    if isinstance(action, Zoom):
        start, end = place(Pixel(action.left, action.top)), place(Pixel(action.right, action.bottom))
        return replace(action, left=start.x, top=start.y, right=end.x, bottom=end.y)
    targets = [place(each) if isinstance(each, Pixel) else each for each in targets_of(action)]
    return aimed_at(action, targets) if targets else action


PIXELS = Pixels()
THOUSAND = Relative(1000)
FRACTION = Relative(1)


def _part(part: float, side: int) -> int:
    """The pixel at that part of a side, where the last one reaches to the very end."""
    return min(side - 1, math.floor(part * side + 1e-9))


def _shortest(pixel: int, side: int, full: int) -> Number:
    """The number with the fewest digits whose pixel it is, the one nearest to the pixel's middle."""
    middle = (pixel + 0.5) / side * full
    for digits in range(8):
        number = round(middle, digits)
        if 0 <= number <= full and _part(number / full, side) == pixel:
            return int(number) if number == int(number) else number
    return middle


def _whole(number: Number) -> int:
    """Numbers of pixels come as ``412.0``, too, and some models write halves."""
    return math.floor(number)


def _said(x: Number, y: Number) -> str:
    return f"({x:g}, {y:g})"
