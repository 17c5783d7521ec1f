"""Put values into fields: type text and read it back, choose from a drop-down."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from computer_api.errors import ComputerError, NotTypedError
from computer_api.read_back import HIDDEN_ROLE, Entry, emptied, held, is_hidden, read_back
from computer_api.receipt import Receipt
from computer_api.sending import can_be_pasted, is_office, send, way_for
from computer_api.settle import alike
from computer_api.targets import TextTarget
from computer_api.watch import AT_ONCE

if TYPE_CHECKING:
    from computer_api.acting import Acting
    from computer_api.actions import Choose, TypeText
    from computer_api.evidence import Scene
    from computer_api.sending import Way
    from computer_api.targets import Match
    from computer_platform.desktop import Element

_TAKES_NO_TEXT = frozenset(
    {"button", "check box", "heading", "image", "label", "link", "menu item", "paragraph", "push button",
     "radio button", "slider", "static", "toggle button"}
)  # fmt: skip
"""Roles of a control that has the keyboard and will not take text, whatever is typed."""
_CHOSEN_FROM = frozenset({"combo box", "menu item"})
_CANNOT_SAY = (
    "The secret was not typed, or only a part of it: this keyboard cannot give one of its characters, or the program "
    "takes no keys."
)
_PAINTED_SECONDS = 2.0  # in which a program paints what it has got
_SHOWN = 200  # characters of a text in a message; the error holds all of it


def type_text(acting: Acting, action: TypeText) -> Receipt:
    """Type, and read back what arrived where the program lets us. Raises ``NotTypedError``.

    The click into a field is watched too: what it set off belongs to the receipt.
    """
    matches = acting.point_at(action.into)
    if not acting.receipts:
        acting.begun = True
        _fill(acting, action)
        return Receipt(effect="unknown", matches=matches)
    before = acting.scene(matches)
    acting.begun = True
    value = _fill(acting, action)
    receipt = _changed(acting, before, matches)
    unseen = action.secret and action.into is None  # a terminal that asks for a password shows nothing
    if value is None and action.text.strip() and not unseen:
        deadline = time.monotonic() + max(_PAINTED_SECONDS, acting.patience)
        while receipt.effect == "nothing":
            if time.monotonic() > deadline:
                if _may_have_moved(acting, before) or (action.into is not None and _holds_something(acting)):
                    return replace(receipt, effect="unknown")
                raise NotTypedError(_nothing_changed(acting), expected="" if action.secret else action.text)
            acting.wait(0.1)
            receipt = _changed(acting, before, matches)
    return replace(receipt, value=value)


def _holds_something(acting: Acting) -> bool:
    """Whether what is in the field shows when it is selected: the text may look like the one that it replaced."""
    acting.press("End")
    before = acting.look()
    acting.press("Shift_L", "Home")
    shows = not alike(before.frame, acting.quiet(first=0.1, seconds=1.0).frame)
    acting.press("End")
    return shows


def _may_have_moved(acting: Acting, before: Scene) -> bool:
    """Whether something changed that was taken for moving by itself, as a window that painted late was; no clock."""
    from computer_vision.change import changed_squares

    squares = changed_squares(before.screenshot.frame.pixels, acting.look().frame.pixels)
    if squares is None or before.known is None or before.known.shape != squares.shape:
        return False
    blinks = squares & False if before.blinking is None else before.blinking.squares
    clocks = squares & False if before.clocks is None else before.clocks
    return bool((squares & before.known & ~blinks & ~clocks).any())


def _changed(acting: Acting, before: Scene, matches: tuple[Match, ...]) -> Receipt:
    return acting.receipt(before, matches, patience=AT_ONCE)


def _nothing_changed(acting: Acting) -> str:
    manager = acting.desktop.windows
    if manager is not None and not any(window.active for window in manager.all()):
        return "No window has the keyboard, so the text went nowhere. Click into a field first."
    return "The text was typed, but nothing on the screen changed: it has not arrived in what is shown."


def _fill(acting: Acting, action: TypeText) -> str | None:
    """Send the text; what the field holds then, ``None`` where nobody says."""
    if action.into is not None:
        _enter(acting, action)
        if not action.text:
            acting.press("Delete")
    asks = (
        acting.receipts
        and not action.secret
        and (action.into is not None or not is_office(acting.receiver()))
    )
    before = held(acting) if asks else None
    way = way_for(acting, action.text, secret=action.secret)
    if way == "paste" and is_hidden(acting, before):
        way = "keys"
    _send(acting, action, way)
    if not asks:
        return None
    entry = Entry(text=action.text, before=before, replaces=action.into is not None)
    now = read_back(acting, entry)
    if now is not None and not entry.arrived(now) and entry.may_be_done_again(now):
        first, now = now, _other_way(acting, action, way, entry, now)
        if now is not None and now.value == first.value and entry.adopted(now):
            return now.value
    if now is not None and not entry.arrived(now):
        raise NotTypedError(
            f'Typed "{_short(action.text)}", but the field holds "{_short(now.value)}".',
            expected=action.text,
            seen=now.value,
        )
    return None if now is None else now.value


def _other_way(acting: Acting, action: TypeText, way: Way, entry: Entry, now: Element) -> Element | None:
    """What the field holds once the text was sent in the other way, if there is one."""
    other: Way = "paste" if way == "keys" else "keys"
    if other == "paste" and not can_be_pasted(acting, action.text):
        return now
    if not _empty(acting, entry, now):
        return held(acting) or now
    _send(acting, action, other)
    return read_back(acting, entry)


def _enter(acting: Acting, action: TypeText) -> None:
    """Put the keyboard into the field under the pointer and select what it holds, so that typing replaces it."""
    acting.click()
    acting.quiet(seconds=0.5)
    focused = acting.focused()
    if focused is not None and _takes_no_text(focused):
        chosen_from = focused.role in _CHOSEN_FROM
        if chosen_from:
            acting.press("Escape")  # leave no list hanging open
        raise NotTypedError(
            f'There is no field to type into: the click went to the {focused.role} "{focused.name}". '
            f"Nothing was typed.{' Choose an option of it instead.' if chosen_from else ''}",
            expected="" if action.secret else action.text,
        )
    if (
        focused is not None
        and focused.role != HIDDEN_ROLE
        and "editable" in focused.states
        and not focused.value
    ):
        return
    _select_all(acting, focused)


def _takes_no_text(control: Element) -> bool:
    return control.role in _TAKES_NO_TEXT or (
        control.role == "combo box" and "editable" not in control.states
    )


def _select_all(acting: Acting, field: Element | None) -> None:
    if field is not None and "multi line" in field.states:
        acting.press("Control_L", "a")
        return
    # Not Ctrl+A: in a Tk entry and in a shell that only moves the caret.
    acting.press("End")
    acting.press("Shift_L", "Home")


def _empty(acting: Acting, entry: Entry, now: Element) -> bool:
    """Bring the field back to where it was before; False when it cannot be seen that this was done."""
    if not entry.replaces and entry.before is not None and now.value == entry.before.value:
        return True  # nothing arrived
    _select_all(acting, now)
    acting.press("Delete")
    return emptied(acting, now)


def _send(acting: Acting, action: TypeText, way: Way) -> None:
    why = _refused(acting, action.text, way)
    if why is not None:  # out of reach of what was raised, which may quote a secret
        said = _CANNOT_SAY if action.secret else why
        raise NotTypedError(said, expected="" if action.secret else action.text)


def _refused(acting: Acting, text: str, way: Way) -> str | None:
    """Send the text; why it could not be sent, or None when it was."""
    from computer_platform.desktop import CannotType

    try:
        send(acting, text, way)
    except CannotType as cannot:
        return str(cannot)
    return None


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


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
