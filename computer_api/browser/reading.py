"""A document as a person reads it: clean lines of text, in which links and fields carry a number.

What is around the main part, such as navigation, comes after it. Data that stands in an address is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urljoin, urlsplit

from computer_api.browser.page import Field, Link
from computer_api.browser.tree import Node, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from computer_api.browser.page import FieldKind

ControlKind = Literal["link", "text", "secret", "tick", "choice", "file", "button"]

_BLOCKS = frozenset({"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
                     "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr",
                     "html", "legend", "li", "main", "nav", "ol", "p", "pre", "search", "section", "summary", "table",
                     "tbody", "td", "tfoot", "th", "thead", "tr", "ul"})  # fmt: skip
_AROUND = frozenset({"nav", "aside", "footer"})
_AROUND_ROLES = frozenset({"navigation", "complementary", "contentinfo", "banner"})
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_DATA = re.compile(r"data:[\w/+.;=-]*;base64,[A-Za-z0-9+/=%_-]{16,}")
_ADDRESSES = ("http", "https", "mailto", "tel", "ftp")
_MOST_OPTIONS = 30
_LONGEST_NAME = 200
_NO_NOISE_SHARE = 0.2  # of the text: a main part that is smaller is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What can be followed, filled or clicked: as the page shows it, and its ``mark`` in the source, if it had one."""

    number: int
    kind: ControlKind
    label: str
    url: str = ""
    value: str = ""
    options: tuple[str, ...] = ()
    mark: int | None = None

    def shown(self) -> Link | Field:
        """The same as a value of the page."""
        if self.kind == "link":
            return Link(number=self.number, text=self.label, url=self.url)
        return Field(
            number=self.number, label=self.label, kind=self.kind, value=self.value, options=self.options
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of clean text, and the controls that it holds."""

    text: str
    controls: tuple[Control, ...] = ()


def read(html: str, url: str, held: Mapping[str, str] | None = None) -> tuple[Line, ...]:
    """The document's lines: those of its main part, then what stands around it. Nothing raises.

    ``url`` is what addresses in it are relative to, ``held`` what fields hold, by their labels, if not what it says.
    """
    root = parsed(html)
    main, around = _parts(root)
    writing = _Writing(root, url, held or {})
    for node in main:
        writing.write(node, without=around)
    writing.end_line()
    if around:
        before = len(writing.lines)
        for node in around:
            writing.write(node, without=main)
        writing.end_line()
        if len(writing.lines) > before:
            writing.lines[before:before] = [Line(text=""), Line(text="## Around the main part")]
    return tuple(_without_doubles(writing.lines))


def _parts(root: Node) -> tuple[list[Node], list[Node]]:
    """The main part, and what is around it."""
    whole = max(1, len(root.text()))
    mains = [node for node in root.nodes() if node.tag == "main" or node.get("role") == "main"]
    main = max(mains, key=lambda node: len(node.text()), default=None)
    if main is not None and len(main.text()) >= _NO_NOISE_SHARE * whole:
        return [main], [root]
    around = list(_outermost_around(root))
    if around and sum(len(node.text()) for node in around) <= (1 - _NO_NOISE_SHARE) * whole:
        return [root], around
    return [root], []


def _outermost_around(node: Node) -> Iterator[Node]:
    for child in node.children:
        if not isinstance(child, Node):
            continue
        if child.tag in _AROUND or child.get("role") in _AROUND_ROLES:
            yield child
        else:
            yield from _outermost_around(child)


def _without_doubles(lines: list[Line]) -> Iterator[Line]:
    """No two empty lines in a row, and none at the ends."""
    empty = True
    held: list[Line] = []
    for line in lines:
        if line.text:
            yield from held
            yield line
            held, empty = [], False
        elif not empty:
            held, empty = [line], True


class _Writing:
    """Walks the tree and writes lines."""

    def __init__(self, root: Node, url: str, known: Mapping[str, str]) -> None:
        self.lines: list[Line] = []
        self._known = known
        self._url = url
        self._labels = _Labels(root)
        self._number = 0
        self._pieces: list[str] = []
        self._held: list[Control] = []
        self._prefix = ""  # of the next line, such as "- "
        self._indent = ""
        self._kept = False  # whether blanks are kept, as in pre
        self._without: set[int] = set()

    def write(self, node: Node, *, without: list[Node]) -> None:
        """The node, but for these within it."""
        self._without = {id(one) for one in without} - {id(node)}
        self._element(node)

    def end_line(self) -> None:
        """What was written so far is a line of its own."""
        text = "".join(self._pieces)
        text = text.rstrip() if self._kept else " ".join(text.split())
        if text or self._held:
            self.lines.append(Line(text=_clean(self._prefix + text), controls=tuple(self._held)))
            self._prefix = self._indent
        self._pieces, self._held = [], []

    def _element(self, node: Node) -> None:
        if id(node) in self._without or node.get("aria-hidden") == "true":
            return
        kind = _kind(node)
        if kind is not None and kind != "link":
            self._field(node, kind)
        elif kind == "link":
            self._link(node)
        elif node.tag in _HEADINGS:
            self._heading(node)
        elif node.tag == "table" and not _only_layout(node):
            self._table(node)
        elif node.tag in {"ul", "ol", "menu"}:
            self._list(node)
        elif node.tag == "pre":
            self._pre(node)
        elif node.tag == "label" and self._labels.is_of_a_field(node):
            self._only_fields(node)
        else:
            self._other(node)

    def _other(self, node: Node) -> None:
        match node.tag:
            case "br":
                self.end_line()
            case "hr":
                self._apart()
            case "img":
                if alt := node.get("alt"):
                    self._pieces.append(f" (picture: {_shortened(alt)}) ")
            case "p" | "section" | "article" | "form" | "blockquote" | "fieldset":
                self._apart()
                self._children(node)
                self._apart()
            case tag if tag in _BLOCKS or "data-block" in node.attributes:
                self.end_line()
                self._children(node)
                self.end_line()
            case _:
                self._children(node)

    def _children(self, node: Node) -> None:
        for child in node.children:
            if isinstance(child, Node):
                self._element(child)
            elif self._kept:
                self._kept_text(child)
            else:
                self._pieces.append(child)

    def _apart(self) -> None:
        """An empty line."""
        self.end_line()
        if self.lines and self.lines[-1].text:
            self.lines.append(Line(text=""))

    def _heading(self, node: Node) -> None:
        self._apart()
        self._prefix = f"{_HEADINGS[node.tag]} "
        self._children(node)
        self.end_line()
        self._prefix = self._indent

    def _list(self, node: Node) -> None:
        self.end_line()
        indent, number = self._indent, 0
        for child in node.children:
            if isinstance(child, str):
                continue
            if child.tag != "li":
                self._element(child)
                continue
            number += 1
            sign = f"{number}. " if node.tag == "ol" else "- "
            self._prefix = indent + sign
            self._indent = indent + "  "
            self._children(child)
            self.end_line()
            self._indent = self._prefix = indent
        self.end_line()

    def _pre(self, node: Node) -> None:
        self._apart()
        self._kept = True
        self._children(node)
        self.end_line()
        self._kept = False
        self._apart()

    def _kept_text(self, text: str) -> None:
        first, *rest = text.split("\n")
        self._pieces.append(first)
        for line in rest:
            self.end_line()
            self._pieces.append(line)

    def _table(self, table: Node) -> None:
        self._apart()
        for row in _rows(table):
            cells = []
            held: list[Control] = []
            for cell in row.children:
                if isinstance(cell, Node) and cell.tag in {"td", "th"}:
                    text, controls = self._cell(cell)
                    cells.append(text)
                    held.extend(controls)
            if any(cells):
                line = f"{self._indent}| {' | '.join(cells)} |"
                self.lines.append(Line(text=line, controls=tuple(held)))
        self._apart()

    def _cell(self, cell: Node) -> tuple[str, list[Control]]:
        """The text of a cell on one line."""
        outer = self.lines, self._prefix, self._indent
        self.lines, self._prefix, self._indent = [], "", ""
        self._children(cell)
        self.end_line()
        written = self.lines
        self.lines, self._prefix, self._indent = outer
        text = "; ".join(line.text for line in written if line.text)
        return text.replace("|", "/"), [control for line in written for control in line.controls]

    def _link(self, node: Node) -> None:
        label = _shortened(node.text() or node.get("aria-label") or node.get("title") or _alt(node))
        url = self._address(node)
        if not (label or url):
            return
        lines = len(self.lines)
        inside = len(self._pieces)
        self._children(node)
        if not node.text() and len(self._pieces) == inside and len(self.lines) == lines:
            self._pieces.append(label or _shortened(url))
        control = self._control(node, "link", label or _shortened(url), url=url)
        if "".join(self._pieces).strip() or len(self.lines) == lines:
            self._pieces.append(f" [{control.number}]")
            self._held.append(control)
        else:  # a card: what is in the link ended its own lines
            at = max(at for at, line in enumerate(self.lines) if line.text or at == lines)
            last = self.lines[at]
            self.lines[at] = Line(text=f"{last.text} [{control.number}]", controls=(*last.controls, control))

    def _address(self, node: Node) -> str:
        href = node.get("href")
        if not href or _scheme(href) in {"javascript", "data", "blob"}:
            return ""
        try:
            url = urljoin(self._url, href)
            known = urlsplit(url).scheme in _ADDRESSES
        except ValueError:
            return ""
        return url if known else ""

    def _field(self, node: Node, kind: FieldKind) -> None:
        label = _shortened(self._labels.of(node))
        options, chosen = _options(node)
        value = self._known.get(label, chosen if kind == "choice" else _value(node, kind))
        if kind == "button" and not label:
            return
        control = self._control(node, kind, label, value=value, options=options)
        self.end_line()
        self._pieces.append(_told(control))
        self._held.append(control)
        self.end_line()

    def _only_fields(self, node: Node) -> None:
        for child in node.nodes():
            if (kind := _kind(child)) is not None and kind != "link":
                self._field(child, kind)

    def _control(
        self,
        node: Node,
        kind: ControlKind,
        label: str,
        *,
        url: str = "",
        value: str = "",
        options: tuple[str, ...] = (),
    ) -> Control:
        self._number += 1
        mark = node.get("data-oi")
        return Control(
            number=self._number,
            kind=kind,
            label=_clean(label),
            url=url,
            value=_clean(value),
            options=options,
            mark=int(mark) if mark.isdecimal() and mark.isascii() else None,
        )


class _Labels:
    """What the fields of a document are called."""

    def __init__(self, root: Node) -> None:
        self._by_id: dict[str, Node] = {}
        self._for: dict[str, str] = {}
        self._around: dict[int, str] = {}
        self._of_fields: set[int] = set()
        labels = []
        for node in root.nodes():
            if "id" in node.attributes:
                self._by_id.setdefault(node.attributes["id"], node)
            if node.tag == "label":
                labels.append(node)
        for label in labels:
            self._note(label)

    def _note(self, label: Node) -> None:
        text = label.text(without=frozenset({"select", "textarea", "button"}))
        wrapped = [node for node in label.nodes() if _kind(node) not in {None, "link"}]
        for node in wrapped:
            self._around.setdefault(id(node), text)
        named = label.get("for") or label.get("data-for")
        if named and _kind(self._by_id.get(named, label)) not in {None, "link"}:
            self._for.setdefault(named, text)
            self._of_fields.add(id(label))
        if wrapped:
            self._of_fields.add(id(label))

    def is_of_a_field(self, label: Node) -> bool:
        """Whether the label's text is told with its field."""
        return id(label) in self._of_fields

    def of(self, node: Node) -> str:
        """The best name that there is for a field."""
        if node.tag in {"button", "summary"} or node.get("role") in _BUTTON_ROLES:
            return node.get("aria-label") or node.text() or _alt(node) or node.get("title")
        if node.tag == "input" and node.get("type") in _BUTTON_TYPES:
            return node.get("value") or node.get("aria-label") or node.get("alt") or node.get("type")
        named = (self._by_id.get(one) for one in node.get("aria-labelledby").split())
        by = " ".join(one.text() for one in named if one is not None)
        names = (by, node.get("aria-label"), self._for.get(node.attributes.get("id", ""), ""))
        usual = (self._around.get(id(node), ""), node.get("placeholder"), node.get("title"), node.get("name"))
        own = node.text() if node.get("role") in _TICK_ROLES else ""
        return next((name for name in (*names, own, *usual) if name), "")


_BUTTON_TYPES = frozenset({"submit", "button", "reset", "image"})
_BUTTON_ROLES = frozenset({"button", "tab", "menuitem"})
_TICK_ROLES = frozenset({"checkbox", "switch", "radio"})


def _kind(node: Node) -> ControlKind | None:
    """What can be done with an element."""
    if node.tag == "input":
        return _input_kind(node.get("type").lower())
    if node.tag in _KINDS:
        return _KINDS[node.tag]
    return _kind_by_role(node)


_KINDS: dict[str, ControlKind] = {
    "button": "button",
    "summary": "button",
    "select": "choice",
    "textarea": "text",
}


def _kind_by_role(node: Node) -> ControlKind | None:
    role = node.get("role")
    if role in _BUTTON_ROLES:
        return "button"
    if role in _TICK_ROLES:
        return "tick"
    if "data-edited" in node.attributes:
        return "text"
    if node.tag == "a":
        return "link" if _leads(node) else None
    return "link" if role in {"link", "option"} or "data-oi" in node.attributes else None


def _leads(node: Node) -> bool:
    return "href" in node.attributes or "data-oi" in node.attributes


def _input_kind(kind: str) -> ControlKind | None:
    if kind in _BUTTON_TYPES:
        return "button"
    others: dict[str, ControlKind | None] = {
        "checkbox": "tick",
        "radio": "tick",
        "password": "secret",
        "file": "file",
        "hidden": None,
    }
    return others.get(kind, "text")


def _value(node: Node, kind: FieldKind) -> str:
    if kind == "tick":
        ticked = "checked" in node.attributes or node.get("aria-checked") == "true"
        return "on" if ticked else "off"
    if kind == "button":
        return ""
    return node.get("value") if node.tag == "input" else node.text()


def _options(node: Node) -> tuple[tuple[str, ...], str]:
    """What a drop-down offers, and what is chosen."""
    if node.tag != "select":
        return (), ""
    options = [one for one in node.nodes() if one.tag == "option"]
    chosen = [one.text() for one in options if "selected" in one.attributes]
    return tuple(_clean(_shortened(one.text())) for one in options), ", ".join(chosen)


def _told(control: Control) -> str:
    """A field as a line of the page."""
    what = {"text": "field", "secret": "secret field", "tick": "tick box", "file": "file field"}
    words = f'[{control.number}] {what.get(control.kind, control.kind)} "{control.label}"'
    match control.kind:
        case "button":
            return words
        case "tick":
            return f"{words}: {control.value}"
        case "choice":
            offered = ", ".join(f'"{one}"' for one in control.options[:_MOST_OPTIONS])
            more = ", …" if len(control.options) > _MOST_OPTIONS else ""
            return f'{words}: "{control.value}" of {offered}{more}'
        case _:
            return f'{words}: "{_shortened(control.value)}"' if control.value else f"{words}: empty"


def _only_layout(table: Node) -> bool:
    """Whether a table only puts things beside each other."""
    if table.get("role") in {"presentation", "none"}:
        return True
    return any(
        node.tag == "table" for child in table.children if isinstance(child, Node) for node in child.nodes()
    )


def _rows(table: Node) -> Iterator[Node]:
    for child in table.children:
        if isinstance(child, Node):
            if child.tag == "tr":
                yield child
            elif child.tag in {"thead", "tbody", "tfoot"}:
                yield from _rows(child)


def _alt(node: Node) -> str:
    return next((one.get("alt") for one in node.nodes() if one.tag == "img" and one.get("alt")), "")


def _scheme(href: str) -> str:
    return re.split(r"[:/?#]", re.sub(r"[\x00-\x20]", "", href), maxsplit=1)[0].lower() if ":" in href else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


def _clean(text: str) -> str:
    """Without data that stands in the text, and without characters that mean nothing to a reader."""
    return "".join(one for one in _DATA.sub("(data)", text) if one >= " " or one == "\t")
