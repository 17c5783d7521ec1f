"""A place in a sentence: what stands here, and the parts that many forms share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_agent.models.steps.words import nearest
from computer_api.geometry import Box, Pixel
from computer_api.keys import UnknownKeyError, parse_keys
from computer_api.targets import (
    DIALOG,
    ElementTarget,
    IconTarget,
    PictureTarget,
    Relation,
    Side,
    TextTarget,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from computer_agent.models.model import BadSteps
    from computer_agent.models.steps.words import Sentence
    from computer_api.targets import Target

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ROLES = ("field", "button", "tick", "menu", "list", "link")
"""The kinds of control that are written as one word: ``the button "OK"``."""

_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = re.compile(r"(?P<value>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?P<unit>[a-z]*)")
_UNITS = {
    **dict.fromkeys(("", "s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
}
_PIXEL = re.compile(r"\(?(-?\d+),(-?\d+)\)?")
_KINDS = {
    **{role: role for role in ROLES},
    **dict.fromkeys(("box", "input", "textbox", "text box", "text field", "input field"), "field"),
    **dict.fromkeys(("dropdown", "drop-down", "drop down", "combo box"), "field"),
    **dict.fromkeys(("checkbox", "check box", "tick box", "radio", "radio button", "switch"), "tick"),
    **dict.fromkeys(("item", "row", "list item"), "list"),
    "menu item": "menu",
    **dict.fromkeys(("text", "word", "label"), "text"),
    **dict.fromkeys(("element", "control"), "element"),
    "icon": "icon",
    "picture": "picture",
}
_BY_LOOKS: dict[str, type[IconTarget | PictureTarget]] = {"icon": IconTarget, "picture": PictureTarget}
_SIDES: dict[str, Side] = {
    **dict.fromkeys(("right of", "to the right of"), "right of"),
    **dict.fromkeys(("left of", "to the left of"), "left of"),
    "above": "above",
    **dict.fromkeys(("below", "under"), "below"),
    **dict.fromkeys(("near", "next to", "beside", "in the row of", "in the row with"), "near"),
    **dict.fromkeys(("inside", "within"), "in"),
}
"""How a target may be told by what it lies beside."""
_SIZE = re.compile(r"(\d+)x(\d+)")
_BEFORE_TARGET = (
    "on",
    "at",
    "in",
    "into",
    "over",
    "to",
    "from",
    "onto",
    "of",
    "the",
    "a",
    "an",
    "point",
    "pixel",
)
LOOSE = (".", ",", "please", "now", "and", "too")
"""What may stand at the end of a step and means nothing."""


class Cursor:
    """Walks over the words of one sentence. What is missing or left over raises ``BadSteps`` at its word."""

    def __init__(self, sentence: Sentence, values: Mapping[str, str]) -> None:
        self.sentence = sentence
        self.values = values
        self.words = sentence.words
        self.at = 0

    # What stands here.

    @property
    def ended(self) -> bool:
        """Whether no word is left."""
        return self.at >= len(self.words)

    def peek(self, ahead: int = 0) -> str:
        """The word here in lower case; ``""`` for a quoted text and at the end."""
        if self.at + ahead >= len(self.words) or self.words[self.at + ahead].quoted:
            return ""
        return self.words[self.at + ahead].text.casefold()

    def quoted(self, ahead: int = 0) -> bool:
        """Whether a quoted text, or a value by its name, stands here."""
        words = self.words[self.at + ahead : self.at + ahead + 1]
        return bool(words) and (words[0].quoted or words[0].text.startswith("$"))

    def take(self, *options: str) -> str:
        """Step over one of these words and return it, or ``""``. An option may be of several words."""
        for option in options:
            parts = option.split()
            if all(self.peek(ahead) == part for ahead, part in enumerate(parts)):
                self.at += len(parts)
                return option
        return ""

    def skip(self, *fillers: str) -> None:
        """Step over any of these words."""
        while self.take(*fillers):
            pass

    def need(self, expected: str, *options: str) -> str:
        """One of these words, or the error."""
        found = self.take(*options)
        if not found:
            raise self.wrong(expected, options)
        return found

    def finish(self, form: str) -> None:
        """Nothing may be left but politeness."""
        self.skip(*LOOSE)
        if not self.ended:
            raise self.wrong(f"the end of the step; the form is {form}", form.split())

    @property
    def counting(self) -> bool:
        """Whether a number stands here, in digits or in words."""
        return self.peek() in _COUNTS or _NUMBER.fullmatch(self.peek()) is not None

    # What is missing.

    def wrong(self, expected: str, known: Collection[str] = ()) -> BadSteps:
        """The error at the word that stands here."""
        if self.ended:
            end = len(self.sentence.text)
            return self.sentence.wrong(end, end + 1, "the step ends too early.", expected)
        word = self.words[self.at]
        near = "" if word.quoted else nearest(word.text, known)
        name = self.sentence.word(word)
        said = "this text is not expected here." if word.quoted else f'"{name}" is not expected here.'
        return self.sentence.wrong(word.start, word.end, said, expected, near)

    # The parts that forms share.

    def text(self, expected: str) -> str:
        """A quoted text, or a ``$NAME`` from the given values."""
        if self.ended or not (self.words[self.at].quoted or self.words[self.at].text.startswith("$")):
            example = "" if self.ended else f': "{self.sentence.word(self.words[self.at])}"'
            raise self.wrong(f"{expected} in quotes{example}")
        word = self.words[self.at]
        if not word.quoted and word.text[1:] not in self.values:
            names = ", ".join(f"${name}" for name in sorted(self.values)) or "none are given"
            said = f'there is no value named "{word.text}".'
            raise self.sentence.wrong(word.start, word.end, said, f"one of the given values ({names})")
        self.at += 1
        return word.text if word.quoted else self.values[word.text[1:]]

    def name(self, expected: str) -> str:
        """A text, or one bare word: a program, a window."""
        if not self.ended and not self.words[self.at].quoted and not self.peek().startswith("$"):
            self.at += 1
            return self.words[self.at - 1].text
        return self.text(expected)

    def whole(self) -> int | None:
        """A whole number, in digits or up to ten in words, if one stands here."""
        word = self.peek()
        if not re.fullmatch(r"\d+", word) and word not in _COUNTS:
            return None
        self.at += 1
        return _COUNTS.index(word) if word in _COUNTS else int(word)

    def times(self) -> int | None:
        """``3 times``, ``once``, ``twice``, if it stands here."""
        spoken = self.take("once", "twice")
        if spoken:
            return 1 if spoken == "once" else 2
        if self.peek(1) not in {"times", "time"}:
            return None
        count = self.whole()
        if count is None:
            raise self.wrong("a number of times, such as 3 times")
        self.at += 1
        return count

    def seconds(self) -> float:
        """``2 seconds``, ``500 ms``, ``1 minute``, ``2s``."""
        number = _NUMBER.fullmatch(self.peek())
        if number is None or number["value"].startswith("-"):
            count = self.whole()
            if count is None:
                raise self.wrong("a time, such as 2 seconds", _COUNTS)
            return count * _UNITS[self.take(*_UNITS)]
        if number["unit"] not in _UNITS:
            raise self.wrong("a time, such as 2 seconds or 500 ms")
        self.at += 1
        unit = number["unit"] or self.take(*filter(None, _UNITS))
        return float(number["value"]) * _UNITS[unit]

    def keys(self) -> tuple[str, ...]:
        """A key or a combination; bare words up to a number of times, a time, or the end."""
        self.skip("the")
        if self.ended:
            raise self.wrong("a key, such as ctrl+s")
        start = self.at
        self.at += 1
        while not self.words[start].quoted and not self._keys_end():
            self.at += 1
        said = [
            word for word in self.words[start : self.at] if word.text.casefold() not in {"key", "keys", "and"}
        ]
        try:
            return parse_keys(" ".join(word.text for word in said))
        except UnknownKeyError as error:
            first, last = self.words[start], self.words[self.at - 1]
            hint = ' (for a button on the screen: click "OK")' if first.quoted else ""
            raise self.sentence.wrong(
                first.start, last.end, str(error), f"a key, such as ctrl+s or enter{hint}"
            ) from error

    def _keys_end(self) -> bool:
        counted = self.peek(1) in {"times", "time"}
        return (
            self.ended
            or counted
            or self.peek() in {"once", "twice", "for", "please", "now"}
            or self.words[self.at].quoted
        )

    def pixel(self) -> Pixel | None:
        """A place on the picture, ``120,340`` or ``(120, 340)``, if one stands here."""
        for count in (1, 2):
            words = self.words[self.at : self.at + count]
            found = (
                None
                if any(word.quoted for word in words)
                else _PIXEL.fullmatch("".join(w.text for w in words))
            )
            if found:
                self.at += count
                return Pixel(int(found[1]), int(found[2]))
        return None

    def corner(self) -> Pixel:
        """A place on the picture, or the error."""
        self.skip(*_BEFORE_TARGET)
        found = self.pixel()
        if found is None:
            raise self.wrong("a place on the picture, such as 120,340")
        return found

    def target(self, plain: str = "text", *, alone: bool = False) -> Target:
        """What to aim at; a bare quoted text is of the ``plain`` kind. ``alone`` leaves where it lies unread."""
        self.skip(*_BEFORE_TARGET)
        pixel = self.pixel()
        if pixel is not None:
            return pixel
        nth = self._ordinal()
        exactly = self.at
        exact = bool(self.take("exactly"))
        kind = self.take(*_KINDS_LONGEST_FIRST)
        by_place = _KINDS.get(kind) in (*ROLES, "element") and not self.quoted()
        name = "" if by_place and self._said_by_place() else self.text("what to aim at")
        kind = kind or self.take(*_KINDS_LONGEST_FIRST)
        kind = "tick" if (kind, plain) == ("box", "tick") else _KINDS.get(kind, plain)
        if exact and kind != "text":
            self.at = exactly
            raise self.wrong("no such word: a control is found by its name")
        return self._narrowed(kind, name, nth, exact=exact, alone=alone)

    def _said_by_place(self) -> bool:
        """Whether where it lies, its number or its kind stands here, and not its name."""
        start = self.at
        said = self.take("number", "of kind") or self._side() or self.take("in the dialog", "in dialog")
        self.at = start
        return bool(said)

    def _ordinal(self) -> int | None:
        word = self.peek()
        found = ORDINALS.index(word) + 1 if word in ORDINALS else None
        digits = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)
        if found is None and digits is None:
            return None
        self.at += 1
        return found if digits is None else int(digits[1])

    def _narrowed(self, kind: str, name: str, nth: int | None, *, exact: bool, alone: bool) -> Target:
        """The target with what may follow its name, in any order: its number, kind, window, and where it lies."""
        role: str | None = None if kind == "element" else kind
        window: str | None = None
        where: list[Relation] = []
        while True:
            if kind == "text" and self.take("exactly"):
                exact = True
            elif self.take("number"):
                nth = self._count()
            elif kind == "element" and self.take("of kind"):
                role = self.text("the kind of control")
            elif not alone and (title := self._window()) is not None:
                window = title
            elif not alone and (relation := self._relation()) is not None:
                where.append(relation)
            else:
                break
        if kind == "text":
            return TextTarget(name, nth, window, exact, tuple(where))
        if kind in _BY_LOOKS:
            return _BY_LOOKS[kind](name, nth, window, tuple(where))
        return ElementTarget(name, role, nth, window, tuple(where))

    def _count(self) -> int:
        number = self.whole()
        if number is None:
            raise self.wrong("a whole number")
        return number

    def _relation(self) -> Relation | None:
        """``right of "Name"``, ``in the dialog "Save"``, ``near ( "Ada" in window "Mail" )``, if it stands here."""
        if self.take("in the dialog", "in dialog"):
            title = self.text("the dialog's title") if self.quoted() else ""
            return Relation("in", ElementTarget(title, role=DIALOG))
        side = self._side()
        if side is None:
            return None
        if self.take("("):
            target = self.target()
            self.need('")"', ")")
            return Relation(side, target)
        area = self._area()
        return Relation(side, self.target(alone=True) if area is None else area)

    def _side(self) -> Side | None:
        """A side, if it stands here; ``within 5 seconds`` is none."""
        start = self.at
        said = self.take(*_SIDES)
        if said == "within" and self.counting:
            self.at = start
            return None
        return _SIDES[said] if said else None

    def _area(self) -> Box | None:
        """``the area 10,20 300x40``: a box of the desktop, if it stands here."""
        if not self.take("the area", "area"):
            return None
        corner, size = self.corner(), _SIZE.fullmatch(self.peek())
        if size is None:
            raise self.wrong("the size of the area, such as 300x40")
        self.at += 1
        return Box(corner.x, corner.y, int(size[1]), int(size[2]))

    def _window(self) -> str | None:
        """``in window "Editor"`` or ``in the "Editor" window``, if it stands here."""
        if self.take("in the window", "in window"):
            return self.name("the window's title")
        article = 1 + (self.peek(1) == "the")
        words = self.words[self.at + article : self.at + article + 1]
        if self.peek() != "in" or not words or not words[0].quoted:
            return None
        self.at += article + 1
        self.take("window")
        return words[0].text


_KINDS_LONGEST_FIRST = sorted(_KINDS, key=lambda kind: -len(kind.split()))
