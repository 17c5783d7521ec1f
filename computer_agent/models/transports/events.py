"""Bytes of a stream -> its events, however the network cut them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from computer_agent.models.wires.wire import ProviderError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from computer_agent.models.wires.wire import Framing

_LONGEST = 64_000_000  # bytes of one line: no provider sends more in one event


def events(pieces: Iterable[bytes], framing: Framing) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of server-sent events (what is no ``data:`` is left out) or of a line each.

    An event of several data lines is their text put together, as the standard for server-sent events says. A last
    event that no empty line ends is read, too. Raises ``ProviderError`` for what is no JSON object.
    """
    texts = _data(_lines(pieces)) if framing == "sse" else _lines(pieces)
    for text in texts:
        if text.strip() == b"[DONE]":
            return
        if text.strip():
            yield _object(text)


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Lines end with LF or CR LF only: JSON may hold other characters that Python ends lines at."""
    left = b""
    for piece in pieces:
        *whole, left = (left + piece).split(b"\n")
        for line in whole:
            yield line.removesuffix(b"\r")
        if len(left) > _LONGEST:
            raise ProviderError("The server's reply has a line without an end.")
    if left:
        yield left.removesuffix(b"\r")


def _data(lines: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    for line in lines:
        name, _, value = line.partition(b":")
        if name == b"data":
            held.append(value.removeprefix(b" "))
        elif not line and held:
            yield b"\n".join(held)
            held = []
    if held:
        yield b"\n".join(held)


def _object(text: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        start = text[:60].decode("utf-8", "replace")
        raise ProviderError(f'The server sent "{start}" where an event should be.')
    return found
