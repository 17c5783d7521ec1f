"""The conversations that are kept: listed, found, searched."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.conversations.record import ENDING, ConversationError, of_person, read, slug, title_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_agent.conversations.record import Kept
    from computer_agent.lmc import Chunk

_MOST_NAMED = 5
_AROUND = 40  # characters that an excerpt shows before and after what was searched for


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A conversation in the list: ``number`` from 1, the newest first; ``changed`` in seconds since 1970."""

    number: int
    path: Path
    changed: float
    title: str
    turns: int
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A message that holds the words, in short."""

    listed: Listed
    who: str
    excerpt: str


def folder_of(state: Path) -> Path:
    """Where conversations are kept, below the folder of what outlives a run."""
    return state / "conversations"


def kept(folder: Path) -> tuple[Listed, ...]:
    """The conversations there, the newest first. What cannot be read is left out."""
    return tuple(listed for listed, _ in _all(folder))


def _all(folder: Path) -> Iterator[tuple[Listed, Kept]]:
    for number, (changed, path) in enumerate(_paths(folder), start=1):
        with suppress(ConversationError):
            conversation = read(path)
            yield (
                Listed(
                    number=number,
                    path=path,
                    changed=changed,
                    title=title_of(conversation.messages),
                    turns=sum(map(of_person, conversation.messages)),
                    model=conversation.header.model,
                ),
                conversation,
            )


def _paths(folder: Path) -> list[tuple[float, Path]]:
    found = []
    for path in folder.glob(f"*{ENDING}"):
        with suppress(OSError):
            found.append((path.stat().st_mtime, path))
    return sorted(found, key=lambda one: (one[0], one[1].name), reverse=True)


def newest(folder: Path) -> Path:
    """The conversation that was last gone on with. Raises ``ConversationError`` where there is none."""
    paths = _paths(folder)
    if not paths:
        raise ConversationError(f'There is no conversation yet in "{folder}": `oi` begins one.')
    return paths[0][1]


def found(words: str, folder: Path) -> Path:
    """The conversation that is meant: a file, a number of the list, or how its name begins.

    Raises ``ConversationError`` when there is none, or several.
    """
    path = Path(words)
    if words.endswith(ENDING) and path.is_file():
        return path
    paths = [path for _, path in _paths(folder)]
    if words.isascii() and words.isdecimal() and 1 <= int(words) <= len(paths):
        return paths[int(words) - 1]
    begins = tuple(filter(None, (words.casefold(), slug(words))))
    named = [path for path in paths if path.name.casefold().startswith(begins)]
    exact = [path for path in named if path.name in (words, f"{words}{ENDING}")]
    if len(named) == 1 or exact:
        return (exact or named)[0]
    if named:
        some = ", ".join(f'"{path.stem}"' for path in named[:_MOST_NAMED])
        raise ConversationError(
            f'{len(named)} conversations begin with "{words}": {some}. Say more of the name.'
        )
    raise ConversationError(
        f'There is no conversation "{words}": name one that `oi conversations list` lists, by its number or by '
        "how its name begins."
    )


def search(words: Sequence[str], folder: Path) -> Iterator[Hit]:
    """The messages that hold all the words, in any case, by conversation, the newest first."""
    wanted = [word.casefold() for word in " ".join(words).split()]
    for listed, conversation in _all(folder):
        for message in conversation.messages:
            text = _text(message)
            if wanted and all(word in text.casefold() for word in wanted):
                yield Hit(listed=listed, who=_who(message), excerpt=_excerpt(text, wanted[0]))


def _text(message: Chunk) -> str:
    content = message.get("content")
    return content if isinstance(content, str) and message.get("type") != "image" else ""


def _who(message: Chunk) -> str:
    kinds = {"code": "code", "console": "output"}
    return "you" if message.get("role") == "user" else kinds.get(str(message.get("type")), "oi")


def _excerpt(text: str, word: str) -> str:
    """The place where the word is first, on one line."""
    match = re.search(re.escape(word), text, re.IGNORECASE)
    at = 0 if match is None else match.start()
    start, end = max(0, at - _AROUND), at + len(word) + _AROUND
    inside = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{inside}{'…' if end < len(text) else ''}"
