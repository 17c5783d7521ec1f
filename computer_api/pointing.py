"""The actions of the mouse: find the places, go there, do it with the keys held, and watch what that changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.receipt import Receipt
from computer_api.scrolling import scroll_pixels, under_pointer
from computer_api.targets import described
from computer_api.ticking import is_ticked
from computer_api.watch import AT_ONCE

if TYPE_CHECKING:
    from computer_api.acting import Acting
    from computer_api.actions import Click, Drag, MouseDown, MouseUp, Move, Scroll, Tick
    from computer_api.receipt import Scrolled

SCROLLING = 0.8  # seconds in which a view begins to scroll; at its end it does not


def click(acting: Acting, action: Click) -> Receipt:
    """Click; two such actions are never one double click. Raises ``ComputerError``."""
    matches = acting.point_at(action.target)
    acting.pointer.apart(action.button)
    return acting.watched(matches, lambda: acting.click(action.button, action.count, action.keys))


def tick(acting: Acting, action: Tick) -> Receipt:
    """Click what is not yet as it shall be. Raises ``ComputerError``, and so where nobody can tell what it is."""
    match = acting.locate(action.target)
    state = "ticked" if action.ticked else "unticked"
    was = is_ticked(acting.desktop, match, acting.look())
    if was is action.ticked:
        return Receipt(effect="unknown", matches=(match,), output=f"It was already {state}.")
    if was is None:
        raise UnsupportedError(
            f"Whether {described(action.target)} is ticked cannot be seen, so it was not clicked. Use click, and look."
        )
    acting.go_to(match.point)
    acting.pointer.apart("left")
    return acting.watched((match,), acting.click)


def move(acting: Acting, action: Move) -> Receipt:
    """Put the pointer on the target; what lights up there counts as a change. Raises ``ComputerError``."""
    match = acting.locate(action.target)
    return acting.watched((match,), lambda: acting.pointer.move(match.point), patience=AT_ONCE)


def drag(acting: Acting, action: Drag) -> Receipt:
    """Find every place of the drag before pressing on the first. Raises ``ComputerError``."""
    on_the_way = tuple(acting.locate(target) for target in (*action.via, action.end))
    for match in on_the_way:
        acting.refuse_own_terminal(match.point)
    (start,) = acting.point_at(action.start)
    matches = (start, *on_the_way)

    def dragged() -> None:
        with acting.holding(action.keys):
            acting.pointer.drag([match.point for match in matches], action.button)

    acting.pointer.apart(action.button)
    return acting.watched(matches, dragged)


def press(acting: Acting, action: MouseDown) -> Receipt:
    """Press a button and leave it down."""
    return acting.watched((), lambda: acting.pointer.press(action.button), patience=AT_ONCE)


def release(acting: Acting, action: MouseUp) -> Receipt:
    """Release a button."""
    return acting.watched((), lambda: acting.pointer.release(action.button))


def scroll(acting: Acting, action: Scroll) -> Receipt:
    """Turn the wheel over the target; in pixels the receipt says how far it went. Raises ``ComputerError``."""
    matches = acting.point_at(action.target)
    scrolled: list[Scrolled] = []

    def turned() -> None:
        with acting.holding(action.keys):
            if action.unit == "pixels":
                scrolled.extend(scroll_pixels(acting, right=action.right, down=action.down))
            else:
                acting.pointer.scroll(action.right, action.down, under_pointer(acting))

    return replace(acting.watched(matches, turned, patience=SCROLLING), scrolled=tuple(scrolled))
