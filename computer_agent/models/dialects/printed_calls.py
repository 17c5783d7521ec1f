"""Tool calls that a model prints as text, where it was meant to use the provider's own form."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_agent.models.dialect import Reply

_FENCE = re.compile(r"(?:```|~~~)[\w-]*[ \t]*\r?\n(.*?)(?:```|~~~|\Z)", re.DOTALL)
_TAG = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MARKS = ("{", "```", "~~~", "<tool_call>")  # where a printed call may begin
_LONGEST = 100_000  # characters that are worth reading as one call


@dataclass(slots=True)
class WordsOnly:
    """Passes streamed text on up to where a printed call may begin; nobody wants to read JSON.

    ``end`` passes the rest on if it was none. How the text is cut into pieces makes no difference.
    """

    show: Callable[[str], None]
    _held: str = ""

    def __call__(self, piece: str) -> None:
        """Take one piece."""
        self._held += piece
        words = words_before_call(self._held)
        if words == self._held:  # the mark may still be coming
            begun = max(_begun(words, mark) for mark in _MARKS)
            words = words[: len(words) - begun]
        self._pass(words)

    def end(self, reply: Reply) -> None:
        """The reply is complete: what was held back is words after all, if it is no call."""
        if reply.calls or first_call(reply.text) is None:
            self._pass(self._held)

    def _pass(self, words: str) -> None:
        if words:
            self.show(words)
            self._held = self._held[len(words) :]


def words_before_call(text: str) -> str:
    """The text up to the first mark of a call."""
    return text[: min((place for mark in _MARKS if (place := text.find(mark)) >= 0), default=len(text))]


def _begun(text: str, mark: str) -> int:
    """How many characters at the end of the text are the beginning of the mark."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)


def object_in(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is, with the usual slips mended; ``None`` if it is none.

    Mended: raw newlines inside strings, trailing commas, Python's quotes and words, an object inside a string.
    """
    for attempt in (_json, _without_trailing_commas, _python):
        found = attempt(text.strip())
        if isinstance(found, str):
            found = _json(found)
        if isinstance(found, dict):
            return found
    return None


def first_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of the first call in the text, ``None`` when there is none.

    Only the first: what a model prints after it was written without seeing what the first one did.
    """
    for candidate in _candidates(text):
        found = object_in(candidate)
        call = _call(found) if found is not None else None
        if call is not None:
            return call
    return None


def _call(found: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    found = found["function"] if isinstance(found.get("function"), dict) else found
    name = found.get("name") or found.get("tool") or found.get("function")
    arguments = next(
        (found[key] for key in ("arguments", "parameters", "args", "input") if key in found), None
    )
    if isinstance(arguments, str):
        arguments = object_in(arguments)
    if isinstance(name, str) and isinstance(arguments, dict):
        return name, arguments
    if isinstance(found.get("action"), str):
        return "computer", found
    if isinstance(found.get("code"), str) and isinstance(found.get("language"), str):
        return "run_code", found
    return None


def _candidates(text: str) -> Iterator[str]:
    """Texts that may be a call: the whole, what stands in tags or fences, then every balanced object."""
    yield text
    for pattern in (_TAG, _FENCE):
        yield from pattern.findall(text)
    yield from _balanced(text)


def _balanced(text: str) -> Iterator[str]:
    """Every outermost ``{...}``, where braces inside double quotes do not count."""
    depth, start, quoted, escaped = 0, 0, False, False
    for place, character in enumerate(text[:_LONGEST]):
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = depth > 0  # quotes in the prose around an object mean nothing
        elif character == "{":
            start = start if depth else place
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if not depth:
                yield text[start : place + 1]


def _json(text: str) -> object:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _without_trailing_commas(text: str) -> object:
    return _json(_TRAILING_COMMA.sub(r"\1", text))


def _python(text: str) -> object:
    if len(text) > _LONGEST:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
