"""The pictures of a trace as the page holds them: each once, without a loss where that is small."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PIL.Image import Image as Opened

    from computer_agent.trace.reader import Trace
    from computer_agent.trace.record import ImageName

__all__ = ["Picture", "pictures"]

_LARGE = (
    300_000  # bytes from which a picture is a photograph rather than a screen of text: JPEG is tried then
)
_QUALITY = 90
_EFFORT = 60  # of WebP's coder, of 100: more takes longer and gains next to nothing
_AT_ONCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture for the page, of that size in pixels.

    ``data`` is empty where the file is missing, damaged, or no picture; ``how`` says so, or how it was kept.
    """

    name: ImageName
    kind: str = ""
    data: bytes = b""
    width: int = 0
    height: int = 0
    how: str = ""


def pictures(trace: Trace, names: Iterable[ImageName]) -> tuple[Picture, ...]:
    """The pictures of those names, in that order."""
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:  # the encoders work without the interpreter's lock
        return tuple(pool.map(lambda name: _picture(trace, name), names))


def _picture(trace: Trace, name: ImageName) -> Picture:
    from PIL import Image

    data = trace.image(name)
    if data is None:
        return Picture(name=name, how="the file is missing or damaged")
    try:
        with Image.open(BytesIO(data)) as image:
            kind, size = str(image.format), image.size
            smaller = _smaller(image, data) if kind == "PNG" else None
    except (OSError, ValueError, SyntaxError):  # what Pillow raises for a file that is no picture after all
        return Picture(name=name, how="the file is no picture")
    except Image.DecompressionBombError:
        return Picture(name=name, how="the picture is too large to be shown")
    width, height = size
    if smaller is None:
        return Picture(name=name, kind=kind.lower(), data=data, width=width, height=height, how="as recorded")
    return Picture(name=name, kind=smaller[0], data=smaller[1], width=width, height=height, how=smaller[2])


def _smaller(image: Opened, data: bytes) -> tuple[str, bytes, str] | None:
    """Kind, bytes and how it was done, where that takes fewer bytes than the PNG."""
    opaque = image.convert("RGBA" if image.has_transparency_data else "RGB")
    exact = _encoded(opaque, "WEBP", lossless=True, method=1, quality=_EFFORT, exact=True)
    best = ("webp", exact, "every pixel as recorded") if len(exact) < len(data) else None
    if min(len(exact), len(data)) > _LARGE:
        # 4:4:4, or coloured letters would blur
        lossy = _encoded(opaque.convert("RGB"), "JPEG", quality=_QUALITY, subsampling=0, optimize=True)
        if len(lossy) * 2 < min(len(exact), len(data)):
            return "jpeg", lossy, f"as JPEG of quality {_QUALITY}; the recorded one is exact"
    return best


def _encoded(image: Opened, kind: str, **options: object) -> bytes:
    into = BytesIO()
    image.save(into, kind, **options)
    return into.getvalue()
