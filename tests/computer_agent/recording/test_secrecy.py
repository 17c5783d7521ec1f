"""A text that nobody else is to see is known by its field, by its label, and by the marks that stand for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from computer_agent.recording.eyes import Focus
from computer_agent.recording.secrecy import (
    are_marks,
    field_changed,
    hidden_by_focus,
    says_so,
    shown_as_marks,
)
from computer_agent.recording.still import Controls, View
from computer_api.geometry import Size
from computer_api.screenshot import Screenshot
from computer_platform.desktop import Area, Element, Elements, Frame

if TYPE_CHECKING:
    from computer_vision.reader import Pixels

SIZE = (420, 60)
PLACE = Area(20, 15, 380, 30)


def field(text: str, *, caret: bool = True, dots: int = 0) -> Pixels:
    """A field that shows a text, or that many dots."""
    image = Image.new("RGBA", SIZE, (220, 220, 220, 255))
    draw = ImageDraw.Draw(image)
    draw.rectangle((PLACE.left, PLACE.top, PLACE.right - 1, PLACE.bottom - 1), "white", "black", 1)
    font = ImageFont.load_default(16)
    draw.text((26, 20), text, "black", font)
    for dot in range(dots):
        draw.ellipse((26 + 12 * dot, 26, 33 + 12 * dot, 33), "black")
    if caret:
        end = 28 + max(draw.textlength(text, font), 12 * dots)
        draw.line((end, PLACE.top + 4, end, PLACE.bottom - 4), "black", 1)
    return np.array(image)


def view(pixels: Pixels, *elements: Element) -> View:
    frame = Frame(pixels=pixels, area=Area(0, 0, *SIZE))
    controls = Controls(asked=0.0, frame=frame, elements=Elements(items=elements))
    return View(seconds=0.0, screenshot=Screenshot(frame=frame, size=Size(*SIZE)), controls=controls)


def control(role: str, name: str = "") -> Element:
    return Element(role=role, name=name, value="", area=PLACE, states=frozenset({"editable"}), pid=1)


def focus(*controls: Element | None) -> list[Focus]:
    return [Focus(seconds=0.0, control=one) for one in controls]


@given(st.integers(4, 24))
def test_equal_marks_in_a_row_are_marks(count: int) -> None:
    cut = (slice(PLACE.top, PLACE.bottom), slice(PLACE.left, PLACE.right))
    assert are_marks(field("*" * count)[cut], count)
    assert are_marks(field("", dots=count)[cut], count)
    assert not are_marks(field("*" * count)[cut], max(1, count - 3))


@given(st.text("abcdefghijklmnopqrstuvwxyzABCDEFGH0123456789", min_size=3, max_size=20))
def test_what_can_be_read_is_none(text: str) -> None:
    if len(set(text)) < 3:
        text += "aWi"
    before, after = view(field("", caret=False)), view(field(text))
    assert not shown_as_marks(text, before, after)


def test_marks_in_place_of_what_was_typed_say_that_it_is_a_secret() -> None:
    before = view(field("", caret=False))
    assert shown_as_marks("open sesame", before, view(field("", dots=11)))
    assert not shown_as_marks("aaaa", before, view(field("aaaa")))
    assert not shown_as_marks("open sesame", before, view(field("", caret=False)))


@pytest.mark.parametrize(
    "label",
    ["Password:", "Pass phrase (passphrase)", "Passwort", "Mot de passe", "PIN", "Access code", "パスワード"],
)
def test_labels_of_secrets_are_known(label: str) -> None:
    assert says_so(label)


@pytest.mark.parametrize(
    "label", ["Name", "Passenger", "Spinner", "Opinion", "Secretary", "Stanza", "", "City"]
)
def test_other_labels_are_not(label: str) -> None:
    assert not says_so(label)


def test_the_control_that_had_the_keyboard_decides_where_one_is_told_of() -> None:
    assert hidden_by_focus(focus(control("password text"))) is True
    assert hidden_by_focus(focus(control("text", "Password"))) is True
    assert hidden_by_focus(focus(control("text", "Name"))) is False
    assert hidden_by_focus(focus(control("text", "Name"), control("password text"))) is True
    assert hidden_by_focus(focus(None)) is None
    assert hidden_by_focus([]) is None


def test_a_password_field_that_looks_otherwise_was_typed_into() -> None:
    empty, filled = field("", caret=False), field("", dots=4)
    secret, plain = control("password text"), control("text")
    assert field_changed(view(empty, secret), view(filled, secret))
    assert field_changed(view(empty), view(filled, secret)), "also one that has only come"
    assert not field_changed(view(empty, plain), view(filled, plain))
    assert not field_changed(view(filled, secret), view(filled, secret))
