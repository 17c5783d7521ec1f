"""What programs tell assistive technology, read over D-Bus (AT-SPI2), never for longer than allowed.

A thread of its own talks to the programs, many requests at a time, so that one that hangs costs
only its own part of the answer. Each program's tree is fetched in one call where the program keeps
a cache of it, and walked where it does not.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import Counter
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dbus_fast import DBusError, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from computer_platform.boxes import (
    AS_TOLD,
    Placement,
    Surroundings,
    placement_in_border,
    placement_in_holder,
    placement_of,
    whole_factor,
)
from computer_platform.control_names import folded_name
from computer_platform.desktop import Area, DesktopUnavailable, Element, Elements

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from computer_platform.desktop import Window

    Answer = TypeVar("Answer")

# Role and state names by their numbers in the AT-SPI2 specification.
ROLES = (
    "invalid", "accelerator label", "alert", "animation", "arrow", "calendar", "canvas", "check box",
    "check menu item", "color chooser", "column header", "combo box", "date editor", "desktop icon",
    "desktop frame", "dial", "dialog", "directory pane", "drawing area", "file chooser", "filler",
    "focus traversable", "font chooser", "frame", "glass pane", "html container", "icon", "image",
    "internal frame", "label", "layered pane", "list", "list item", "menu", "menu bar", "menu item",
    "option pane", "page tab", "page tab list", "panel", "password text", "popup menu", "progress bar",
    "push button", "radio button", "radio menu item", "root pane", "row header", "scroll bar",
    "scroll pane", "separator", "slider", "spin button", "split pane", "status bar", "table", "table cell",
    "table column header", "table row header", "tearoff menu item", "terminal", "text", "toggle button",
    "tool bar", "tool tip", "tree", "tree table", "unknown", "viewport", "window", "extended", "header",
    "footer", "paragraph", "ruler", "application", "autocomplete", "editbar", "embedded", "entry", "chart",
    "caption", "document frame", "heading", "page", "section", "redundant object", "form", "link",
    "input method window", "table row", "tree item", "document spreadsheet", "document presentation",
    "document text", "document web", "document email", "comment", "list box", "grouping", "image map",
    "notification", "info bar", "level bar", "title bar", "block quote", "audio", "video", "definition",
    "article", "landmark", "log", "marquee", "math", "rating", "timer", "static", "math fraction",
    "math root", "subscript", "superscript", "description list", "description term", "description value",
    "footnote", "content deletion", "content insertion", "mark", "suggestion", "push button menu",
)  # fmt: skip
STATES = (
    "invalid", "active", "armed", "busy", "checked", "collapsed", "defunct", "editable", "enabled",
    "expandable", "expanded", "focusable", "focused", "has tooltip", "horizontal", "iconified", "modal",
    "multi line", "multiselectable", "opaque", "pressed", "resizable", "selectable", "selected",
    "sensitive", "showing", "single line", "stale", "transient", "vertical", "visible",
    "manages descendants", "indeterminate", "required", "truncated", "animated", "invalid entry",
    "supports autocompletion", "selectable text", "is default", "visited", "checkable", "has popup",
    "read only",
)  # fmt: skip
_BIT = {name: 1 << number for number, name in enumerate(STATES)}

# Roles whose text is what they hold; that of others (a button, a label) is their name again.
_TEXT_ROLES = frozenset(
    {"text", "entry", "terminal", "autocomplete", "editbar", "date editor", "spin button", "combo box",
     "document text"}
)  # fmt: skip
_NUMBER_ROLES = frozenset({"slider", "progress bar", "dial", "level bar"})
# Boxes that only arrange others, and texts; without a name there is nothing to say about them.
_LAYOUT_ROLES = frozenset(
    {"filler", "panel", "scroll pane", "split pane", "separator", "section", "redundant object", "viewport",
     "glass pane", "root pane", "layered pane", "unknown", "grouping", "internal frame", "extended",
     "label", "static", "form"}
)  # fmt: skip

_GTK3, _GTK4, _CHROMIUM = "gtk", "GTK", "Chromium"  # as they name themselves

_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/registry")
_DESKTOP = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
_STATUS = ("org.a11y.Bus", "/org/a11y/bus")
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_COMPONENT = "org.a11y.atspi.Component"
_TEXT = "org.a11y.atspi.Text"
_VALUE = "org.a11y.atspi.Value"
_COLLECTION = "org.a11y.atspi.Collection"
_ALL, _ANY = 1, 2  # how a search takes several states or roles

_PAGE = "document web"
_PANE = "root pane"
_SECRET = "password text"  # noqa: S105 - a role

_IN_FLIGHT = 48  # beyond about this many requests the socket's buffer is full and dbus-fast raises
_IN_FLIGHT_EACH = 32  # so that a program that hangs leaves room for the others
_CALL_SECONDS = 0.5
_SLICE = 0.03  # seconds of waiting for an answer, between which it may be broken off
_CONNECT_SECONDS = 10.0
_LEARN_SECONDS = 0.6  # programs open their caches this long after someone registered for events
_MOST_NODES = 4000  # of one program
_MOST_CHILDREN = (
    1000  # of one object: with more it is a table of which few show, and telling all takes minutes
)
_MOST_TEXT = 10_000  # characters of one control


class _NoAnswer(Exception):
    """The program refused, ended or hung."""


class _Unknown(_NoAnswer):
    """The program has no such object or method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    """What stays true of a program: the state that means a control can be seen, and what it was built with."""

    pid: int | None
    shown: str
    toolkit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Application:
    bus: str
    root: str
    about: _About
    turns: asyncio.Semaphore
    windows: tuple[Window, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """One object of a program's tree, before its place and value are known."""

    path: str
    parent: str
    role: str
    name: str
    states: int
    interfaces: frozenset[str]
    children: int = 0

    def has(self, *states: str) -> bool:
        return all(self.states & _BIT[state] for state in states)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """Which controls are asked for, by their name as names are compared and their role; None is any."""

    name: str | None = None
    roles: frozenset[str] | None = None

    def fits(self, node: _Node) -> bool:
        return (self.roles is None or node.role in self.roles) and self.is_called(node.name)

    def is_called(self, name: str) -> bool:
        return self.name is None or (bool(name) and folded_name(name) == self.name)


_EVERYTHING = _Wanted()


@dataclass(slots=True, kw_only=True)
class _Tree:
    """What is known of one program; ``elements`` fills until time is up."""

    wanted: _Wanted = _EVERYTHING
    nodes: dict[str, _Node] = field(default_factory=dict)
    elements: list[Element] = field(default_factory=list)
    complete: bool = False
    left_out: bool = False  # whether there is an object with more children than can be asked for
    usual: Placement = AS_TOLD
    flat: set[str] = field(default_factory=set)  # menu bars without a height: what is in them is not seen
    placements: dict[str, Placement] = field(default_factory=dict)  # of what is in a window, by its path


class AtspiAccessibility:
    """The controls of the programs of one session.

    ``session_bus_address`` is that of the session's D-Bus. ``surroundings`` is asked before each question for what
    the window system knows: by that the places that programs tell are put right, and controls wholly outside the
    desktop are left out. Nothing is contacted until the first question; then
    accessibility is switched on for the session, which programs that start later notice.
    Questions never raise: what cannot be read in time is missing from the answer. Only ``check`` may, which is called
    again and again while one is waited for.
    """

    def __init__(self, session_bus_address: str) -> None:
        self.surroundings: Callable[[], Surroundings] = Surroundings
        self.check: Callable[[], None] = lambda: None
        self._address = session_bus_address
        self._around = Surroundings()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._bus: MessageBus | None = None
        self._registered = 0.0
        self._about: dict[str, _About] = {}

    def available(self, *, seconds: float = _CONNECT_SECONDS) -> bool:
        """Whether an accessibility bus answers in that time."""
        return self._ask(self._is_available(seconds), seconds, otherwise=False)

    def elements(self, *, pid: int | None = None, seconds: float = 1.0) -> Elements:
        """The showing controls of one program, or of all, in reading order, read in that time."""
        self._look_around()
        question = self._elements(pid, seconds, _EVERYTHING)
        return self._ask(question, seconds, otherwise=Elements(truncated=True))

    def focused(self, *, pid: int | None = None, seconds: float = 0.3) -> Element | None:
        """The control that has the keyboard, of one program or of all, where one says so in that time."""
        self._look_around()
        return self._ask(self._focused(pid, seconds), seconds, otherwise=None)

    def find(
        self, text: str, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.3
    ) -> Elements:
        """The showing controls of that name, of one program or of all, in reading order, read in that time.

        Case, spaces, underlined letters and a colon or dots at the end are no difference.
        """
        self._look_around()
        question = self._elements(pid, seconds, _Wanted(name=folded_name(text), roles=roles))
        return self._ask(question, seconds, otherwise=Elements(truncated=True))

    def secrets(self, *, seconds: float = 0.2) -> Elements:
        """The showing password fields of all programs, read in that time; far fewer questions than for all controls."""
        self._look_around()
        question = self._elements(None, seconds, _Wanted(roles=frozenset({_SECRET})))
        return self._ask(question, seconds, otherwise=Elements(truncated=True))

    def close(self) -> None:
        """Hang up. Safe to call twice."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        self._loop = self._thread = None
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

    def _look_around(self) -> None:
        with contextlib.suppress(DesktopUnavailable):  # whoever needs the screen will say so
            self._around = self.surroundings()

    # The facade: one thread, one event loop.

    def _ask(self, question: Coroutine[Any, Any, Answer], seconds: float, *, otherwise: Answer) -> Answer:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._run, args=(self._loop,), name="atspi", daemon=True)
            self._thread.start()
        answer = asyncio.run_coroutine_threadsafe(question, self._loop)
        try:
            # The loop keeps to the time itself, unless it is busy parsing a long answer.
            return self._answered(answer, time.monotonic() + seconds + 0.2)
        except (FutureTimeoutError, TimeoutError, _NoAnswer):
            return otherwise
        finally:
            answer.cancel()  # which does nothing to one that is there

    def _answered(self, answer: Future[Answer], deadline: float) -> Answer:
        while (left := deadline - time.monotonic()) > _SLICE:
            try:
                return answer.result(_SLICE)
            except FutureTimeoutError:
                if answer.done():  # it is the question that took too long
                    raise
                self.check()
        return answer.result(max(0.0, left))

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        loop.set_exception_handler(_unless_it_ended)
        self._turns = asyncio.Semaphore(_IN_FLIGHT)
        loop.run_forever()
        if self._bus is not None:
            self._bus.disconnect()
            self._bus = None
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()

    # Connecting.

    async def _is_available(self, seconds: float) -> bool:
        await self._connected(time.monotonic() + seconds)
        return True

    async def _connected(self, deadline: float) -> None:
        """Connect unless that is done; a slow connection goes on after the deadline, for the next question."""
        if self._bus is not None and self._bus.connected:
            return
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.create_task(asyncio.wait_for(self._connect(), _CONNECT_SECONDS))
            self._connecting.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            await asyncio.wait_for(asyncio.shield(self._connecting), deadline - time.monotonic())
        except (OSError, EOFError, DBusError, TimeoutError) as error:
            raise _NoAnswer(str(error)) from error

    async def _connect(self) -> None:
        # the first call of each starts a program, which takes its time on a busy machine
        start = partial(_call, seconds=_CONNECT_SECONDS)
        session = await MessageBus(bus_address=self._address).connect()
        try:
            switch = ["org.a11y.Status", "IsEnabled", Variant("b", True)]  # noqa: FBT003 - D-Bus
            with contextlib.suppress(_Unknown):
                await start(session, _STATUS, "org.freedesktop.DBus.Properties.Set", "ssv", switch)
            (address,) = await start(session, _STATUS, "org.a11y.Bus.GetAddress")
        finally:
            session.disconnect()
        bus = await MessageBus(bus_address=address).connect()
        with contextlib.ExitStack() as opened:
            opened.callback(bus.disconnect)
            # Most programs open their cache only when someone has registered for events.
            events = ["object:state-changed", [], ""]
            await start(bus, _REGISTRY, "org.a11y.atspi.Registry.RegisterEvent", "sass", events)
            opened.pop_all()
        self._bus, self._registered, self._about = bus, time.monotonic(), {}

    # Questions.

    async def _elements(self, pid: int | None, seconds: float, wanted: _Wanted) -> Elements:
        deadline = time.monotonic() + seconds
        await self._connected(deadline)
        trees = []
        tasks = []
        for application in await self._applications(pid, deadline):
            trees.append(tree := _Tree(wanted=wanted))
            tasks.append(asyncio.create_task(self._read(application, tree)))
        await _finish(tasks, deadline)
        items = [element for tree in trees for element in tree.elements]
        items.sort(key=lambda element: (element.area.top, element.area.left))
        return Elements(items=tuple(items), truncated=not all(tree.complete for tree in trees))

    async def _focused(self, pid: int | None, seconds: float) -> Element | None:
        deadline = time.monotonic() + seconds
        await self._connected(deadline)
        applications = await self._applications(pid, deadline)
        tasks = [asyncio.create_task(self._focus_in(application)) for application in applications]
        best: tuple[bool, Element] | None = None
        try:
            for next_answer in asyncio.as_completed(tasks, timeout=deadline - time.monotonic()):
                with contextlib.suppress(_NoAnswer):
                    found = await next_answer
                    if found is not None and (best is None or found[0] > best[0]):
                        best = found
                    if best is not None and best[0]:
                        break  # in the active window: no other program can know better
        except TimeoutError:
            pass
        await _finish(tasks, time.monotonic())
        return best[1] if best is not None else None

    async def _applications(self, pid: int | None, deadline: float) -> list[_Application]:
        (children,) = await self._call(_DESKTOP, f"{_ACCESSIBLE}.GetChildren")
        strangers = [(bus, root) for bus, root in children if bus not in self._about]
        await _finish([asyncio.create_task(self._learn(bus, root)) for bus, root in strangers], deadline)
        return [
            _Application(
                bus=bus,
                root=root,
                about=self._about[bus],
                turns=asyncio.Semaphore(_IN_FLIGHT_EACH),
                windows=tuple(one for one in self._around.windows if one.pid == self._about[bus].pid),
            )
            for bus, root in children
            if bus in self._about and pid in {None, self._about[bus].pid}
        ]

    async def _learn(self, bus: str, root: str) -> None:
        """Who the program is; one that does not answer is taken for an ordinary one, later."""
        daemon = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
        toolkit = ["org.a11y.atspi.Application", "ToolkitName"]
        with contextlib.suppress(_NoAnswer):
            (pid,) = await self._call(daemon, "org.freedesktop.DBus.GetConnectionUnixProcessID", "s", [bus])
            self._about[bus] = _About(pid=pid, shown="showing")
            (name,) = await self._call((bus, root), "org.freedesktop.DBus.Properties.Get", "ss", toolkit)
            self._about[bus] = _About(
                pid=pid,
                # GTK4 never says that anything is showing.
                shown="visible" if name.value == _GTK4 else "showing",
                toolkit=name.value,
            )

    # One program.

    async def _read(self, application: _Application, tree: _Tree) -> None:
        """Fill the tree: first the objects, then places and values of those that show and are wanted."""
        with contextlib.suppress(_NoAnswer):
            try:
                await self._search(application, tree)
            except _Unknown:
                await self._fetch(application, tree)
            shown = application.about.shown
            worth = [
                node for node in tree.nodes.values() if _worth_telling(node, shown) and tree.wanted.fits(node)
            ]
            if worth:
                await self._know_windows(application, tree)
            await asyncio.gather(*(self._place(application, node, tree) for node in worth))
            tree.complete = len(tree.nodes) < _MOST_NODES and not tree.left_out

    async def _search(self, application: _Application, tree: _Tree) -> None:
        """Add what is wanted, with all that is around it, as the program's own search finds it.

        Raises ``_Unknown`` where that is no gain: LibreOffice would look at each of a sheet's billion cells,
        and hang; others tell all their objects in one call, or know no such search.
        """
        if application.about.toolkit != _CHROMIUM or tree.wanted == _EVERYTHING:
            raise _Unknown("no search")
        showing = [_BIT[application.about.shown], 0]
        rule = [showing, _ALL, {}, _ALL, _role_bits(tree.wanted.roles), _ANY, [], _ALL, False]
        (matches,) = await self._call_in(
            application,
            application.root,
            f"{_COLLECTION}.GetMatches",
            "(aiia{ss}iaiiasib)uib",
            [rule, 1, 0, True],
        )
        paths = [path for bus, path in matches if bus == application.bus]
        tree.left_out = len(paths) > _MOST_NODES
        await asyncio.gather(
            *(self._climb_if_wanted(application, path, tree) for path in paths[:_MOST_NODES])
        )

    async def _climb_if_wanted(self, application: _Application, path: str, tree: _Tree) -> None:
        with contextlib.suppress(_NoAnswer):  # an object may go while we look
            if tree.wanted.is_called(await self._property(application, path, _ACCESSIBLE, "Name")):
                await self._climb(application, path, tree)

    async def _climb(self, application: _Application, path: str, tree: _Tree) -> None:
        """Add an object and those around it, up to its page or window: more is not needed to place it."""
        while path not in tree.nodes and path != application.root and len(tree.nodes) < _MOST_NODES:
            (states,), (role,), (interfaces,), name, (_, parent) = await asyncio.gather(
                self._call_in(application, path, f"{_ACCESSIBLE}.GetState"),
                self._call_in(application, path, f"{_ACCESSIBLE}.GetRole"),
                self._call_in(application, path, f"{_ACCESSIBLE}.GetInterfaces"),
                self._property(application, path, _ACCESSIBLE, "Name"),
                self._property(application, path, _ACCESSIBLE, "Parent"),
            )
            tree.nodes[path] = _node(path, parent, role, name, states, interfaces)
            if tree.nodes[path].role == _PAGE:
                return
            path = parent

    async def _place(self, application: _Application, node: _Node, tree: _Tree) -> None:
        with contextlib.suppress(_NoAnswer):
            element = await self._element(application, node, tree)
            if element is not None:
                tree.elements.append(element)

    async def _know_windows(self, application: _Application, tree: _Tree) -> None:
        """Learn how the program tells places: beside each other, as it tells its windows and as they are."""
        told: dict[str, Area] = {}

        async def learn(node: _Node) -> None:
            with contextlib.suppress(_NoAnswer):
                told[node.path] = await self._extents(application, node)

        tops = [node for node in tree.nodes.values() if node.parent == application.root]
        await asyncio.gather(*(learn(node) for node in tops if _COMPONENT in node.interfaces))
        if application.about.toolkit == _GTK3:
            factor = whole_factor(list(told.values()), application.windows)
            tree.usual = Placement(factor=factor or _gdk_scale(application.about.pid))
            await asyncio.gather(self._know_panes(application, tree), self._know_flat_bars(application, tree))
            return
        how = placement_in_border if application.about.toolkit == _GTK4 else placement_of
        for path, area in told.items():
            placement = how(tree.nodes[path].name, area, application.windows)
            if placement is not None and placement.area(area) != area:
                tree.placements[path] = placement

    async def _know_panes(self, application: _Application, tree: _Tree) -> None:
        """Learn where what LibreOffice draws itself is: it is told as if no menu bar were above it.

        GTK tells the panel that holds it rightly; that is elsewhere in the tree, and as large.
        """
        for pane in [one for one in tree.nodes.values() if one.role == _PANE]:
            panels = [one for one in tree.nodes.values() if _may_hold(pane, one, tree.nodes)]
            with contextlib.suppress(_NoAnswer):
                told, *around = await asyncio.gather(
                    *(self._extents(application, one) for one in (pane, *panels))
                )
                placement = placement_in_holder(told, around, tree.usual)
                if placement is not None:
                    tree.placements[pane.path] = placement

    async def _know_flat_bars(self, application: _Application, tree: _Tree) -> None:
        """Learn which menu bars have no height: LibreOffice tells the menus of its own as showing beside GTK's."""
        for bar in [one for one in tree.nodes.values() if one.role == "menu bar"]:
            with contextlib.suppress(_NoAnswer):
                if (await self._extents(application, bar)).height <= 0:
                    tree.flat.add(bar.path)

    async def _is_of_toolkit(self, application: _Application, node: _Node) -> bool:
        """Whether GTK itself shows it, and not LibreOffice."""
        with contextlib.suppress(_NoAnswer):
            (attributes,) = await self._call_in(application, node.path, f"{_ACCESSIBLE}.GetAttributes")
            return bool(attributes.get("toolkit") == _GTK3)
        return False

    async def _extents(self, application: _Application, node: _Node) -> Area:
        (extents,) = await self._call_in(application, node.path, f"{_COMPONENT}.GetExtents", "u", [0])
        return Area(*extents)

    async def _element(self, application: _Application, node: _Node, tree: _Tree) -> Element | None:
        """The control with its place and value, or None when it has no place on the screen."""
        if tree.flat and any(one.path in tree.flat for one in _ancestors(node, tree.nodes)):
            return None
        told = await self._extents(application, node)
        placement = _placement(application.about, node, tree)
        if (
            application.about.toolkit == _GTK3
            and placement != tree.usual
            and await self._is_of_toolkit(application, node)
        ):
            placement = tree.usual
        area = placement.area(told)
        if area.width <= 0 or area.height <= 0 or not self._on_screen(area):
            return None
        return Element(
            role=node.role,
            name=node.name,
            value=await self._value(application, node),
            area=area,
            states=_state_names(node.states),
            pid=application.about.pid,
        )

    async def _value(self, application: _Application, node: _Node) -> str:
        """The text or number that it holds; never a password's."""
        if node.role == "password text":
            return ""
        with contextlib.suppress(_NoAnswer):
            if _TEXT in node.interfaces and node.role in _TEXT_ROLES:
                (text,) = await self._call_in(
                    application, node.path, f"{_TEXT}.GetText", "ii", [0, _MOST_TEXT]
                )
                return str(text)
            if _VALUE in node.interfaces and node.role in _NUMBER_ROLES:
                number = await self._property(application, node.path, _VALUE, "CurrentValue")
                return f"{number:g}"
        return ""

    async def _focus_in(self, application: _Application) -> tuple[bool, Element] | None:
        """The program's focused control, and whether the window around it is the active one."""
        tree = _Tree()
        await self._fetch(application, tree)
        candidates = []
        for node in tree.nodes.values():
            if node.has("focused") and _COMPONENT in node.interfaces:
                above = _ancestors(node, tree.nodes)
                candidates.append((any(one.has("active") for one in above), len(above), node))
        if not candidates:
            return None
        active, _, node = max(candidates, key=lambda one: one[:2])  # the innermost: a field, not its page
        await self._know_windows(application, tree)
        element = await self._element(application, node, tree)
        return None if element is None else (active, element)

    async def _fetch(self, application: _Application, tree: _Tree) -> None:
        """All objects that may show: from the program's cache, and one by one those that it lacks.

        Qt's cache is empty, GTK4's holds what was asked for before, Chromium's lacks the pages.
        """
        with contextlib.suppress(_Unknown):
            for item in (await self._cache(application))[:_MOST_NODES]:
                node = _from_cache(item)
                tree.nodes[node.path] = node
        cached = Counter(node.parent for node in tree.nodes.values())
        lacking = [
            node.path
            for node in tree.nodes.values()
            if node.children > cached[node.path] and node.has(application.about.shown)
        ]
        await asyncio.gather(
            *(self._walk_below(application, path, tree) for path in {application.root, *lacking})
        )

    async def _cache(self, application: _Application) -> list[Any]:
        """The items of the program's cache; it may need a moment after our registration to open it."""
        while True:
            try:
                (items,) = await self._call_in(
                    application, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache.GetItems"
                )
            except _Unknown:
                if time.monotonic() > self._registered + _LEARN_SECONDS:
                    raise
                await asyncio.sleep(0.05)
            else:
                return list(items)

    async def _walk_below(self, application: _Application, path: str, tree: _Tree) -> None:
        with contextlib.suppress(_NoAnswer):  # an object may go while we look
            if await self._child_count(application, path, tree) > _MOST_CHILDREN:
                tree.left_out = True
                return
            (children,) = await self._call_in(application, path, f"{_ACCESSIBLE}.GetChildren")
            unseen = [child for bus, child in children if bus == application.bus and child not in tree.nodes]
            await asyncio.gather(*(self._walk(application, child, path, tree) for child in unseen))

    async def _child_count(self, application: _Application, path: str, tree: _Tree) -> int:
        """How many children an object has; one that does not say is taken to have few."""
        known = tree.nodes[path].children if path in tree.nodes else 0
        if known:
            return known
        try:
            return int(await self._property(application, path, _ACCESSIBLE, "ChildCount"))
        except (_NoAnswer, TypeError, ValueError):
            return 0

    async def _walk(self, application: _Application, path: str, parent: str, tree: _Tree) -> None:
        """Add the object and those below it. What is below a hidden one is hidden too."""
        with contextlib.suppress(_NoAnswer):
            (states,) = await self._call_in(application, path, f"{_ACCESSIBLE}.GetState")
            if path in tree.nodes or len(tree.nodes) >= _MOST_NODES:
                return
            tree.nodes[path] = hidden = _node(path, parent, 0, "", states, [])
            if hidden.has(application.about.shown):
                node, _ = await asyncio.gather(
                    self._described(application, hidden, tree), self._walk_below(application, path, tree)
                )
                tree.nodes[path] = node

    async def _described(self, application: _Application, node: _Node, tree: _Tree) -> _Node:
        """The object with its name, and what else counts of a window or of what is wanted."""
        name = await self._property(application, node.path, _ACCESSIBLE, "Name")
        if node.parent != application.root and not tree.wanted.is_called(name):
            return replace(node, name=name)
        (role,), (interfaces,) = await asyncio.gather(
            self._call_in(application, node.path, f"{_ACCESSIBLE}.GetRole"),
            self._call_in(application, node.path, f"{_ACCESSIBLE}.GetInterfaces"),
        )
        return replace(node, name=name.strip(), role=_role_name(role), interfaces=frozenset(interfaces))

    def _on_screen(self, area: Area) -> bool:
        inside = self._around.inside
        return inside is None or (
            area.left < inside.right
            and area.right > inside.left
            and area.top < inside.bottom
            and area.bottom > inside.top
        )

    # Calls.

    async def _property(self, application: _Application, path: str, interface: str, name: str) -> Any:  # noqa: ANN401 - D-Bus value
        (value,) = await self._call_in(
            application, path, "org.freedesktop.DBus.Properties.Get", "ss", [interface, name]
        )
        return value.value

    async def _call_in(
        self,
        application: _Application,
        path: str,
        method: str,
        signature: str = "",
        body: list[Any] | None = None,
    ) -> list[Any]:
        async with application.turns:
            return await self._call((application.bus, path), method, signature, body)

    async def _call(
        self, to: tuple[str, str], method: str, signature: str = "", body: list[Any] | None = None
    ) -> list[Any]:
        if self._bus is None:
            raise _NoAnswer("not connected")
        async with self._turns:
            return await _call(self._bus, to, method, signature, body)


async def _call(
    bus: MessageBus,
    to: tuple[str, str],
    method: str,
    signature: str = "",
    body: list[Any] | None = None,
    *,
    seconds: float = _CALL_SECONDS,
) -> list[Any]:
    """Call ``interface.method`` of the object and return its answer. Raises ``_NoAnswer``."""
    interface, _, member = method.rpartition(".")
    message = Message(
        destination=to[0],
        path=to[1],
        interface=interface,
        member=member,
        signature=signature,
        body=body or [],
    )
    try:
        async with asyncio.timeout(seconds):  # wait_for would start a task for each of thousands
            reply = await bus.call(message)
    except (OSError, EOFError, DBusError, TimeoutError) as error:
        raise _NoAnswer(f"{to[0]} {method}: {error!r}") from error
    if reply.message_type is MessageType.ERROR:
        kind = reply.error_name or ""
        unknown = kind.rpartition(".")[2] in {
            "UnknownMethod",
            "UnknownObject",
            "UnknownInterface",
            "UnknownProperty",
        }
        raise (_Unknown if unknown else _NoAnswer)(f"{to[0]} {method}: {kind}")
    return list(reply.body)


def _unless_it_ended(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Let asyncio tell of what nobody looked at, unless it is that a bus has ended: dbus-fast looks at no write."""
    if not isinstance(context.get("exception"), OSError | EOFError):
        loop.default_exception_handler(context)


async def _finish(tasks: list[asyncio.Task[Any]], deadline: float) -> None:
    """Wait for the tasks until the deadline, and end those that are late."""
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=max(0.0, deadline - time.monotonic()))
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _from_cache(item: list[Any]) -> _Node:
    """One item; toolkits tell the children as a list or as a place among others and a number."""
    interfaces, name, role, _, states = item[-5:]
    children = len(item[3]) if isinstance(item[3], list) else item[4]
    return replace(_node(item[0][1], item[2][1], role, name, states, interfaces), children=children)


def _node(path: str, parent: str, role: int, name: str, states: list[int], interfaces: list[str]) -> _Node:
    low, high = [*states, 0, 0][:2]
    return _Node(
        path=path,
        parent=parent,
        role=_role_name(role),
        name=name.strip(),  # GTK pads the names of menu items
        states=(low & 0xFFFFFFFF) | (high & 0xFFFFFFFF) << 32,
        interfaces=frozenset(interfaces),
    )


def _role_name(role: int) -> str:
    return ROLES[role] if 0 <= role < len(ROLES) else "unknown"


def _role_bits(roles: frozenset[str] | None) -> list[int]:
    """Roles as a search takes them, 32 in a number; without any, all are meant."""
    bits = sum(1 << ROLES.index(role) for role in roles or () if role in ROLES)
    words = [bits >> 32 * place & 0xFFFFFFFF for place in range(4)]
    return [word - (1 << 32) if word >> 31 else word for word in words]


def _worth_telling(node: _Node, shown: str) -> bool:
    if _COMPONENT not in node.interfaces or not node.has(shown):
        return False
    return bool(node.name) or node.role not in _LAYOUT_ROLES or node.has("focusable")


def _ancestors(node: _Node, by_path: dict[str, _Node]) -> list[_Node]:
    """The node and those around it, as far as known; a program's tree may have a loop."""
    above: dict[str, _Node] = {}
    here: _Node | None = node
    while here is not None and here.path not in above:
        above[here.path] = here
        here = by_path.get(here.parent)
    return list(above.values())


def _may_hold(pane: _Node, panel: _Node, by_path: dict[str, _Node]) -> bool:
    """Whether it is a panel of the pane's window outside of the pane."""
    if panel.role != "panel" or not panel.has("showing") or _COMPONENT not in panel.interfaces:
        return False
    above = {one.path for one in _ancestors(panel, by_path)}
    # the frame around the pane may be another object than the one that the program lists as its window
    return pane.path not in above and (pane.parent in above or pane.parent not in by_path)


def _placement(about: _About, node: _Node, tree: _Tree) -> Placement:
    """How the program tells the place of this control."""
    above = _ancestors(node, tree.nodes)
    if about.toolkit == _CHROMIUM and any(one.role == _PAGE for one in above):
        return AS_TOLD  # pages are told in the screen's own pixels, what is around them is not
    return next((tree.placements[one.path] for one in above if one.path in tree.placements), tree.usual)


def _state_names(states: int) -> frozenset[str]:
    return frozenset(name for name, bit in _BIT.items() if states & bit)


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
