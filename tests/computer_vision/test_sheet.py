"""A sheet that followed changes is the sheet of the last picture: real screens, edited at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from computer_vision.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from computer_vision.reader import Pixels

    Load = Callable[[str], Any]

NAMES = ("chromium_form_light", "mousepad_menu_dark", "tk_form_light", "xterm_dark", "zenity_form_light")
KINDS = ("pasted", "scrolled", "caret", "typed", "border", "dot")


def edited(picture: Pixels, other: Pixels, data: st.DataObject) -> Pixels:
    """The picture after one thing happened on it, somewhere."""
    picture = picture.copy()
    height, width = picture.shape[:2]
    x, y = data.draw(st.integers(0, width - 2)), data.draw(st.integers(0, height - 2))
    across = data.draw(st.integers(1, min(300, width - x)))
    down = data.draw(st.integers(1, min(200, height - y)))
    level = data.draw(st.integers(0, 255))
    match data.draw(st.sampled_from(KINDS)):
        case "pasted":
            part = other[:down, :across]
            picture[y : y + part.shape[0], x : x + part.shape[1]] = part
        case "scrolled":
            by = data.draw(st.integers(1, 60))
            part = picture[y : y + down, x : x + across]
            picture[y : y + down, x : x + across] = np.roll(part, -by, axis=0)
        case "caret":
            picture[y : y + 18, x : x + data.draw(st.sampled_from((1, 2)))] = level
        case "typed":
            letter = data.draw(st.sampled_from("aIl|TE."))
            cv2.putText(picture, letter, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (level,) * 4, 1, cv2.LINE_AA)
        case "border":
            cv2.rectangle(picture, (x, y), (x + across, y + down), (level,) * 4, 1)
        case _:
            picture[y, x] = level
    return picture


@given(data=st.data())
@settings(max_examples=40)
def test_what_followed_changes_is_what_sees_only_the_last_picture(screen: Load, data: st.DataObject) -> None:
    picture = screen(data.draw(st.sampled_from(NAMES))).pixels
    other = screen(data.draw(st.sampled_from(NAMES))).pixels
    sheet = Sheet(picture)
    for _ in range(data.draw(st.integers(1, 6))):
        picture = edited(picture, other, data)
        where = sheet.changed(picture)
        if where is None:
            sheet = Sheet(picture)
        else:
            sheet.update(picture, where)
        fresh = Sheet(picture)
        assert np.array_equal(sheet.bare[:, :, :3], fresh.bare[:, :, :3])
        assert sheet.lines == fresh.lines


def test_a_picture_of_another_size_is_not_followed(screen: Load) -> None:
    sheet = Sheet(screen("tk_form_light").pixels)
    assert sheet.changed(screen("xterm_dark").pixels) is None
