"""Tool calls that a model prints as text, where it was meant to use the provider's own form.

Everything here takes time in proportion to the text, whatever is in it.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_agent.models.dialect import Reply

_TAG = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)")
_WORD = re.compile(r"[\w+#.-]*")
_THINKING = {"<think>": "</think>", "<thinking>": "</thinking>"}
_LONGEST = 100_000  # characters that are worth reading as one call

MARKS = ("{", "```", "~~~", "<tool_call>")
"""Where a printed call may begin."""


def _is_printed(text: str) -> bool:
    return first_call(text) is not None


@dataclass(slots=True)
class WordsOnly:
    """Passes streamed text on up to where a printed call may begin, without hidden thinking; nobody reads JSON.

    ``marks`` are where a call may begin, ``is_call`` says whether the whole text has one: if not, ``end`` passes the
    rest on. How the text is cut into pieces makes no difference.
    """

    show: Callable[[str], None]
    marks: tuple[str, ...] = MARKS
    is_call: Callable[[str], bool] = _is_printed
    _held: str = field(default="", init=False)
    _until: str = field(default="", init=False)  # the tag that ends the thinking
    _rest: list[str] = field(default_factory=list, init=False)  # from the first mark on

    def __call__(self, piece: str) -> None:
        """Take one piece."""
        if self._rest:
            self._rest.append(piece)
            return
        self._held += piece
        while self._held and self._step():
            pass

    def end(self, reply: Reply) -> None:
        """The reply is complete: what was held back is words after all, if it is no call."""
        held = "" if self._until else self._held
        rest = without_thinking("".join(self._rest)) if self._rest else held
        if reply.calls or not self.is_call(reply.text):
            self._pass(rest)

    def _step(self) -> bool:
        """Deal with what is held up to the next tag or mark; whether there was one."""
        if self._until:
            _, found, after = self._held.partition(self._until)
            self._held = after if found else self._held[-len(self._until) :]
            self._until = "" if found else self._until
            return bool(found)
        tokens = (*_THINKING, *self.marks)
        found_at = [(place, token) for token in tokens if (place := self._held.find(token)) >= 0]
        if not found_at:
            begun = max(_begun(self._held, token) for token in tokens)
            words = self._held[: len(self._held) - begun]
            self._pass(words)
            self._held = self._held[len(words) :]
            return False
        place, token = min(found_at)
        self._pass(self._held[:place])
        if token in _THINKING:
            self._until, self._held = _THINKING[token], self._held[place + len(token) :]
            return True
        self._rest, self._held = [self._held[place:]], ""
        return False

    def _pass(self, words: str) -> None:
        if words:
            self.show(words)


def without_thinking(text: str) -> str:
    """The text without ``<think>`` sections, also one that is never closed or whose beginning the server kept."""
    for begin, end in _THINKING.items():
        head, closed, tail = text.partition(end)
        if closed and begin not in head:
            text = tail
        first, *others = text.split(begin)
        text = first + "".join(other.partition(end)[2] for other in others)
    return text


def words_before_call(text: str, marks: tuple[str, ...] = MARKS) -> str:
    """The text up to the first mark of a call."""
    text = without_thinking(text)
    return text[: min((place for mark in marks if (place := text.find(mark)) >= 0), default=len(text))]


def _begun(text: str, mark: str) -> int:
    """How many characters at the end of the text are the beginning of the mark."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: the word after its fence in lower case, what is in it, where it is, whether it is closed."""

    word: str
    body: str
    start: int
    end: int
    closed: bool


def blocks(text: str) -> list[Block]:
    """The outermost fenced blocks, in order.

    Fences are of backticks or tildes, three or more; one that is as long as the outer and has a word opens a block
    inside it. What is never closed ends at the next fence, or with the text.
    """
    found: list[Block] = []
    lines = _lines(text)
    at, forgiving = 0, True
    while at < len(lines):
        opened = _opening(lines[at][1])
        if opened is None:
            at += 1
            continue
        last, closed = _closing(lines, at + 1, opened[0])
        if not closed and forgiving:
            forgiving = False
            last = next((n for n in range(at + 1, last) if _opening(lines[n][1])), last)
        found.append(_block(text, lines, (at, last), opened, closed=closed))
        at = last + closed
    return found


def _lines(text: str) -> list[tuple[int, str]]:
    """Each line with where it begins; only a newline ends one."""
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append((start, line.rstrip("\r")))
        start += len(line) + 1
    return lines


def _opening(line: str) -> tuple[str, str, int] | None:
    """The fence that a line opens with or, after words, ends with; the word after it; where it is in the line."""
    if "```" not in line and "~~~" not in line:
        return None
    fence = _FENCE.fullmatch(line)
    if fence is not None:
        info = fence[2].strip()
        if fence[1][0] in info:  # all in one line
            return None
        return fence[1], info.partition(" ")[0].strip("{.}").lower(), fence.start(1)
    place = max(line.rfind("```"), line.rfind("~~~"))
    if place < 0:
        return None
    before = line[:place].rstrip(line[place])
    fence_after = line[len(before) :]
    word = fence_after.lstrip(line[place])
    if not word.strip() or _WORD.fullmatch(word.strip()) is None:
        return None
    return fence_after[: len(fence_after) - len(word)], word.strip().lower(), len(before)


def _closing(lines: list[tuple[int, str]], at: int, fence: str) -> tuple[int, bool]:
    """The line of the fence that closes, and whether there is one."""
    depth = 1
    for number in range(at, len(lines)):
        line = lines[number][1].strip()
        if not line.startswith(fence):
            continue
        if not line.strip(fence[0]):
            depth -= 1
        elif _opening(line) is not None:
            depth += 1
        if not depth:
            return number, True
    return len(lines), False


def _block(
    text: str,
    lines: list[tuple[int, str]],
    span: tuple[int, int],
    opened: tuple[str, str, int],
    *,
    closed: bool,
) -> Block:
    (first, last), (fence, word, place) = span, opened
    body = "\n".join(line for _, line in lines[first + 1 : last])
    if not closed and body.rstrip().endswith(fence):  # closed at the end of a line
        body, closed = body.rstrip()[: -len(fence)], True
    end = lines[last][0] + len(lines[last][1]) if last < len(lines) else len(text)
    return Block(word=word, body=body, start=lines[first][0] + place, end=end, closed=closed)


def object_in(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is, with the usual slips mended; ``None`` if it is none.

    Mended: raw newlines inside strings, trailing commas, Python's quotes and words, an object inside a string.
    """
    text = text.strip()
    if not text.startswith(("{", '"', "'")):
        return None
    for attempt in (_json, _without_trailing_commas, _python):
        found = attempt(text)
        if isinstance(found, str):
            found = _json(found)
        if isinstance(found, dict):
            return found
    return None


def first_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of the first call in the text, ``None`` when there is none.

    Only the first: what a model prints after it was written without seeing what the first one did.
    """
    for candidate in _candidates(without_thinking(text)):
        call = call_in(candidate)
        if call is not None:
            return call
    return None


def call_in(text: str) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of the call that the text is, ``None`` if it is none."""
    found = object_in(text)
    if found is None:
        return None
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


def tagged(text: str) -> list[tuple[str, int, int]]:
    """What stands in ``<tool_call>`` tags, with where each begins and ends; the last may be open."""
    return [(found[1], found.start(), found.end()) for found in _TAG.finditer(text)]


def _candidates(text: str) -> Iterator[str]:
    """Texts that may be a call: the whole, what stands in tags or fences, then every balanced object."""
    yield text
    yield from (inner for inner, _, _ in tagged(text))
    yield from (block.body for block in blocks(text))
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a stray backslash in a model's text concerns nobody
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return None
