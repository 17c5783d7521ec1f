"""What a field holds after a text was typed into it, and whether that is what it should hold."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_api.acting import Acting
    from computer_platform.desktop import Element

HIDDEN_ROLE = "password text"
_STILL_SECONDS = 0.6  # without a change, after which a field holds what it will hold
_STILL_SHARE = 0.1  # of the patience with the machine, where that is more
_SECONDS = 20.0  # that a slow program may go on
_LOOK_SECONDS = 0.03
_MOST_TEXT = 10_000  # characters that are read of a field; of a longer text the end is unknown
_NO_BREAK = "\N{NO-BREAK SPACE}"
_OBJECT = "\ufffc"  # stands for something that is no text
_FIELDS = frozenset({"text", "entry"})  # that hold nothing but the text; not so a paragraph of a document


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A text that is put into a field: what the field held before, None if unknown, and whether that is replaced."""

    text: str
    before: Element | None
    replaces: bool

    def arrived(self, now: Element) -> bool:
        """Whether the field holds the text, and beside it only what it held before."""
        text, held = _plain(self.text), _plain(now.value)
        if _NO_BREAK not in text:
            held = held.replace(_NO_BREAK, " ")  # browsers write a second space so
        if self.replaces:
            return held == text
        if self.before is None:
            return text in held
        before = _plain(self.before.value)
        return _inserted(before if _NO_BREAK in text else before.replace(_NO_BREAK, " "), text, held)

    def adopted(self, now: Element) -> bool:
        """Whether the field holds the text in a form of its own: other capitals, signs between, or completed.

        Only for a text that was alone in the field, and that arrived so in both ways: keys may have done it, too.
        """
        if not (self.replaces or (self.before is not None and not self.before.value)) or _breaks(self.text):
            return False
        text, held = _plain(self.text), now.value
        if held in {text.upper(), text.lower(), text.title(), text.capitalize()}:
            return True
        if held.startswith(text):
            rest = held[len(text) :]
            return bool(rest.strip(text[-1:])) and not rest.startswith(
                text
            )  # no key that was stuck, nothing twice
        left = iter(held)
        between = [sign for character in text for sign in _until(character, left)]
        return len(held) > len(text) and not any(sign.isalnum() for sign in [*between, *left])

    def tells(self, now: Element) -> bool:
        """Whether what the field holds says anything about the text.

        Return may have sent what was typed away, and Tab may have moved on; then another text is no fault.
        """
        if len(now.value) >= _MOST_TEXT or _OBJECT in now.value:
            return False
        if self.arrived(now):
            return True
        if self.before is not None and not _same(self.before, now):
            return False
        if self.is_part(now) or (
            self.before is not None and self.before.value == now.value and now.role not in _FIELDS
        ):
            return False  # LibreOffice goes on telling of a paragraph that the caret has left
        breaks = _breaks(self.text)
        if breaks and "multi line" not in now.states:
            return False
        return not any(_plain(now.value) == _plain(self.text)[place + 1 :] for place in breaks)

    def is_part(self, now: Element) -> bool:
        """Whether the text may be in other parts of a document, too, or instead, so that waiting tells no more."""
        return now.role not in _FIELDS and (self.before is None or bool(_breaks(self.text)))

    def may_be_done_again(self, now: Element) -> bool:
        """Whether it is known what the field was like before, and that it can be brought back there."""
        if self.before is None or not _same(self.before, now) or now.role not in _FIELDS:
            return False
        return self.replaces or not self.before.value or now.value == self.before.value


def held(acting: Acting) -> Element | None:
    """The field that has the keyboard, where a program tells of it and of what it holds."""
    focused = acting.focused()
    if focused is None or "editable" not in focused.states or focused.role == HIDDEN_ROLE:
        return None
    return replace(focused, value=focused.value[:-1]) if _has_filler(focused) else focused


def is_hidden(acting: Acting, known: Element | None) -> bool:
    """Whether the keyboard is in a field for passwords; ``known`` is the field if it is another."""
    if known is not None:
        return False
    focused = acting.focused()
    return focused is not None and focused.role == HIDDEN_ROLE


def read_back(acting: Acting, entry: Entry) -> Element | None:
    """The field once it holds the text, or what it holds in the end; None where that says nothing."""
    now = _watched(acting, lambda now: entry.arrived(now) or entry.is_part(now), entry.before)
    return now if now is not None and entry.tells(now) else None


def emptied(acting: Acting, field: Element) -> bool:
    """Whether the field holds nothing any more."""
    now = _watched(acting, lambda now: not now.value, field)
    return now is not None and not now.value and _same(field, now)


def _watched(acting: Acting, right: Callable[[Element], bool], before: Element | None) -> Element | None:
    """The field that has the keyboard, as soon as it is right or has stopped changing.

    ``before`` is one that was told of before: a busy program may be silent for a while.
    """
    began = since = time.monotonic()
    still = max(_STILL_SECONDS, _STILL_SHARE * acting.patience)
    seen = before
    while True:
        now = held(acting)
        if (now is None and before is None) or (now is not None and right(now)):
            return now
        at = time.monotonic()
        if now != seen:
            seen, since = now, at
        elif at - since > still or at - began > _SECONDS:
            return now
        acting.wait(_LOOK_SECONDS)


def _has_filler(field: Element) -> bool:
    """Whether the last break is none: Chromium tells one more where a text ends with one, or is empty again."""
    last = field.value == "\n" or field.value.endswith("\n\n")
    return last and field.role == "entry" and "multi line" in field.states


def _until(character: str, signs: Iterator[str]) -> Iterator[str]:
    """The signs before that character, or a letter where it does not come."""
    for sign in signs:
        if sign == character:
            return
        yield sign
    yield "x"


def _same(one: Element, other: Element) -> bool:
    """A field may grow with its text, but stays where it is."""
    return (one.role, one.pid, one.area[:2]) == (other.role, other.pid, other.area[:2])


def _inserted(before: str, text: str, now: str) -> bool:
    """Whether ``now`` is ``before`` with the text put in somewhere, perhaps in place of a part of it."""
    place = now.find(text)
    while place >= 0:
        rest = now[place + len(text) :]
        if place + len(rest) <= len(before) and before.startswith(now[:place]) and before.endswith(rest):
            return True
        place = now.find(text, place + 1)
    return False


def _breaks(text: str) -> list[int]:
    """Where a text has Return or Tab."""
    return [place for place, character in enumerate(_plain(text)) if character in "\n\t"]


def _plain(text: str) -> str:
    """The text with the one sign for the end of a line that all of them stand for."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
