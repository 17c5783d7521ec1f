"""Pictures as they came in a request: their bytes, their size, and where they stood."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its bytes, its size in pixels, and whose turn it came in.

    ``turn`` counts the messages of the request from 0; ``call`` is the id of the call that it answers, else "".
    """

    data: bytes
    width: int
    height: int
    role: str = ""
    turn: int = -1
    call: str = ""
    kind: str = "image/png"


def decoded(data: str, kind: str, *, role: str, turn: int, call: str = "") -> Picture:
    """The picture of a base64 text. Raises ``ValueError`` for what is no base64, no PNG, JPEG or WebP, or another kind
    than it is said to be.
    """
    raw = base64.b64decode(data, validate=True)
    found, (width, height) = _looked_into(raw)
    if kind and found != kind:
        raise ValueError(f"a picture is said to be {kind}, its bytes are {found}")
    return Picture(raw, width, height, role, turn, call, found)


def from_url(url: str, *, role: str, turn: int, call: str = "") -> Picture:
    """The picture of a data URL."""
    header, comma, data = url.partition(";base64,")
    if not comma or not header.startswith("data:image/"):
        raise ValueError(f"a picture is no data URL of an image, it begins with {url[:40]!r}")
    return decoded(data, header.removeprefix("data:"), role=role, turn=turn, call=call)


def _looked_into(raw: bytes) -> tuple[str, tuple[int, int]]:
    if raw[:8] == b"\x89PNG\r\n\x1a\n":
        width, height = struct.unpack(">II", raw[16:24])
        return "image/png", (width, height)
    if raw[:2] == b"\xff\xd8":
        return "image/jpeg", _jpeg_size(raw)
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp", _webp_size(raw)
    raise ValueError(f"a picture is neither PNG, JPEG nor WebP, it begins with {raw[:8]!r}")


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Walk the segments to the start of frame, which holds height and width."""
    place = 2
    while data[place] == 0xFF:
        marker, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        if 0xC0 <= marker <= 0xC3:
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        place += 2 + length
    raise ValueError("this JPEG has no start of frame")


def _webp_size(data: bytes) -> tuple[int, int]:
    """The size stands elsewhere in each of WebP's three forms."""
    match data[12:16]:
        case b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case _:
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF
