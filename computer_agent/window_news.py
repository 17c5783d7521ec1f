"""Which windows have come and gone since the model last looked, in the few words it needs.

A dialog that opens between two actions changes what the next click means, and a picture alone does not say that it
is new. What a receipt has told already is not told again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.step import Done
from computer_api.titles import called, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.step import Outcome
    from computer_platform.desktop import Window

_MOST = 4  # windows that are told of by name


def window_news(
    before: Sequence[Window], after: Sequence[Window], outcomes: Sequence[Outcome]
) -> tuple[str, ...]:
    """One sentence for all of it, or none: ``new window "Save changes?" (dialog of "notes.txt"); closed "Find"``."""
    receipts = [outcome.receipt for outcome in outcomes if isinstance(outcome, Done)]
    told_opened = [title for receipt in receipts for title in receipt.opened]
    told_closed = [title for receipt in receipts for title in receipt.closed]
    by_id = {window.id: window for window in (*before, *after)}
    opened = [
        f"new window {named(window)}{_owner(window, by_id)}" for window in _untold(after, before, told_opened)
    ]
    closed = [f"closed {named(window)}" for window in _untold(before, after, told_closed)]
    news = [*opened, *closed]
    if not news:
        return ()
    more = [f"{len(news) - _MOST} more"] if len(news) > _MOST else []
    return ("; ".join([*news[:_MOST], *more]),)


def _untold(windows: Sequence[Window], others: Sequence[Window], told: list[str]) -> list[Window]:
    """The windows that are not among the others, without those that a receipt has told of."""
    known = {window.id for window in others}
    left = []
    for window in windows:
        if window.id in known:
            continue
        if called(window) in told:
            told.remove(called(window))
        else:
            left.append(window)
    return left


def _owner(window: Window, by_id: dict[int, Window]) -> str:
    owner = None if window.dialog_of is None else by_id.get(window.dialog_of)
    return "" if owner is None else f" (dialog of {named(owner)})"
