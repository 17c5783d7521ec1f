"""What a model that has stopped is told with ``loop``, and the sentences by which it ends that. The classic's rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOP_BREAKERS = (
    "The whole task is done.",
    "The task cannot be done.",
    "What shall I do next?",
    "I need more information to go on.",
)
LOOP_MESSAGE = (
    "Go on with the task: run more code, or say what is left. If nothing is left to do, say exactly this: "
    f'"{LOOP_BREAKERS[0]}" If it cannot be done, say exactly this: "{LOOP_BREAKERS[1]}" If you need something from '
    f'me, say it and end exactly so: "{LOOP_BREAKERS[3]}" If you only wait for a new task, say exactly this: '
    f'"{LOOP_BREAKERS[2]}"'
)


def ends_loop(words: str, breakers: Sequence[str] = LOOP_BREAKERS) -> bool:
    """Whether the model says by one of the sentences that it is done, or needs the person."""
    return any(breaker in words for breaker in breakers)
