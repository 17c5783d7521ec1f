"""The forms of a selection: what a program gets for each target it may ask for.

Targets and types are atoms, the server's numbers for names, and the same on every connection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from Xlib import Xatom

from computer_platform.x11 import compound_text

if TYPE_CHECKING:
    from computer_platform.desktop import Clip

BYTES, NUMBERS = 8, 32  # the formats of properties that hold them
HTML, PNG = "text/html", "image/png"
_UNICODE = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT")
TEXTS = ("UTF8_STRING", "text/plain;charset=utf-8", "COMPOUND_TEXT", "text/plain", "STRING", "TEXT")
"""The targets that give a text, from the one that keeps most of it."""
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Without it Firefox and LibreOffice take HTML for Latin-1; Chromium puts the same before all that it copies.
_HTML_IS_UTF8 = '<meta http-equiv="content-type" content="text/html; charset=utf-8">'

Atom = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form of the content: the atom of its type, the bits of an item (8, 16 or 32), and the items."""

    type: int
    bits: int
    data: bytes | tuple[int, ...]

    @property
    def size(self) -> int:
        """How many bytes that is for the server."""
        return len(self.data) * self.bits // BYTES


Offer = Mapping[int, Form]
"""What there is for each target."""


def offer_of(clip: Clip, atom: Atom) -> dict[int, Form]:
    """The targets under which programs look for such content."""
    offer: dict[int, Form] = {}
    if clip.png is not None:
        offer[atom(PNG)] = Form(type=atom(PNG), bits=BYTES, data=clip.png)
    if clip.html is not None:
        html = (_HTML_IS_UTF8 + clip.html).encode("utf-8", "replace")
        offer[atom(HTML)] = Form(type=atom(HTML), bits=BYTES, data=html)
    if clip.text is not None:
        unicode = clip.text.encode("utf-8", "replace")
        for name in _UNICODE:
            kind = "UTF8_STRING" if name == "TEXT" else name  # which leaves the choice to the owner
            offer[atom(name)] = Form(type=atom(kind), bits=BYTES, data=unicode)
        latin = clip.text.encode("latin-1", "replace")
        offer[Xatom.STRING] = Form(type=Xatom.STRING, bits=BYTES, data=latin)
    return offer


def text_in(form: Form, atom: Atom) -> str | None:
    """The text of such a form, by what its owner says it is; None for one that holds no bytes."""
    if not isinstance(form.data, bytes):
        return None
    if form.type == Xatom.STRING:
        return form.data.decode("latin-1")
    if form.type == atom("COMPOUND_TEXT"):
        return compound_text.decoded(form.data)
    return form.data.decode("utf-8", "replace")


def html_in(form: Form) -> str | None:
    """The HTML of such a form, without what was put before it to tell its encoding."""
    if not isinstance(form.data, bytes):
        return None
    encoding = "utf-16" if form.data.startswith(_UTF16_MARKS) else "utf-8"
    return form.data.decode(encoding, "replace").removeprefix(_HTML_IS_UTF8)
