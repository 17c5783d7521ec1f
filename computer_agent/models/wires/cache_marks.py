"""Where a provider that wants to be told may cache the conversation: Anthropic's four marks, on either wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.models.wires.chat import messages_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.models.dialect import Message, Prompt

MARK = {"cache_control": {"type": "ephemeral"}}


def marked_chat(prompt: Prompt) -> list[Message]:
    """The messages of chat completions, the system prompt before them marked too."""
    system, *messages = messages_of(prompt)
    return [_with_mark(system), *marked(messages, prompt.pruned)]


def marked(messages: Sequence[Message], pruned: int) -> list[Message]:
    """The messages with marks at the end of the pruned zone, which ``pruned`` of them end, and of the last two turns.

    The first counts because after a drop of pictures only what stands before the first kept one is still the same.
    """
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    places = {place for place in (pruned - 1, *users[-2:]) if place >= 0}
    return [_with_mark(message) if place in places else message for place, message in enumerate(messages)]


def _with_mark(message: Message) -> Message:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    return message | {"content": [*blocks[:-1], blocks[-1] | MARK]}
