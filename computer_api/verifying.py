"""Whether a control is where its program says, judged by the windows and by what the picture shows there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.sight import folded, holds, topmost
from computer_api.titles import named

if TYPE_CHECKING:
    from computer_api.sight import Sight
    from computer_platform.desktop import Element

POPUP_ROLES = frozenset(
    {
        *(
            "menu",
            "menu item",
            "check menu item",
            "radio menu item",
            "popup menu",
            "list item",
            "list",
            "list box",
        ),
        *("table cell", "tree item", "combo box", "window", "separator"),
    }
)
"""What may stand in a menu or in a list that drops down."""
WRITTEN = frozenset(
    {
        *(
            "push button",
            "button",
            "toggle button",
            "menu button",
            "push button menu",
            "check box",
            "radio button",
        ),
        *("menu", "menu item", "check menu item", "radio menu item", "page tab", "switch"),
    }
)
"""Controls whose name is written on them, if it is written anywhere."""
_BESIDE_POINTS = 400  # how far left of a field its label may end


def misplaced(sight: Sight, element: Element) -> str | None:
    """Why a control is not where its program says, as the end of a sentence; None if nothing speaks against it."""
    covered = _covered(sight, element)
    if covered is not None:
        return covered
    if element.role in WRITTEN:
        empty = "nothing is drawn there" if sight.is_empty(Box(*element.area)) else None
        return _other_words(sight, element) or empty
    if "editable" in element.states:
        return _other_label(sight, element)
    return None


def doubt(sight: Sight, element: Element, why: str) -> str:
    """What a person is told about a control that was not taken."""
    left, top, _, _ = sight.screenshot.rectangle(Box(*element.area))
    return f'A program says that its {element.role} "{element.name}" is at {left},{top}, but {why}.'


def _covered(sight: Sight, element: Element) -> str | None:
    """What a click in its middle would reach instead."""
    point = Box(*element.area).center
    if any(point in Box(*popup.area) for popup in sight.popups if popup.kind != "tooltip"):
        return None if element.role in POPUP_ROLES else "a menu or a list covers it"
    own = [window for window in sight.windows if window.pid == element.pid and element.pid is not None]
    if not own:
        return None
    window = topmost(sight.windows, point)
    if window is None:
        return "no window is there"
    holding = [one for one in own if holds(Box(*one.outside), Box(*element.area))]
    if window.pid == element.pid and (window in holding or len(holding) != 1):
        return None  # of several windows of one program nobody says which it is in
    return f"the window {named(window)} covers it"


def _other_words(sight: Sight, element: Element) -> str | None:
    """The words in its box, where they are another control's name."""
    box = Box(*element.area)
    there = " ".join(text for text, around in sight.texts if holds(box, around))
    return _if_of_another(sight, element, there, WRITTEN)


def _other_label(sight: Sight, element: Element) -> str | None:
    """The label that is drawn left of a field, where it is another field's name."""
    box = Box(*element.area)
    beside = [
        (box.left - around.right, text)
        for text, around in sight.texts
        if box.top <= around.center.y < box.bottom and 0 <= box.left - around.right <= _BESIDE_POINTS
    ]
    return _if_of_another(sight, element, min(beside)[1] if beside else "", frozenset({element.role}))


def _if_of_another(sight: Sight, element: Element, words: str, roles: frozenset[str]) -> str | None:
    wanted = folded(words)
    if not wanted or wanted == folded(element.name):
        return None
    others = [one for one in sight.named(words, roles, element.pid) if one.area != element.area]
    return f'"{words}" is what stands there' if others else None
