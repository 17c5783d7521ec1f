"""Pictures as models and files want them: resized, encoded, and from and to Pillow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_vision.reader import Pixels, Region

GREY: Final = 150  # of what is covered: seen on light pages and on dark ones
PNG_SPEED: Final = 1  # zlib's fastest: a third of the time of the default, a tenth more bytes


def resized(pixels: Pixels, width: int, height: int) -> Pixels:
    """The picture at that size, in pixels; the same array when it has that size already.

    Shrinking averages all the pixels that fall on a new one, so thin letters stay readable.
    Raises ``ValueError`` for a size without pixels.
    """
    if width < 1 or height < 1:
        raise ValueError(f'A picture cannot be "{width}x{height}"; both sides must be at least 1 pixel.')
    rows, columns = pixels.shape[:2]
    if (columns, rows) == (width, height):
        return pixels
    step = min(columns // width, rows // height)
    if step > 1:
        # The bulk of the way by a whole factor: OpenCV is several times faster at those.
        whole = pixels[: rows // step * step, : columns // step * step]
        if whole.shape == pixels.shape:
            pixels = np.asarray(
                cv2.resize(pixels, (columns // step, rows // step), interpolation=cv2.INTER_AREA),
                dtype=np.uint8,
            )
    shrinks = width <= pixels.shape[1] and height <= pixels.shape[0]
    way = cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=way), dtype=np.uint8)


def filled(pixels: Pixels, regions: Sequence[Region]) -> Pixels:
    """The picture with these regions (its pixels, inside it) filled with grey; the same array without any."""
    if not regions:
        return pixels
    picture = pixels.copy()
    for region in regions:
        picture[region.top : region.bottom, region.left : region.right] = GREY
    return picture


def encoded(pixels: Pixels, most: int) -> bytes:
    """The picture in at most that many bytes: as PNG where that is the smallest, otherwise as JPEG.

    Flat screens are small as PNG, which keeps every letter; photographs and noise are not. JPEG quality falls, and
    at last its colour resolution, until it fits. Raises ``ValueError`` where not even that does: show it smaller.
    """
    best = jpeg(pixels)
    exact = png(pixels)
    if len(exact) <= min(most, len(best)):
        return exact
    for quality in (None, 75, 60, 45, 30):
        best = best if quality is None else jpeg(pixels, quality)
        if len(best) <= most:
            return best
    for quality in (30, 15, 5):
        best = _encoded(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if len(best) <= most:
            return best
    height, width = pixels.shape[:2]
    raise ValueError(f'A picture of "{width}x{height}" takes {len(best)} bytes at the least, not {most}.')


def fitted(data: bytes, most: int, size: Callable[[tuple[int, int]], tuple[int, int]]) -> bytes:
    """A PNG or JPEG as it is where it fits, else made anew: no larger than ``size`` makes its size, and ``most`` bytes.

    Raises ``ValueError`` for what is no picture.
    """
    from io import BytesIO

    try:
        with Image.open(BytesIO(data)) as image:
            allowed = size(image.size)
            if allowed == image.size and len(data) <= most and image.format in ("PNG", "JPEG"):
                return data
            pixels = from_image(image)
    except OSError:
        raise ValueError(f'This is no picture that can be read; it starts with "{data[:8]!r}".') from None
    return encoded(resized(pixels, *allowed), most)


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG or JPEG in pixels. Raises ``ValueError`` for what is no picture."""
    from io import BytesIO

    try:
        with Image.open(BytesIO(data)) as image:
            return image.size
    except OSError:
        raise ValueError(f'This is no picture that can be read; it starts with "{data[:8]!r}".') from None


def to_image(pixels: Pixels) -> Image.Image:
    """The picture as an RGB image of Pillow."""
    return Image.fromarray(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2RGB), dtype=np.uint8))


def from_image(image: Image.Image) -> Pixels:
    """The image of Pillow, of any mode, as B, G, R, X bytes; transparent parts become white."""
    if image.has_transparency_data:
        clear = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)
    rgb = np.asarray(image.convert("RGB"), dtype=np.uint8)
    return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2BGRA), dtype=np.uint8)


def jpeg(pixels: Pixels, quality: int = 88) -> bytes:
    """The picture as JPEG with full colour resolution (4:4:4), which coloured letters need.

    Raises ``ValueError`` for a quality outside 1 to 100.
    """
    if not 1 <= quality <= 100:  # noqa: PLR2004 - the format's own range
        raise ValueError(f'JPEG quality cannot be "{quality}"; it goes from 1 to 100.')
    options = [
        cv2.IMWRITE_JPEG_QUALITY,
        quality,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
    ]
    return _encoded(".jpg", pixels, options)


def png(pixels: Pixels) -> bytes:
    """The picture as PNG, every pixel kept; set for speed."""
    return _encoded(".png", pixels, [cv2.IMWRITE_PNG_COMPRESSION, PNG_SPEED])


def _encoded(kind: str, pixels: Pixels, options: list[int]) -> bytes:
    done, data = cv2.imencode(kind, cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR), options)
    if not done:
        raise ValueError(f'A picture of shape "{pixels.shape}" cannot be written as {kind}.')
    return data.tobytes()
