"""The server of the page: on this machine only, for whoever has the address with its token, and for no other site."""

from __future__ import annotations

import json
import re
import secrets
import socket
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler
from importlib import resources
from socketserver import TCPServer, ThreadingMixIn
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from computer_agent.watch.bridge import Bridge, accept_key
from computer_agent.watch.hands import NotInCharge
from computer_agent.watch.inputs import BadInput
from computer_api.keys import UnknownKeyError
from computer_platform.desktop import CannotType, DesktopUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from computer_agent.watch.hands import Hands
    from computer_agent.watch.view import View

_NEWS_SECONDS = 10.0  # that a question for news waits at most
_IDLE_SECONDS = 30.0  # that a browser's connection is kept
_LONGEST = 1 << 20  # bytes of one request
_PAGE = {
    "": "page.html",
    **{name: name for name in ("page.css", "page.js", "input.js", "plain.js", "vnc.js")},
}
_TYPES = {"html": "text/html; charset=utf-8", "css": "text/css", "js": "text/javascript"}
_NOVNC = re.compile(r"novnc/((?:core|vendor)(?:/[\w-]+)*/[\w.-]+\.js)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vnc:
    """A VNC server on a socket of this machine, for looking only, and where the viewer's files (noVNC) are."""

    socket: str
    viewer: Path


class Refused(Exception):
    """A request that is not served: its HTTP status, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Reply(NamedTuple):
    """What a request is answered with."""

    kind: str
    body: bytes


class WatchServer(ThreadingMixIn, TCPServer):
    """Serves one desktop on 127.0.0.1. ``address`` holds the token that a viewer must name.

    ``stop`` stops the run on it and says whether there was one. Raises ``OSError`` when the port is taken.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(
        self, view: View, hands: Hands, stop: Callable[[], bool], *, vnc: Vnc | None = None, port: int = 0
    ) -> None:
        super().__init__(("127.0.0.1", port), _Request)
        self.token = secrets.token_urlsafe(18)
        self.view = view
        self.hands = hands
        self.stop = stop
        self.vnc = vnc

    @property
    def address(self) -> str:
        """Where to look."""
        return f"http://127.0.0.1:{self.server_address[1]}/{self.token}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away in the middle is nothing to tell of."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # as it was given


class _Request(BaseHTTPRequestHandler):
    server: WatchServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = _IDLE_SECONDS

    def do_GET(self) -> None:
        self._answer(self._got)

    def do_POST(self) -> None:
        self._answer(self._posted)

    def log_message(self, *_words: object) -> None:
        """Say nothing for each request."""

    def _got(self) -> Reply | None:
        path, asked = self._asked()
        if path in _PAGE:
            name = _PAGE[path]
            kind = _TYPES[name.rpartition(".")[2]]
            return Reply(kind, resources.files("computer_agent.watch").joinpath("page", name).read_bytes())
        if path == "news":
            return self._news(asked)
        if path == "picture.jpg":
            return Reply("image/jpeg", self.server.view.picture())
        if path == "vnc":
            self._go_on_by_vnc()
            return None
        return Reply(_TYPES["js"], self._viewer_file(path))

    def _posted(self) -> Reply:
        path, _ = self._asked()
        self._from_our_page()
        data = self._json()
        hands, viewer = self.server.hands, data.get("viewer")
        if path == "stop":
            return _json({"stopped": self.server.stop()})
        if not (isinstance(viewer, str) and 0 < len(viewer) <= 64):  # noqa: PLR2004 - a UUID has 36
            raise Refused(400, f'"viewer" is a name that the page gave itself, not "{viewer}".')
        match path:
            case "take":
                hands.take(viewer)
            case "give":
                hands.give(viewer)
            case "input":
                inputs = data.get("inputs")
                if not isinstance(inputs, list):
                    raise Refused(400, f'"inputs" is a list, not "{inputs}".')
                hands.perform(viewer, inputs)
            case _:
                raise Refused(404, f'There is nothing at "{path}".')
        if path != "input" or data["inputs"]:
            self.server.view.stir()
        return _json({})

    def _news(self, asked: Mapping[str, str]) -> Reply:
        after = asked.get("after", "0")
        if not (after.isascii() and after.isdecimal()):
            raise Refused(400, f'"after" is the number of a version, not "{after}".')
        pictures = asked.get("pictures") != "no"
        news = self.server.view.news(int(after), _NEWS_SECONDS, pictures=pictures)
        return _json(asdict(news) | {"vnc": self.server.vnc is not None})

    def _go_on_by_vnc(self) -> None:
        """Go on as a WebSocket. Raises ``Refused``."""
        self._from_our_page()
        key, vnc = self.headers.get("Sec-WebSocket-Key"), self.server.vnc
        if vnc is None or not key or "websocket" not in (self.headers.get("Upgrade") or "").lower():
            raise Refused(400, "This is for a WebSocket to the desktop's VNC server, where it has one.")
        with socket.socket(socket.AF_UNIX) as server:  # type: ignore[attr-defined,unused-ignore]  # not on Windows
            try:
                server.connect(vnc.socket)
            except OSError:
                raise DesktopUnavailable("This desktop has ended: its VNC server is gone.") from None
            self.send_response(101, "Switching Protocols")
            for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade")):
                self.send_header(name, value)
            self.send_header("Sec-WebSocket-Accept", accept_key(key))
            if "binary" in (self.headers.get("Sec-WebSocket-Protocol") or ""):
                self.send_header("Sec-WebSocket-Protocol", "binary")
            self.end_headers()
            self.close_connection = True
            self.connection.settimeout(None)
            Bridge(self.connection, self.rfile, server).run()

    def _viewer_file(self, path: str) -> bytes:
        found = _NOVNC.fullmatch(path)
        if found is not None and ".." not in path and self.server.vnc is not None:
            with suppress(OSError):
                return self.server.vnc.viewer.joinpath(found[1]).read_bytes()
        raise Refused(404, f'There is nothing at "{path}".')

    def _asked(self) -> tuple[str, dict[str, str]]:
        """What is asked for, and the words of the query. Raises ``Refused`` for a wrong host or token."""
        port = self.server.server_address[1]
        if self.headers.get("Host") not in {f"127.0.0.1:{port}", f"localhost:{port}"}:
            raise Refused(403, "This is served to this machine, under the address that `oi watch` wrote.")
        address = urlsplit(self.path)
        _, token, *path = address.path.split("/", 2)
        if not path or not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise Refused(403, "This address lacks the token that `oi watch` wrote.")
        return path[0], {name: values[-1] for name, values in parse_qs(address.query).items()}

    def _from_our_page(self) -> None:
        """Raise ``Refused`` unless our own page sends this: another site's may not, though it knew the token."""
        if self.headers.get("Origin") != f"http://{self.headers.get('Host')}":
            raise Refused(403, f'The page "{self.headers.get("Origin")}" may not use this desktop.')

    def _json(self) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise Refused(415, "Send application/json.")
        length = self.headers.get("Content-Length") or ""
        if not length.isdecimal() or int(length) > _LONGEST:
            raise Refused(413, f'A request has up to {_LONGEST} bytes and says how many, not "{length}".')
        try:
            data = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise Refused(400, 'Send a JSON object such as {"viewer": "me"}.')
        return data

    def _answer(self, find: Callable[[], Reply | None]) -> None:
        """Answer with what is found, or with what is wrong."""
        try:
            reply, status = find(), 200
        except Refused as error:
            reply, status = _json({"error": str(error)}), error.status
        except NotInCharge as error:
            reply, status = _json({"error": str(error)}), 409
        except (BadInput, UnknownKeyError, CannotType) as error:
            reply, status = _json({"error": str(error)}), 400
        except DesktopUnavailable as error:
            reply, status = _json({"error": str(error)}), 410
        if reply is not None:
            self._send(status, reply)

    def _send(self, status: int, reply: Reply) -> None:
        host = self.headers.get("Host", "")
        self.send_response(status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        if reply.kind == _TYPES["html"]:  # the page is shown in no other, and loads and reaches nothing else
            policy = f"default-src 'self'; connect-src 'self' ws://{host}; img-src 'self' data: blob:"
            self.send_header("Content-Security-Policy", f"{policy}; frame-ancestors 'none'; base-uri 'none'")
        if status not in {200, 409}:  # what was not read of the request would be taken for the next one
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(reply.body)


def _json(data: Mapping[str, Any]) -> Reply:
    return Reply("application/json", json.dumps(data).encode())
