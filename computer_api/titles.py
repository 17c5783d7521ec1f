"""Which window a person means by a title: as strict as texts are, since the wrong one closed is lost work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from computer_api.errors import AmbiguousError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_platform.desktop import Window


def window_meant(stack: Sequence[Window], title: str) -> Window:
    """The one window of that title, else of the program of that name, else with these whole words in its title.

    ``stack`` is ordered from the bottom to the top; of windows with the same title the topmost is meant.
    Raises ``AmbiguousError`` naming the titles when they differ, ``NotFoundError`` naming those there are.
    """
    found = _fitting(stack, title)
    if not found:
        titles = tuple(window.title for window in stack)
        raise NotFoundError(f'No window is called "{title}". Open are: {_listed(titles) or "none"}.', titles)
    titles = tuple(dict.fromkeys(window.title for window in found))
    if len({_folded(one) for one in titles}) > 1:
        raise AmbiguousError(
            f'Several windows fit "{title}": {_listed(titles)}. Say the whole title of one.', titles
        )
    return found[-1]


def _fitting(stack: Sequence[Window], title: str) -> list[Window]:
    """The windows that fit in the first way in which any does."""
    wanted = _folded(title)
    if not wanted:
        return []  # every title holds it, and nobody means them all
    words = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
    return (
        [window for window in stack if _folded(window.title) == wanted]
        or [window for window in stack if _folded(window.app) == wanted]
        or [window for window in stack if words.search(_folded(window.title))]
    )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _listed(titles: Sequence[str]) -> str:
    return ", ".join(f'"{title}"' for title in titles)
