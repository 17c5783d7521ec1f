"""Which actions are plainly harmless: they look, wait or point, and change nothing that lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api import actions

if TYPE_CHECKING:
    from computer_api.actions import Action

_HARMLESS = (
    actions.Look,
    actions.Zoom,
    actions.Wait,
    actions.Expect,
    actions.Move,
    actions.FocusWindow,
    actions.ArrangeWindow,
    actions.PlaceWindow,
    actions.WaitForWindow,
)


def harmless(action: Action) -> bool:
    """Whether the action may run unasked in the mode ``ask``.

    Not so: scrolling, which turns a slider it is over; releasing a button, which drops what is dragged; reading the
    clipboard, which may hold a secret.
    """
    return isinstance(action, _HARMLESS)
