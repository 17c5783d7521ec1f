"""A page with a form on this machine, and what was posted to it."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Self
from urllib.parse import parse_qs

_PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Book a trip</title>
<style>body{font:18px sans-serif;margin:40px} label{display:inline-block;width:140px} p{margin:18px 0}
input,select,button{font:inherit;padding:4px} input[type=text]{width:300px} button{padding:8px 24px}</style>
<h1>Book a trip</h1>
<form method="post" autocomplete="off">
<p><label for="n">Full name</label> <input type="text" id="n" name="name">
<p><label for="m">E-mail</label> <input type="text" id="m" name="mail">
<p><input type="checkbox" id="w" name="window"> <span><label for="w" style="width:auto">Window seat</label></span>
<p><label for="c">Class</label> <select id="c" name="class">
<option value="economy">Economy<option value="business">Business<option value="first">First</select>
<p><button>Book now</button>
</form></html>"""
_THANKS = (
    b"<!doctype html><meta charset=utf-8><title>Booked</title><h1 style='font:32px sans-serif'>Thank you</h1>"
)


class WebForm:
    """Serves the form; ``posted`` holds the fields of each POST body as the server read them."""

    def __init__(self) -> None:
        self.posted: list[dict[str, list[str]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.posted))
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(posted: list[dict[str, list[str]]]) -> type[BaseHTTPRequestHandler]:
    class Form(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._page(_PAGE)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            posted.append(parse_qs(body))
            self._page(_THANKS)

        def _page(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words: object) -> None:
            pass

    return Form
