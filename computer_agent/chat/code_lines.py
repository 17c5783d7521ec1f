"""Lines of code with a light highlight, each when it is whole: keywords, names, strings, numbers, comments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.lexer import Lexer

_LOOKED_BACK = 40  # lines before the newest that decide how it reads
_LONGEST = 2000  # characters of a line that are worth it
_NAMES = {"shell": "bash", "sh": "bash", "applescript": "applescript", "js": "javascript", "py": "python"}
_STYLES = (
    ("Token.Comment", "bright_black"),
    ("Token.Literal.String", "green"),
    ("Token.Literal.Number", "cyan"),
    ("Token.Keyword", "magenta"),
    ("Token.Operator.Word", "magenta"),
    ("Token.Name.Function", "blue"),
    ("Token.Name.Class", "blue"),
    ("Token.Name.Decorator", "blue"),
    ("Token.Name.Builtin", "cyan"),
)


@dataclass(slots=True)
class CodeLines:
    """The lines of one block, in order."""

    language: str
    _lines: list[str] = field(default_factory=list, init=False)
    _lexer: Lexer | None = field(default=None, init=False)
    _looked_for: bool = field(default=False, init=False)

    def add(self, line: str) -> list[tuple[str, str]]:
        """The line, without a line feed, in pieces with their styles."""
        self._lines = [*self._lines[-_LOOKED_BACK:], line]
        if not self._looked_for:
            self._looked_for, self._lexer = True, _lexer(self.language)
        if self._lexer is None or len(line) > _LONGEST:
            return [(line, "")]
        return list(self._pieces(self._lexer))

    def _pieces(self, lexer: Lexer) -> Iterator[tuple[str, str]]:
        """The pieces after the last line feed."""
        before = sum(len(line) + 1 for line in self._lines[:-1])
        at = 0
        for kind, text in lexer.get_tokens("\n".join(self._lines)):
            start, at = max(at, before), at + len(text)
            if at > before and (piece := text[len(text) - (at - start) :]):
                yield piece, _style(str(kind))


def _style(kind: str) -> str:
    return next((style for prefix, style in _STYLES if kind.startswith(prefix)), "")


def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    name = language.casefold()
    try:
        return get_lexer_by_name(_NAMES.get(name, name), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
