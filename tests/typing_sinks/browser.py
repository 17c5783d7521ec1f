"""A text area of a page in Chromium; the page posts what it holds whenever that changes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from web_page import CHROMIUM_FLAGS, WebPage

from typing_sinks.sink import Sink, activate, answering, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

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

    def post(body: bytes) -> bytes:
        posted[:] = [body.decode()]
        return b""

    with WebPage(_PAGE, post) as page:
        own = (f"user-data-dir={folder}/chromium", f"app={page.address}")
        with running(desktop, ["chromium", *(f"--{flag}" for flag in (*CHROMIUM_FLAGS, *own))]):
            activate(desktop, "Chromium sink")
            yield answering(Sink("Chromium sink", desktop, lambda: posted[-1]))
