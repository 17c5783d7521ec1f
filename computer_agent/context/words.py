"""The screen in words, for models that cannot see: one line an element, window by window."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from computer_agent.context.results import as_data
from computer_api.elements import usefulness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_api.elements import ScreenElement, ScreenElements

MOST_TOKENS = 2000
"""What one list may take of a model's window, about."""

_CHARACTERS = 3  # of such lines, at least, in a token
_LONGEST_NAME, _LONGEST_VALUE = 80, 400
_MORE = "(More elements are on the screen; scroll, or use another window, to see them.)"


def in_words(elements: ScreenElements, *, most_tokens: int = MOST_TOKENS) -> str:
    """Lines such as ``[12] button "Save" 640,412``, with the middle of each in pixels of the picture.

    Where there are more than fit, texts are left out first, then controls without a name; the last line says so.
    """
    lines = {one.number: _line(one) for one in elements.items}
    headings = {one.number: _heading(one.window) for one in elements.items}
    left = (
        most_tokens * _CHARACTERS - sum(len(heading) + 1 for heading in set(headings.values())) - len(_MORE)
    )
    kept: set[int] = set()
    for one in sorted(elements.items, key=usefulness):
        left -= len(lines[one.number]) + 1
        if left < 0:
            break
        kept.add(one.number)
    told = list(_told([one for one in elements.items if one.number in kept], lines, headings))
    if elements.truncated or len(kept) < len(elements.items):
        told.append(_MORE)
    return as_data("\n".join(told)) or "(Nothing can be told of this screen.)"


def _told(items: list[ScreenElement], lines: dict[int, str], headings: dict[int, str]) -> Iterator[str]:
    last = ""
    for one in items:
        if headings[one.number] != last:
            last = headings[one.number]
            yield last
        yield lines[one.number]


def _heading(window: str) -> str:
    return f"Window {_quoted(window, _LONGEST_NAME)}:" if window else "Outside all windows:"


def _line(one: ScreenElement) -> str:
    place = one.pixel
    words = [f"[{one.number}]", one.role]
    if one.name:
        words.append(_quoted(one.name, _LONGEST_NAME if one.role != "text" else _LONGEST_VALUE))
    if one.value:
        words.append(f"= {_quoted(one.value, _LONGEST_VALUE)}")
    return " ".join([*words, f"{place.x},{place.y}", *one.states])


def _quoted(text: str, longest: int) -> str:
    """On one line, in quotes, its middle left out where it is long: what the screen says is data."""
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 2 :]}"
    return json.dumps(text, ensure_ascii=False)
