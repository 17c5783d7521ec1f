"""A text area of a page in Chromium; the page posts what it holds whenever that changes."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

from typing_sinks.sink import Sink, activate, answering, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

FLAGS = (
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

# Tab would leave the field, as it should in a page: here it is part of the text.
_PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Chromium sink</title>
<textarea rows="30" cols="100" autofocus spellcheck="false" autocomplete="off" autocapitalize="off"></textarea>
<script>
const field = document.querySelector("textarea")
let posted = "", posting = false
async function post() {
  if (posting) return
  posting = true
  while (posted !== field.value) {
    posted = field.value
    await fetch("/", {method: "POST", body: posted})
  }
  posting = false
}
field.addEventListener("input", post)
field.addEventListener("keydown", event => {
  if (event.key !== "Tab" || event.ctrlKey || event.altKey) return
  event.preventDefault()
  document.execCommand("insertText", false, "\\t")
})
field.focus()
</script></html>"""


@contextmanager
def chromium(desktop: X11Desktop, folder: Path) -> Iterator[Sink]:
    """Chromium, in a window without tabs."""
    posted: list[str] = [""]
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(posted)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        flags = [f"--{flag}" for flag in (*FLAGS, f"user-data-dir={folder}/chromium", f"app={address}")]
        try:
            with running(desktop, ["chromium", *flags]):
                activate(desktop, "Chromium sink")
                yield answering(Sink("Chromium sink", desktop, lambda: posted[-1]))
        finally:
            server.shutdown()


def _handler(posted: list[str]) -> type[BaseHTTPRequestHandler]:
    class Page(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(_PAGE)

        def do_POST(self) -> None:
            posted[:] = [self.rfile.read(int(self.headers["Content-Length"])).decode()]
            self._answer(b"")

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: object) -> None:
            pass

    return Page
