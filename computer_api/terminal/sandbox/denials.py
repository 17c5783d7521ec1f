"""What a block was denied, read from what it printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from computer_api.terminal.sandbox.policy import Policy
    from computer_api.terminal.sandbox.sandbox import Denial


def found(output: str, policy: Policy) -> tuple[Denial, ...]:  # noqa: ARG001
    """What the output of a failed block names that the policy denies."""
    return ()
