"""Between a page's WebSocket (RFC 6455) and the VNC socket of a desktop.

It runs in the server of the page and not as a program of its own (websockify): one port, one token, the same
checks of who asks, and nothing to end when we are killed.
"""

from __future__ import annotations

import base64
import hashlib
import socket
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedIOBase

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_BINARY, _CLOSE, _PING, _PONG = 2, 8, 9, 10
_FINAL, _MASKED = 0x80, 0x80
_SHORT, _LONG = 126, 127  # lengths that mean: two, or eight, bytes with the length follow
_LARGEST = 1 << 20  # bytes of one frame; what a viewer sends is small
_PIECE = 1 << 16


def accept_key(key: str) -> str:
    """The answer to a page's ``Sec-WebSocket-Key``."""
    return base64.b64encode(hashlib.sha1(f"{key}{_GUID}".encode(), usedforsecurity=False).digest()).decode()


class Bridge:
    """Carries bytes between a WebSocket, whose handshake is done, and a connected VNC socket, until either ends."""

    def __init__(self, page: socket.socket, read: BufferedIOBase, vnc: socket.socket) -> None:
        self._page = page
        self._read = read
        self._vnc = vnc
        self._sending = threading.Lock()

    def run(self) -> None:
        """Carry. Returns when either side has gone."""
        back = threading.Thread(target=self._to_page, name="oi watch: picture", daemon=True)
        back.start()
        try:
            with suppress(OSError, EOFError):
                for payload in self._frames():
                    self._vnc.sendall(payload)
        finally:
            self._end()
            back.join()

    def _end(self) -> None:
        for end in (self._vnc, self._page):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _to_page(self) -> None:
        with suppress(OSError):
            while piece := self._vnc.recv(_PIECE):
                self._send(_BINARY, piece)
            self._send(_CLOSE, struct.pack(">H", 1000))
        self._end()

    def _frames(self) -> Iterator[bytes]:
        """What the page sends, control frames dealt with. Raises ``EOFError`` when it ends or breaks the rules."""
        while True:
            first, second = self._exactly(2)
            length = second & 0x7F
            if length == _SHORT:
                (length,) = struct.unpack(">H", self._exactly(2))
            elif length == _LONG:
                (length,) = struct.unpack(">Q", self._exactly(8))
            if not second & _MASKED or length > _LARGEST:
                raise EOFError
            mask = self._exactly(4)
            payload = unmasked(self._exactly(length), mask)
            opcode = first & 0x0F
            if opcode <= _BINARY:  # the other two mean that it goes on, and text
                yield payload
            elif opcode == _PING:
                self._send(_PONG, payload)
            elif opcode == _CLOSE:
                self._send(_CLOSE, payload[:2])
                return

    def _exactly(self, length: int) -> bytes:
        found = self._read.read(length)
        if len(found) < length:
            raise EOFError
        return found

    def _send(self, opcode: int, payload: bytes) -> None:
        if len(payload) < _SHORT:
            head = struct.pack(">BB", _FINAL | opcode, len(payload))
        elif len(payload) <= 0xFFFF:  # noqa: PLR2004 - what two bytes hold
            head = struct.pack(">BBH", _FINAL | opcode, _SHORT, len(payload))
        else:
            head = struct.pack(">BBQ", _FINAL | opcode, _LONG, len(payload))
        with self._sending:
            self._page.sendall(head + payload)


def unmasked(payload: bytes, mask: bytes) -> bytes:
    """The payload without its mask of four bytes; with it, if it had none."""
    repeated = (mask * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload) ^ int.from_bytes(repeated)).to_bytes(len(payload))
