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
    from computer_api.receipt import Receipt
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


def shown_as_marks(text: str, before: View, after: View, receipt: Receipt) -> bool:
    """Whether other characters all look the same on the screen, as dots and asterisks do."""
    from computer_vision.change import changes

    if len(set(text)) == 1 or len(text) < _FEWEST_MARKS or not receipt.changed:
        return False
    old, new = before.screenshot.frame.pixels, after.screenshot.frame.pixels
    if old.shape != new.shape:
        return False
    regions = changes(old, new)
    widest = max(regions, key=lambda region: region.width, default=None)
    return widest is not None and are_marks(new[_part(widest)])


def are_marks(pixels: Pixels) -> bool:
    """Whether a picture shows one shape, several times in a row, and nothing else but a caret and a frame."""
    import numpy as np

    ink = _ink(pixels)
    if ink is None:
        return False
    columns = np.asarray(ink.any(axis=0))
    marks = [ink[:, first:last] for first, last in _runs(columns)]
    marks = [mark for mark in marks if mark.shape[1] > 2]  # noqa: PLR2004 - a caret is no wider
    if len(marks) < _FEWEST_MARKS:
        return False
    return all(_same_shape(marks[0], mark) for mark in marks[1:])


def _ink(pixels: Pixels) -> NDArray[bool_] | None:
    """Which pixels are written on, without whole rows and columns of a frame; None where nothing is."""
    import numpy as np

    grey = pixels[..., :3].astype(np.int16).mean(axis=2)
    ink = np.abs(grey - np.median(grey)) > _INK_LEVELS
    for axis in (1, 0):
        full = ink.mean(axis=axis) > 0.9  # noqa: PLR2004 - a line from side to side
        if axis == 1:
            ink[full, :] = False
        elif full[0] or full[-1]:
            ink[:, [0, -1]] = False
    rows = np.flatnonzero(ink.any(axis=1))
    return ink[rows[0] : rows[-1] + 1] if rows.size else None


def _runs(columns: NDArray[bool_]) -> list[tuple[int, int]]:
    """Where columns with ink begin and end."""
    import numpy as np

    edges = np.flatnonzero(np.diff(np.concatenate(([False], columns, [False])).astype(np.int8)))
    return [(int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def _same_shape(one: NDArray[bool_], other: NDArray[bool_]) -> bool:
    width = min(one.shape[1], other.shape[1])
    if max(one.shape[1], other.shape[1]) - width > 1:
        return False
    alike = (one[:, :width] == other[:, :width]).mean()
    return bool(alike >= _ALIKE)


def _part(region: Region) -> tuple[slice, slice]:
    return slice(region.top, region.bottom), slice(region.left, region.right)
