"""All that is known of one picture: its texts, the controls and the windows at that moment, each asked for once."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from computer_api.geometry import Box, Point
from computer_api.titles import window_meant
from computer_vision.regions import union

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Desktop, Element, Popup, Window
    from computer_vision.reader import Line, Region

_EVEN = 10  # levels by which the colours of an empty place may differ
_FRAME_POINTS = 32  # of a frame that nobody tells of


@dataclass(eq=False)
class Sight:
    """One picture with what the desktop and its programs say about it.

    ``doubts`` collects why something that fits was not taken, ``longer`` the labels of which it was only a part.
    """

    screenshot: Screenshot
    desktop: Desktop
    read: Callable[[Screenshot], tuple[Line, ...]]
    doubts: list[str] = field(default_factory=list)
    longer: list[str] = field(default_factory=list)
    seek: Callable[[Screenshot, str], tuple[Line, ...]] | None = None

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """What can be read, in captured pixels. Raises ``UnsupportedError``."""
        return self.read(self.screenshot)

    def closer(self, words: str) -> Sight | None:
        """The same, where lines that may say the words, though they were read otherwise, say them; None if none may."""
        again = self.lines if self.seek is None else self.seek(self.screenshot, words)
        if again is self.lines:
            return None
        closer = copy(self)
        closer.lines = again
        closer.__dict__.pop("texts", None)
        return closer

    @cached_property
    def texts(self) -> list[tuple[str, Box]]:
        """Every line as one text with its box on the desktop."""
        return [(text, self.screenshot.box_of(region)) for text, region in map(_joined, self.lines)]

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """The windows, from the bottom to the top."""
        return () if self.desktop.windows is None else self.desktop.windows.all()

    @cached_property
    def popups(self) -> tuple[Popup, ...]:
        """Menus and the like that show."""
        return () if self.desktop.windows is None else self.desktop.windows.popups()

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """What programs say that they show, as far as it has an area on the picture."""
        accessibility = self.desktop.accessibility
        told = () if accessibility is None else accessibility.elements().items
        return tuple(element for element in told if self._has_a_place(element))

    def named(self, name: str, roles: frozenset[str] | None = None, pid: int | None = None) -> list[Element]:
        """What programs say that they show by that name: far sooner known than all that they show."""
        accessibility = self.desktop.accessibility
        if accessibility is None:
            return []
        told = accessibility.find(name, roles=roles, pid=pid).items
        return [element for element in told if self._has_a_place(element)]

    def _has_a_place(self, element: Element) -> bool:
        box = Box(*element.area)
        return box.width > 1 and box.height > 1 and self.screenshot.shows(box.center)

    def window_at(self, point: Point) -> Window | None:
        """The window that a click on the point would reach."""
        return topmost(self.windows, point)

    def is_empty(self, box: Box) -> bool:
        """Whether nothing is drawn in the box: one colour, or nearly so."""
        region = self.screenshot.region_of(box)
        part = self.screenshot.frame.pixels[region.top : region.bottom, region.left : region.right, :3]
        return part.size == 0 or int((part.max(axis=(0, 1)) - part.min(axis=(0, 1))).max()) <= _EVEN

    def dialog(self, title: str) -> Window | None:
        """The dialog of that title, or the topmost one; None if none is open. Raises as ``window_meant`` does."""
        dialogs = [one for one in self.windows if one.dialog_of is not None and not one.hidden]
        if not title.strip():
            return dialogs[-1] if dialogs else None
        return window_meant(self.windows, title)


def smallest(elements: Iterable[Element]) -> Element | None:
    """The control with the smallest area, which is the innermost of those that hold one place; None of none."""
    return min(elements, key=lambda one: one.area.width * one.area.height, default=None)


def window_under(desktop: Desktop, point: Point) -> Window | None:
    """The window that a click on the point would reach now; None where there is none, or windows are not told."""
    manager = desktop.windows
    return None if manager is None else topmost(manager.all(), point)


def topmost(stack: Sequence[Window], point: Point) -> Window | None:
    """The window that a click on the point would reach, its drawn frame included."""
    shown = [window for window in stack if not window.hidden]
    there = [window for window in shown if point in Box(*window.outside)]
    beside = [
        window for window in shown if window.frame is None and point in Box(*window.area).grown(_FRAME_POINTS)
    ]
    return next(iter(reversed(there or beside)), None)


def holds(outer: Box, inner: Box) -> bool:
    """Whether most of one box lies in the other."""
    return 10 * outer.overlap(inner) >= 7 * inner.width * inner.height


def folded(text: str) -> str:
    """The text for comparing: small letters, single spaces, without a colon at its end."""
    return " ".join(text.casefold().split()).rstrip(":")


def _joined(line: Line) -> tuple[str, Region]:
    """A line's words as one text, and the region around them."""
    return " ".join(word.text for word in line.words), union(word.region for word in line.words)
