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
    actions.Scroll,
    actions.FocusWindow,
    actions.MouseUp,
    actions.KeyUp,
)


def harmless(action: Action) -> bool:
    """Whether the action may run unasked in the mode ``ask``; reading the clipboard may not: it may hold a secret."""
    return isinstance(action, _HARMLESS)
