"""Elements out of the objects of a program: with their place, value and description."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from computer_platform.atspi.connection import NoAnswer
from computer_platform.atspi.placing import know_windows, placed
from computer_platform.atspi.program import ACCESSIBLE, MOST_NODES, TEXT, VALUE
from computer_platform.atspi.reading import read
from computer_platform.atspi.roles import (
    CELL,
    NUMBER_ROLES,
    PRESSED_ROLES,
    SECRET,
    TEXT_ROLES,
    WORDS_ROLES,
    state_names,
)
from computer_platform.desktop import Element

if TYPE_CHECKING:
    from computer_platform.atspi.program import Node, Program, Tree

_MOST_TEXT = 10_000  # characters of one control


async def tell(program: Program, tree: Tree) -> None:
    """Fill the tree: first the objects, then places and values of those that show and are wanted."""
    with contextlib.suppress(NoAnswer):
        await read(program, tree)
        worth = [
            node
            for node in tree.nodes.values()
            if node.worth_telling(program.about.shown) and tree.wanted.fits(node)
        ]
        worth.sort(key=lambda node: node.role in WORDS_ROLES)
        if worth:
            await know_windows(program, tree)
        await asyncio.gather(*(_add(program, node, tree) for node in worth[: tree.wanted.most]))
        too_many = len(worth) > tree.wanted.most or len(tree.nodes) >= MOST_NODES
        tree.complete = not too_many and not tree.left_out


async def element_of(program: Program, node: Node, tree: Tree) -> Element | None:
    """The control with its place and value, or None when it has no place on the screen."""
    area = await placed(program, node, tree)
    if area is None:
        return None
    value, description, own = await asyncio.gather(
        _value(program, node), _description(program, node), _own_id(program, node, tree)
    )
    return Element(
        role=node.role,
        name=node.name,
        value=value,
        area=area,
        states=state_names(node.states),
        pid=program.about.pid,
        description=description,
        id=own,
    )


async def _add(program: Program, node: Node, tree: Tree) -> None:
    with contextlib.suppress(NoAnswer):
        element = await element_of(program, node, tree)
        if element is not None:
            tree.elements.append(element)


async def _value(program: Program, node: Node) -> str:
    """The text or number that it holds; never a password's."""
    if node.role == SECRET:
        return ""
    with contextlib.suppress(NoAnswer):
        if TEXT in node.interfaces and (node.role in TEXT_ROLES or node.role == CELL):
            # LibreOffice tells nothing when asked for more than there is
            count = await program.property(node.path, TEXT, "CharacterCount")
            (text,) = await program.call(node.path, f"{TEXT}.GetText", "ii", [0, min(count, _MOST_TEXT)])
            return str(text)
        if VALUE in node.interfaces and node.role in NUMBER_ROLES:
            number = await program.property(node.path, VALUE, "CurrentValue")
            return f"{number:g}"
    return ""


async def _description(program: Program, node: Node) -> str:
    """What a button without a name is for, as its tool tip says."""
    if node.name or node.role not in PRESSED_ROLES:
        return ""
    with contextlib.suppress(NoAnswer):
        return str(await program.property(node.path, ACCESSIBLE, "Description")).strip()
    return ""


async def _own_id(program: Program, node: Node, tree: Tree) -> str:
    """The program's own id of it: GTK's and Qt's are told as such, a page's among the attributes."""
    if not tree.wanted.ids:
        return ""
    with contextlib.suppress(NoAnswer):
        told = str(await program.property(node.path, ACCESSIBLE, "AccessibleId"))
        if told:
            return told
    with contextlib.suppress(NoAnswer):
        (attributes,) = await program.call(node.path, f"{ACCESSIBLE}.GetAttributes")
        return str(attributes.get("id", ""))
    return ""
