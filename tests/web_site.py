"""A site on this machine: pages by their path, files, forms, and servers that misbehave."""

from __future__ import annotations

from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

Fault = Literal["", "silent", "endless", "broken off", "huge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is at a path. A fault: no answer, one that never ends, one that breaks off, or one of 100 MB."""

    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Fault = ""


class WebSite:
    """Serves the pages; ``sent`` are the fields of each query and of each form, in the order they came."""

    def __init__(self, pages: Mapping[str, Answer | str]) -> None:
        self.sent: list[dict[str, list[str]]] = []
        self.asked: list[str] = []
        self.over = Event()
        self._pages = {
            path: Answer(body=page.encode()) if isinstance(page, str) else page
            for path, page in pages.items()
        }
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> Answer:
        """What is at that path."""
        parts = urlsplit(path)
        self.asked.append(path)
        if parts.query:
            self.sent.append(parse_qs(parts.query, keep_blank_values=True))
        return self._pages.get(parts.path, Answer(body=b"<h1>There is no such page</h1>", status=404))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def write(self, answer: Answer, over: Event) -> None:
        self.wfile.write(answer.body)
        self.wfile.flush()
        if answer.fault == "endless":
            while not over.wait(0.05):
                self.wfile.write(b"<p>and on")
                self.wfile.flush()
        if answer.fault == "huge":
            for _ in range(1000):
                self.wfile.write(b"<p>xxxx " * 12_500)
        self.close_connection = bool(answer.fault)

    def log_message(self, *_words: object) -> None:
        pass


def _handler(site: WebSite) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        def do_GET(self) -> None:
            answer = site.answer(self.path)
            if answer.fault == "silent":
                site.over.wait()
                self.close_connection = True
                return
            size = {"huge": 100_000_000, "broken off": len(answer.body) + 1000}.get(
                answer.fault, len(answer.body)
            )
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            if answer.fault != "endless":
                self.send_header("Content-Length", str(size))
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.write(answer, site.over)
            except OSError:
                self.close_connection = True

    return Handler
