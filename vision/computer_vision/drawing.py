"""Icon files as pixels: SVG drawn at a size, and pictures read. The only module that knows the SVG renderer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels


class CannotDraw(Exception):
    """A file is no picture that can be drawn here; the message says what was wrong with it."""


def drawn(data: bytes, size: int) -> Pixels:
    """An SVG or PNG file as pixels, bytes B, G, R, A (not premultiplied), its longer side ``size`` pixels.

    Raises ``CannotDraw`` for anything else.
    """
    pixels = picture(_svg(data, size) if _is_svg(data) else data)
    height, width = pixels.shape[:2]
    factor = size / max(height, width)
    if factor == 1:
        return pixels
    shape = max(1, round(width * factor)), max(1, round(height * factor))
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(pixels, shape, interpolation=way), dtype=np.uint8)


def picture(data: bytes) -> Pixels:
    """A picture file as pixels, bytes B, G, R, A (not premultiplied). Raises ``CannotDraw`` for anything else."""
    raw: NDArray[Any] | None = None
    if data:
        raw = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_UNCHANGED)
    if raw is None:
        raise CannotDraw(f'This is no picture: it begins with "{data[:12]!r}". A PNG would do.')
    if raw.dtype == np.uint16:
        raw = (raw >> 8).astype(np.uint8)
    if raw.ndim == 2:  # noqa: PLR2004 - gray
        raw = cv2.cvtColor(raw, cv2.COLOR_GRAY2BGRA)
    elif raw.shape[2] == 3:  # noqa: PLR2004 - without alpha
        raw = cv2.cvtColor(raw, cv2.COLOR_BGR2BGRA)
    return np.asarray(raw, dtype=np.uint8)


def _is_svg(data: bytes) -> bool:
    return b"<svg" in data[:4096]


def _svg(data: bytes, size: int) -> bytes:
    import resvg_py

    try:
        text = data.decode()
        # The longer side decides: a tall picture must not be drawn `size` wide and then shrunk.
        return resvg_py.svg_to_bytes(svg_string=text, width=size, skip_system_fonts=True)
    except (UnicodeDecodeError, ValueError) as error:
        raise CannotDraw(f"This SVG cannot be drawn: {error}.") from None
