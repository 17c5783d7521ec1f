"""One program on the accessibility bus, and what is known of its objects."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from computer_platform.atspi.roles import BIT, LAYOUT_ROLES, role_name
from computer_platform.boxes import AS_TOLD, Placement
from computer_platform.control_names import folded_name
from computer_platform.desktop import Area

if TYPE_CHECKING:
    import asyncio

    from computer_platform.atspi.connection import Connection
    from computer_platform.desktop import Element, Window

GTK3, GTK4, CHROMIUM = "gtk", "GTK", "Chromium"  # as they name themselves

ACCESSIBLE = "org.a11y.atspi.Accessible"
COMPONENT = "org.a11y.atspi.Component"
COLLECTION = "org.a11y.atspi.Collection"
TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"

MOST_NODES = 4000  # of one program
_GTK4_CLASS = re.compile(r"(Gtk|Adw)[A-Z]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What stays true of a program: the state that means a control can be seen, and what it was built with."""

    pid: int | None
    shown: str
    toolkit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program to ask. ``windows`` are its own; ``inside`` is the desktop's area, None for any.

    Every call raises ``NoAnswer`` where there is none in time.
    """

    bus: str
    root: str
    about: About
    connection: Connection
    turns: asyncio.Semaphore  # so that one that hangs leaves room for the others
    windows: tuple[Window, ...]
    inside: Area | None

    async def call(
        self, path: str, method: str, signature: str = "", body: list[Any] | None = None
    ) -> list[Any]:
        """Call ``interface.method`` of one of its objects."""
        async with self.turns:
            return await self.connection.call((self.bus, path), method, signature, body)

    async def property(self, path: str, interface: str, name: str) -> Any:  # noqa: ANN401 - D-Bus value
        """A property of one of its objects."""
        (value,) = await self.call(path, "org.freedesktop.DBus.Properties.Get", "ss", [interface, name])
        return value.value

    async def extents(self, path: str) -> Area:
        """The place of an object, as the program tells it of the screen."""
        (extents,) = await self.call(path, f"{COMPONENT}.GetExtents", "u", [0])
        return Area(*extents)

    async def at(self, path: str, x: int, y: int) -> str:
        """The path of the object at that place below another, told as places are; one that does not exist if none."""
        ((_, found),) = await self.call(path, f"{COMPONENT}.GetAccessibleAtPoint", "iiu", [x, y, 0])
        return str(found)

    def node(
        self, path: str, parent: str, role: int, name: str, states: list[int], interfaces: list[str]
    ) -> Node:
        """An object as the program describes it."""
        low, high = [*states, 0, 0][:2]
        return Node(
            path=path,
            parent=parent,
            role=role_name(role),
            name=self.name(name),
            states=(low & 0xFFFFFFFF) | (high & 0xFFFFFFFF) << 32,
            interfaces=frozenset(interfaces),
        )

    def name(self, told: str) -> str:
        """A name as told, without the spaces that GTK pads with; GTK4 calls what has none by its class."""
        nameless = self.about.toolkit == GTK4 and _GTK4_CLASS.fullmatch(told)
        return "" if nameless else told.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One object of a program's tree, before its place and value are known."""

    path: str
    parent: str
    role: str
    name: str
    states: int
    interfaces: frozenset[str]
    children: int = 0

    def has(self, *states: str) -> bool:
        """Whether it is in all of these states."""
        return all(self.states & BIT[state] for state in states)

    def worth_telling(self, shown: str) -> bool:
        """Whether it shows and there is something to say about it."""
        if COMPONENT not in self.interfaces or not self.has(shown):
            return False
        return bool(self.name) or self.role not in LAYOUT_ROLES or self.has("focusable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which objects are asked for, by their name as names are compared and their role; None is any.

    Of more than ``most`` the rest is left out, as are all ``cells`` of large tables if they are not wanted. ``ids``
    asks for the programs' own ids, which cost a question each.
    """

    name: str | None = None
    roles: frozenset[str] | None = None
    cells: bool = True
    most: int = MOST_NODES
    ids: bool = False

    @property
    def everything(self) -> bool:
        """Whether every object is."""
        return self.name is None and self.roles is None

    def fits(self, node: Node) -> bool:
        """Whether the object is one."""
        return self.may_be(node.role) and self.is_called(node.name)

    def may_be(self, role: str) -> bool:
        """Whether an object of that role may be one."""
        return self.roles is None or role in self.roles

    def is_called(self, name: str) -> bool:
        """Whether an object of that name may be one."""
        return self.name is None or (bool(name) and folded_name(name) == self.name)


@dataclass(slots=True, kw_only=True)
class Tree:
    """What is known of one program; ``elements`` fills until time is up."""

    wanted: Wanted = field(default_factory=Wanted)
    nodes: dict[str, Node] = field(default_factory=dict)
    elements: list[Element] = field(default_factory=list)
    complete: bool = False
    left_out: bool = False  # whether there is an object with more children than can be asked for
    usual: Placement = AS_TOLD
    flat: set[str] = field(default_factory=set)  # menu bars without a height: what is in them is not seen
    placements: dict[str, Placement] = field(default_factory=dict)  # of what is in a window, by its path

    def around(self, node: Node) -> list[Node]:
        """The object and those around it, as far as known; a program's tree may have a loop."""
        above: dict[str, Node] = {}
        here: Node | None = node
        while here is not None and here.path not in above:
            above[here.path] = here
            here = self.nodes.get(here.parent)
        return list(above.values())
