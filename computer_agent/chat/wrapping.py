"""Words put into lines of the width that there is, as they come: a word is shown when it is known to be whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_NARROWEST = 10  # columns: below that nothing is put into lines


def wrapped(line: str, width: int) -> str:
    """The line put into lines of at most ``width`` columns; the further ones a little farther in than it begins."""
    pieces: list[str] = []
    words = line.lstrip(" ")
    begins = line[: len(line) - len(words)]
    wrapping = Wrapping(lambda text, _style: pieces.append(text), lambda: width)
    wrapping.begin(begins, f"{begins}  ")
    wrapping.add(words, "")
    wrapping.end()
    return "".join(pieces).removesuffix("\n")


@dataclass(slots=True)
class Wrapping:
    """Gives pieces of text, with a style each, to ``write``. ``width`` is asked anew for each word: windows change."""

    write: Callable[[str, str], None]
    width: Callable[[], int]
    _column: int = field(default=0, init=False)
    _hanging: str = field(default="", init=False)  # before each further line
    _space: str = field(default="", init=False)  # before the word
    _word: list[tuple[str, str]] = field(default_factory=list, init=False)
    _cells: int = field(default=0, init=False)  # of the word
    _glued: bool = field(default=False, init=False)  # the beginning of the word is shown

    def begin(self, first: str, hanging: str) -> None:
        """Begin a line with ``first``; what does not fit into it goes below with ``hanging`` before it."""
        from rich.cells import cell_len

        if cell_len(hanging) > self.width() // 2:  # else there would be no room for words
            hanging = ""
        self._hanging = hanging
        if first:
            self.write(first, "")
        self._column = cell_len(first)

    def add(self, text: str, style: str) -> None:
        """Take a piece of the line, without a line feed."""
        from rich.cells import get_character_cell_size

        begun = 0
        for at, character in enumerate(text):
            if character in " \t":
                self._take(text[begun:at], style)
                self._show()
                self._space += "    " if character == "\t" else " "
                begun = at + 1
            elif not character.isascii() and get_character_cell_size(character) > 1:  # a word by itself
                self._take(text[begun : at + 1], style)
                self._show()
                begun = at + 1
        self._take(text[begun:], style)

    def end(self) -> None:
        """End the line."""
        self._show()
        self.write("\n", "")
        self._column, self._space, self._hanging = 0, "", ""

    def _take(self, text: str, style: str) -> None:
        from rich.cells import cell_len

        longest = max(self.width(), _NARROWEST)
        while text:
            # One that is longer than any line need not be waited for.
            room = len(text) if self._glued else max(1, longest - self._cells)
            piece, text = text[:room], text[room:]
            self._word.append((piece, style))
            self._cells += cell_len(piece)
            if self._glued or self._cells >= longest:
                self._show()
                self._glued = True

    def _show(self) -> None:
        """The word, on a new line where it does not fit."""
        glued, self._glued = self._glued, False
        if not self._word:
            return
        width = self.width()
        fits = self._column + len(self._space) + self._cells <= width
        if glued or fits or width < _NARROWEST or self._column <= len(self._hanging):
            self.write(self._space, "")
            self._column += len(self._space)
        else:
            self.write(f"\n{self._hanging}", "")
            self._column = len(self._hanging)
        for text, style in self._word:
            self.write(text, style)
        self._column = min(self._column + self._cells, width)  # what is longer the terminal itself breaks
        self._word.clear()
        self._cells, self._space = 0, ""
