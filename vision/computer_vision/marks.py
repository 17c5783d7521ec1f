"""Pictures for people: where a click would land, and numbered boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
    """The whole picture with every region outlined and its number, from 1, at its upper left corner."""
    image = to_image(pixels)
    draw = ImageDraw.Draw(image)
    for number, region in enumerate(regions, start=1):
        _outlined(draw, region)
        _labelled(draw, region, str(number))
    return image


def _outlined(draw: ImageDraw.ImageDraw, region: Region) -> None:
    """A frame around the region, outside it, so that what is inside stays visible."""
    edges = (region.left - LINE, region.top - LINE, region.right + LINE - 1, region.bottom + LINE - 1)
    draw.rectangle(edges, outline=RED, width=LINE)


def _labelled(draw: ImageDraw.ImageDraw, region: Region, label: str) -> None:
    """White on red above the region, or inside it where there is no room above."""
    left, top, right, bottom = draw.textbbox((0, 0), label)
    width, height = int(right - left) + 6, int(bottom - top) + 6
    x = max(0, region.left - LINE)
    y = region.top - LINE - height if region.top - LINE >= height else region.top
    draw.rectangle((x, y, x + width, y + height), fill=RED)
    draw.text((x + 3 - left, y + 3 - top), label, fill="white")
