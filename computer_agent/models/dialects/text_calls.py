"""Calls that models write as text with named, quoted arguments, such as ``click(point='<point>5 7</point>')``.

A quote inside a text ends it only where an argument, the call's end or the next call follows, so that forgotten
backslashes do no harm; line ends may stand as they are. All takes time in proportion to the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.models.dialect import NoCall
from computer_agent.models.dialects.arguments import BadCall

if TYPE_CHECKING:
    from collections.abc import Collection

_MOST = 50  # calls of one reply
_KEY = re.compile(r"(\w{1,40})[ \t]*=[ \t]*")
_ANY_CALL = re.compile(r"[\s*`]{0,20}(?:<\|begin_of_box\|>)?\s{0,20}(\w{1,40})[ \t]{0,20}\(")
_BARE = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]|<point>[^<]{0,80}</point>|[^\s,()\[\]'\"<>]{1,80}")
_BETWEEN = re.compile(r"(?:[\s,;*`]|<\|end_of_box\|>|<\|begin_of_box\|>|Action[ \t]*[:\uff1a])*")
_ARGUMENT_FOLLOWS = re.compile(r"\s*,\s*\w{1,40}\s*=")
_CALL_ENDS = re.compile(r"\s*\)")
_LINE_ENDS = re.compile(r"\s*\)[ \t]*(?:\n|\r|\Z)")
_ESCAPE = re.compile(r"\\([ntr'\"\\])")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_WRITTEN = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class TextCall:
    """One call with its arguments as texts."""

    name: str
    arguments: dict[str, str]


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a text and where they begin and end in it."""

    calls: tuple[TextCall, ...]
    start: int
    end: int


def calls_in(text: str, names: Collection[str], at: int = 0, *, labelled: bool = False) -> Calls:
    """The calls of these names from a place on: the first, and those that follow with nothing said between.

    ``labelled`` means that a call is due right there, so that another name is an error and not prose. Raises
    ``BadCall``, ``NoCall`` where there is none.
    """
    begins = _begins(names)
    first = begins.search(text, at)
    due = _ANY_CALL.match(text, at) if labelled else None
    if due is not None and due[1] not in names:
        raise BadCall(f'There is no action "{due[1]}"; there are: {", ".join(names)}.')
    if first is None:
        raise NoCall(f"Your reply has no action. Write one of: {', '.join(names)}.")
    calls: list[TextCall] = []
    found: re.Match[str] | None = first
    end = first.start()
    while found is not None and len(calls) < _MOST:
        arguments, end = _arguments(text, found.end(), found[1], begins)
        calls.append(TextCall(found[1], arguments))
        gap = _BETWEEN.match(text, end)
        found = begins.match(text, gap.end() if gap else end)
    return Calls(tuple(calls), first.start(), end)


def quoted(text: str) -> str:
    """The text as an argument, in single quotes."""
    return "'" + "".join(_WRITTEN.get(character, character) for character in text) + "'"


def _begins(names: Collection[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, longest_first))})[ \t]{{0,20}}\(")


def _arguments(text: str, at: int, name: str, begins: re.Pattern[str]) -> tuple[dict[str, str], int]:
    """The arguments after the parenthesis, and where the call ends."""
    arguments: dict[str, str] = {}
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if text.startswith(")", at):
            return arguments, at + 1
        key = _KEY.match(text, at)
        if key is None:
            raise BadCall(
                f'The arguments of "{name}" are written as name=\'value\', and the call ends with ")".'
            )
        value, at = _value(text, key.end(), key[1], begins)
        arguments[key[1]] = value


def _value(text: str, at: int, key: str, begins: re.Pattern[str]) -> tuple[str, int]:
    if text[at : at + 1] in ("'", '"'):
        end = _closing(text, at, begins)
        if end is None:
            raise BadCall(
                f'The value of "{key}" is not closed: end it with {text[at]} and the call with ")".'
            )
        return _unescaped(text[at + 1 : end]), end + 1
    bare = _BARE.match(text, at)
    if bare is None:
        raise BadCall(f"The argument \"{key}\" has no value that can be read: write {key}='value'.")
    return bare[0], bare.end()


def _closing(text: str, opening: int, begins: re.Pattern[str]) -> int | None:
    """Where the quote is closed: where the call surely goes on or ends after it, else where its line ends after it."""
    quote, at, likely = text[opening], opening + 1, None
    while (at := text.find(quote, at)) >= 0:
        if not _is_escaped(text, at):
            if _ARGUMENT_FOLLOWS.match(text, at + 1) or _ends_call(text, at + 1, begins):
                return at
            if likely is None and _LINE_ENDS.match(text, at + 1):
                likely = at
        at += 1
    return likely


def _ends_call(text: str, at: int, begins: re.Pattern[str]) -> bool:
    """Whether the call ends here and after it the text, a box, or another call comes."""
    end = _CALL_ENDS.match(text, at)
    if end is None:
        return False
    gap = _BETWEEN.match(text, end.end())
    after = gap.end() if gap else end.end()
    marked = "<|end_of_box|>" in text[end.end() : after]
    return marked or after == len(text) or begins.match(text, after) is not None


def _is_escaped(text: str, at: int) -> bool:
    before = at
    while before and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text)
