"""Characters of several keys: a dead key and a letter, or the compose key and what follows it.

The sequences are those that Xlib reads from its file; where that is missing, accents of Unicode stand in for it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from computer_platform.x11 import keysyms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SYSTEM = Path("/usr/share/X11/locale/en_US.UTF-8/Compose")
_MULTI_KEY = 0xFF20
_DEAD = range(0xFE50, 0xFE94)
_MODIFIERS = (*range(0xFFE1, 0xFFEF), *range(0xFE01, 0xFE20), 0xFF7E, 0xFF7F)
_LINE = re.compile(r'\s*((?:<\w+>\s*)+):\s*"((?:[^"\\]|\\.)*)"')
_KEY = re.compile(r"<(\w+)>")
_ESCAPED = re.compile(r"\\(.)")

# The accents of dead keys as Unicode combines them with the letter before.
_COMBINING = {
    0xFE50: "\u0300",
    0xFE51: "\u0301",
    0xFE52: "\u0302",
    0xFE53: "\u0303",
    0xFE54: "\u0304",
    0xFE55: "\u0306",
    0xFE56: "\u0307",
    0xFE57: "\u0308",
    0xFE58: "\u030a",
    0xFE59: "\u030b",
    0xFE5A: "\u030c",
    0xFE5B: "\u0327",
    0xFE5C: "\u0328",
}
_ALONE = {0xFE50: "`", 0xFE51: "'", 0xFE52: "^", 0xFE53: "~", 0xFE57: '"'}

Sequences = dict[tuple[int, ...], str]


class Composer:
    """Follows the keysyms that are pressed, and says what each writes."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._files = _files(environment)
        self._known: Sequences | None = None
        self._beginnings: set[tuple[int, ...]] = set()
        self._pressed: tuple[int, ...] = ()

    def take(self, keysym: int) -> str | None:
        """What this press writes: ``""`` while more keys are due, None for a key that writes nothing by itself.

        A key with which no sequence goes on ends it, and is swallowed with it.
        """
        keysym = keysyms.canonical(keysym)
        if keysym in _MODIFIERS:
            return None
        if not self._pressed and keysym != _MULTI_KEY and keysym not in _DEAD:
            return keysyms.character_of(keysym)
        pressed, self._pressed = (*self._pressed, keysym), ()
        known = self._sequences()
        if pressed in known:
            return known[pressed]
        if pressed in self._beginnings or pressed[:1] == pressed:
            self._pressed = pressed
            return ""
        return _accented(pressed)

    def reset(self) -> None:
        """Forget a sequence that was begun, as programs do when another window gets the keyboard."""
        self._pressed = ()

    def _sequences(self) -> Sequences:
        if self._known is None:  # read when the first dead key is pressed: most people never do
            self._known = {}
            for file in self._files:
                for keys, text in _read(file):
                    self._known.setdefault(keys, text)  # a person's own file comes first
            self._beginnings = {keys[:end] for keys in self._known for end in range(1, len(keys))}
        return self._known


def _files(environment: Mapping[str, str]) -> tuple[Path, ...]:
    own = environment.get("XCOMPOSEFILE") or (
        f"{environment['HOME']}/.XCompose" if environment.get("HOME") else ""
    )
    return (*([Path(own)] if own else []), _SYSTEM)


def _read(file: Path) -> Iterator[tuple[tuple[int, ...], str]]:
    """The sequences of a file, none where there is no such file."""
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        keys = tuple(_named(name) for name in _KEY.findall(found[1]))
        if all(keys):
            yield keys, _ESCAPED.sub(r"\1", found[2])


@cache
def _named(name: str) -> int:
    keysym = keysyms.of_name(name)
    return 0 if keysym is None else keysyms.canonical(keysym)


def _accented(pressed: Iterable[int]) -> str:
    """A letter with the accents of the dead keys before it; ``""`` where they make no one character."""
    *dead, last = pressed
    letter = keysyms.character_of(last)
    if letter is None or not all(key in _COMBINING for key in dead):
        return ""
    if letter == " ":
        return "".join(_ALONE.get(key, "") for key in dead)
    made = unicodedata.normalize("NFC", letter + "".join(_COMBINING[key] for key in dead))
    return made if len(made) == 1 else ""
