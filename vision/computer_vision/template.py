"""A picture that somebody gave, found on the screen: at its own size first, then smaller and larger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from computer_vision.lines import Found
from computer_vision.reader import Region

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

_SAME: Final = 0.9  # correlation from which on a place shows the picture
_ROUGH: Final = 0.45  # and from which a place on the shrunk pictures is looked at closely
_LOOKED_AT: Final = 40  # places of one scale that are looked at closely
_SCALES: Final = (1.0, 2.0, 0.5, 1.5, 0.75, 1.25, 1.75, 0.625, 0.875, 1.125, 1.375, 1.625)
_LEAST: Final = 12  # pixels of a side that the picture keeps when it is shrunk for the search
_FLAT: Final = 2.0  # levels by which a picture must vary to be told from its ground


def find_picture(
    pixels: Pixels, template: Pixels, *, region: Region | None = None, least: float = _SAME
) -> tuple[Found, ...]:
    """The distinct places that show the picture, best first; ``text`` is ``""``, ``score`` the correlation of colours.

    ``template`` is B, G, R, A; what is transparent may look like anything. Scales from half to double are tried,
    the picture's own first; those of one scale are returned. ``region`` narrows the search, in pixels of the picture.
    Raises ``ValueError`` for a picture of less than four pixels a side, or of one colour.
    """
    _check(template)
    area = region or Region(0, 0, pixels.shape[1], pixels.shape[0])
    part = np.ascontiguousarray(pixels[area.top : area.bottom, area.left : area.right, :3])
    for scale in _SCALES:
        found = _at_scale(part, _scaled(template, scale), least)
        if found:
            return tuple(
                Found(
                    text="",
                    score=round(score, 4),
                    region=at._replace(left=at.left + area.left, top=at.top + area.top),
                )
                for at, score in found
            )
    return ()


def _check(template: Pixels) -> None:
    height, width = template.shape[:2]
    if min(height, width) < 4:  # noqa: PLR2004 - less is no picture of anything
        raise ValueError(
            f'A picture of "{width}x{height}" pixels is too small to be found; give one of 4x4 or more.'
        )
    shown = template[template[:, :, 3] > 127][:, :3] if template.shape[2] > 3 else template.reshape(-1, 3)  # noqa: PLR2004
    if not len(shown) or float(shown.std(axis=0).max()) < _FLAT:
        raise ValueError(
            "The picture is all of one colour, which many places are; give one with its surroundings."
        )


def _scaled(template: Pixels, scale: float) -> Pixels:
    if scale == 1:
        return template
    size = max(4, round(template.shape[1] * scale)), max(4, round(template.shape[0] * scale))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(template, size, interpolation=way), dtype=np.uint8)


def _at_scale(part: Pixels, template: Pixels, least: float) -> list[tuple[Region, float]]:
    """Where the picture stands at this very size: sought on shrunk pictures, then looked at closely."""
    height, width = template.shape[:2]
    if height > part.shape[0] or width > part.shape[1]:
        return []
    shrink = max(1, min(4, min(height, width) // _LEAST))
    if shrink == 1:
        return _peaks(_correlation(part, template), template, least)
    small = cv2.resize(part, (part.shape[1] // shrink, part.shape[0] // shrink), interpolation=cv2.INTER_AREA)
    rough = cv2.resize(template, (width // shrink, height // shrink), interpolation=cv2.INTER_AREA)
    found = []
    for at, _ in _peaks(_correlation(np.asarray(small), np.asarray(rough)), np.asarray(rough), _ROUGH)[
        :_LOOKED_AT
    ]:
        reach = 2 * shrink
        left, top = max(0, at.left * shrink - reach), max(0, at.top * shrink - reach)
        close = part[top : top + height + 2 * reach, left : left + width + 2 * reach]
        if close.shape[0] < height or close.shape[1] < width:
            continue
        _, score, _, place = cv2.minMaxLoc(_correlation(np.ascontiguousarray(close), template))
        if score >= least:
            found.append((Region(left + int(place[0]), top + int(place[1]), width, height), float(score)))
    return _distinct(found)


def _correlation(part: Pixels, template: Pixels) -> NDArray[float32]:
    """How well the picture fits at each place, -1 to 1; what is transparent does not count."""
    alpha = template[:, :, 3] if template.shape[2] > 3 else None  # noqa: PLR2004
    colors = np.ascontiguousarray(template[:, :, :3])
    if alpha is None or int(alpha.min()) == 255:  # noqa: PLR2004 - all of it is opaque
        fits = cv2.matchTemplate(part, colors, cv2.TM_CCOEFF_NORMED)
    else:
        mask = cv2.merge([alpha.astype(np.float32) / 255] * 3)
        fits = cv2.matchTemplate(
            part.astype(np.float32), colors.astype(np.float32), cv2.TM_CCOEFF_NORMED, mask=mask
        )
    sound = np.where(np.isfinite(fits) & (np.abs(fits) <= 1.001), fits, 0)  # noqa: PLR2004 - flat places divide by zero
    return np.minimum(sound, 1).astype(np.float32)


def _peaks(fits: NDArray[float32], template: Pixels, least: float) -> list[tuple[Region, float]]:
    """The places that fit better than those around them."""
    highest = cv2.dilate(fits, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((fits >= least) & (fits >= highest))
    height, width = template.shape[:2]
    order = np.argsort(-fits[rows, columns])[: 8 * _LOOKED_AT]
    return _distinct(
        [
            (Region(int(columns[at]), int(rows[at]), width, height), float(fits[rows[at], columns[at]]))
            for at in order
        ]
    )


def _distinct(found: list[tuple[Region, float]]) -> list[tuple[Region, float]]:
    """The places, best first, without those that lie half on a better one."""
    kept: list[tuple[Region, float]] = []
    for at, score in sorted(found, key=lambda hit: -hit[1]):
        if all(
            2 * abs(at.left - other.left) >= at.width or 2 * abs(at.top - other.top) >= at.height
            for other, _ in kept
        ):
            kept.append((at, score))
    return kept
