"""How many tokens a prompt takes, before it is sent: text by its length, pictures by the provider's formula.

An estimate, made better by what the provider counted for the requests before: see ``Forecast``.
"""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from computer_api.geometry import Size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from computer_agent.context.provider import Provider
    from computer_agent.models.dialect import Prompt

_CHARACTERS = 3.6  # of English and JSON in a token, about
_LONGEST_TEXT = 20_000  # characters without a space that are still text and not a picture
_HEADERS = (4096, 200_000)  # base64 characters of a picture that its size is looked for in


def tokens_of(prompt: Prompt, provider: Provider) -> int:
    """The estimate for the whole request."""
    text, pictures = 0, 0
    for value in (prompt.system, prompt.messages, prompt.tools):
        for piece in _texts(value):
            size = _picture_size(piece)
            if size is None:
                text += len(piece) + 2
            else:
                pictures += provider.tokens(size)
    return round(text / _CHARACTERS) + pictures


@dataclass(slots=True)
class Forecast:
    """Foresees what the next request takes, from what the last one took.

    ``factor`` is what the provider counted for each token of our estimate, 1 before anything was counted.
    """

    factor: float = 1.0
    last: int = field(default=0, init=False)
    _longest: int = field(default=0, init=False)

    def tokens(self, estimate: int) -> int:
        """What the provider will count for a prompt of that estimate."""
        return round(estimate * self.factor)

    def counted(self, estimate: int, into: int, out: int) -> None:
        """The provider counted so many tokens for the prompt of that estimate and for its reply."""
        self._longest = max(self._longest, out)
        self.last = into
        if estimate > 0 and into > 0:
            self.factor = into / estimate

    @property
    def reply(self) -> int:
        """The longest reply so far, or what a first one may be."""
        return self._longest or _FIRST_REPLY


_FIRST_REPLY = 300  # tokens


def _texts(value: object) -> Iterator[str]:
    """Every text of a JSON value, names of fields too."""
    match value:
        case str():
            yield value
        case dict():
            mapping: Mapping[str, object] = value
            for name, item in mapping.items():
                yield name
                yield from _texts(item)
        case list() | tuple():
            items: Sequence[object] = value
            for item in items:
                yield from _texts(item)
        case _:
            yield "12345"  # a number or a word of JSON


@lru_cache(maxsize=64)
def _picture_size(text: str) -> Size | None:
    """The size of the picture that a text is, as a data URL or as plain base64; None for text."""
    data = text.partition(",")[2] if text.startswith("data:image/") else text
    if data is text and (len(text) < _LONGEST_TEXT or not text.startswith(("iVBOR", "/9j/"))):
        return None
    for length in _HEADERS:
        try:
            head = base64.b64decode(data[:length])
        except ValueError:
            return None
        size = _png(head) or _jpeg(head)
        if size is not None:
            return size
    return None


def _png(data: bytes) -> Size | None:
    if not data.startswith(b"\x89PNG") or len(data) < 24:  # noqa: PLR2004 - up to the end of the size
        return None
    return Size(*struct.unpack(">II", data[16:24]))


def _jpeg(data: bytes) -> Size | None:
    """The size in the start of frame, which follows the segments before it."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:  # noqa: PLR2004 - a marker
        marker, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        if 0xC0 <= marker <= 0xC3:  # noqa: PLR2004 - the frames that are in use
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return Size(width, height)
        place += 2 + length
    return None
