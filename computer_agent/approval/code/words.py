# ruff: noqa: E501, PLR0911 - tables of programs, options and cases, read best as they are
"""The words of a shell command as the shell would read them: quotes, escapes, braces, and variables that are known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from computer_agent.approval.code.places import HOLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_MOST_VALUES = 16
_OPEN, _COMMA, _CLOSE, _SPLIT = "\ue000", "\ue001", "\ue002", "\ue003"
"""Stand for braces and commas that are not quoted, and for blanks of variables that are not, until both are expanded."""
_UNQUOTED = str.maketrans({"{": _OPEN, ",": _COMMA, "}": _CLOSE})
_LITERAL = str.maketrans({_OPEN: "{", _COMMA: ",", _CLOSE: "}"})
_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_IN_QUOTES = re.compile(r'\\([$`"\\\n])')
_ANSI = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_ANSI_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
}
_BRACES = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_SEQUENCE = re.compile(r"-?\w+\.\.-?\w+(?:\.\.-?\d+)?")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command: what it may be when the command runs, and how it is written.

    A part that is not known is a ``HOLE``. ``plain`` if no glob or brace stands in it that the shell would expand.
    """

    values: tuple[str, ...]
    raw: str

    @property
    def text(self) -> str:
        """The first of the values."""
        return self.values[0]

    @property
    def known(self) -> bool:
        """Whether nothing in it waits for the run."""
        return not any(HOLE in value for value in self.values)


@dataclass(slots=True)
class Variables:
    """What the variables of the shell may hold, as far as the code that was seen tells."""

    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    split: bool = True
    """Whether words are split at blanks, as they are until the code changes IFS."""
    secret: set[str] = field(default_factory=set)
    """Those that were set in a block that read a secret."""
    recent: set[str] = field(default_factory=set)
    """Those that the block at hand has set."""

    def assign(self, name: str, values: tuple[str, ...]) -> None:
        """Let a variable also be one of these: an earlier value may still hold, where a branch was not taken."""
        self.recent.add(name)
        together = dict.fromkeys((*self.values.get(name, ()), *values))
        self.values[name] = tuple(together) if len(together) <= _MOST_VALUES else (HOLE,)

    def read(self, name: str) -> tuple[str, ...]:
        """What it may hold."""
        return self.values.get(name, (HOLE,))


class Reader:
    """Reads words off a syntax tree. ``inside`` is told each command substitution that it comes over."""

    def __init__(self, variables: Variables, inside: Callable[[Node], tuple[str, ...]]) -> None:
        self._variables = variables
        self._inside = inside

    def words(self, nodes: list[Node]) -> list[Word]:
        """The words that nodes, which touch each other, make together."""
        raw = "".join(_text(node) for node in nodes)
        texts = self._joined([self._texts(node, quoted=False) for node in nodes])
        expanded = [_expand_braces(text) for text in texts]
        if len(expanded) == 1 and len(expanded[0]) == 1:
            return [Word((part,), raw) for part in self._blanks(expanded[0][0])]
        if all(len(words) == 1 for words in expanded) and not any(_SPLIT in words[0] for words in expanded):
            return [Word(tuple(words[0] for words in expanded), raw)]
        if len(expanded) == 1:
            return [Word((part,), raw) for word in expanded[0] for part in self._blanks(word)]
        return [Word((HOLE,), raw)]

    def values(self, node: Node) -> tuple[str, ...]:
        """What a node means where words are not split: on the right of an assignment."""
        return tuple(
            text.replace(_SPLIT, " ").translate(_LITERAL) for text in self._texts(node, quoted=False)
        )

    def _blanks(self, text: str) -> list[str]:
        if _SPLIT not in text:
            return [text]
        return [part for part in text.split(_SPLIT) if part] if self._variables.split else [HOLE]

    def _joined(self, parts: list[tuple[str, ...]]) -> tuple[str, ...]:
        count = 1
        for part in parts:
            count *= len(part)
        if count > _MOST_VALUES:
            return ("".join(part[0] if len(part) == 1 else HOLE for part in parts),)
        return tuple(dict.fromkeys("".join(choice) for choice in product(*parts)))

    def _texts(self, node: Node, *, quoted: bool) -> tuple[str, ...]:
        match node.type:
            case "word" | "number" | "extglob_pattern" | "regex" | "test_operator" if (
                not node.named_child_count
            ):
                return (_unescaped(_text(node)),)
            case "raw_string":
                return (_text(node)[1:-1],)
            case "ansi_c_string":
                return (_ansi(_text(node)[2:-1]),)
            case "string_content" | "heredoc_content":
                return (_IN_QUOTES.sub(lambda found: found[1].strip("\n"), _text(node)),)
            case "brace_expression":
                return (_text(node).translate(_UNQUOTED),)
            case "simple_expansion" | "expansion":
                return self._variable(node, quoted=quoted)
            case "string" | "translated_string" | "heredoc_body":
                return self._joined(self._quoted_parts(node))
            case "command_substitution" | "process_substitution":
                return self._inside(node)
            case _ if node.child_count:
                return self._joined(self._parts(node, quoted=quoted))
            case _:
                return (_unescaped(_text(node)),) if node.is_named else (_text(node).translate(_UNQUOTED),)

    def _parts(self, node: Node, *, quoted: bool) -> list[tuple[str, ...]]:
        if node.type in ("concatenation", "command_name", "variable_name"):
            return [self._texts(child, quoted=quoted) for child in node.children]
        for child in node.children:
            if child.is_named:
                self._texts(child, quoted=quoted)
        return [(HOLE,)]

    def _quoted_parts(self, node: Node) -> list[tuple[str, ...]]:
        """The parts in quotes, with the text between them that the tree leaves out."""
        found: list[tuple[str, ...]] = []
        at = node.start_byte
        source = node.text or b""
        for child in node.children:
            if child.start_byte > at:
                found.append(
                    (
                        source[at - node.start_byte : child.start_byte - node.start_byte].decode(
                            errors="replace"
                        ),
                    )
                )
            at = child.end_byte
            if child.is_named:
                found.append(self._texts(child, quoted=True))
            elif _text(child) not in ('"', '$"'):
                found.append((_text(child),))
        return found

    def _variable(self, node: Node, *, quoted: bool) -> tuple[str, ...]:
        """What an expansion gives: known for ``$x`` and ``${x}``, a hole for what is cut, replaced or looked up."""
        named = node.named_children
        plain = len(named) == 1 and named[0].type == "variable_name" and node.child_count <= 3  # noqa: PLR2004 - ${ x }
        if not plain or _text(node).startswith(("${!", "${#")):
            for child in named:
                self._texts(child, quoted=True)
            return (HOLE,)
        values = self._variables.read(_text(named[0]))
        if quoted:
            return values
        return tuple(
            re.sub(r"[ \t\n]+", _SPLIT, value) if self._variables.split else HOLE for value in values
        )


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def _unescaped(text: str) -> str:
    """A word that stands in no quotes: escapes taken off, braces marked."""
    if "\\" not in text:
        return text.translate(_UNQUOTED)
    parts, at = [], 0
    for found in _ESCAPE.finditer(text):
        parts.append(text[at : found.start()].translate(_UNQUOTED))
        parts.append("" if found[1] == "\n" else found[1])
        at = found.end()
    return "".join(parts) + text[at:].translate(_UNQUOTED)


def _ansi(text: str) -> str:
    r"""What ``$'…'`` means: ``\x72`` is r."""

    def one(found: re.Match[str]) -> str:
        for group, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
            if found[group]:
                number = int(found[group], base)
                return chr(number) if number <= 0x10FFFF else HOLE  # noqa: PLR2004 - the last character there is
        return HOLE if found[5] else _ANSI_LETTERS.get(found[6], found[6])

    return _ANSI.sub(one, text)


def _expand_braces(text: str) -> list[str]:
    """All that ``a{b,c}`` stands for; a sequence, or too many, is a hole."""
    if _OPEN not in text:
        return [text.translate(_LITERAL)]
    words = [text]
    for _ in range(_MOST_VALUES):
        expanded: list[str] = []
        for word in words:
            expanded.extend(_one_brace(word))
        if expanded == words or len(expanded) > _MOST_VALUES:
            return (
                [word.translate(_LITERAL) for word in expanded[:1]]
                if len(expanded) <= _MOST_VALUES and len(expanded) == 1
                else (
                    [word.translate(_LITERAL) for word in expanded]
                    if len(expanded) <= _MOST_VALUES
                    else [HOLE]
                )
            )
        words = expanded
    return [HOLE]


def _one_brace(word: str) -> list[str]:
    found = _BRACES.search(word)
    if found is None:
        return [word]
    before, inner, after = word[: found.start()], found[1], word[found.end() :]
    if _COMMA in inner:
        return [before + choice + after for choice in inner.split(_COMMA)]
    if _SEQUENCE.fullmatch(inner):
        return [before + HOLE + after]
    return [f"{before}{{{inner}}}{after}"]
