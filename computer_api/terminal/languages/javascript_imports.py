"""What a cell of JavaScript imports, rewritten so that a cell, which is a script, can import it.

``import("x")`` becomes a call of a function of the worker whose name is as long; ``import x from "y"``
moves to a part that runs before the cell and leaves blanks. So lines and columns stay what they were.
A parser finds them: the same words in strings, remarks and patterns are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_IMPORT = "\u0131mport"  # with a dotless i; javascript_worker.js has the same
_META = f"{_IMPORT}_meta"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What is evaluated: first the imports, if there are any, then the code."""

    first: str | None
    code: str


def prepared(code: str) -> Cell:
    """The cell as the worker can evaluate it. What no parser can read is left to Node.js to refuse."""
    if "import" not in code and not code.lstrip().startswith("{"):
        return Cell(first=None, code=code)
    code = _in_parentheses(code)
    source = code.encode("utf-8", "surrogatepass")
    statements = [node for node in _parsed(source).children if node.type == "import_statement"]
    inside = {node.start_byte for node in statements}
    edits = [(node, _blank(node)) for node in statements]
    edits += [(node, new) for node, new in _expressions(source) if node.start_byte not in inside]
    first = "".join(_moved(statements)) or None
    return Cell(first=first, code=_edited(source, edits))


def _in_parentheses(code: str) -> str:
    """An object alone is a value, as at the prompt of Node.js, and not a block with labels."""
    if not code.lstrip().startswith("{") or code.rstrip().endswith(";"):
        return code
    value = f"({code.rstrip()}\n)"
    tree = _parsed(value.encode("utf-8", "surrogatepass"))
    return code if tree.has_error else value


def _parsed(source: bytes) -> Node:
    import tree_sitter_javascript
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_javascript.language())).parse(source).root_node


def _expressions(source: bytes) -> Iterator[tuple[Node, str]]:
    """Each ``import`` of a call, and each ``import.meta``, with what stands there instead."""
    rest = [_parsed(source)]
    while rest:
        node = rest.pop()
        if node.type == "meta_property" and _text(node) == "import.meta":
            yield node, _META
        elif node.type == "import" and node.parent is not None and node.parent.type == "call_expression":
            yield node, _IMPORT
        rest.extend(node.children)


def _blank(statement: Node) -> str:
    """An empty statement as long as this one, so that neither its neighbours join nor move."""
    blanks = "".join(letter if letter in "\r\n" else " " * _units(letter) for letter in _text(statement))
    return ";" + blanks[1:]


def _units(letter: str) -> int:
    """How many columns JavaScript counts for a character."""
    return len(letter.encode("utf-16-le", "surrogatepass")) // 2


def _moved(statements: list[Node]) -> Iterator[str]:
    """The imports of these statements, on the same lines."""
    line = 0
    for statement in statements:
        row = statement.start_point.row
        yield "\n" * (row - line)
        line = row
        yield from _loaded(statement)


def _loaded(statement: Node) -> Iterator[str]:
    source = statement.child_by_field_name("source")
    if source is None:
        return
    options = next(
        (
            f"{{with: {_line(_text(node.children[-1]))}}}"
            for node in statement.children
            if node.type == "import_attribute"
        ),
        "undefined",
    )
    clause = next((node for node in statement.children if node.type == "import_clause"), None)
    patterns = list(_patterns(clause)) if clause is not None else [("", [])]
    for pattern, needed in patterns:
        names = ", ".join(needed)
        yield f"{pattern}await {_IMPORT}({_text(source)}, {options}, [{names}]); "


def _patterns(clause: Node) -> Iterator[tuple[str, list[str]]]:
    """What is declared by each part of ``a, {b as c}`` or ``a, * as d``, and the names that must be there."""
    for part in clause.named_children:
        if part.type == "identifier":
            yield f"const {{default: {_text(part)}}} = ", ['"default"']
        elif part.type == "namespace_import":
            yield f"const {_text(part.named_children[-1])} = ", []
        elif part.type == "named_imports":
            pairs = [_pair(node) for node in part.named_children if node.type == "import_specifier"]
            pattern = ", ".join(f"{name}: {own}" for name, own in pairs)
            yield (
                f"const {{{pattern}}} = ",
                [name if name[0] in "\"'" else f'"{name}"' for name, _ in pairs],
            )


def _pair(specifier: Node) -> tuple[str, str]:
    """The name that is imported, and the one that it gets here."""
    alias = specifier.child_by_field_name("alias")
    name = _text(specifier.children[0])
    return name, name if alias is None else _text(alias)


def _edited(source: bytes, edits: list[tuple[Node, str]]) -> str:
    pieces: list[bytes] = []
    end = 0
    for node, new in sorted(edits, key=lambda edit: edit[0].start_byte):
        pieces += [source[end : node.start_byte], new.encode()]
        end = node.end_byte
    return b"".join([*pieces, source[end:]]).decode("utf-8", "surrogatepass")


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")


def _line(text: str) -> str:
    return " ".join(text.split("\n"))
