"""Passing bytes between a program and the host that it reached: no more than was asked for, and to the end."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from computer_api.terminal.sandbox.proxy_request import BadRequestError, read_answer

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Coroutine, Iterable

    from computer_api.terminal.sandbox.proxy_request import Request

    Reader = asyncio.StreamReader
    Writer = asyncio.StreamWriter

_LONGEST_HEAD = 64 * 1024
_LONGEST_LINE = 1024  # that says how long a chunk is
_LONGEST_SIZE = 8  # digits
_HEXADECIMAL = frozenset(b"0123456789abcdefABCDEF")
_PIECE = 64 * 1024
_PATIENCE = 30.0  # seconds, for a request
_LINGER = 2.0
_CONTINUE, _SWITCHING, _FINAL = 100, 101, 200


class AnswerError(Exception):
    """The proxy answers itself, with that status and sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@contextlib.asynccontextmanager
async def closing(connection: socket.socket) -> AsyncIterator[tuple[Reader, Writer]]:
    """Read from it and write to it; what was written is sent at the end, unless that is an exception."""
    reader, writer = await asyncio.open_connection(sock=connection, limit=_LONGEST_HEAD)
    try:
        yield reader, writer
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    finally:
        writer.transport.abort()  # without waiting for who does not read


async def head(reader: Reader) -> bytes:
    """The head of what comes, up to its empty line."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError as error:
        raise BadRequestError(f"its head is longer than {_LONGEST_HEAD} bytes") from error
    except TimeoutError as error:
        raise BadRequestError(f"its head did not come within {_PATIENCE:g} s") from error


async def say(reader: Reader, writer: Writer, status: int, sentence: str) -> None:
    """Answer with one sentence: as the reason too, the one thing that many programs show of a refused tunnel."""
    body = f"{sentence}\n".encode("ascii", "backslashreplace")
    writer.write(
        b"HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
        % (status, body.strip(), len(body), body)
    )
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(_LINGER):
            await writer.drain()
            writer.write_eof()
            while await reader.read(_PIECE):  # closed with something unread, it would never get the answer
                pass


async def copy(reader: Reader, writer: Writer) -> None:
    """Pass everything on, up to and with the end."""
    while data := await reader.read(_PIECE):
        writer.write(data)
        await writer.drain()
    writer.write_eof()


async def both(*work: Coroutine[None, None, None]) -> None:
    """Do all; when one fails, none goes on."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        await end(tasks)


async def first(sending: Coroutine[None, None, None], answering: Coroutine[None, None, None]) -> None:
    """Send, and pass on the answer, which may come before all was sent and is the end of it."""
    sent, answered = asyncio.ensure_future(sending), asyncio.ensure_future(answering)
    try:
        await asyncio.wait((sent, answered), return_when=asyncio.FIRST_COMPLETED)
        if sent.done():
            with contextlib.suppress(OSError):  # a host that has answered need not read the rest
                sent.result()
        await answered
    finally:
        await end([sent, answered])


async def end(tasks: Iterable[asyncio.Future[None]]) -> None:
    """Stop them, and wait until they have."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def send_body(request: Request, reader: Reader, writer: Writer) -> None:
    """Pass on the body of a request and nothing that follows it."""
    if request.length is not None:
        await _copy_exactly(request.length, reader, writer)
        return
    while size := await _chunk_size(reader):
        writer.write(b"%x\r\n" % size)
        await _copy_exactly(size, reader, writer)
        if await reader.readexactly(2) != b"\r\n":
            raise BadRequestError("a chunk of its body is longer than it said")
        writer.write(b"\r\n")
    writer.write(b"0\r\n\r\n")  # what follows the last chunk would be headers that were not looked at
    await writer.drain()


async def _chunk_size(reader: Reader) -> int:
    try:
        line = await reader.readuntil(b"\r\n")
    except asyncio.LimitOverrunError:
        line = b""
    size = line[:-2].partition(b";")[0].strip()
    if len(line) > _LONGEST_LINE or not 0 < len(size) <= _LONGEST_SIZE or not set(size) <= _HEXADECIMAL:
        raise BadRequestError("the size of a chunk of its body is not a number")
    return int(size, 16)


async def _copy_exactly(length: int, reader: Reader, writer: Writer) -> None:
    while length:
        data = await reader.read(min(length, _PIECE))
        if not data:
            raise EOFError("the body ended before its length")
        writer.write(data)
        await writer.drain()
        length -= len(data)


async def pass_answer(reader: Reader, writer: Writer) -> None:
    """Pass on the answer, which is the last of its connection."""
    status = _CONTINUE
    while status < _FINAL:
        try:
            status, head = read_answer(await reader.readuntil(b"\r\n\r\n"))
        except (BadRequestError, EOFError, asyncio.LimitOverrunError) as error:
            raise AnswerError(502, "The host did not answer as one does in HTTP/1.") from error
        if status == _SWITCHING:
            raise AnswerError(
                502, "The host answered in another protocol, which the sandbox's proxy does not speak."
            )
        writer.write(head)
    await copy(reader, writer)
