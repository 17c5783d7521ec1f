"""Put values into fields: type text and read it back, choose from a drop-down."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from computer_api.errors import ComputerError, NotTypedError
from computer_api.targets import TextTarget

if TYPE_CHECKING:
    from computer_api.acting import Acting
    from computer_api.actions import Choose, TypeText
    from computer_api.receipt import Receipt

_VALUE_SECONDS = 0.6  # how long a program may take to say what a field holds now
_TAKES_NO_TEXT = frozenset(
    {"button", "check box", "heading", "image", "label", "link", "menu item", "paragraph", "push button",
     "radio button", "slider", "static", "toggle button"}
)  # fmt: skip
"""Roles of a control that has the keyboard and will not take text, whatever is typed."""
_HIDDEN_ROLE = "password text"


def type_text(acting: Acting, action: TypeText) -> Receipt:
    """Type, and read back what arrived where the program lets us. Raises ``NotTypedError``.

    The click into a field is watched too: what it set off belongs to the receipt.
    """
    matches = acting.point_at(action.into)
    receipt = acting.watched(matches, lambda: _enter_and_send(acting, action))
    if not acting.receipts:
        return receipt
    value = None if action.secret else _read_back(acting, action)
    unseen = action.secret and action.into is None  # a terminal that asks for a password shows nothing
    if value is None and action.text.strip() and receipt.effect == "nothing" and not unseen:
        raise NotTypedError(
            "The text was typed, but nothing on the screen changed: it has not arrived in what is shown.",
            expected="" if action.secret else action.text,
        )
    return replace(receipt, value=value)


def _enter_and_send(acting: Acting, action: TypeText) -> None:
    if action.into is not None:
        _enter(acting, action)
    _send(acting, action)


def _enter(acting: Acting, action: TypeText) -> None:
    """Put the keyboard into the field under the pointer and select what it holds, so that typing replaces it."""
    acting.click()
    acting.quiet(seconds=0.5)
    held = acting.focused()
    if held is not None and held.role in _TAKES_NO_TEXT:
        raise NotTypedError(
            f'There is no field to type into: the click went to the {held.role} "{held.name}". Nothing was typed.',
            expected="" if action.secret else action.text,
        )
    if held is not None and held.role != _HIDDEN_ROLE and "editable" in held.states and not held.value:
        return
    if held is not None and "multi line" in held.states:
        acting.press("Control_L", "a")
        return
    # Not Ctrl+A: in a Tk entry and in a shell that only moves the caret.
    acting.press("End")
    acting.press("Shift_L", "Home")


def _send(acting: Acting, action: TypeText) -> None:
    from computer_platform.desktop import CannotType

    if not action.text and action.into is not None:
        acting.press("Delete")
        return
    acting.give_keyboard()
    try:
        acting.desktop.type_text(action.text)
    except CannotType as cannot:
        raise NotTypedError(str(cannot), expected="" if action.secret else action.text) from None


def _read_back(acting: Acting, action: TypeText) -> str | None:
    """What the field holds now, ``None`` where nobody says. Raises ``NotTypedError`` when it is something else."""
    if any(character in action.text for character in "\n\t"):
        return None  # Return and Tab may have left the field
    until = time.monotonic() + _VALUE_SECONDS
    while True:
        held = acting.focused()
        if held is None or "editable" not in held.states or held.role == _HIDDEN_ROLE:
            return None
        if action.text == held.value or (action.into is None and action.text in held.value):
            return held.value
        if time.monotonic() > until:
            raise NotTypedError(
                f'Typed "{action.text}", but the field holds "{held.value}".',
                expected=action.text,
                seen=held.value,
            )
        acting.wait(0.05)


def choose(acting: Acting, action: Choose) -> Receipt:
    """Open a drop-down, then click the option among what has appeared."""
    matches = acting.point_at(action.target)
    return acting.watched(matches, lambda: _pick(acting, action.option))


def _pick(acting: Acting, option: str) -> None:
    from computer_vision.change import changes

    before = acting.look()
    acting.click()
    shown = acting.quiet(first=0.2, seconds=2.0)
    appeared = [shown.box_of(region) for region in changes(before.frame.pixels, shown.frame.pixels)]
    try:
        match = acting.locator.locate_on(TextTarget(option), shown, prefer=appeared)
    except ComputerError:
        acting.press("Escape")  # leave no list hanging open
        raise
    acting.go_to(match.point)
    acting.click()
