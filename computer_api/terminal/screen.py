"""What a terminal would show of an output: lines that can still be written over, and those that cannot.

Every character costs about the same, however the output is cut into pieces. Lines are as long as they are: a
window's width is not known, and only lines of thousands of characters are taken apart inside.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HEIGHT = 40  # of the screen, in rows, as the shell's terminal has it: further up a cursor does not move
_WIDTH = 120  # as far as a cursor moves to the right of what is written
_LONGEST = 4096  # characters of a row; a longer line takes several

_TOKENS = re.compile(
    r"(?P<text>[^\x00-\x08\x0b-\x1f\x7f]+)"
    r"|\x1b\[(?P<parameters>[0-?]{0,64})[ -/]{0,8}(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b]{0,8000}(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[PX^_][^\x1b]{0,8000}\x1b\\"  # device strings
    r"|\x1b[ -/]{1,8}[0-~]"  # character sets
    r"|\x1b(?P<short>[0-OQ-WYZ\\`-~])"
    r"|(?P<control>[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f])"
)
# What may become one of them when more comes.
_BEGUN = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}|\][^\x07\x1b]{0,8000}\x1b?|[PX^_][^\x1b]{0,8000}\x1b?|[ -/]{0,8})\Z"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Row:
    """One row: pieces in order until something is written over, single characters from then on."""

    __slots__ = ("_cells", "_parts", "length", "wraps")

    def __init__(self, text: str = "") -> None:
        self._parts = [text]
        self._cells: list[str] | None = None
        self.length = len(text)
        self.wraps = False  # the line goes on in the next row

    def write(self, column: int, text: str) -> None:
        """Put the text there, over what is there, with spaces before it if the row is not as long."""
        if column == self.length and self._cells is None:
            self._parts.append(text)
            self.length += len(text)
            return
        cells = self.cells()
        if column > len(cells):
            cells.extend(" " * (column - len(cells)))
        cells[column : column + len(text)] = text
        self.length = len(cells)

    def cells(self) -> list[str]:
        """The characters, to be changed; ``fit`` must follow."""
        if self._cells is None:
            self._cells = list("".join(self._parts))
        return self._cells

    def fit(self) -> None:
        """Take the length that the characters have now."""
        self.length = len(self.cells())

    def text(self) -> str:
        """What is seen of it: spaces at the end are seen as little as what they were written over."""
        return "".join(self._parts) if self._cells is None else "".join(self._cells).rstrip(" ")


class Screen:
    """Takes an output piece by piece, and hands on in order what can no longer change; ``rest`` is what still can."""

    def __init__(self, done: Callable[[str], None]) -> None:
        self._done = done
        self._rows = deque([Row()])
        self._first = 0  # the number of the first of these rows
        self._top = 0  # the number of a row that the screen does not go above: it was cleared there
        self._row = self._column = 0
        self._saved: tuple[int, int] | None = None
        self._hidden = False  # the cursor is on a line apart, such as apt's progress bar
        self._begun = ""  # an escape code that has no end yet

    def add(self, text: str) -> None:
        """Take the next piece."""
        if not self._begun and not _CONTROL.search(text):
            self._write(text)
            return
        text, place = self._begun + text, 0
        self._begun = ""
        while place < len(text):
            token = _TOKENS.match(text, place)
            if token is None:
                if _BEGUN.match(text, place):
                    self._begun = text[place:]
                    return
                place += 1  # an escape character that begins nothing
            else:
                self._take(token)
                place = token.end()

    def rest(self) -> str:
        """The rows that may still change."""
        return "".join(_ended(row) for row in list(self._rows)[:-1]) + self._rows[-1].text()

    def _take(self, token: re.Match[str]) -> None:
        if token["text"]:
            self._write(token["text"])
        elif token["final"]:
            self._sequence(token["final"], token["parameters"])
        elif token["control"] == "\r":
            self._column = 0
        elif token["control"] == "\b":
            self._column = max(self._column - 1, 0)
        elif token["short"] == "7":
            self._save()
        elif token["short"] == "8":
            self._restore()
        elif token["short"] == "M":
            self._up(1)

    def _write(self, text: str) -> None:
        """Write text with line ends at the cursor."""
        if self._hidden:
            text = self._below(text)
        if self._row == self._bottom and self._column == self._rows[-1].length:
            self._append(text)
            return
        while text and not (self._row == self._bottom and self._column == self._rows[-1].length):
            line, end, text = text.partition("\n")
            self._overwrite(line)
            if end:
                self._line_feed()
        if text:
            self._append(text)

    def _below(self, text: str) -> str:
        """What is written after a line apart has ended, which then did not lead back to where the cursor was."""
        _, end, text = text.partition("\n")
        if end:
            self._row, self._hidden, self._saved = self._bottom, False, None
            if self._rows[-1].length:
                self._line_feed()
            self._column = 0
        return text

    def _overwrite(self, line: str) -> None:
        room = max(_LONGEST - self._column, 0)
        if line[:room]:
            self._current.write(self._column, line[:room])
            self._column += len(line[:room])
        while len(line) > room:  # what is longer goes on below, as it would at a terminal's edge
            line = line[room:]
            self._current.wraps = True
            self._line_feed()
            self._current.write(0, line[:_LONGEST])
            self._column, room = len(line[:_LONGEST]), _LONGEST

    def _append(self, text: str) -> None:
        """Write at the very end, which is what most output does."""
        line, end, text = text.partition("\n")
        self._extend(line)
        if text.count("\n") >= HEIGHT:
            sure, *others = text.rsplit("\n", HEIGHT)
            self._rows.append(Row())  # so that the row before ends its line
            self._hand_on(len(self._rows) - 1)
            self._done(sure + "\n")
            self._first += sure.count("\n") + 1
            self._rows[-1].write(0, others[0][:_LONGEST])
            self._extend(others.pop(0)[_LONGEST:])
        else:
            others = text.split("\n") if end else []
        for other in others:
            self._rows.append(Row(other[:_LONGEST]))
            self._extend(other[_LONGEST:])
        self._row, self._column = self._bottom, self._rows[-1].length
        self._scroll()

    def _extend(self, line: str) -> None:
        """Write more at the end of the last line, in as many rows as it takes."""
        while line:
            row = self._rows[-1]
            room = _LONGEST - row.length
            if room > 0:
                row.write(row.length, line[:room])
                line = line[room:]
            else:
                row.wraps = True
                self._rows.append(Row())

    def _scroll(self) -> None:
        if len(self._rows) > 2 * HEIGHT:  # not for every row
            self._hand_on(len(self._rows) - HEIGHT)

    def _hand_on(self, count: int) -> None:
        self._done("".join([_ended(self._rows.popleft()) for _ in range(count)]))
        self._first += count

    @property
    def _bottom(self) -> int:
        return self._first + len(self._rows) - 1

    @property
    def _highest(self) -> int:
        """The number of the row that is the screen's first."""
        return max(self._bottom - HEIGHT + 1, self._top)

    @property
    def _current(self) -> Row:
        return self._rows[self._row - self._first]

    def _line_feed(self) -> None:
        self._column = 0
        if self._row == self._bottom:
            self._rows.append(Row())
        self._row += 1
        self._scroll()

    def _up(self, count: int) -> None:
        self._row = max(self._row - count, self._highest)

    def _down(self, count: int) -> None:
        self._row = min(self._row + count, self._bottom)

    def _right(self, column: int) -> None:
        self._column = max(min(column, max(self._current.length, _WIDTH - 1)), 0)

    def _save(self) -> None:
        self._saved = self._row, self._column

    def _restore(self) -> None:
        row, column = self._saved or (self._highest, 0)
        self._row, self._column = min(max(row, self._highest), self._bottom), column
        self._hidden, self._saved = False, None

    def _sequence(self, final: str, parameters: str) -> None:
        """Act on a control sequence, if it moves the cursor or erases."""
        if parameters[:1] in "<=>?" and parameters:
            return
        numbers = [_number(word) for word in parameters.split(";")]
        count = max(numbers[0], 1)
        if final in _MOVES:
            self._move(final, count, max(numbers[1], 1) if len(numbers) > 1 else 1)
        elif not self._hidden:
            self._erase(final, numbers[0])

    def _move(self, final: str, count: int, column: int) -> None:
        if final in "AF":
            self._up(count)
        elif final in "BE":
            self._down(count)
        elif final in "CG":
            self._right(count - 1 if final == "G" else self._column + count)
        elif final == "D":
            self._column = max(self._column - count, 0)
        elif final in "Hf":
            self._place(count, column)
        elif final == "s":
            self._save()
        elif final == "u":
            self._restore()
        if final in "EF":
            self._column = 0

    def _place(self, row: int, column: int) -> None:
        """Move the cursor on the screen: below what is written, it is apart if it is to come back, or a new line."""
        wanted = self._highest + row - 1
        if wanted <= self._bottom:
            self._row, self._hidden = wanted, False
            self._right(column - 1)
        elif self._saved is not None:
            self._hidden = True
        elif self._rows[-1].length:
            self._row = self._bottom
            self._line_feed()

    def _erase(self, final: str, how: int) -> None:
        row = self._current
        if final == "K":
            _erase_in_row(row, self._column, how)
        elif final == "P":
            del row.cells()[self._column : self._column + max(how, 1)]
        elif final == "X" and self._column < row.length:
            row.write(self._column, " " * min(max(how, 1), row.length - self._column))
        elif final == "J":
            self._erase_screen(how)
        if final in "KP":
            row.fit()

    def _erase_screen(self, how: int) -> None:
        if how == 0:
            self._top = self._highest  # erasing rows at its end does not move the screen
            del self._current.cells()[self._column :]
            self._current.fit()
            for _ in range(self._bottom - self._row):
                self._rows.pop()
            self._current.wraps = False
        elif how in {2, 3} and any(row.length for row in list(self._rows)[self._highest - self._first :]):
            # What was there is not lost: a screen that is cleared is a new one below.
            if self._rows[-1].length:
                self._rows.append(Row())
            self._top = self._row = self._bottom
            self._column = 0
            self._scroll()


_MOVES = frozenset("ABCDEFGHfsu")


def _erase_in_row(row: Row, column: int, how: int) -> None:
    cells = row.cells()
    if how == 0:
        del cells[column:]
    elif how == 2:  # noqa: PLR2004 - terminals' own number
        cells.clear()
    elif how == 1:
        cells[: column + 1] = " " * min(column + 1, len(cells))


def _number(word: str) -> int:
    return min(int(word), 10_000) if word.isascii() and word.isdecimal() else 0


def _ended(row: Row) -> str:
    return row.text() if row.wraps else row.text() + "\n"
