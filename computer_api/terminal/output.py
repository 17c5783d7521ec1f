"""What a block of code printed: as it comes, and as a model is shown it."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from computer_api.terminal.screen import Screen

if TYPE_CHECKING:
    from pathlib import Path

    from computer_api.terminal.sandbox import Denial
    from computer_api.terminal.spool import Spool

# Kept of a longer output, at its start and again at its end. 64 KB is some 16,000 tokens.
KEPT = 64 * 1024

# UTF-8: bytes from the first on are not ASCII, from the second on begin a character, of 2, 3, 4 bytes.
_REST, _TWO, _THREE, _FOUR = 0x80, 0xC0, 0xE0, 0xF0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of output as it came, escape codes included. Programs' errors are in the same stream."""

    stream: Literal["output"] = "output"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a block did.

    ``text`` is the model's copy: no escape codes, a progress line as it last stood, the middle left
    out if it is long (``truncated``), and a note in brackets on whatever else happened.
    ``exit_code`` is the shell's, or that of a Python that ended; ``ok`` says that the block ran
    through. ``images`` are PNG files, ``html`` what values show of themselves in a browser, such as tables.
    ``saved`` is the file that holds all of a long output, as it came. ``lost_state``: variables of earlier blocks
    are gone. ``waiting``: the block has not ended, a program in it waits for a line of input, and this is what it
    printed last; ``Terminal.answer`` goes on with it. ``secret_wanted``: the terminal does not show that line.
    ``denied`` is what a sandbox denied a block that failed.
    """

    text: str
    exit_code: int | None
    ok: bool
    images: tuple[bytes, ...] = ()
    html: tuple[str, ...] = ()
    saved: Path | None = None
    waiting: str | None = None
    secret_wanted: bool = False
    denied: tuple[Denial, ...] = ()
    truncated: bool = False
    lost_state: bool = False
    timed_out: bool = False


class Kept:
    """The start and the end of a stream of bytes, and how long it was: the one truncation rule.

    What fits in twice ``size`` bytes is kept whole. Nothing is cut inside a UTF-8 character.
    """

    def __init__(self, size: int = KEPT) -> None:
        self._size = size
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self.total += len(data)
        room = self._size - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 16 * self._size + 4096:  # seldom, so that adding costs no copying
            del self._tail[: len(self._tail) - self._size]

    def copy(self) -> Kept:
        """The same as it is now, to which more may be added."""
        kept = Kept(self._size)
        kept._head, kept._tail, kept.total = self._head.copy(), self._tail.copy(), self.total
        return kept

    @property
    def truncated(self) -> bool:
        """Whether something had to be left out."""
        return self.total > 2 * self._size

    def text(self) -> str:
        """The stream, or its two ends with a line between them that says how much is missing."""
        if not self.truncated:
            return (self._head + self._tail).decode("utf-8", "replace")
        head = _without_cut_end(bytes(self._head))
        tail = _without_cut_start(bytes(self._tail[len(self._tail) - self._size :]))
        missing = self.total - len(head) - len(tail)
        note = f"\n[... {missing} of {self.total} bytes left out ...]\n"
        return head.decode("utf-8", "replace") + note + tail.decode("utf-8", "replace")


def shorten(text: str, limit: int) -> str:
    """The text, or its first and last ``limit // 2`` UTF-8 bytes with a line that says what is missing."""
    kept = Kept(limit // 2)
    kept.add(text.encode("utf-8", "replace"))
    return kept.text() if kept.truncated else text


class Transcript:
    """What a block prints: decoded as it comes, kept for the model as a terminal would show it, spooled as it is.

    However the bytes are cut into pieces, what is kept is the same.
    """

    def __init__(self, size: int = KEPT, spool: Spool | None = None) -> None:
        self._kept = Kept(size)
        self._screen = Screen(lambda text: self._kept.add(text.encode()))
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._spool = spool
        self.total = 0

    def add(self, data: bytes) -> str:
        """Take the next bytes, and return the characters that are whole with them."""
        self.total += len(data)
        if self._spool is not None:
            self._spool.add(data)
        text = self._decoder.decode(data)
        self._screen.add(text)
        return text

    def end(self) -> str:
        """What a character that was cut off at the very end comes to."""
        text = self._decoder.decode(b"", final=True)
        self._screen.add(text)
        return text

    @property
    def truncated(self) -> bool:
        """Whether the model's copy leaves something out."""
        return self._all().truncated

    def text(self) -> str:
        """The model's copy."""
        return self._all().text()

    def last_line(self) -> str:
        """The last line, as it stands."""
        return self._screen.rest().rpartition("\n")[2]

    def saved(self) -> tuple[Path | None, str | None]:
        """The file that holds what the model's copy leaves out, and a note about it; call once, at the end."""
        return (None, None) if self._spool is None else self._spool.end(needed=self.truncated)

    def _all(self) -> Kept:
        kept = self._kept.copy()
        kept.add(self._screen.rest().encode())
        return kept


def plain(text: str) -> str:
    """The text as a terminal would show it in the end: without escape codes, each line as it last stood."""
    done: list[str] = []
    screen = Screen(done.append)
    screen.add(text)
    return "".join(done) + screen.rest()


def _without_cut_end(data: bytes) -> bytes:
    """The bytes without the beginning of a character whose rest is missing."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte >= _TWO:
            length = 2 + (byte >= _THREE) + (byte >= _FOUR)
            return data if length <= back else data[:-back]
        if byte < _REST:
            break
    return data


def _without_cut_start(data: bytes) -> bytes:
    """The bytes without the rest of a character whose beginning is missing."""
    start = 0
    while start < min(3, len(data)) and _REST <= data[start] < _TWO:
        start += 1
    return data[start:]
