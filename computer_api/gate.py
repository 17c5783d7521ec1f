"""The gate: the one way in. Whoever asks for an action, it passes here before it is performed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_api.actions import Action
    from computer_api.receipt import Receipt


class Gate(Protocol):
    """Stands between the asking and the doing of an action: it may refuse, record, or tell somebody."""

    def __call__(self, action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
        """Let the action through by calling ``perform``, or raise ``RefusedError`` or ``Stopped``."""
        ...


def open_gate(action: Action, perform: Callable[[Action], Receipt]) -> Receipt:
    """Lets everything through: for a person's own script, where whoever wrote the call has approved it."""
    return perform(action)
