"""The model that plays a list of replies: for tests, demonstrations and replay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.step import Act, Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_agent.context.history import Observe
    from computer_agent.step import Observation, Step


@dataclass(frozen=True, slots=True)
class ScriptModel:
    """Gives the replies in order, whatever it sees. Where it is follows from ``past``."""

    replies: Sequence[Act | Answer]
    name: str = "script"
    observe: Observe = "picture"

    def decide(
        self,
        task: str,  # noqa: ARG002 - the seam's; a script does not read it
        past: Sequence[Step],
        now: Observation,  # noqa: ARG002 - the same
        on_delta: Callable[[str], None],
    ) -> Act | Answer:
        """The next reply; after the last one, an answer that the script is over."""
        played = sum(not step.put_off for step in past)
        if played >= len(self.replies):
            return Answer(text="The script is over.", done=False)
        reply = self.replies[played]
        if isinstance(reply, Act) and reply.thought:
            on_delta(reply.thought)
        return reply
