"""Programs that are not ours: menus from what they tell assistive technology, documents by difference.

Where a program's own text stands is seen by photographing it twice, once with an empty document of the same size:
what differs is the text, and its rows and columns are known.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from screens.stage import seen, stage
from screens.truth import Box, Label, Screen

assert sys.platform == "linux"

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from screens.stage import Stage

    from computer_platform.desktop import Window
    from computer_vision.reader import Pixels

    Flags = NDArray[np.bool_]

MENU_ROLES = frozenset({"menu", "menu item", "check menu item", "radio menu item"})
FAINT = 24  # levels
COLUMN_GAP = 14  # pixels between two cells of a row, at least
ROW_GAP = 2


class Document(NamedTuple):
    """What is opened: rows of cells, a paragraph being a row of one; ``write`` makes the file's text of them."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    write: Callable[[Sequence[Sequence[str]]], str]


class Program(NamedTuple):
    """How a program is started, which part of its window shows the document, and which menu is opened."""

    command: tuple[str, ...]
    title: str
    inset: tuple[int, int, int, int]  # left, top, right, bottom of the window that are not document
    menu: str
    toolkit: str
    size: tuple[int, int] = (1280, 800)
    environment: tuple[tuple[str, str], ...] = ()
    shown: Box | None = (
        None  # the part of the picture that is kept: no text but the labels' should be there twice
    )


def photographed(
    name: str, program: Program, document: Document, theme: str, tags: tuple[str, ...] = ()
) -> Screen:
    """The program with the document, a menu open over it."""
    blank = tuple(tuple("" for _ in row) for row in document.rows)
    with stage(program.size) as on:
        window = _opened(on, program, document, blank)
        empty = _inside(on.still(), window, program)
    with stage(program.size) as on:
        window = _opened(on, program, document, document.rows)
        full = _inside(on.still(), window, program)
        corner = window.area.left + program.inset[0], window.area.top + program.inset[1]
        texts = tuple(label.moved(*corner) for label in by_difference(empty, full, document.rows))
        bar = _menu_labels(on, window)
        opener = next(label for label in bar if label.text == program.menu)
        on.click(*(round(value) for value in opener.box.middle))
        pixels = on.still()
        known = {(one.text, one.box.top) for one in bar}
        items = tuple(label for label in _menu_labels(on, window) if (label.text, label.box.top) not in known)
    assert items, f"the menu {program.menu} did not open"
    labels = (*seen((*texts, *bar), [_around(items)], None), *items)
    return Screen(name=name, pixels=pixels, labels=labels, theme=theme, toolkit=program.toolkit, tags=tags)


def _around(items: Sequence[Label]) -> Box:
    """What a menu covers; above it is the bar that it hangs from."""
    left, top = min(one.box.left for one in items), min(one.box.top for one in items)
    right = max(one.box.left + one.box.width for one in items)
    bottom = max(one.box.top + one.box.height for one in items)
    return Box(left - 6, top + 2, right - left + 12, bottom - top + 8)


def _opened(on: Stage, program: Program, document: Document, rows: Sequence[Sequence[str]]) -> Window:
    path = on.folder / document.name
    path.write_text(document.write(rows))
    on.desktop.launch([*program.command, str(path)], environment=dict(program.environment))
    on.window(program.title)
    on.still()
    return on.window(program.title)


def _inside(pixels: Pixels, window: Window, program: Program) -> Pixels:
    left, top, right, bottom = program.inset
    area = window.area
    return pixels[area.top + top : area.bottom - bottom, area.left + left : area.right - right]


def _menu_labels(on: Stage, window: Window) -> tuple[Label, ...]:
    told = on.desktop.accessibility
    assert told is not None
    found = told.elements(pid=window.pid, seconds=20)
    assert not found.truncated, "the program did not tell everything"
    labels: dict[tuple[str, int], Label] = {}
    for element in found.items:
        box = Box(*element.area)
        if element.role not in MENU_ROLES or not element.name or box.height < 12:
            continue
        before = labels.get((element.name, box.top))
        if (
            before is None or before.box.height < box.height
        ):  # LibreOffice tells its menu bar twice, once wrongly
            labels[element.name, box.top] = Label(text=element.name, box=box, kind="menu", control=box)
    return tuple(labels.values())


def by_difference(before: Pixels, after: Pixels, rows: Sequence[Sequence[str]]) -> Iterator[Label]:
    """The cells of the document, each where the two pictures differ."""
    differ = np.abs(after[:, :, :3].astype(np.int16) - before[:, :, :3]).max(axis=2) > FAINT
    bands = _runs(differ.any(axis=1), ROW_GAP)
    bands = [band for band in bands if band[1] - band[0] > 3]
    written = [row for row in rows if any(row)]
    assert len(bands) == len(written), f"{len(bands)} rows differ, {len(written)} were written: {bands}"
    for (top, bottom), row in zip(bands, written, strict=True):
        cells = [cell for cell in row if cell]
        gap = COLUMN_GAP if len(cells) > 1 else differ.shape[1]
        columns = _runs(differ[top:bottom].any(axis=0), gap)
        assert len(columns) == len(cells), f"{len(columns)} columns differ for {cells}"
        for (left, right), text in zip(columns, cells, strict=True):
            yield Label(
                text=text,
                box=Box(left, top, right - left, bottom - top),
                kind="cell" if len(cells) > 1 else "text",
            )


def _runs(flags: Flags, gap: int) -> list[tuple[int, int]]:
    """Where flags are set, first and just after the last; gaps of at most that many are none."""
    at = np.flatnonzero(flags)
    if not at.size:
        return []
    parts = np.split(at, np.flatnonzero(np.diff(at) > gap) + 1)
    return [(int(part[0]), int(part[-1]) + 1) for part in parts]


def plain(rows: Sequence[Sequence[str]]) -> str:
    """A text file."""
    return "".join(f"{row[0]}\n" for row in rows)


_OFFICE = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document office:version="1.3" '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'office:mimetype="application/vnd.oasis.opendocument.{kind}"><office:body>{body}</office:body></office:document>'
)


def letter(rows: Sequence[Sequence[str]]) -> str:
    """A flat OpenDocument text."""
    paragraphs = "".join(f"<text:p>{row[0]}</text:p><text:p/>" for row in rows)  # rows that do not touch
    return _OFFICE.format(kind="text", body=f"<office:text>{paragraphs}</office:text>")


def sheet(rows: Sequence[Sequence[str]]) -> str:
    """A flat OpenDocument spreadsheet."""
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    lines = "".join(f"<table:table-row>{''.join(map(cell.format, row))}</table:table-row>" for row in rows)
    body = f'<office:spreadsheet><table:table table:name="Sheet">{lines}</table:table></office:spreadsheet>'
    return _OFFICE.format(kind="spreadsheet", body=body)
