"""Reaching some hosts and no other: an HTTP proxy outside, for a sandbox whose network leads nowhere else.

Nothing of ours runs inside and no file leads out: before the command is there, the launcher makes the listening
socket in the sandbox's own network and sends it out, and what connects to it in there is accepted here. The socket
goes with the process that made it.

A host is compared by name before anything is looked up, and the connection is made to the very address that was
checked. What is refused says so in one sentence, is told to ``on_visit`` and is kept for ``refusals``. Inside a
tunnel (``CONNECT``, so https) nothing is seen: who may reach a large provider's host may reach what else it serves.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import dataclasses
import os
import socket
import struct
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox.launching import launched
from computer_api.terminal.sandbox.proxy_request import BadRequestError, Request, read_request
from computer_api.terminal.sandbox.relaying import (
    AnswerError,
    both,
    closing,
    copy,
    end,
    first,
    head,
    pass_answer,
    say,
    send_body,
)
from computer_api.terminal.sandbox.sandbox import Denial

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator

    from computer_api.terminal.sandbox.hosts import Rules
    from computer_api.terminal.sandbox.sandbox import Command

    Reader = asyncio.StreamReader
    Writer = asyncio.StreamWriter

_PORT = 3128
# How programs are told of the proxy: some have a variable of their own, and some read small letters only.
_PROXY_VARIABLES = (
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
    "npm_config_proxy", "npm_config_https_proxy", "PIP_PROXY", "CARGO_HTTP_PROXY",
)  # fmt: skip
_EXCEPTION_VARIABLES = ("NO_PROXY", "no_proxy", "npm_config_noproxy")
_HERE = "localhost,127.0.0.1,::1"  # what code serves in the sandbox is reached in it
_MOST_CONNECTIONS = 128
_PATIENCE = 30.0  # seconds, for a name or a connection
_PAUSE = 0.1
_CREDENTIALS = struct.Struct("3i")  # process, user, group


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A host that code asked for; ``refusal`` says why it did not get it."""

    host: str
    port: int
    refusal: str | None = None


def unheard(visit: Visit) -> None:
    """Tell nobody."""


def variables(port: int) -> dict[str, str]:
    """The environment variables that lead programs to the proxy at that port of this machine."""
    return {
        **dict.fromkeys(_PROXY_VARIABLES, f"http://127.0.0.1:{port}"),
        **dict.fromkeys(_EXCEPTION_VARIABLES, _HERE),
        "NODE_USE_ENV_PROXY": "1",
    }


def looked_up(host: str, port: int) -> tuple[str, ...]:
    """The addresses that the system knows of a host. Raises ``OSError`` if there is none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[4][0]) for address in found))


class Proxy:
    """Serves sandboxes from a thread of its own, which starts with the first and ends with ``close``.

    ``on_visit`` is called in that thread for each request, allowed or not, and must be quick; ``look_up`` is called
    in others.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        on_visit: Callable[[Visit], None] = unheard,
        look_up: Callable[[str, int], Iterable[str]] = looked_up,
    ) -> None:
        self._rules = rules
        self._on_visit = on_visit
        self._look_up = look_up
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._refused: dict[str, Denial] = {}
        self._served: set[asyncio.Task[None]] = set()
        self._connected = 0

    @contextmanager
    def reached_from(self, command: Command) -> Iterator[Command]:
        """The command, which finds the proxy when it is started, in a network of its own, within this context."""
        if sys.platform != "linux":
            raise UnsupportedError("Networks of their own for sandboxes are Linux's.")
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        ours.settimeout(0)
        loop = self._running()
        loop.call_soon_threadsafe(lambda: self._begin(self._serve_sandbox(ours)))
        with theirs:
            number = theirs.fileno()
            given = launched(command, {"listen": {"descriptor": number, "port": _PORT}})
            yield dataclasses.replace(
                given,
                environment={**command.environment, **variables(_PORT)},
                inherited=(*command.inherited, number),
            )

    def listen(self) -> int:
        """Serve this machine, too: the port at 127.0.0.1, for a sandbox that shares its network."""
        listening = socket.create_server(("127.0.0.1", 0))
        listening.settimeout(0)
        port = int(listening.getsockname()[1])
        self._running().call_soon_threadsafe(lambda: self._begin(self._accept(listening)))
        return port

    def refusals(self) -> tuple[Denial, ...]:
        """The hosts that were refused since this was last asked."""
        with self._lock:
            refused, self._refused = tuple(self._refused.values()), {}
        return refused

    def close(self) -> None:
        """Cut all connections and end the thread. Safe to call twice; a sandbox that is left reaches nothing."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    # The thread.

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._run, args=(self._loop,), name="sandbox proxy", daemon=True
                )
                self._thread.start()
            return self._loop

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
            loop.run_until_complete(self._cut())
        finally:
            loop.close()

    async def _cut(self) -> None:
        await end(list(self._served))
        await asyncio.sleep(0)  # what was cut is closed in the loop's next turn

    def _begin(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._served.add(task)
        task.add_done_callback(self._served.discard)
        return task

    # One sandbox.

    async def _serve_sandbox(self, control: socket.socket) -> None:
        if sys.platform != "linux":
            return
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):  # the process may end at any time
            held.enter_context(control)
            await _readable(control.fileno())
            received = _receive(control)
            if received is None:  # it was never started
                return
            listening, leader = received
            held.callback(listening.close)
            gone = os.pidfd_open(leader)
            held.callback(os.close, gone)
            accepting = self._begin(self._accept(listening))
            try:
                control.send(b"a")
                await _readable(gone)
            finally:
                await end([accepting])

    async def _accept(self, listening: socket.socket) -> None:
        connections: set[asyncio.Task[None]] = set()
        try:
            while True:
                task = self._begin(self._serve(await _accepted(listening)))
                connections.add(task)
                task.add_done_callback(connections.discard)
        finally:
            listening.close()
            await end(tuple(connections))

    # One connection.

    async def _serve(self, connection: socket.socket) -> None:
        async with closing(connection) as (reader, writer):
            self._connected += 1
            try:
                await self._answer(reader, writer)
            except AnswerError as error:
                await say(reader, writer, error.status, str(error))
            except BadRequestError as error:
                await say(
                    reader, writer, 400, f"The sandbox's proxy did not understand the request: {error}."
                )
            except (OSError, EOFError):  # one of the two has gone
                return
            finally:
                self._connected -= 1

    async def _answer(self, reader: Reader, writer: Writer) -> None:
        if self._connected > _MOST_CONNECTIONS:
            raise AnswerError(503, f"More than {_MOST_CONNECTIONS} connections are open.")
        request = self._allowed(await head(reader))
        async with await self._connect(request) as (their_reader, their_writer):
            if request.path is None:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await both(copy(reader, their_writer), copy(their_reader, writer))
            else:
                their_writer.write(request.head())
                await first(send_body(request, reader, their_writer), pass_answer(their_reader, writer))

    def _allowed(self, head: bytes) -> Request:
        try:
            request = read_request(head)
        except BadRequestError as error:
            if error.host is None:
                raise
            raise self._refuse(error.host, 0, _sentence(error)) from error
        refusal = self._rules.refusal(request.host, request.port)
        if refusal is not None:
            raise self._refuse(request.host, request.port, refusal)
        return request

    def _refuse(self, host: str, port: int, sentence: str) -> AnswerError:
        with self._lock:
            self._refused[host] = Denial(kind="network", what=host, words=sentence)
        self._on_visit(Visit(host=host, port=port, refusal=sentence))
        return AnswerError(403, sentence)

    async def _connect(
        self, request: Request
    ) -> contextlib.AbstractAsyncContextManager[tuple[Reader, Writer]]:
        """A connection to an address of the host that was looked up once and is allowed."""
        addresses = await self._addresses(request.host, request.port)
        allowed = [address for address in addresses if self._rules.allow_address(address)]
        if not allowed:
            raise self._refuse(
                request.host,
                request.port,
                f'The host "{request.host}" is not allowed by the sandbox at "{addresses[0]}", which is in no public '
                "network: run this once outside.",
            )
        self._on_visit(Visit(host=request.host, port=request.port))
        for address in allowed:
            with contextlib.suppress(OSError):
                async with asyncio.timeout(_PATIENCE):
                    return closing(await _connected(address, request.port))
        raise AnswerError(502, f'The host "{request.host}" does not answer at port {request.port}.')

    async def _addresses(self, host: str, port: int) -> tuple[str, ...]:
        """What the host's name stands for; asked in a thread, which nothing can stop and nobody waits for."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[str, ...]] = loop.create_future()

        def ask() -> None:
            try:
                found = tuple(self._look_up(host, port))
            except OSError:
                found = ()
            with contextlib.suppress(RuntimeError):  # the proxy was closed meanwhile
                loop.call_soon_threadsafe(_answered, answer, found)

        threading.Thread(target=ask, name=f"sandbox proxy looks up {host}", daemon=True).start()
        try:
            async with asyncio.timeout(_PATIENCE):
                addresses = await answer
        except TimeoutError:
            addresses = ()
        if not addresses:
            raise AnswerError(502, f'The host "{host}" was not found.')
        return addresses


def _answered(answer: asyncio.Future[tuple[str, ...]], found: tuple[str, ...]) -> None:
    if not answer.done():
        answer.set_result(found)


def _sentence(error: BadRequestError) -> str:
    text = str(error)
    return f"{text[0].upper()}{text[1:]}."


def _receive(control: socket.socket) -> tuple[socket.socket, int] | None:
    """The listening socket that was sent, and who sent it, by the number that it has here."""
    if sys.platform != "linux":
        return None
    numbers = array.array("i")
    space = socket.CMSG_SPACE(numbers.itemsize) + socket.CMSG_SPACE(_CREDENTIALS.size)
    _, ancillary, _, _ = control.recvmsg(1, space, socket.MSG_CMSG_CLOEXEC)
    sender = 0
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            numbers.frombytes(data[: numbers.itemsize])
        elif level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            sender, _, _ = _CREDENTIALS.unpack(data)
    if not numbers or not sender:
        return None
    listening = socket.socket(fileno=numbers[0])
    listening.settimeout(0)
    return listening, sender


async def _readable(descriptor: int) -> None:
    """Wait until there is something to read from it, or its process has ended."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)


async def _accepted(listening: socket.socket) -> socket.socket:
    while True:
        try:
            connection, _ = await asyncio.get_running_loop().sock_accept(listening)
        except OSError:  # it has gone, or we have no descriptor left
            await asyncio.sleep(_PAUSE)
        else:
            return connection


async def _connected(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.settimeout(0)
    try:
        await asyncio.get_running_loop().sock_connect(connection, (address, port))
    except BaseException:
        connection.close()
        raise
    return connection
