"""Texts of a trace as a page may show them: without a terminal's orders, with nothing that hides or reorders."""

from __future__ import annotations

import re

__all__ = ["plain", "visible"]

_ORDERS = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC and the other strings: titles, links
    r"|\x1b[ -/]*[0-~]"
)
_BACKSPACED = re.compile(r"[^\n\x08]\x08")
# Control characters but tab and line feed; marks that turn the direction of what follows; line and paragraph
# separators; halves of characters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """What a terminal would show of the text: no colours, no titles, lines overwritten as it would."""
    text = _ORDERS.sub("", text).replace("\r\n", "\n")
    while (shorter := _BACKSPACED.sub("", text)) != text:
        text = shorter
    return "\n".join(_overwritten(line) for line in text.split("\n"))


def visible(text: str) -> str:
    """The text with characters that cannot be seen written as ``⟨U+202E⟩``."""
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def _overwritten(line: str) -> str:
    """A line as it is after its carriage returns: each later piece covers the beginning of the one before."""
    kept = ""
    for piece in line.split("\r"):
        kept = piece + kept[len(piece) :]
    return kept
