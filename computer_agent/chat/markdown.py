"""Markdown as it streams in, shown at once and never redrawn: what has left is not touched again.

Held back is only what could still turn out otherwise: the beginning of a line until it is known what line it is, a mark
such as ``**`` until its partner comes, a table until it is whole, a line of a code block until its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from computer_agent.chat.wrapping import Wrapping

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_UNDECIDED = re.compile(r"[ \t]{0,12}(?:#{1,6}|>|[-*+]|[0-9]{1,9}[.)]?|[-*_][-*_ \t]*|`{1,2}|~{1,2}|)[ \t]?")
_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)[^`]*")
_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})[ \t]+(?P<words>.*)", re.DOTALL)
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+]|[0-9]{1,9}[.)])[ \t]+(?P<words>.*)", re.DOTALL)
_QUOTE = re.compile(r" {0,3}>[ \t]?(?P<words>.*)", re.DOTALL)
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_SPECIAL = re.compile(r"[`*_~\[!\\]")
_CONSTRUCT = re.compile(
    r"""
      (?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)
    | \*\*(?![\s*])(?P<strong>.+?)(?<!\s)\*\*(?!\*)
    | (?<!\w)__(?![\s_])(?P<strong_>.+?)(?<!\s)__(?!\w)
    | (?<!\*)\*(?![\s*])(?P<emphasis>[^*]+?)(?<!\s)\*(?!\*)
    | (?<![\w_])_(?![\s_])(?P<emphasis_>[^_]+?)(?<!\s)_(?![\w_])
    | ~~(?![\s~])(?P<struck>.+?)(?<!\s)~~(?!~)
    | !?\[(?P<label>[^\[\]]*)\]\((?P<address>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)
    | \\(?P<escaped>[!-/:-@\[-`{-~])
    """,
    re.VERBOSE,
)
_LONGEST_HELD = 300  # characters after a mark in which its partner is waited for


class Sink(Protocol):
    """Where it is shown."""

    def write(self, text: str, style: str) -> None:
        """Show a piece; a line feed ends the line."""

    def code(self, language: str, line: str) -> None:
        """Show a line of a code block, the line feed included; an empty language after a block tells it apart."""

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Show a table, its heading first."""


@dataclass(slots=True)
class MarkdownFlow:
    """Takes Markdown in pieces. ``width`` gives the columns there are now, ``fancy`` whether signs may be drawn."""

    sink: Sink
    width: Callable[[], int]
    fancy: bool = True
    _held: str = field(default="", init=False)  # the end of the line that is not shown yet
    _before: str = field(default="", init=False)  # the last character of the line that is shown
    _inside: bool = field(default=False, init=False)  # the beginning of the line is shown
    _fence: str = field(default="", init=False)
    _fence_indent: int = field(default=0, init=False)
    _language: str = field(default="", init=False)
    _style: str = field(default="", init=False)  # of the line
    _rows: list[str] = field(default_factory=list, init=False)  # of a table, as they came
    _blank: bool = field(default=True, init=False)  # the last line was
    _wrapping: Wrapping = field(init=False)

    def __post_init__(self) -> None:
        self._wrapping = Wrapping(self.sink.write, self.width)

    @property
    def is_open(self) -> bool:
        """Whether something is held, or the last line has not ended."""
        return bool(self._held or self._inside or self._rows or self._fence)

    def feed(self, text: str) -> None:
        """Take a piece."""
        self._held += text
        while (end := self._held.find("\n")) >= 0:
            line, self._held = self._held[:end].removesuffix("\r"), self._held[end + 1 :]
            self._line(line)
        if not self._fence:
            self._part()

    def end(self) -> None:
        """Show what is held; the next piece begins anew."""
        if self._held or self._inside:
            line, self._held = self._held.removesuffix("\r"), ""
            self._line(line)
        self._end_table()
        self._fence, self._blank = "", True

    def _line(self, line: str) -> None:
        """The rest of a line, which ends here."""
        if self._fence:
            self._code_line(line)
        elif self._inside:
            self._end_of_text(line)
        elif line.lstrip().startswith("|"):
            self._rows.append(line)
        else:
            self._end_table()
            self._whole(line)

    def _code_line(self, line: str) -> None:
        stripped = line.strip()
        if stripped.startswith(self._fence) and not stripped.strip(self._fence[0]):
            self._fence = ""
            return
        indent = len(line) - len(line.lstrip(" \t"))
        self.sink.code(self._language, line[min(indent, self._fence_indent) :] + "\n")

    def _whole(self, line: str) -> None:
        """A line that was not begun."""
        fence = _FENCE.fullmatch(line)
        if not line.strip():
            if not self._blank:
                self.sink.write("\n", "")
            self._blank = True
        elif fence is not None:
            self._fence, self._language = fence["fence"], fence["language"]
            self._fence_indent = len(fence["indent"])
            self._blank = False
        elif _RULE.fullmatch(line):
            self.sink.write(("─" if self.fancy else "-") * min(self.width(), 40) + "\n", "dim")
            self._blank = False
        else:
            self._end_of_text(self._begun(line))

    def _part(self) -> None:
        """What can be shown of a line that has not ended. A carriage return at its end may belong to a line feed."""
        held = self._held.removesuffix("\r")
        ending = self._held[len(held) :]
        if not self._inside:
            if _UNDECIDED.fullmatch(held) or held.lstrip()[:1] == "|":
                return
            if _FENCE.match(held) or _RULE.match(held):
                return
            self._end_table()
            held = self._begun(held)
        text = self._before + held
        end = self._inline(text, self._style, at=len(self._before))
        self._before, self._held = text[max(0, end - 1) : end], text[end:] + ending

    def _begun(self, line: str) -> str:
        """Show what stands before a line's words; gives these."""
        self._inside, self._blank, self._style = True, False, ""
        if heading := _HEADING.fullmatch(line):
            self._style = "bold underline" if len(heading["level"]) == 1 else "bold"
            return heading["words"]
        if item := _ITEM.fullmatch(line):
            mark = item["mark"] if item["mark"][0].isdecimal() else "•" if self.fancy else "-"
            indent = item["indent"].expandtabs(4)
            self._wrapping.begin(f"{indent}{mark} ", " " * (len(indent) + len(mark) + 1))
            return item["words"]
        if quote := _QUOTE.fullmatch(line):
            bar = "│ " if self.fancy else "| "
            self._style = "italic"
            self._wrapping.begin(bar, bar)
            return quote["words"]
        indent = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4)
        self._wrapping.begin(indent, indent)
        return line.lstrip(" \t")

    def _end_of_text(self, rest: str) -> None:
        text = self._before + rest.rstrip(" \t")
        self._inline(text, self._style, at=len(self._before), last=True)
        self._wrapping.end()
        self._inside, self._before = False, ""

    def _inline(self, text: str, style: str, *, at: int = 0, last: bool = False) -> int:
        """Show words with their marks, from ``at`` on; gives where begins what could still turn out otherwise.

        ``last``: no more comes, so that nothing could.
        """
        while at < len(text):
            special = _SPECIAL.search(text, at)
            start = len(text) if special is None else special.start()
            self._wrapping.add(text[at:start], style)
            if special is None:
                break
            construct = _CONSTRUCT.match(text, start, start + _LONGEST_HELD)
            if construct is not None and (last or construct.end() < len(text)):
                self._marked(construct, style)
                at = construct.end()
            elif not last and len(text) - start <= _LONGEST_HELD:
                return start
            else:
                at = start + len(text[start:]) - len(text[start:].lstrip(text[start]))
                self._wrapping.add(text[start:at], style)
        return len(text)

    def _marked(self, construct: re.Match[str], style: str) -> None:
        """Words between marks, which may have marks inside."""
        if construct["code"] is not None:
            self._wrapping.add(_without_padding(construct["code"]), f"{style} cyan".strip())
        elif construct["escaped"] is not None:
            self._wrapping.add(construct["escaped"], style)
        elif construct["address"] is not None:
            self._linked(construct["label"], construct["address"], style)
        else:
            styles = {"strong": "bold", "strong_": "bold", "emphasis": "italic", "emphasis_": "italic"}
            kind = str(construct.lastgroup)
            inner = f"{style} {styles.get(kind, 'strike')}".strip()
            self._inline(construct[kind], inner, last=True)

    def _linked(self, label: str, address: str, style: str) -> None:
        """The label, and the address after it where it says something else."""
        self._inline(label or address, f"{style} underline".strip(), last=True)
        if label and label != address:
            self._wrapping.add(f" ({address})", f"{style} dim".strip())

    def _end_table(self) -> None:
        """A table that is whole now; lines that only look like one are words."""
        rows, self._rows = self._rows, []
        if len(rows) > 1 and _DELIMITERS.fullmatch(rows[1]):
            self.sink.table([_cells(row) for row in [rows[0], *rows[2:]]])
            self._blank = False
            return
        for row in rows:
            self._whole(row)


def _without_padding(code: str) -> str:
    """One space on both sides belongs to the marks."""
    padded = code.startswith(" ") and code.endswith(" ") and code.strip()
    return code[1:-1] if padded else code


def _cells(row: str) -> list[str]:
    """The cells of a row, without the marks of Markdown in them."""
    inside = row.strip().removeprefix("|")
    if inside.endswith("|") and not inside.endswith("\\|"):
        inside = inside[:-1]
    return [_plain(cell.replace("\\|", "|").strip()) for cell in re.split(r"(?<!\\)\|", inside)]


def _plain(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*|`(.+?)`", lambda match: match[1] or match[2], text)
