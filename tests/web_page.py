"""One page on this machine, and what is posted to it; how Chromium is started so that it asks and fetches nothing."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

CHROMIUM_FLAGS = (
    "no-sandbox",
    "no-first-run",
    "no-default-browser-check",
    "disable-gpu",
    "disable-background-networking",
    "disable-sync",
    "disable-component-update",
    "disable-quic",
    "password-store=basic",
)


class WebPage:
    """Serves a page of HTML; ``posted`` is given the body of each POST and returns what is shown next."""

    def __init__(self, page: bytes, posted: Callable[[bytes], bytes]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(page, posted))
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(page: bytes, posted: Callable[[bytes], bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._reply(page)

        def do_POST(self) -> None:
            self._reply(posted(self.rfile.read(int(self.headers["Content-Length"]))))

        def _reply(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: object) -> None:
            pass

    return Handler
