"""A conversation as Markdown, with its pictures in files beside it."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from computer_agent.conversations.pictures import ending_of, picture_in
from computer_agent.conversations.record import ConversationError, title_of

if TYPE_CHECKING:
    from pathlib import Path

    from computer_agent.conversations.record import Kept
    from computer_agent.lmc import Chunk

_SPEAKERS = {"user": "You", "assistant": "oi", "computer": "Output"}


def export_markdown(conversation: Kept, file: Path) -> tuple[Path, ...]:
    """Write it and its pictures; gives the files. Raises ``ConversationError``."""
    parts = [f"# {title_of(conversation.messages)}", _about(conversation)]
    files = [file]
    speaker = ""
    for message in conversation.messages:
        now = _SPEAKERS.get(str(message.get("role")), "")
        words = _in_markdown(message)
        picture = picture_in(message)
        if picture is not None:
            beside = file.with_name(f"{file.stem}-{len(files)}.{ending_of(picture)}")
            _write(beside, picture)
            files.append(beside)
            words = f"![picture {len(files) - 1}](<{beside.name}>)"
        if not words:
            continue
        if now != speaker:
            parts.append(f"**{now}**")
            speaker = now
        parts.append(words)
    _write(file, ("\n\n".join(parts) + "\n").encode("utf-8", "replace"))
    return tuple(files)


def _about(conversation: Kept) -> str:
    began = time.strftime("%Y-%m-%d %H:%M", time.localtime(conversation.header.began))
    return f"*{began}, {conversation.header.model or 'model unknown'}*"


def _in_markdown(message: Chunk) -> str:
    content = str(message.get("content") or "")
    match message.get("type"):
        case "message":
            return content.strip()
        case "code":
            return fenced(content, str(message.get("format") or ""))
        case "console" if message.get("format") == "output" and content.strip():
            return fenced(content, "text")
        case _:
            return ""


def fenced(text: str, language: str) -> str:
    """The text between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def _write(file: Path, data: bytes) -> None:
    try:
        file.write_bytes(data)
    except OSError as error:
        raise ConversationError(f'"{file}" cannot be written: {error.strerror}.') from None
