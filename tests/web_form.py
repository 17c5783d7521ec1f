"""A page with a form on this machine, and what was posted to it."""

from __future__ import annotations

from urllib.parse import parse_qs

from web_page import WebPage

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


class WebForm(WebPage):
    """Serves the form; ``posted`` holds the fields of each POST body as the server read them."""

    def __init__(self) -> None:
        self.posted: list[dict[str, list[str]]] = []
        super().__init__(_PAGE, self._book)

    def _book(self, body: bytes) -> bytes:
        self.posted.append(parse_qs(body.decode()))
        return _THANKS
