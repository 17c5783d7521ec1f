"""The cells that show of a table too large to be asked for its children.

Asked for all of them, a spreadsheet makes a billion objects. The corners of what shows are asked for by their place.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_platform.atspi.connection import NoAnswer
from computer_platform.atspi.program import ACCESSIBLE, TABLE, TEXT
from computer_platform.atspi.roles import CELL

if TYPE_CHECKING:
    from computer_platform.atspi.program import Node, Program, Tree

_INSET = 3  # points from the table's corner to a point in its first or last cell
_MOST_CELLS = 2000
_ADDRESS = re.compile(r"([a-z]{1,3})([1-9]\d{0,6})")


@dataclass(frozen=True, slots=True)
class _Corner:
    row: int
    column: int
    name: str


async def add_cells(program: Program, path: str, tree: Tree) -> bool:
    """Add the cells that show and hold something, or that have the wanted name, to the tree.

    False where they cannot be told, or not all.
    """
    if not (tree.wanted.cells and tree.wanted.may_be(CELL)):
        return True
    with contextlib.suppress(NoAnswer):
        if TABLE not in await _interfaces(program, path):
            return False
        first, last = await _corners(program, path)
        if _address(first.name) == (first.row, first.column) and tree.wanted.name is not None:
            return await _add_by_address(program, path, tree)
        spots = [
            (row, column)
            for row in range(first.row, last.row + 1)
            for column in range(first.column, last.column + 1)
        ]
        await asyncio.gather(*(_add(program, path, spot, tree) for spot in spots[:_MOST_CELLS]))
        return bool(spots) and len(spots) <= _MOST_CELLS
    return False


async def _corners(program: Program, path: str) -> tuple[_Corner, _Corner]:
    """The first and the last cell that show."""
    area = await program.extents(path)
    first, last = await asyncio.gather(
        _corner(program, path, area.left + _INSET, area.top + _INSET),
        _corner(program, path, area.right - _INSET, area.bottom - _INSET),
    )
    return first, last


async def _corner(program: Program, path: str, x: int, y: int) -> _Corner:
    """The cell at a place. Raises ``NoAnswer`` where a table does not count its cells as it numbers them."""
    cell = await program.at(path, x, y)
    (index,), name = await asyncio.gather(
        program.call(cell, f"{ACCESSIBLE}.GetIndexInParent"), program.property(cell, ACCESSIBLE, "Name")
    )
    (row,), (column,) = await asyncio.gather(
        program.call(path, f"{TABLE}.GetRowAtIndex", "i", [index]),
        program.call(path, f"{TABLE}.GetColumnAtIndex", "i", [index]),
    )
    same = await program.property(await _cell(program, path, (row, column)), ACCESSIBLE, "Name")
    if same != name or index < 0:  # far down a sheet the numbers overflow
        raise NoAnswer(f"the cell at ({x}, {y}) is numbered as another")
    return _Corner(row, column, name)


async def _cell(program: Program, path: str, spot: tuple[int, int]) -> str:
    ((_, cell),) = await program.call(path, f"{TABLE}.GetAccessibleAt", "ii", list(spot))
    return str(cell)


async def _add_by_address(program: Program, path: str, tree: Tree) -> bool:
    """Add the cell whose address is wanted: of a sheet whose cells are called A1 and so on, no other can be."""
    spot = _address(tree.wanted.name or "")
    if spot is not None:
        node = await _described(program, path, await _cell(program, path, spot))
        tree.nodes[node.path] = node
    return True


async def _add(program: Program, path: str, spot: tuple[int, int], tree: Tree) -> None:
    with contextlib.suppress(NoAnswer):
        cell = await _cell(program, path, spot)
        if tree.wanted.name is None and await _is_empty(program, cell):
            return
        if tree.wanted.is_called(await program.property(cell, ACCESSIBLE, "Name")):
            node = await _described(program, path, cell)
            tree.nodes[cell] = node


async def _is_empty(program: Program, cell: str) -> bool:
    """Whether it holds no text; one that cannot say is not."""
    with contextlib.suppress(NoAnswer):
        return bool(await program.property(cell, TEXT, "CharacterCount") == 0)
    return False


async def _described(program: Program, table: str, cell: str) -> Node:
    (states,), (role,), interfaces, name = await asyncio.gather(
        program.call(cell, f"{ACCESSIBLE}.GetState"),
        program.call(cell, f"{ACCESSIBLE}.GetRole"),
        _interfaces(program, cell),
        program.property(cell, ACCESSIBLE, "Name"),
    )
    return replace(program.node(cell, table, role, name, states, []), interfaces=interfaces)


async def _interfaces(program: Program, path: str) -> frozenset[str]:
    (interfaces,) = await program.call(path, f"{ACCESSIBLE}.GetInterfaces")
    return frozenset(interfaces)


def _address(name: str) -> tuple[int, int] | None:
    """The row and column, from 0, of a cell called as spreadsheets do: B3 is (2, 1)."""
    match = _ADDRESS.fullmatch(name.casefold())
    if match is None:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("a") + 1
    return int(match[2]) - 1, column - 1
