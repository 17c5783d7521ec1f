"""Messages in a file as Open Interpreter saves them: a JSON list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.conversations.record import ENDING, ConversationError, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_agent.lmc import Chunk


def named_file(argument: str, usual: str) -> Path:
    """The file that a command names, or the usual one. Raises ``ConversationError``."""
    try:
        return Path(argument.strip("'\"") or usual).expanduser()
    except RuntimeError:
        raise ConversationError(f'There is no home folder for "{argument}".') from None


def save(messages: Sequence[Chunk], file: Path) -> None:
    """Write them as UTF-8. Raises ``ConversationError``."""
    text = json.dumps(list(messages), ensure_ascii=False, indent=1, default=str)
    try:
        file.write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")
    except OSError as error:
        raise ConversationError(f'"{file}" cannot be written: {error.strerror}.') from None


def load(file: Path) -> tuple[Chunk, ...]:
    """The messages of such a file, or of a kept conversation. Raises ``ConversationError``."""
    if file.suffix == ENDING:
        return read(file).messages
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConversationError(f'"{file}" cannot be read: {error.strerror}.') from None
    try:
        messages = json.loads(data)
    except ValueError:
        raise ConversationError(f'"{file}" holds no messages: it is no JSON.') from None
    if not isinstance(messages, list) or not all(
        isinstance(message, dict) and "role" in message and "type" in message for message in messages
    ):
        raise ConversationError(
            f'"{file}" holds no messages: those are a list of objects with "role", "type" and "content".'
        )
    return tuple(messages)
