"""A conversation's file: UTF-8 lines of JSON. The first says what it is, each other is a message, or takes some back.

A message is one of Open Interpreter's (``computer_agent.lmc``) with its ``kind`` and ``time`` beside it. Lines are only
ever appended, each when its message is whole, so that what breaks off keeps what came before.
"""

from __future__ import annotations

import json
import os
import re
import time
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from computer_agent.lmc import Chunk

ENDING = ".jsonl"
VERSION = 1
_OURS = ("kind", "time")
_NAMED_WORDS, _NAMED_CHARACTERS = 5, 40


class ConversationError(Exception):
    """A kept conversation cannot be found, read or written; the message is for the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a conversation was: ``began`` in seconds since 1970."""

    began: float
    model: str
    os: bool
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A conversation as it was read. ``messages`` are those that were not taken back."""

    path: Path
    header: Header
    messages: tuple[Chunk, ...] = field(repr=False)


@dataclass(slots=True, kw_only=True)
class ConversationWriter:
    """Appends to the file of a conversation, which comes to be with its first message.

    ``path`` is there from then on. ``hide`` takes secrets out of a text.
    """

    folder: Path
    header: Header
    hide: Callable[[str], str] = lambda text: text
    path: Path | None = None
    count: int = 0
    """How many messages the file holds that were not taken back."""

    def add(self, messages: Sequence[Chunk]) -> None:
        """Append messages that are whole. Raises ``ConversationError``."""
        if not messages:
            return
        if self.path is None:
            self.path = self._begun(messages[0])
        self._append([_message_line(self._clean(message)) for message in messages])
        self.count += len(messages)

    def take_back(self, left: int) -> None:
        """Keep the oldest ``left`` messages alone: a line that says so. Raises ``ConversationError``."""
        if self.path is not None and left < self.count:
            self._append([json.dumps({"kind": "undo", "time": time.time(), "left": left})])
            self.count = left

    def _begun(self, first: Chunk) -> Path:
        """A file of its own, readable by the person alone, with its first line."""
        name = file_name(self._clean(first).get("content"), self.header.began)
        head = {
            "kind": "conversation",
            "version": VERSION,
            "began": self.header.began,
            "model": self.header.model,
            "os": self.header.os,
            "folder": self.header.folder,
        }
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = _new(self.folder, name)
        except OSError as error:
            raise ConversationError(
                f'The conversation cannot be kept in "{self.folder}": {error.strerror}.'
            ) from None
        self.path = path
        self._append([json.dumps(head, ensure_ascii=False)])
        return path

    def _append(self, lines: Sequence[str]) -> None:
        assert self.path is not None  # noqa: S101 - whoever calls has begun it
        # A half character that a terminal gave is an escape in JSON, too.
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        try:
            with self.path.open("r+b") as file:
                if _is_torn(file):
                    data = b"\n" + data
                file.seek(0, os.SEEK_END)
                file.write(data)
        except OSError as error:
            raise ConversationError(
                f'The conversation cannot be kept in "{self.path}": {error.strerror}.'
            ) from None

    def _clean(self, message: Chunk) -> Chunk:
        content = message.get("content")
        return {**message, "content": self.hide(content)} if isinstance(content, str) else message


def _is_torn(file: Any) -> bool:  # noqa: ANN401 - a file of bytes
    """Whether the last line was not written to its end."""
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) != b"\n")


def _new(folder: Path, name: str) -> Path:
    """An empty file by that name, or by one that is like it."""
    number = 1
    while True:
        path = folder / f"{name}{'' if number == 1 else f'_{number}'}{ENDING}"
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            return path
        number += 1


def file_name(first: object, began: float) -> str:
    """The first words, made fit for a name of a file on every system, and the time."""
    return f"{slug(str(first or '')) or 'conversation'}_{time.strftime('%Y-%m-%d_%H-%M-%S', time.localtime(began))}"


def slug(words: str) -> str:
    """The first words in ASCII letters and digits, with hyphens between them; empty where there are none."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().casefold()
    return "-".join(re.findall(r"[a-z0-9]+", plain)[:_NAMED_WORDS])[:_NAMED_CHARACTERS].strip("-")


def read(path: Path) -> Kept:
    """Read a conversation. A last line that broke off is left out. Raises ``ConversationError``."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ConversationError(f'The conversation "{path}" cannot be read: {error.strerror}.') from None
    entries = list(_entries(lines))
    if not entries or entries[0].get("kind") != "conversation":
        raise ConversationError(f'"{path}" holds no conversation of oi.')
    if entries[0].get("version") != VERSION:
        raise ConversationError(
            f'"{path}" has version {entries[0].get("version")} of the format, and this oi reads {VERSION}.'
        )
    messages: list[Chunk] = []
    for entry in entries[1:]:
        if entry.get("kind") == "undo":
            del messages[int(entry.get("left", 0)) :]
        elif entry.get("kind") == "message" and "role" in entry and "type" in entry:
            messages.append({key: value for key, value in entry.items() if key not in _OURS})
    return Kept(path=path, header=_header(entries[0]), messages=tuple(messages))


def _entries(lines: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    """The lines that are whole."""
    for line in lines:
        with suppress(ValueError):
            entry = json.loads(line)
            if isinstance(entry, dict):
                yield entry


def _header(entry: dict[str, Any]) -> Header:
    return Header(
        began=float(entry.get("began") or 0.0),
        model=str(entry.get("model") or ""),
        os=bool(entry.get("os")),
        folder=str(entry.get("folder") or ""),
    )


def _message_line(message: Chunk) -> str:
    return json.dumps({"kind": "message", "time": time.time(), **message}, ensure_ascii=False, default=str)


def of_person(message: Chunk) -> bool:
    """Whether it is words that the person said: a turn begins with it."""
    return message.get("role") == "user" and message.get("type") == "message"


def title_of(messages: Sequence[Chunk]) -> str:
    """The first line of what the person said first."""
    first = next((str(message.get("content")) for message in messages if of_person(message)), "")
    lines = first.strip().splitlines()
    return lines[0] if lines else "(nothing was said)"
