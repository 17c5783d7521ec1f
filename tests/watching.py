"""`oi watch` and those who look on: what its page sends, a browser with that page, and a bare VNC viewer."""

from __future__ import annotations

import base64
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import time
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from oi_process import OI
from xvfb import x_server

from computer_api.computer import Computer
from computer_platform.x11 import X11Desktop
from computer_vision.tesseract import TesseractReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = (
    *("--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--disable-quic", "--password-store=basic", "--kiosk"),
)
BROWSER_SIZE = (1100, 760)
START_SECONDS = 60.0  # the machine may be busy
_PIECE = 1 << 16


class Answer(NamedTuple):
    """What the server said."""

    status: int
    body: bytes
    headers: http.client.HTTPMessage

    @property
    def data(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads(self.body)


class Page:
    """What a page does with the server, without a browser. ``viewer`` is the name that it gave itself."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.port = urlsplit(address).port or 0
        self.path = urlsplit(address).path
        self.viewer = uuid.uuid4().hex

    def get(self, name: str, **headers: str) -> Answer:
        """Fetch something; a name that begins with a slash lacks the token."""
        return self._ask("GET", name, headers)

    def post(self, name: str, data: object = None, **headers: str) -> Answer:
        """Send JSON as the page does, with the viewer's name."""
        body = json.dumps({"viewer": self.viewer} if data is None else data).encode()
        own = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
        return self._ask("POST", name, own | headers, body)

    def does(self, *inputs: dict[str, object]) -> Answer:
        """Send what the person did, or that they are still there."""
        return self.post("input", {"viewer": self.viewer, "inputs": inputs})

    def news(self, after: int = 0) -> dict[str, Any]:
        """What is new since then."""
        return dict(self.get(f"news?after={after}").data)

    def _ask(self, verb: str, name: str, headers: dict[str, str], body: bytes | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            path = name if name.startswith("/") else self.path + name
            connection.request(
                verb, path, body, {key.replace("_", "-"): value for key, value in headers.items()}
            )
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), answer.headers)
        finally:
            connection.close()


class Watching(NamedTuple):
    """A running `oi watch`."""

    process: subprocess.Popen[str]
    line: str
    page: Page

    def end(self) -> float:
        """Ctrl-C: how many seconds it took to end."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(20) == 130
        return time.monotonic() - began


@contextmanager
def watching(*words: str) -> Iterator[Watching]:
    """`oi watch` with these words; ended afterwards."""
    process = subprocess.Popen([*OI, "watch", *words], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = next(word for word in line.split() if word.startswith("http://127.0.0.1:"))
        yield Watching(process, line, Page(address))
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def browser(address: str, folder: Path) -> Iterator[Computer]:
    """Chromium with that page, on a screen of its own with a German keyboard, and a computer to drive it with."""
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
    with x_server(BROWSER_SIZE) as display:
        subprocess.run(["setxkbmap", "-display", display, "de"], check=True)
        desktop = X11Desktop(display, environment=dict(os.environ) | home)
        with Computer(desktop, reader=TesseractReader(), receipts=False, patience=START_SECONDS) as computer:
            desktop.launch(["chromium", *CHROMIUM, f"--user-data-dir={folder}/profile", address])
            yield computer


class VncViewer:
    """A viewer that speaks RFB through the page's WebSocket, as little of it as there is. Raises ``EOFError``."""

    def __init__(self, page: Page) -> None:
        self._socket = socket.create_connection(("127.0.0.1", page.port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {page.path}vnc HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n"
            f"Origin: http://127.0.0.1:{page.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self._read = self._socket.makefile("rb")
        head = [self._read.readline().strip() for _ in range(4)]
        assert head[0] == b"HTTP/1.1 101 Switching Protocols", head
        while head[-1]:
            head.append(self._read.readline().strip())
        self._received = b""
        self._shake_hands()

    def pointer(self, x: int, y: int, buttons: int = 0) -> None:
        """Move the pointer, with these buttons down."""
        self._send(struct.pack(">BBHH", 5, buttons, x, y))

    def key(self, keysym: int, *, down: bool) -> None:
        """Press or release a key."""
        self._send(struct.pack(">BBxxI", 4, down, keysym))

    def ping(self) -> bytes:
        """The server's answer to a WebSocket ping."""
        self._frame(9, b"there?")
        while True:
            opcode, payload = self._next()
            if opcode == 10:
                return payload

    def picture(self) -> bytes:
        """All pixels as the server sends them unasked for any encoding: four bytes each."""
        self._send(struct.pack(">BBHHHH", 3, 0, 0, 0, *self.size))
        while (kind := self._exactly(1)[0]) != 0:
            assert kind == 2  # a bell
        (rectangles,) = struct.unpack(">xH", self._exactly(3))
        pixels = b""
        for _ in range(rectangles):
            _, _, width, height, encoding = struct.unpack(">HHHHi", self._exactly(12))
            assert encoding == 0
            pixels += self._exactly(4 * width * height)
        return pixels

    def close(self) -> None:
        """Go away without a word."""
        self._read.close()
        self._socket.close()

    def _shake_hands(self) -> None:
        assert self._exactly(12).startswith(b"RFB 003.")
        self._send(b"RFB 003.008\n")
        kinds = self._exactly(self._exactly(1)[0])
        assert 1 in kinds  # no password: whoever comes so far may
        self._send(b"\x01")
        assert self._exactly(4) == b"\0\0\0\0"
        self._send(b"\x01")
        head = self._exactly(24)
        self.size = struct.unpack(">HH", head[:4])
        self.name = self._exactly(struct.unpack(">I", head[20:])[0]).decode()

    def _exactly(self, length: int) -> bytes:
        while len(self._received) < length:
            opcode, payload = self._next()
            if opcode == 2:
                self._received += payload
        found, self._received = self._received[:length], self._received[length:]
        return found

    def _next(self) -> tuple[int, bytes]:
        head = self._read.read(2)
        if len(head) < 2:
            raise EOFError
        length = head[1]
        if length >= 126:
            length = int.from_bytes(self._read.read(2 if length == 126 else 8))
        return head[0] & 15, self._read.read(length)

    def _send(self, payload: bytes) -> None:
        self._frame(2, payload)

    def _frame(self, opcode: int, payload: bytes) -> None:
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
        self._socket.sendall(bytes([0x80 | opcode, 0x80 | len(payload)]) + mask + masked)
