"""`oi watch`: a private desktop in the browser, as a page with a picture that is fetched again and again.

The page is served on this machine only, and only to whoever has the address with its token.
"""

from __future__ import annotations

import re
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from computer_platform.desktop import Desktop

_PAGE = b"""<!doctype html><meta charset="utf-8"><title>oi watch</title>
<style>body{margin:0;background:#222;display:grid;place-items:center;min-height:100vh}
img{max-width:100vw;max-height:100vh}</style>
<img alt="the private desktop"><script>
const image = document.querySelector("img");
const again = () => { image.src = "picture.jpg?" + Date.now() };
image.onload = () => setTimeout(again, 200);
image.onerror = () => { document.title = "oi watch: the desktop is gone"; setTimeout(again, 2000) };
again();
</script>"""

_MEANING = (
    "oi watch shows the newest private desktop in the browser; `oi watch :5` the one with the display :5."
)


class WatchServer(ThreadingHTTPServer):
    """Serves ``picture()``, JPEG bytes, on 127.0.0.1. ``address`` holds the token that a viewer must name."""

    daemon_threads = True

    def __init__(self, picture: Callable[[], bytes], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Viewer)
        self.token = secrets.token_urlsafe(12)
        self._picture = picture
        self._one_at_a_time = Lock()

    @property
    def address(self) -> str:
        """Where to look."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def picture(self) -> bytes:
        """The desktop now; requests take turns."""
        with self._one_at_a_time:
            return self._picture()


class _Viewer(BaseHTTPRequestHandler):
    server: WatchServer

    def do_GET(self) -> None:
        from computer_platform.desktop import DesktopUnavailable

        path = self.path.partition("?")[0]
        host = (self.headers.get("Host") or "").partition(":")[0]
        if host not in {"127.0.0.1", "localhost"}:  # another site's name that was pointed here
            self._answer(403, "text/plain", b"Not for this host.")
        elif path == f"/{self.server.token}/":
            self._answer(200, "text/html; charset=utf-8", _PAGE)
        elif path == f"/{self.server.token}/picture.jpg":
            try:
                self._answer(200, "image/jpeg", self.server.picture())
            except DesktopUnavailable as gone:
                self._answer(410, "text/plain", str(gone).encode())
        else:
            self._answer(404, "text/plain", b"Nothing here.")

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Say nothing for each request."""


def watch(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Serve a view of the private desktop that is running; the newest, or the one whose display is named."""
    if any(word in ("-h", "--help") for word in words):
        sys.stdout.write(f"{_MEANING}\n")
        return 0
    if len(words) > 1 or any(not re.fullmatch(r":\d+", word) for word in words):
        return _complain(f'"oi watch {" ".join(words)}" names no display. {_MEANING}')
    if sys.platform == "linux":
        from computer_platform.private import attach, running

        there = running(environment)
        found = [one for one in there if not words or one.display == words[0]]
        if found:
            return _shown(found[-1].display, lambda: attach(found[-1]))
        if there:
            listed = ", ".join(one.display for one in there)
            return _complain(f'No private desktop has the display "{words[0]}". Running are: {listed}.')
        return _complain("No private desktop is running. Start one: oi --os --private ...")
    return _complain("A private desktop needs Linux, so there is none to watch here.")


def _shown(display: str, attach: Callable[[], Desktop]) -> int:
    """Serve the view of one desktop until Ctrl-C."""
    from computer_platform.desktop import DesktopUnavailable

    try:
        desktop = attach()
    except DesktopUnavailable as gone:
        return _complain(str(gone))

    def picture() -> bytes:
        from computer_vision.picture import jpeg

        return jpeg(desktop.capture().pixels)

    with WatchServer(picture) as server:
        sys.stdout.write(f"Desktop {display} at {server.address}  (Ctrl-C ends the view)\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        finally:
            desktop.close()
    return 0


def _complain(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return 2
