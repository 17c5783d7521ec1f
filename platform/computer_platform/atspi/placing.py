"""How a program tells places, learnt from its windows, and which of its objects are not seen where they are told."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from computer_platform.atspi.connection import NoAnswer
from computer_platform.atspi.program import ACCESSIBLE, CHROMIUM, COMPONENT, GTK3, GTK4
from computer_platform.atspi.roles import PAGE, PANE
from computer_platform.boxes import (
    AS_TOLD,
    Placement,
    placement_in_border,
    placement_in_holder,
    placement_of,
    whole_factor,
)

if TYPE_CHECKING:
    from computer_platform.atspi.program import Node, Program, Tree
    from computer_platform.desktop import Area


async def know_windows(program: Program, tree: Tree) -> None:
    """Learn how the program tells places: beside each other, as it tells its windows and as they are."""
    told: dict[str, Area] = {}

    async def learn(node: Node) -> None:
        with contextlib.suppress(NoAnswer):
            told[node.path] = await program.extents(node.path)

    tops = [node for node in tree.nodes.values() if node.parent == program.root]
    await asyncio.gather(*(learn(node) for node in tops if COMPONENT in node.interfaces))
    if program.about.toolkit == GTK3:
        factor = whole_factor(list(told.values()), program.windows)
        tree.usual = Placement(factor=factor or _gdk_scale(program.about.pid))
        await asyncio.gather(_know_panes(program, tree), _know_flat_bars(program, tree))
        return
    how = placement_in_border if program.about.toolkit == GTK4 else placement_of
    for path, area in told.items():
        placement = how(tree.nodes[path].name, area, program.windows)
        if placement is not None and placement.area(area) != area:
            tree.placements[path] = placement


async def placed(program: Program, node: Node, tree: Tree) -> Area | None:
    """Where the object is on the screen, in points; None if it is nowhere, or is not seen where it is told."""
    around = tree.around(node)
    if tree.flat and any(one.path in tree.flat for one in around):
        return None
    told = await program.extents(node.path)
    area = (await _placement(program, around, tree)).area(told)
    if area.width <= 0 or area.height <= 0 or not _overlap(area, program.inside):
        return None
    if program.about.toolkit == GTK4 and await _is_behind(program, around, told, tree):
        return None
    return area


async def _placement(program: Program, around: list[Node], tree: Tree) -> Placement:
    """How the program tells the place of the first of these, which is in the others."""
    if program.about.toolkit == CHROMIUM and any(one.role == PAGE for one in around):
        return AS_TOLD  # pages are told in the screen's own pixels, what is around them is not
    placement = next((tree.placements[one.path] for one in around if one.path in tree.placements), tree.usual)
    if program.about.toolkit == GTK3 and placement != tree.usual and await _is_of_toolkit(program, around[0]):
        return tree.usual
    return placement


async def _is_behind(program: Program, around: list[Node], told: Area, tree: Tree) -> bool:
    """Whether others are seen where the object is told: GTK4 tells of pages of a stack that are not in front."""
    window = around[-1]
    spots = [(told.left + told.width * part // 4, told.top + told.height * part // 4) for part in (2, 1, 3)]
    with contextlib.suppress(NoAnswer):
        for x, y in spots:
            seen = tree.nodes.get(await program.at(window.path, x, y))
            if seen is None or seen in around or around[0] in tree.around(seen):
                return False
        return True
    return False


async def _know_panes(program: Program, tree: Tree) -> None:
    """Learn where what LibreOffice draws itself is: it is told as if no menu bar were above it.

    GTK tells the panel that holds it rightly; that is elsewhere in the tree, and as large.
    """
    for pane in [one for one in tree.nodes.values() if one.role == PANE]:
        panels = [one for one in tree.nodes.values() if _may_hold(pane, one, tree)]
        with contextlib.suppress(NoAnswer):
            told, *around = await asyncio.gather(*(program.extents(one.path) for one in (pane, *panels)))
            placement = placement_in_holder(told, around, tree.usual)
            if placement is not None:
                tree.placements[pane.path] = placement


def _may_hold(pane: Node, panel: Node, tree: Tree) -> bool:
    """Whether it is a panel of the pane's window outside of the pane."""
    if panel.role != "panel" or not panel.has("showing") or COMPONENT not in panel.interfaces:
        return False
    above = {one.path for one in tree.around(panel)}
    # the frame around the pane may be another object than the one that the program lists as its window
    return pane.path not in above and (pane.parent in above or pane.parent not in tree.nodes)


async def _know_flat_bars(program: Program, tree: Tree) -> None:
    """Learn which menu bars have no height: LibreOffice tells the menus of its own as showing beside GTK's."""
    for bar in [one for one in tree.nodes.values() if one.role == "menu bar"]:
        with contextlib.suppress(NoAnswer):
            if (await program.extents(bar.path)).height <= 0:
                tree.flat.add(bar.path)


async def _is_of_toolkit(program: Program, node: Node) -> bool:
    """Whether GTK itself shows it, and not LibreOffice."""
    with contextlib.suppress(NoAnswer):
        (attributes,) = await program.call(node.path, f"{ACCESSIBLE}.GetAttributes")
        return bool(attributes.get("toolkit") == GTK3)
    return False


def _overlap(area: Area, inside: Area | None) -> bool:
    return inside is None or (
        area.left < inside.right
        and area.right > inside.left
        and area.top < inside.bottom
        and area.bottom > inside.top
    )


def _gdk_scale(pid: int | None) -> int:
    """The GDK_SCALE that the process was started with."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return 1
    for variable in variables:
        name, _, value = variable.partition(b"=")
        if name == b"GDK_SCALE" and value.isdigit():
            return max(1, int(value))
    return 1
