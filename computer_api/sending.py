"""Send a text to whatever has the keyboard: by keys or by a paste, in pieces between which a person can stop it."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Literal

from computer_api.errors import NotTypedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_api.acting import Acting
    from computer_platform.desktop import Window

Way = Literal["keys", "paste"]

_PIECE = 200  # characters that are typed well within the time in which a stop must work
_LONG = 1000  # characters, from which on a paste is what a person would do
_BRIEF = 60  # characters, up to which keys are quick enough whatever they are
_SPARE_KEYS = 12  # signs that a keyboard lacks and can be lent at the same time; many more on one of our own
_OWN_SPARE_KEYS = 36
_BREAKS = 2  # Returns and Tabs in a piece where each takes long
_OFFICE = ("libreoffice", "soffice")  # it deals with Return only when it has nothing else to do
_SPREADSHEET = "calc"  # where a pasted newline or tab asks questions
_ASCII = frozenset(map(chr, range(0x20, 0x7F))) | frozenset("\n\t\r")
_NO_SIGNS = frozenset({"Cc", "Cs"})  # control characters and halves of characters
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")
_SKIN_TONES = range(0x1F3FB, 0x1F400)


def way_for(acting: Acting, text: str, *, secret: bool) -> Way:
    """By keys, or by a paste where that takes much less time. Secrets never lie on a clipboard."""
    foreign = len(set(text) - _ASCII)
    quicker = (
        len(text) > _LONG
        or (len(text) > _BRIEF and foreign > _spare_keys(acting))
        or (_breaks(text) > _BREAKS and is_office(acting.receiver()))
    )
    return "paste" if quicker and not secret and can_be_pasted(acting, text) else "keys"


def can_be_pasted(acting: Acting, text: str) -> bool:
    """Whether a paste means the same as typing: in a terminal a newline or tab does not, nor in a spreadsheet."""
    from computer_platform.terminals import is_terminal

    window = acting.receiver()
    if acting.desktop.clipboard is None or window is None:
        return False
    if not _breaks(text):
        return True
    spreadsheet = window.app.casefold().endswith(_SPREADSHEET)
    return not (spreadsheet or is_terminal(window.app) or _in_terminal(acting))


def send(acting: Acting, text: str, way: Way) -> None:
    """Send the text. Raises ``CannotType``, and ``NotTypedError`` when the keyboard goes elsewhere meanwhile."""
    from computer_platform.desktop import CannotType

    acting.give_keyboard()
    if way == "paste":
        try:
            acting.desktop.paste_text(text)
        except CannotType:
            pass  # nobody fetched it: there is no such thing as pasting here
        else:
            return
    _refuse_what_no_key_gives(text)
    window = acting.receiver()
    breaks = _BREAKS if is_office(window) else _PIECE
    typed = 0
    for piece in pieces(text, foreign=_spare_keys(acting), breaks=breaks):
        if typed:
            acting.check()
            _still_there(acting, window, f"after {typed} of {len(text)} characters")
        try:
            acting.desktop.type_text(piece)
        except CannotType as cannot:
            if not typed:
                raise
            said = f"{cannot} Of the {len(text)} characters {typed} were typed before that."
            raise CannotType(said) from None
        typed += len(piece)


def _refuse_what_no_key_gives(text: str) -> None:
    """Before any piece of it is typed. Raises ``CannotType``."""
    from computer_platform.desktop import CannotType

    for character in text:
        if character not in "\n\t\r" and unicodedata.category(character) in _NO_SIGNS:
            raise CannotType(
                f"The character {character!r} cannot be typed: no key gives it. Nothing was typed. Leave it out, or "
                "press a key by its name."
            )


def pieces(text: str, *, foreign: int, breaks: int) -> Iterator[str]:
    """The text in pieces of at most 200 characters, that many foreign ones and that many line breaks and tabs.

    What makes up one sign stays together where it fits, and words do.
    """
    start = 0
    while start < len(text):
        end = _reach(text, start, foreign=foreign, breaks=breaks)
        if end < len(text):
            end = _cut(text, start, end)
        yield text[start:end]
        start = end


def _reach(text: str, start: int, *, foreign: int, breaks: int) -> int:
    """Where a piece must end at the latest."""
    strange: set[str] = set()
    seen = 0
    for end in range(start, min(len(text), start + _PIECE)):
        character = text[end]
        seen += character in "\n\t"
        if character not in _ASCII:
            strange.add(character)
        if seen > breaks or len(strange) > foreign:
            return max(end, start + 1)
    return min(len(text), start + _PIECE)


def _cut(text: str, start: int, end: int) -> int:
    """After the last space before the end, else between two signs, else there."""
    for place in range(end, max(start, end - _PIECE // 4), -1):
        if text[place - 1] in " \n\t" and not _belongs_to_the_one_before(text, place):
            return place
    place = end
    while place > start and _belongs_to_the_one_before(text, place):
        place -= 1
    return place if place > start else end


def _belongs_to_the_one_before(text: str, place: int) -> bool:
    character = text[place]
    if text[place - 1 : place + 1] == "\r\n":
        return True
    return (
        unicodedata.category(character).startswith("M")
        or character in _JOINERS
        or text[place - 1] == "\u200d"
        or ord(character) in _SKIN_TONES
    )


def _still_there(acting: Acting, window: Window | None, when: str) -> None:
    """Raise when another window has got the keyboard: the rest was not meant for it."""
    if window is None:
        return
    now = acting.receiver()
    if now is not None and now.id == window.id:
        return
    where = "closed" if now is None else f'lost the keyboard to "{now.title}"'
    raise NotTypedError(f'The window "{window.title}" {where} {when}, so the rest was not typed.')


def _breaks(text: str) -> int:
    return sum(character in "\n\t" for character in text)


def is_office(window: Window | None) -> bool:
    """Whether it is LibreOffice's: slow with line breaks, and slow to tell, and wrong, of what has the keyboard."""
    return window is not None and window.app.casefold().startswith(_OFFICE)


def _spare_keys(acting: Acting) -> int:
    return _OWN_SPARE_KEYS if acting.desktop.name == "private" else _SPARE_KEYS


def _in_terminal(acting: Acting) -> bool:
    held = acting.focused()
    return held is not None and held.role == "terminal"
