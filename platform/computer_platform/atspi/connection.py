"""The way to the programs: the accessibility bus of one session, and calls that never take long."""

from __future__ import annotations

import asyncio
import contextlib
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from dbus_fast import DBusError, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

if TYPE_CHECKING:
    from computer_platform.atspi.program import About

CONNECT_SECONDS = 10.0

_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/registry")
_STATUS = ("org.a11y.Bus", "/org/a11y/bus")
_IN_FLIGHT = 48  # beyond about this many requests the socket's buffer is full and dbus-fast raises
_CALL_SECONDS = 0.5
_UNKNOWN = frozenset({"UnknownMethod", "UnknownObject", "UnknownInterface", "UnknownProperty"})


class NoAnswer(Exception):
    """The program refused, ended or hung."""


class Unknown(NoAnswer):
    """The program has no such object or method."""


class Connection:
    """The accessibility bus of one session, connected to when it is first needed.

    ``known`` are the programs on it by their bus names, which are given anew on the next bus. ``registered`` is when
    we registered for events, by which programs notice that somebody asks.
    """

    def __init__(self, session_bus_address: str) -> None:
        self.registered = 0.0
        self.known: dict[str, About] = {}
        self._address = session_bus_address
        self._turns = asyncio.Semaphore(_IN_FLIGHT)
        self._connecting: asyncio.Task[None] | None = None
        self._bus: MessageBus | None = None

    async def opened(self, deadline: float) -> None:
        """Connect unless that is done; a slow connection goes on after the deadline, for the next question."""
        if self._bus is not None and self._bus.connected:
            return
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.create_task(asyncio.wait_for(self._connect(), CONNECT_SECONDS))
            self._connecting.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            await asyncio.wait_for(asyncio.shield(self._connecting), deadline - time.monotonic())
        except (OSError, EOFError, DBusError, TimeoutError) as error:
            raise NoAnswer(str(error)) from error

    async def call(
        self, to: tuple[str, str], method: str, signature: str = "", body: list[Any] | None = None
    ) -> list[Any]:
        """Call ``interface.method`` of an object, by bus name and path. Raises ``NoAnswer``."""
        if self._bus is None:
            raise NoAnswer("not connected")
        async with self._turns:
            return await _call(self._bus, to, method, signature, body)

    def close(self) -> None:
        """Hang up."""
        if self._bus is not None:
            self._bus.disconnect()
            self._bus = None

    async def _connect(self) -> None:
        # the first call of each starts a program, which takes its time on a busy machine
        start = partial(_call, seconds=CONNECT_SECONDS)
        session = await MessageBus(bus_address=self._address).connect()
        try:
            switch = ["org.a11y.Status", "IsEnabled", Variant("b", True)]  # noqa: FBT003 - D-Bus
            with contextlib.suppress(Unknown):
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
        self._bus, self.registered, self.known = bus, time.monotonic(), {}


def unless_it_ended(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Let asyncio tell of what nobody looked at, unless it is that a bus has ended: dbus-fast looks at no write."""
    if not isinstance(context.get("exception"), OSError | EOFError):
        loop.default_exception_handler(context)


async def _call(
    bus: MessageBus,
    to: tuple[str, str],
    method: str,
    signature: str = "",
    body: list[Any] | None = None,
    *,
    seconds: float = _CALL_SECONDS,
) -> list[Any]:
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
        raise NoAnswer(f"{to[0]} {method}: {error!r}") from error
    if reply.message_type is MessageType.ERROR:
        kind = reply.error_name or ""
        unknown = kind.rpartition(".")[2] in _UNKNOWN
        raise (Unknown if unknown else NoAnswer)(f"{to[0]} {method}: {kind}")
    return list(reply.body)
