"""A task cut into sentences and words, and the error that points at a word."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from computer_agent.models.model import BadSteps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HELP = "`oi help steps` shows every form."
HIDDEN = "•••"

# Curly quotes are what phones and word processors make of straight ones.
_CLOSING = {'"': '"', "'": "'", "“": "”", "„": "“”", "‘": "’"}  # noqa: RUF001 - meant
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", **{quote: quote for quote in "\"'“”„‘’"}}  # noqa: RUF001 - meant
_GAP = re.compile(r"(?:\s|;|#[^\n]*)+")
_BULLET = re.compile(r"(?:\d+[.)]|[-*•])[ \t]+")
_FENCE = re.compile(
    r"(?:run[ \t]+)?(?P<ticks>`{3,})[ \t]*(?P<language>[^`\s]*)[ \t]*(?P<cr>\r?)\n", re.IGNORECASE
)
_THEN = re.compile(r"then\b", re.IGNORECASE)  # begins the next step
_STOP = re.compile(r"(?<=[^\W\d_]{2})[.,:]$")  # after a word of letters; "ctrl+." is a key
_BARE = re.compile(r"[^\s;\"“„]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word, or one quoted text without its quotes; ``start`` and ``end`` count within its sentence."""

    text: str
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One step as it stands in the task: its number from 1, its line, its source and its words."""

    number: int
    line: int
    text: str
    words: tuple[Word, ...]

    @property
    def shown(self) -> str:
        """The source with every secret hidden."""
        return self._masked(len(self.text))

    def word(self, word: Word) -> str:
        """The word as it may be shown."""
        return HIDDEN if word in _hidden(self.words) else word.text

    def wrong(self, start: int, end: int, said: str, expected: str, near: str = "") -> BadSteps:
        """The error that says what is wrong with these characters, with a mark under them.

        ``near`` is the known word that was perhaps meant.
        """
        meant = f'Did you mean "{near}"? ' if near else ""
        before = self._masked(start)
        marked = self._masked(end).removeprefix(before) or " "
        first = self.shown.split("\n", maxsplit=1)[0].replace("\t", " ")
        return BadSteps(
            f"Step {self.number} (line {self.line}): {said}\n"
            f"    {first}\n"
            f"    {' ' * _columns(before)}{'^' * max(1, _columns(marked))}\n"
            f"{meant}Expected {expected}. {HELP}"
        )

    def _masked(self, end: int) -> str:
        """The source up to ``end``, secrets hidden."""
        said, at = "", 0
        for word in _hidden(self.words):
            if word.end <= end:
                said += self.text[at : word.start] + (f'"{HIDDEN}"' if word.quoted else HIDDEN)
                at = word.end
        return said + self.text[at:end]


def _hidden(words: Iterable[Word]) -> list[Word]:
    """The words that must not be shown: what follows ``secret``, up to a quoted text or ``into``."""
    hidden: list[Word] = []
    hiding = False
    for word in words:
        said = "" if word.quoted else word.text.casefold()
        hiding = hiding and said not in {"into", "in"} and not said.startswith("$")
        if hiding:
            hidden.append(word)
        hiding = (hiding and not word.quoted) or said.strip(",:") in {"secret", "password"}
    return hidden


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that looks most like this one, ``""`` when none does."""
    return next(iter(get_close_matches(word.casefold(), list(known), n=1, cutoff=0.6)), "")


def quoted(text: str) -> str:
    """The text in double quotes, on one line, as a sentence may hold it."""
    for char, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(char, escape)
    return f'"{text}"'


def sentences(task: str) -> Iterator[Sentence]:
    """The steps of a task in order, without comments, numbers and bullets; ``;``, a new line or "then" divides them.

    Raises ``BadSteps`` for a quote or a code block that is not closed.
    """
    at, number = _after(_GAP, task, 0), 0
    while at < len(task):
        scanner = _Scanner(task, _after(_BULLET, task, at), number + 1)
        sentence = scanner.fenced() or scanner.sentence()
        if sentence.words:
            number += 1
            yield sentence
        at = _after(_GAP, task, scanner.at)


class _Scanner:
    """Reads one sentence of the task, from its first character."""

    def __init__(self, task: str, start: int, number: int) -> None:
        self.task = task
        self.start = self.at = start
        self.number = number
        self.words: list[Word] = []

    def sentence(self) -> Sentence:
        end = self.at
        while not self._ended():
            char = self.task[self.at]
            self.words.append(self._quote(char) if char in _CLOSING else self._bare())
            end = self.at
            self._space()
        return self._so_far(end)

    def fenced(self) -> Sentence | None:
        """A block of code between two lines of backquotes, read as ``run LANGUAGE "CODE"``."""
        fence = _FENCE.match(self.task, self.start)
        if fence is None:
            return None
        ticks, language = fence["ticks"], fence["language"]
        closing = re.compile(rf"^[ \t]*{ticks}[ \t]*\r?$", re.MULTILINE).search(self.task, fence.end())
        opened = fence.end() - 1
        if closing is None or not language:
            missing = "says no language" if closing else "is not closed"
            raise self._so_far(opened).wrong(
                0, opened - self.start, f"the block of code {missing}.", f"{ticks}python, the code, {ticks}"
            )
        code = self.task[fence.end() : closing.start()].removesuffix("\n")
        if fence["cr"]:
            code = code.removesuffix("\r").replace("\r\n", "\n")
        self.at = closing.end()
        end = opened - self.start
        self.words = [
            Word(text="run", start=0, end=end),
            Word(text=language, start=0, end=end),
            Word(text=code, start=0, end=end, quoted=True),
        ]
        return self._so_far(self.at)

    def _ended(self) -> bool:
        if self.at >= len(self.task) or self.task[self.at] in ";\n#":
            return True
        return bool(self.words) and _THEN.match(self.task, self.at) is not None

    def _space(self) -> None:
        while self.at < len(self.task) and self.task[self.at].isspace() and self.task[self.at] != "\n":
            self.at += 1

    def _bare(self) -> Word:
        start = self.at
        self.at = _after(_BARE, self.task, start)
        text = _STOP.sub("", self.task[start : self.at])
        return Word(text=text, start=start - self.start, end=start - self.start + len(text))

    def _quote(self, opening: str) -> Word:
        start, text = self.at, ""
        self.at += 1
        while self.at < len(self.task) and self.task[self.at] != "\n":
            char = self.task[self.at]
            self.at += 1
            if char in _CLOSING[opening]:
                return Word(text=text, start=start - self.start, end=self.at - self.start, quoted=True)
            text += self._escaped(start) if char == "\\" else char
        raise self._broken(
            start, start, "the quote that opens here is not closed.", f"a second {_CLOSING[opening][-1]}"
        )

    def _escaped(self, opened: int) -> str:
        char = self.task[self.at : self.at + 1]
        if char not in _ESCAPES:
            raise self._broken(
                opened,
                self.at - 1,
                "a backslash cannot stand here.",
                '\\" or \\n or \\t, or \\\\ for a backslash',
            )
        self.at += 1
        return _ESCAPES[char]

    def _broken(self, opened: int, at: int, said: str, expected: str) -> BadSteps:
        """The error at a character of a quoted text; of a secret one only the opening quote is shown."""
        text = Word(text="", start=opened - self.start, end=opened - self.start, quoted=True)
        place = opened if text in _hidden([*self.words, text]) else at
        return self._so_far(place + 1).wrong(place - self.start, place + 1 - self.start, said, expected)

    def _so_far(self, end: int) -> Sentence:
        line = self.task.count("\n", 0, self.start) + 1
        return Sentence(
            number=self.number, line=line, text=self.task[self.start : end], words=tuple(self.words)
        )


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _columns(text: str) -> int:
    """How many columns a terminal needs for the text."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
