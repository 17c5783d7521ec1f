"""Pictures whose paths stand in what a person says: they are shown to the model."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDINGS = "png|jpg|jpeg|gif|webp|bmp|tif|tiff"
_PATH = re.compile(
    rf"""
      file://(?P<address>[^\s'"<>]+)
    | '(?P<single>[^'\n]+\.(?:{_ENDINGS}))'
    | "(?P<double>[^"\n]+\.(?:{_ENDINGS}))"
    | `(?P<ticks>[^`\n]+\.(?:{_ENDINGS}))`
    | (?P<bare>(?:\\.|[^\s\\'"`<>])+\.(?:{_ENDINGS}))(?![\w/])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MOST_BYTES = 50_000_000
_MOST_PICTURES = 20
_LONGEST_SIDE = 2000  # pixels, which no model sees more of
_KEPT_AS_THEY_ARE = ("PNG", "JPEG")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPicture:
    """A picture that is named in a message: its file as PNG or JPEG, or why it cannot be shown."""

    path: Path
    data: bytes | None
    why: str = ""


def named_pictures(words: str, folder: Path) -> list[NamedPicture]:
    """The pictures that are named and exist, in order, each once. Paths begin at ``folder``."""
    found: dict[Path, NamedPicture] = {}
    for named in _named(words):
        path = folder / named
        with suppress(OSError, ValueError, RuntimeError):
            path = folder / named.expanduser()
            if path.is_file() and path not in found and len(found) < _MOST_PICTURES:
                found[path] = _read(path)
    return list(found.values())


def _named(words: str) -> Iterator[Path]:
    for match in _PATH.finditer(words):
        if match["address"] is not None:
            path = unquote(urlparse(f"file://{match['address'].rstrip('.,;:!?)')}").path)
            if re.search(rf"\.(?:{_ENDINGS})\Z", path, re.IGNORECASE):
                yield Path(path.lstrip("/") if re.match(r"/[A-Za-z]:", path) else path)
        elif match["bare"] is not None:
            bare = match["bare"].lstrip("([{@")
            yield Path(bare)  # as it stands, on Windows
            yield Path(re.sub(r"\\(.)", r"\1", bare))
        else:
            yield Path(match["single"] or match["double"] or match["ticks"])


def _read(path: Path) -> NamedPicture:
    from PIL import Image, UnidentifiedImageError

    if path.stat().st_size > _MOST_BYTES:
        return NamedPicture(path=path, data=None, why=f"it is larger than {_MOST_BYTES // 1_000_000} MB")
    data = path.read_bytes()
    try:
        with Image.open(BytesIO(data)) as image:
            if image.format in _KEPT_AS_THEY_ARE and max(image.size) <= _LONGEST_SIDE:
                image.load()
                return NamedPicture(path=path, data=data)
            image.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
            made = BytesIO()
            image.convert("RGBA" if "A" in image.getbands() else "RGB").save(made, "PNG")
            return NamedPicture(path=path, data=made.getvalue())
    except UnidentifiedImageError:
        return NamedPicture(path=path, data=None, why="it is no picture that can be read")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        return NamedPicture(path=path, data=None, why=f"it cannot be read: {error}")
