"""Where a provider that wants to be told may cache the conversation: Anthropic's four marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.context.history import REMOVED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.models.dialect import Message

_MARK = {"cache_control": {"type": "ephemeral"}}


def marked(messages: Sequence[Message]) -> list[Message]:
    """The messages with marks at the end of the system prompt, of the pruned zone, and of the last two turns.

    The second counts because after a drop of pictures only what stands before the first kept one is still the same.
    """
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    pruned = [place for place in users if _has_stub(messages[place])]
    places = {0, *pruned[-1:], *users[-2:]}
    return [_with_mark(message) if place in places else message for place, message in enumerate(messages)]


def _has_stub(message: Message) -> bool:
    content = message["content"]
    return isinstance(content, list) and any(part.get("text") == REMOVED for part in content)


def _with_mark(message: Message) -> Message:
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    parts[-1] = parts[-1] | _MARK
    return message | {"content": parts}
