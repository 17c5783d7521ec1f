"""Finding the objects of one program: by its own search, from its cache, or walking down to what shows."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from computer_platform.atspi.connection import NoAnswer, Unknown
from computer_platform.atspi.program import ACCESSIBLE, CHROMIUM, COLLECTION, MOST_NODES, TABLE, Tree
from computer_platform.atspi.roles import PAGE, role_words, state_words
from computer_platform.atspi.sheets import add_cells

if TYPE_CHECKING:
    from computer_platform.atspi.program import Node, Program

_ALL, _ANY = 1, 2  # how a search takes several states or roles
_LEARN_SECONDS = 0.6  # programs open their caches this long after someone registered for events
_MOST_CHILDREN = 1000  # of one object: with more it is a table or a list of which few show


async def read(program: Program, tree: Tree) -> None:
    """Add the objects that are wanted, or may be, and those around them."""
    if program.about.toolkit == CHROMIUM and not tree.wanted.everything:
        with contextlib.suppress(Unknown):
            await _search(program, program.root, tree)
            return
    await fetch(program, tree)


async def fetch(program: Program, tree: Tree) -> None:
    """Add all objects that may show: from the program's cache, and one by one those that it lacks.

    Qt's cache is empty, GTK4's holds what was asked for before, Chromium's lacks the pages.
    """
    with contextlib.suppress(Unknown):
        for item in (await _cache(program))[:MOST_NODES]:
            node = _from_cache(program, item)
            tree.nodes[node.path] = node
    cached = Counter(node.parent for node in tree.nodes.values())
    lacking = [
        node.path
        for node in tree.nodes.values()
        if not 0 <= node.children <= cached[node.path] and node.has(program.about.shown)
    ]
    await asyncio.gather(*(_walk_below(program, path, tree) for path in {program.root, *lacking}))


async def read_focused(program: Program, tree: Tree) -> None:
    """Add the objects that have the focus, or may have it, and those around them."""
    if program.about.toolkit == CHROMIUM:
        states = state_words(program.about.shown, "focused")
        with contextlib.suppress(Unknown):
            paths = await _matches(program, program.root, states, role_words(None))
            await asyncio.gather(*(_climb(program, path, tree, to_page=False) for path in paths))
            return
    await fetch(program, tree)


# The program's own search. LibreOffice is not asked for one: it would look at each of a sheet's billion cells.


async def _search(program: Program, below: str, tree: Tree) -> None:
    """Add what is wanted below an object, with what is around it. Raises ``Unknown`` if it knows no such search."""
    paths = await _matches(program, below, state_words(program.about.shown), role_words(tree.wanted.roles))
    tree.left_out |= len(paths) > MOST_NODES
    await asyncio.gather(*(_climb_if_wanted(program, path, tree) for path in paths[:MOST_NODES]))


async def _matches(program: Program, below: str, states: list[int], roles: list[int]) -> list[str]:
    """The paths of the objects below another that have all these states and one of these roles."""
    rule = [states, _ALL, {}, _ALL, roles, _ANY, [], _ALL, False]
    signature = "(aiia{ss}iaiiasib)uib"
    (matches,) = await program.call(below, f"{COLLECTION}.GetMatches", signature, [rule, 1, 0, True])
    return [path for bus, path in matches if bus == program.bus]


async def _climb_if_wanted(program: Program, path: str, tree: Tree) -> None:
    with contextlib.suppress(NoAnswer):  # an object may go while we look
        if tree.wanted.name is None or tree.wanted.is_called(
            await program.property(path, ACCESSIBLE, "Name")
        ):
            await _climb(program, path, tree)


async def _climb(program: Program, path: str, tree: Tree, *, to_page: bool = True) -> None:
    """Add an object and those around it, up to its page or window: more is not needed to place it."""
    while path not in tree.nodes and path != program.root and len(tree.nodes) < MOST_NODES:
        (states,), (role,), (interfaces,), name, (_, parent) = await asyncio.gather(
            program.call(path, f"{ACCESSIBLE}.GetState"),
            program.call(path, f"{ACCESSIBLE}.GetRole"),
            program.call(path, f"{ACCESSIBLE}.GetInterfaces"),
            program.property(path, ACCESSIBLE, "Name"),
            program.property(path, ACCESSIBLE, "Parent"),
        )
        tree.nodes[path] = program.node(path, parent, role, name, states, interfaces)
        if to_page and tree.nodes[path].role == PAGE:
            return
        path = parent


# The cache.


async def _cache(program: Program) -> list[Any]:
    """The items of the program's cache; it may need a moment after our registration to open it."""
    while True:
        try:
            (items,) = await program.call("/org/a11y/atspi/cache", "org.a11y.atspi.Cache.GetItems")
        except Unknown:
            if time.monotonic() > program.connection.registered + _LEARN_SECONDS:
                raise
            await asyncio.sleep(0.05)
        else:
            return list(items)


def _from_cache(program: Program, item: list[Any]) -> Node:
    """One item; toolkits tell the children as a list or as a place among others and a number."""
    interfaces, name, role, _, states = item[-5:]
    children = len(item[3]) if isinstance(item[3], list) else item[4]
    if children < 0 and TABLE not in interfaces:  # GTK3 counts none of a closed menu, whose entries it tells
        children = 0
    return replace(program.node(item[0][1], item[2][1], role, name, states, interfaces), children=children)


# Walking.


async def _walk_below(program: Program, path: str, tree: Tree) -> None:
    with contextlib.suppress(NoAnswer):  # an object may go while we look
        if not 0 <= await _child_count(program, path, tree) <= _MOST_CHILDREN:
            await _look_into(program, path, tree)
            return
        (children,) = await program.call(path, f"{ACCESSIBLE}.GetChildren")
        unseen = [child for bus, child in children if bus == program.bus and child not in tree.nodes]
        await asyncio.gather(*(_walk(program, child, path, tree) for child in unseen))


async def _look_into(program: Program, path: str, tree: Tree) -> None:
    """Add what shows of an object with very many children, or none that can be counted."""
    if program.about.toolkit == CHROMIUM:
        await _search(program, path, tree)
    elif not await add_cells(program, path, tree):
        tree.left_out = True


async def _child_count(program: Program, path: str, tree: Tree) -> int:
    """How many children an object has; of one that does not say, 0; below 0 where they are too many to count."""
    known = tree.nodes[path].children if path in tree.nodes else 0
    if known:
        return known
    try:
        return int(await program.property(path, ACCESSIBLE, "ChildCount"))
    except (NoAnswer, TypeError, ValueError):
        return 0


async def _walk(program: Program, path: str, parent: str, tree: Tree) -> None:
    """Add the object and those below it. What is below a hidden one is hidden too."""
    with contextlib.suppress(NoAnswer):
        (states,) = await program.call(path, f"{ACCESSIBLE}.GetState")
        if path in tree.nodes or len(tree.nodes) >= MOST_NODES:
            return
        tree.nodes[path] = hidden = program.node(path, parent, 0, "", states, [])
        if hidden.has(program.about.shown):
            node, _ = await asyncio.gather(
                _described(program, hidden, tree), _walk_below(program, path, tree)
            )
            tree.nodes[path] = node


async def _described(program: Program, node: Node, tree: Tree) -> Node:
    """The object with its name, and what else counts of a window or of what is wanted."""
    name = program.name(await program.property(node.path, ACCESSIBLE, "Name"))
    if node.parent != program.root and not tree.wanted.is_called(name):
        return replace(node, name=name)
    (role,), (interfaces,) = await asyncio.gather(
        program.call(node.path, f"{ACCESSIBLE}.GetRole"),
        program.call(node.path, f"{ACCESSIBLE}.GetInterfaces"),
    )
    whole = program.node(node.path, node.parent, role, name, [], interfaces)
    return replace(whole, states=node.states)
