"""What makes a message of the lines that a person types: three quotes, or a backslash at a line's end, go on."""

from __future__ import annotations

import re

_QUOTES = '"""'
_BACKSLASHES = re.compile(r"\\+\Z")


def needs_more(text: str, *, quotes: bool = True) -> bool:
    """Whether a further line belongs to it. ``quotes`` says whether three of them begin a text of several lines."""
    if quotes and text.lstrip().startswith(_QUOTES):
        return not text.strip()[len(_QUOTES) :].endswith(_QUOTES)
    ending = _BACKSLASHES.search(text)
    return ending is not None and len(ending[0]) % 2 == 1


def message_of(text: str, *, quotes: bool = True) -> str:
    """The message, without what made it go on."""
    stripped = text.strip()
    if quotes and stripped.startswith(_QUOTES):
        return stripped.removeprefix(_QUOTES).removesuffix(_QUOTES).strip("\n")
    return re.sub(r"(?<!\\)((?:\\\\)*)\\\n", r"\1\n", text)


def as_text(typed: str, encoding: str | None) -> str:
    """What was typed, where a terminal in another encoding gave bytes that are UTF-8 as half characters."""
    if not any("\ud800" <= character <= "\udfff" for character in typed):
        return typed
    try:
        return typed.encode(encoding or "utf-8", "surrogateescape").decode("utf-8", "replace")
    except (LookupError, UnicodeEncodeError):
        return typed.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
