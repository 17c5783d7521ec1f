"""What each provider takes of a picture, and what it counts for one: a table keyed by the model's name.

Bytes are those of the file, before base64 makes a third more of them. They leave room for the seven or so pictures
that are kept: Anthropic takes 32 MB a request and 5 MB a picture (base64 both), Gemini 20 MB a request. Tokens are
the formulas that providers publish or users found; a reply's own ``usage`` is the truth.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.computer import PictureLimit

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_api.geometry import Size


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """The largest picture that reaches the model as it was sent, in pixels and in bytes, and its price in tokens."""

    limit: PictureLimit
    most_bytes: int
    tokens: Callable[[Size], int]


def provider_of(model: str | None) -> Provider:
    """The row for a model as litellm names it; for an unknown one what all current models take."""
    name = (model or "").lower()
    version = _CLAUDE.search(name)
    if version is not None and (int(version[1]), int(version[2] or 0)) >= _LARGER_SINCE:
        return _NEW_CLAUDE
    return next((row for pattern, row in _TABLE if pattern.search(name)), _UNKNOWN)


def _patches(side: int, times: float = 1.0, most: int | None = None) -> Callable[[Size], int]:
    """One token, or ``times`` as many, for each square of that side; ``most`` squares, to which they are shrunk."""

    def tokens(size: Size) -> int:
        count = math.ceil(size.width / side) * math.ceil(size.height / side)
        return math.ceil(times * (count if most is None else min(most, count)))

    return tokens


def _tiles(base: int, each: int) -> Callable[[Size], int]:
    """OpenAI's tiles of 512 pixels, after the picture is fitted to 2048 and its short side to 768."""

    def tokens(size: Size) -> int:
        fitted = size.fitted(long_edge=2048, area=2048 * 2048, short_edge=768)
        return base + each * math.ceil(fitted.width / 512) * math.ceil(fitted.height / 512)

    return tokens


def _gemini_tiles(size: Size) -> int:
    """258 for each square tile, whose side depends on the picture; for a small picture 258."""
    if max(size.width, size.height) <= 384:  # noqa: PLR2004 - Gemini's own bound
        return 258
    side = min(max(min(size.width, size.height) * 2 // 3, 256), 768)
    return 258 * math.ceil(size.width / side) * math.ceil(size.height / side)


def _fixed(_: Size) -> int:
    return 1120


_MB = 1_000_000
_SAFE = PictureLimit()
_TALL = PictureLimit(long_edge=2048, area=2048 * 768, short_edge=768)  # OpenAI shrinks what is larger
_LARGE = PictureLimit(long_edge=1920, area=1920 * 1080)

_LARGER_SINCE = (4, 7)
_CLAUDE = re.compile(r"claude-(?:opus|sonnet|haiku)-(\d{1,2})(?:[-.](\d{1,2})(?!\d))?")
_NEW_CLAUDE = Provider(limit=_LARGE, most_bytes=3 * _MB, tokens=_patches(28))
_UNKNOWN = Provider(limit=_SAFE, most_bytes=2 * _MB, tokens=_patches(28))

# The first row whose pattern is somewhere in the name counts.
_TABLE: tuple[tuple[re.Pattern[str], Provider], ...] = tuple(
    (re.compile(pattern), row)
    for pattern, row in (
        (r"claude", Provider(limit=_SAFE, most_bytes=3 * _MB, tokens=_patches(28))),
        (
            r"gpt-(?:4\.1|5)[^/]*-(?:mini|nano)|o4-mini",
            Provider(limit=_SAFE, most_bytes=3 * _MB, tokens=_patches(32, 1.62, 1536)),
        ),
        (r"gpt-4o-mini", Provider(limit=_TALL, most_bytes=3 * _MB, tokens=_tiles(2833, 5667))),
        (r"gpt-4o|gpt-4\.1|gpt-4-turbo", Provider(limit=_TALL, most_bytes=3 * _MB, tokens=_tiles(85, 170))),
        (
            r"gpt-5\.(?:[4-9]|\d\d)",
            Provider(limit=_SAFE, most_bytes=3 * _MB, tokens=_patches(32, 1.2)),
        ),
        (r"gpt-5", Provider(limit=_TALL, most_bytes=3 * _MB, tokens=_tiles(70, 140))),
        (r"gemini-(?:[3-9]|\d\d)", Provider(limit=_LARGE, most_bytes=2 * _MB, tokens=_fixed)),
        (r"gemini", Provider(limit=_SAFE, most_bytes=2 * _MB, tokens=_gemini_tiles)),
        (r"qwen-?3", Provider(limit=_SAFE, most_bytes=2 * _MB, tokens=_patches(32))),
    )
)
