"""HTML as a tree of plain nodes: whatever is given becomes one, as deep as is good for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_UNSEEN = frozenset(
    {"script", "style", "noscript", "template", "title", "svg"}
)  # not "head": its end may be left out
_CELLS = frozenset({"td", "th"})
_ENDS: dict[str, frozenset[str]] = {
    **{tag: frozenset({tag}) for tag in ("p", "option")},
    **dict.fromkeys(("td", "th"), _CELLS),
    "li": frozenset({"li", "p"}),
    "tr": _CELLS | {"tr"},
    **dict.fromkeys(("dt", "dd"), frozenset({"dt", "dd", "p"})),
}
"""What an element ends that was not ended before."""
_INLINE = frozenset({"a", "abbr", "b", "code", "em", "font", "i", "mark", "q", "s", "small", "span", "strong", "sub",
                     "sup", "u"})  # fmt: skip
_DEEPEST = 120


@dataclass(slots=True, eq=False)
class Node:
    """An element with its attributes, and what it holds: elements and pieces of text in their order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def get(self, name: str) -> str:
        """An attribute, with blanks folded; ``""`` if it is not there."""
        return " ".join(self.attributes.get(name, "").split())

    def nodes(self) -> Iterator[Node]:
        """The element and all within it, in their order."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.nodes()

    def text(self, *, without: frozenset[str] = frozenset()) -> str:
        """All text in it on one line, but for what elements of these kinds hold."""
        return " ".join("".join(self._pieces(without)).split())

    def _pieces(self, without: frozenset[str]) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif child.tag not in without:
                yield from child._pieces(without)  # noqa: SLF001 - its own class
                yield "" if child.tag in _INLINE else " "


def parsed(html: str) -> Node:
    """The document as a tree; nothing raises, and what nobody sees is left out."""
    building = _Building()
    building.feed(html)
    building.close()
    return building.root


class _Building(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("body")
        self._open = [self.root]
        self._unseen = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            return
        if tag in _UNSEEN:
            self._unseen = tag
            return
        while self._open[-1].tag in _ENDS.get(tag, ()):
            self._open.pop()
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        if tag not in _VOID and len(self._open) < _DEEPEST:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._unseen = "" if tag == self._unseen else self._unseen
            return
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at].tag == tag:
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._open[-1].children.append(data)
