"""Calls as text models write them, read back from what they have said."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Written:
    """A call by its bare name, such as ``click``, with its keyword arguments."""

    name: str
    arguments: dict[str, Any]


def calls_in(source: str) -> list[Written]:
    """The calls of a text that the speaker wrote itself: each on lines of its own, with keywords and literals only."""
    return [_written(line.value) for line in ast.parse(source.strip()).body if isinstance(line, ast.Expr)]


def _written(node: ast.expr) -> Written:
    assert isinstance(node, ast.Call), ast.dump(node)
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    return Written(name, {str(word.arg): ast.literal_eval(word.value) for word in node.keywords})


def quoted(text: str) -> str:
    """The text in single quotes, with backslashes before what would end it and for line ends."""
    inner = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{inner}'"
