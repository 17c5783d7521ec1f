"""Which window a person means by a title: as strict as texts are, since the wrong one closed is lost work."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from computer_api.errors import AmbiguousError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_platform.desktop import Window

Way = Literal["title", "program", "words"]
_WAYS: tuple[Way, ...] = ("title", "program", "words")
_SHOWN = 60  # characters of a title, which may hold a whole page


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """In which way a title means windows: it is their whole title, their program's name, or words of their title."""

    title: str
    way: Way

    def fits(self, window: Window) -> bool:
        """Whether the window is one that is meant."""
        wanted = _folded(self.title)
        match self.way:
            case "title":
                return _folded(window.title) == wanted
            case "program":
                return _folded(window.app) == wanted
            case "words":
                return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", _folded(window.title)) is not None


def window_meant(stack: Sequence[Window], title: str) -> Window:
    """The one window of that title, else of the program of that name, else with these whole words in its title.

    ``stack`` is ordered from the bottom to the top; of windows with the same title the topmost is meant.
    Raises ``AmbiguousError`` naming the titles when they differ, ``NotFoundError`` naming those there are.
    """
    meaning = meaning_of(stack, title)
    if meaning is None:
        titles = tuple(window.title for window in stack)
        raise NotFoundError(f'No window is called "{title}". Open are: {_listed(stack) or "none"}.', titles)
    found = [window for window in stack if meaning.fits(window)]
    if len({_folded(window.title) for window in found}) > 1:
        different = tuple(dict.fromkeys(window.title for window in found))
        raise AmbiguousError(
            f'Several windows fit "{title}": {_listed(found)}. Say the whole title of one.', different
        )
    return found[-1]


def meaning_of(stack: Sequence[Window], title: str) -> Meaning | None:
    """The first way in which the title means any of these windows."""
    if not _folded(title):
        return None  # every title holds it, and nobody means them all
    meanings = (Meaning(title=title, way=way) for way in _WAYS)
    return next((one for one in meanings if any(one.fits(window) for window in stack)), None)


def called(window: Window) -> str:
    """The window's title, or its program's name where that says nothing."""
    return window.title if window.title.strip() else window.app


def named(window: Window) -> str:
    """The window in a sentence: its title in quotes, or its program's name; short, and on one line."""
    words = " ".join(called(window).split())
    return f'"{words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"}"'


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _listed(windows: Sequence[Window]) -> str:
    return ", ".join(dict.fromkeys(named(window) for window in windows))
