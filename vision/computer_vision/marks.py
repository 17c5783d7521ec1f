"""Pictures with marks: where a click would land, and numbered boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from PIL import ImageDraw

from computer_vision.picture import to_image
from computer_vision.reader import Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL import Image

    from computer_vision.reader import Pixels

RED: Final = (220, 30, 30)
RING: Final = 12  # radius in pixels: around the point, not over it
LINE: Final = 3
COLOURS: Final = (
    RED,
    (20, 80, 200),
    (0, 110, 40),
    (150, 40, 150),
    (150, 80, 0),
)  # white is read on each of them
INK: Final = 24  # grey levels between neighbours that are a letter or a line
LABEL: Final = 50  # how much worse it is to stand on another number than on ink


def crop_with_target(pixels: Pixels, target: Region | tuple[int, int], *, margin: int = 80) -> Image.Image:
    """The surroundings of a target, with its outline in red, or a red ring around a point (x, y).

    ``margin`` is how many pixels of the picture to show on every side, less at the picture's edge.
    Raises ``ValueError`` when the target lies outside the picture.
    """
    height, width = pixels.shape[:2]
    box = target if isinstance(target, Region) else Region(*target, 1, 1)
    if box.right <= 0 or box.bottom <= 0 or box.left >= width or box.top >= height:
        raise ValueError(f'The target at "{box.left}, {box.top}" is outside the picture of {width}x{height}.')
    left, top = max(0, box.left - margin), max(0, box.top - margin)
    right, bottom = min(width, box.right + margin), min(height, box.bottom + margin)
    image = to_image(pixels[top:bottom, left:right])
    x, y = box.left - left, box.top - top
    if isinstance(target, Region):
        _outlined(ImageDraw.Draw(image), Region(x, y, box.width, box.height))
    else:
        ImageDraw.Draw(image).ellipse((x - RING, y - RING, x + RING, y + RING), outline=RED, width=LINE)
    return image


def numbered(pixels: Pixels, regions: Sequence[Region]) -> Image.Image:
    """The whole picture with every region outlined and its number, from 1, beside it.

    A number stands outside its region where there is room, on as little as possible of what can be read; the colours
    of neighbours differ.
    """
    image = to_image(pixels)
    draw = ImageDraw.Draw(image)
    room = _Room(pixels, regions)
    for number, region in enumerate(regions, start=1):
        colour = COLOURS[number % len(COLOURS)]
        edges = (region.left - 1, region.top - 1, region.right, region.bottom)
        draw.rectangle(edges, outline=colour, width=1)
        _labelled(draw, room, region, str(number), colour)
    return image


class _Room:
    """Where labels can stand: what they would hide, and what other labels have taken."""

    def __init__(self, pixels: Pixels, regions: Sequence[Region]) -> None:
        self.height, self.width = pixels.shape[:2]
        gradient = cv2.morphologyEx(pixels[:, :, 1], cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
        self._cost = np.asarray(gradient > INK, dtype=np.int32)
        for region in regions:  # nor on another's control, if there is another place
            left, top = max(0, region.left), max(0, region.top)
            self._cost[top : max(top, region.bottom), left : max(left, region.right)] += 1

    def take(self, region: Region, width: int, height: int) -> Region:
        """The place for a label of that size: beside the region, or in a corner of it where all else is worse."""
        right, below = region.right - width, region.bottom - height
        middle = region.top + (region.height - height) // 2
        places = (
            (region.left - 1, region.top - height),
            (right + 1, region.top - height),
            (region.right, middle),
            (region.left - width, middle),
            (region.left - 1, region.bottom),
            (right + 1, region.bottom),
            (right, region.top),
            (region.left, region.top),
            (right, below),
        )
        chosen = min((self._inside(x, y, width, height) for x, y in places), key=self._hidden_by)
        self._cost[chosen.top : chosen.bottom, chosen.left : chosen.right] += LABEL
        return chosen

    def _inside(self, x: int, y: int, width: int, height: int) -> Region:
        left, top = min(x, self.width - width), min(y, self.height - height)
        return Region(max(0, left), max(0, top), width, height)

    def _hidden_by(self, place: Region) -> int:
        """How much of what can be read, of controls and, worst, of other labels it would hide."""
        return int(self._cost[place.top : place.bottom, place.left : place.right].sum())


def _outlined(draw: ImageDraw.ImageDraw, region: Region) -> None:
    """A frame around the region, outside it, so that what is inside stays visible."""
    edges = (region.left - LINE, region.top - LINE, region.right + LINE - 1, region.bottom + LINE - 1)
    draw.rectangle(edges, outline=RED, width=LINE)


def _labelled(
    draw: ImageDraw.ImageDraw, room: _Room, region: Region, label: str, colour: tuple[int, int, int]
) -> None:
    """White on the region's colour, where there is room."""
    left, top, right, bottom = draw.textbbox((0, 0), label)
    place = room.take(region, int(right - left) + 4, int(bottom - top) + 4)
    draw.rectangle((place.left, place.top, place.right - 1, place.bottom - 1), fill=colour)
    draw.text((place.left + 2 - left, place.top + 2 - top), label, fill="white")
