"""Questions about the controls of running programs, answered in time by a thread of its own.

It talks to the programs, many requests at a time, so that one that hangs costs only its own part of the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TYPE_CHECKING, Any, TypeVar

from computer_platform.atspi.connection import (
    CONNECT_SECONDS,
    Connection,
    NoAnswer,
    unless_it_ended,
)
from computer_platform.atspi.placing import know_windows
from computer_platform.atspi.program import (
    ACCESSIBLE,
    COMPONENT,
    GTK4,
    About,
    Program,
    Tree,
    Wanted,
)
from computer_platform.atspi.reading import read_focused
from computer_platform.atspi.roles import SECRET
from computer_platform.atspi.telling import element_of, tell
from computer_platform.boxes import Surroundings
from computer_platform.control_names import folded_name
from computer_platform.desktop import MOST_ELEMENTS, DesktopUnavailable, Element, Elements

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    Answer = TypeVar("Answer")

_DESKTOP = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
_DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
_IN_FLIGHT_EACH = 32  # requests to one program
_SLICE = 0.03  # seconds of waiting for an answer, between which it may be broken off


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
        self._connection = Connection(session_bus_address)
        self._around = Surroundings()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def available(self, *, seconds: float = CONNECT_SECONDS) -> bool:
        """Whether an accessibility bus answers in that time."""
        return self._ask(self._is_available(seconds), seconds, otherwise=False)

    def elements(
        self, *, pid: int | None = None, seconds: float = 1.0, most: int = MOST_ELEMENTS
    ) -> Elements:
        """The showing controls of one program, or of all, in reading order, read in that time.

        Of more than ``most``, texts are left out first.
        """
        self._look_around()
        question = self._elements(pid, seconds, Wanted(most=most))
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
        question = self._elements(pid, seconds, Wanted(name=folded_name(text), roles=roles))
        return self._ask(question, seconds, otherwise=Elements(truncated=True))

    def identified(
        self, *, roles: frozenset[str] | None = None, pid: int | None = None, seconds: float = 0.5
    ) -> Elements:
        """The showing controls of these roles, of one program or of all, with their programs' own ids."""
        self._look_around()
        question = self._elements(pid, seconds, Wanted(roles=roles, ids=True))
        return self._ask(question, seconds, otherwise=Elements(truncated=True))

    def secrets(self, *, seconds: float = 0.2) -> Elements:
        """The showing password fields of all programs, read in that time; far fewer questions than for all controls."""
        self._look_around()
        question = self._elements(None, seconds, Wanted(roles=frozenset({SECRET})))
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
        except (FutureTimeoutError, TimeoutError, NoAnswer):
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
        loop.set_exception_handler(unless_it_ended)
        loop.run_forever()
        self._connection.close()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()

    # What each question does on that thread.

    async def _is_available(self, seconds: float) -> bool:
        await self._connection.opened(time.monotonic() + seconds)
        return True

    async def _elements(self, pid: int | None, seconds: float, wanted: Wanted) -> Elements:
        deadline = time.monotonic() + seconds
        await self._connection.opened(deadline)
        trees = []
        tasks = []
        for program in await self._programs(pid, deadline):
            trees.append(tree := Tree(wanted=wanted))
            tasks.append(asyncio.create_task(tell(program, tree)))
        await _finish(tasks, deadline)
        items = [element for tree in trees for element in tree.elements]
        items.sort(key=lambda element: (element.area.top, element.area.left))
        complete = all(tree.complete for tree in trees) and len(items) <= wanted.most
        return Elements(items=tuple(items[: wanted.most]), truncated=not complete)

    async def _focused(self, pid: int | None, seconds: float) -> Element | None:
        deadline = time.monotonic() + seconds
        await self._connection.opened(deadline)
        tasks = [asyncio.create_task(_focus_in(program)) for program in await self._programs(pid, deadline)]
        best: tuple[bool, Element] | None = None
        try:
            for next_answer in asyncio.as_completed(tasks, timeout=deadline - time.monotonic()):
                with contextlib.suppress(NoAnswer):
                    found = await next_answer
                    if found is not None and (best is None or found[0] > best[0]):
                        best = found
                    if best is not None and best[0]:
                        break  # in the active window: no other program can know better
        except TimeoutError:
            pass
        await _finish(tasks, time.monotonic())
        return best[1] if best is not None else None

    # The programs.

    async def _programs(self, pid: int | None, deadline: float) -> list[Program]:
        (children,) = await self._connection.call(_DESKTOP, f"{ACCESSIBLE}.GetChildren")
        known = self._connection.known
        for gone in known.keys() - {bus for bus, _ in children}:
            del known[gone]
        strangers = [(bus, root) for bus, root in children if bus not in known]
        await _finish([asyncio.create_task(self._learn(bus, root)) for bus, root in strangers], deadline)
        return [
            Program(
                bus=bus,
                root=root,
                about=known[bus],
                connection=self._connection,
                turns=asyncio.Semaphore(_IN_FLIGHT_EACH),
                windows=tuple(one for one in self._around.windows if one.pid == known[bus].pid),
                inside=self._around.inside,
            )
            for bus, root in children
            if bus in known and pid in {None, known[bus].pid}
        ]

    async def _learn(self, bus: str, root: str) -> None:
        """Who the program is; one that does not answer is taken for an ordinary one, later."""
        call, known = self._connection.call, self._connection.known
        toolkit = ["org.a11y.atspi.Application", "ToolkitName"]
        with contextlib.suppress(NoAnswer):
            (pid,) = await call(_DAEMON, "org.freedesktop.DBus.GetConnectionUnixProcessID", "s", [bus])
            known[bus] = About(pid=pid, shown="showing")
            (name,) = await call((bus, root), "org.freedesktop.DBus.Properties.Get", "ss", toolkit)
            # GTK4 never says that anything is showing.
            shown = "visible" if name.value == GTK4 else "showing"
            known[bus] = About(pid=pid, shown=shown, toolkit=name.value)


async def _focus_in(program: Program) -> tuple[bool, Element] | None:
    """The program's focused control, and whether the window around it is the active one."""
    tree = Tree(wanted=Wanted(cells=False))
    await read_focused(program, tree)
    candidates = []
    for node in tree.nodes.values():
        if node.has("focused") and COMPONENT in node.interfaces:
            above = tree.around(node)
            candidates.append((any(one.has("active") for one in above), len(above), node))
    if not candidates:
        return None
    active, _, node = max(candidates, key=lambda one: one[:2])  # the innermost: a field, not its page
    await know_windows(program, tree)
    element = await element_of(program, node, tree)
    return None if element is None else (active, element)


async def _finish(tasks: list[asyncio.Task[Any]], deadline: float) -> None:
    """Wait for the tasks until the deadline, and end those that are late."""
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=max(0.0, deadline - time.monotonic()))
        for task in late:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
