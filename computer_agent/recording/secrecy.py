"""Whether a text that a person typed is a secret: judged by the field that it went into, and by how it was shown.

In doubt it is one: a secret that stands in a trace cannot be taken back, a text that does not can be given again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.read_back import HIDDEN_ROLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy import bool_
    from numpy.typing import NDArray

    from computer_agent.recording.eyes import Focus
    from computer_agent.recording.still import View
    from computer_vision.reader import Pixels, Region

_LABEL = re.compile(
    r"pass\s?word|passphrase|pass\s?code|passwort|kennwort|mot de passe|contrase|senha\b|wachtwoord|l[öo]senord"
    r"|adgangskode|salasana|hasł|парол|密码|密碼|パスワード|비밀번호|access code|security code|api key|\bsecret\b"
    r"|\bpin\b|\btoken\b|\bcvv\b|\bcvc\b|\btan\b",
    re.IGNORECASE,
)
_FEWEST_MARKS = 3  # equal shapes in a row that are marks in place of characters
_INK_LEVELS = 60  # by which what is written differs from its ground
_ALIKE = 0.85  # of the pixels of two marks
_NARROWEST = 3  # pixels from one mark to the next
_MANY = 8  # marks that are enough where the field shows no more
_FRAME = 3  # pixels of a frame that lights up around a field
_UPRIGHT = 0.75  # of the height: a caret


def says_so(label: str) -> bool:
    """Whether a field of that label takes something that nobody else is to see."""
    return _LABEL.search(label) is not None


def hidden_by_focus(focuses: Iterable[Focus]) -> bool | None:
    """Whether the keyboard was in such a field meanwhile; None where no program said what had it."""
    controls = [focus.control for focus in focuses if focus.control is not None]
    if not controls:
        return None
    return any(control.role == HIDDEN_ROLE or says_so(control.name) for control in controls)


def field_changed(before: View, after: View) -> bool:
    """Whether the picture of a password field is another one afterwards."""
    import numpy as np

    old, new = before.screenshot, after.screenshot
    if old.frame.pixels.shape != new.frame.pixels.shape:
        return False
    for view in (before, after):
        told = () if view.controls is None else view.controls.elements.items
        for element in told:
            box = Box(*element.area)
            if element.role != HIDDEN_ROLE or not box.overlap(new.box):
                continue
            part = _part(new.region_of(box))
            if not np.array_equal(old.frame.pixels[part], new.frame.pixels[part]):
                return True
    return False


def shown_as_marks(text: str, before: View, after: View) -> bool:
    """Whether different characters all look the same on the screen, as dots and asterisks do."""
    from computer_vision.change import changes

    old, new = before.screenshot.frame.pixels, after.screenshot.frame.pixels
    if len(set(text)) == 1 or len(text) < _FEWEST_MARKS or old.shape != new.shape:
        return False
    return any(are_marks(new[_part(region)], len(text)) for region in changes(old, new))


def are_marks(pixels: Pixels, count: int) -> bool:
    """Whether a picture shows one shape about that many times in a row, and nothing else but a caret and a frame."""
    ink = _ink(pixels)
    if ink is None:
        return False
    width = ink.shape[1]
    for pitch in range(_NARROWEST, width // (_FEWEST_MARKS - 1) + 1):
        one, other = ink[:, pitch:], ink[:, :-pitch]
        if (one & other).sum() >= _ALIKE * (one | other).sum():
            shown = -(-width // pitch)
            return bool(
                abs(shown - count) <= 1 or _MANY <= shown < count
            )  # the field may be too short for all
    return False


def _ink(pixels: Pixels) -> NDArray[bool_] | None:
    """Which pixels are written on, cut to what is, without the frame and the caret; None where nothing is."""
    import numpy as np

    inner = pixels[_FRAME:-_FRAME, _FRAME:-_FRAME, :3]
    if inner.size == 0:
        return None
    grey = inner.astype(np.int16).mean(axis=2)
    ink = np.asarray(np.abs(grey - np.median(grey)) > _INK_LEVELS)
    ink[:, ink.mean(axis=0) > _UPRIGHT] = False
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else None


def _part(region: Region) -> tuple[slice, slice]:
    return slice(region.top, region.bottom), slice(region.left, region.right)
