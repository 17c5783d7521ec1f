"""The lines of a document in parts that are short enough to be read at once; how a part is told to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.browser.page import Field, Link, Page
from computer_api.browser.reading import Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_PART = 6400
"""Characters of a part with the addresses of its links: the whole of it fits into one output that a model is shown."""
_LONGEST_ADDRESS = 300


def in_parts(lines: Sequence[Line], longest: int = LONGEST_PART) -> tuple[tuple[Line, ...], ...]:
    """The lines, all of them in order, so many in each part as fit; at least one part."""
    parts: list[tuple[Line, ...]] = []
    part: list[Line] = []
    size = 0
    for line in _no_longer(lines, longest):
        cost = _cost(line)
        if part and size + cost > longest:
            parts.append(tuple(part))
            part, size = [], 0
        part.append(line)
        size += cost
    return (*parts, tuple(part))


def _no_longer(lines: Sequence[Line], longest: int) -> Iterator[Line]:
    """The lines, with one that is too long cut into several; its controls stay with the first piece that names them."""
    for line in lines:
        if len(line.text) <= longest:
            yield line
            continue
        left = list(line.controls)
        for start in range(0, len(line.text), longest):
            text = line.text[start : start + longest]
            here = [one for one in left if f"[{one.number}]" in text]
            last = start + longest >= len(line.text)
            yield Line(text=text, controls=tuple(left if last else here))
            left = [one for one in left if one not in here]


def _cost(line: Line) -> int:
    addresses = sum(min(len(one.url), _LONGEST_ADDRESS) + 8 for one in line.controls if one.url)
    return len(line.text) + 1 + addresses


def controls_of(lines: Sequence[Line]) -> tuple[tuple[Link, ...], tuple[Field, ...]]:
    """The links and the fields of these lines."""
    shown = [control.shown() for line in lines for control in line.controls]
    links = tuple(one for one in shown if isinstance(one, Link))
    return links, tuple(one for one in shown if isinstance(one, Field))


def told(page: Page) -> str:
    """The part of the page with its source and the addresses of its links."""
    where = f"tab {page.tab}" + (f", part {page.part} of {page.parts}" if page.parts > 1 else "")
    lines = [f'"{page.title}" {_address(page.url)} ({where})', *(f"({note})" for note in page.notes)]
    lines += ["", page.text or "(The page shows no text.)"]
    addresses = [f"[{link.number}] {_address(link.url)}" for link in page.links if link.url]
    if addresses:
        lines += ["", "Addresses:", *addresses]
    if page.more:
        lines += ["", f"(Part {page.part + 1} of {page.parts} is read with more.)"]
    return "\n".join(lines)


def _address(url: str) -> str:
    return url if len(url) <= _LONGEST_ADDRESS else f"{url[: _LONGEST_ADDRESS - 1]}…"
