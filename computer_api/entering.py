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
_HIDDEN_ROLE = "password text"


def type_text(acting: Acting, action: TypeText) -> Receipt:
    """Type, and read back what arrived where the program lets us. Raises ``NotTypedError``."""
    matches = acting.point_at(action.into)
    if matches:
        _enter(acting)
    receipt = acting.watched(matches, lambda: _send(acting, action))
    if action.secret or not acting.receipts:
        return receipt
    return replace(receipt, value=_read_back(acting, action))


def _enter(acting: Acting) -> None:
    """Put the keyboard into the field under the pointer and select what it holds, so that typing replaces it."""
    acting.click()
    acting.quiet(seconds=0.5)
    held = acting.focused()
    if held is not None and held.role != _HIDDEN_ROLE and not held.value:
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
