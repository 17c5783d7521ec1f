"""Find a target on the screen: one match, or an error that names what was there instead.

Words on the screen are read by OCR, because what a person reads decides what is meant; the boxes of
controls come from the accessibility tree, because it knows where a field ends. Neither is believed
alone where both are there: some programs give a field the label of its neighbour.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from computer_api.anchor import anchor_of
from computer_api.errors import AmbiguousError, ComputerError, NotFoundError, UnsupportedError
from computer_api.geometry import Box, Pixel, Point
from computer_api.own_terminal import own
from computer_api.settle import differ
from computer_api.targets import (
    ElementTarget,
    IconTarget,
    Match,
    PictureTarget,
    Target,
    TextTarget,
    described,
)
from computer_api.titles import window_meant
from computer_vision.reader import ReaderUnavailable, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.screenshot import Layout, Screenshot
    from computer_platform.desktop import Desktop, Element, Window
    from computer_vision.reader import Line, Pixels, Reader

ROLES: dict[str, frozenset[str]] = {
    "field": frozenset(
        {"text", "password text", "entry", "editbar", "spin button", "combo box", "date editor"}
    ),
    "button": frozenset({"push button", "button", "toggle button", "menu button", "push button menu"}),
    "tick": frozenset({"check box", "radio button", "toggle button", "switch", "check menu item"}),
    "menu": frozenset({"menu", "menu item", "check menu item", "radio menu item"}),
    "list": frozenset({"list item", "table cell", "tree item", "combo box"}),
    "link": frozenset({"link"}),
}
"""Plain kinds of control and the AT-SPI roles that each covers."""

_POLL_SECONDS = 0.05
_PART_OF_A_WORD = 0.5  # what a hit inside a longer word scores at most: "Subscribe" is not in "Unsubscribe"
_BLINK_SECONDS = 0.8  # longer than a caret is on or off
_BESIDE_POINTS = 400  # how far right of its label a field may begin
_BELOW_POINTS = 48  # how far under its label a field may begin
_TOUCH_POINTS = 8  # how much boxes that only touch may overlap, since readers draw them generously


_CONTAINERS = frozenset(
    {"application", "dialog", "document web", "filler", "frame", "panel", "scroll pane", "window"}
)

SoughtTarget = TextTarget | ElementTarget | IconTarget | PictureTarget


class Locator:
    """Answers targets from the screen as it is when asked. Holds what it last read, keyed by the frame.

    ``anchored`` looks for words that name a bare pixel, which costs a reading of the screen.
    """

    def __init__(
        self, desktop: Desktop, reader: Reader, look: Callable[[], Screenshot], *, anchored: bool = False
    ) -> None:
        self.avoided: frozenset[int] = frozenset()  # processes in whose windows nothing is sought
        self.seen: Layout | None = None  # of the picture on which pixels are chosen
        self._desktop = desktop
        self._reader = reader
        self._look = look
        self._anchored = anchored
        self._read: tuple[Screenshot, tuple[Line, ...]] | None = None

    def locate(self, target: Target, *, seconds: float, check: Callable[[], None]) -> Match:
        """The one place that fits, waiting that long for it to appear.

        Raises ``NotFoundError`` with the closest texts, ``AmbiguousError`` with all candidates, and for a pixel
        ``OffScreenError`` outside the picture and ``ComputerError`` when it was chosen on one of another layout.
        ``check`` may raise to end the wait.
        """
        deadline = time.monotonic() + seconds
        screenshot = self._look()
        while True:
            try:
                return self.locate_on(target, screenshot)
            except NotFoundError:
                later = self._changed(screenshot, deadline, check)
                if later is None:
                    raise
                screenshot = later

    def gone(self, target: Target, *, seconds: float, check: Callable[[], None]) -> bool:
        """Whether the target is off the screen within that time."""
        deadline = time.monotonic() + seconds
        screenshot: Screenshot | None = self._look()
        while screenshot is not None:
            try:
                self.locate_on(target, screenshot)
            except NotFoundError:
                return True
            except AmbiguousError:
                pass
            screenshot = self._changed(screenshot, deadline, check)
        return False

    def locate_on(self, target: Target, screenshot: Screenshot, *, prefer: Sequence[Box] = ()) -> Match:
        """The one place that fits on this picture. Where several do, those inside ``prefer`` win."""
        if isinstance(target, Pixel):
            return self._named(self.as_seen(screenshot).point(target), screenshot)
        found = self.candidates(target, screenshot)
        inside = [match for match in found if any(match.point in box for box in prefer)]
        return self._one(target, inside or found, screenshot)

    def candidates(self, target: SoughtTarget, screenshot: Screenshot) -> list[Match]:
        """Every place that fits on this picture, from the top left; none fits a target without a word."""
        if not _words(target).strip():
            return []
        match target:
            case TextTarget(text=text, window=window, exact=exact):
                found = self._texts(screenshot, text, window, exact=exact)
                if not found:
                    found = self._elements_named(screenshot, text, None, window)
            case ElementTarget(name=name, role="field", window=window):
                found = self._fields(screenshot, name, window)
            case ElementTarget(name=name, role=role, window=window):
                found = self._controls(screenshot, name, role, window)
            case IconTarget(meaning=meaning, window=window):
                found = self._elements_named(screenshot, meaning, "button", window)
            case PictureTarget():
                raise UnsupportedError("Pictures cannot be found yet.")
            case _:
                assert_never(target)
        found = self._outside_avoided(found)
        return sorted(_distinct(found), key=lambda match: (match.box.top // 8, match.box.left))

    def as_seen(self, screenshot: Screenshot) -> Screenshot:
        """This screenshot, if a pixel means the same place on it as on the picture that was seen last.

        Raises ``ComputerError`` when a monitor was added, removed, moved or resized meanwhile.
        """
        if self.seen is None or self.seen == screenshot.layout:
            return screenshot
        raise ComputerError(
            f"The screen has changed since you saw it: {self.seen.difference(screenshot.layout)}. "
            "A pixel of that picture may be another place now, so nothing was done. Look again."
        )

    def lines(self, screenshot: Screenshot) -> tuple[Line, ...]:
        """Everything that can be read on this picture, in its captured pixels. Raises ``UnsupportedError``."""
        if self._read is None or not _same(self._read[0], screenshot):
            self._read = (screenshot, self._lines_of(screenshot.frame.pixels))
        return self._read[1]

    def _lines_of(self, pixels: Pixels) -> tuple[Line, ...]:
        try:
            return self._reader.read(pixels)
        except ReaderUnavailable as unavailable:
            raise UnsupportedError(f"Nothing can be read on the screen: {unavailable}") from None

    def _changed(
        self, screenshot: Screenshot, deadline: float, check: Callable[[], None]
    ) -> Screenshot | None:
        """The next picture that differs from this one, or ``None`` at the deadline.

        A difference as small as a caret, such as one digit, counts once it has outlasted a blink.
        """
        later = screenshot
        small_since: float | None = None
        while (now := time.monotonic()) < deadline:
            check()
            time.sleep(_POLL_SECONDS)
            later = self._look()
            if differ(screenshot.frame, later.frame):
                return later
            if _same(screenshot, later):
                small_since = None
            elif small_since is None:
                small_since = now
            elif now - small_since > _BLINK_SECONDS:
                return later
        return None if small_since is None else later

    def _one(self, target: SoughtTarget, found: list[Match], screenshot: Screenshot) -> Match:
        nth = target.nth
        if nth is not None and found:
            if not 1 <= nth <= len(found):
                raise NotFoundError(
                    f"{described(target)} was asked for, but only {len(found)} are on the screen."
                )
            return found[nth - 1]
        if not found:
            raise self._missing(target, screenshot)
        if len(found) > 1:
            candidates = tuple(_placed(match, screenshot) for match in found)
            raise AmbiguousError(
                f"{described(target)} fits {len(found)} places: {'; '.join(candidates)}. "
                "Say which one by its number, its window or its kind.",
                candidates,
            )
        return found[0]

    def _missing(self, target: SoughtTarget, screenshot: Screenshot) -> NotFoundError:
        from computer_vision.lines import closest

        words = _words(target)
        near = closest(self.lines(screenshot), words) if words.strip() else ()
        advice = (
            "The closest texts are " + ", ".join(f'"{text}"' for text in near) + "."
            if near
            else "No text on the screen comes close."
        )
        return NotFoundError(f"{described(target)} is not on the screen. {advice}", near)

    def _texts(self, screenshot: Screenshot, text: str, window: str | None, *, exact: bool) -> list[Match]:
        """Where the text stands: the exact readings if there are any, else those with OCR slips."""
        from computer_vision.lines import find

        found = [
            Match(box=screenshot.box_of(hit.region), text=hit.text, score=hit.score, source="text")
            for hit in find(self.lines(screenshot), text, exact=exact)
            if hit.score > _PART_OF_A_WORD
        ]
        if window is not None:
            found = self._inside(found, window)
        best = max((match.score for match in found), default=0.0)
        return [match for match in found if match.score >= best - 0.02]

    def _inside(self, found: list[Match], title: str) -> list[Match]:
        """Those matches that lie in the window of that title, and not under a window above it."""
        stack = self._windows()
        wanted = window_meant(stack, title)
        return [match for match in found if topmost(stack, match.point) == wanted]

    def _outside_avoided(self, found: list[Match]) -> list[Match]:
        """Those matches that do not lie in a window of ours."""
        if not found or not self.avoided:
            return found
        stack = self._windows()
        avoided = own(stack, self.avoided)
        under = [topmost(stack, match.point) for match in found]
        return [
            match
            for match, window in zip(found, under, strict=True)
            if window is None or window.id not in avoided
        ]

    def _windows(self) -> tuple[Window, ...]:
        return () if self._desktop.windows is None else self._desktop.windows.all()

    def _elements(self) -> tuple[Element, ...]:
        accessibility = self._desktop.accessibility
        return () if accessibility is None else accessibility.elements().items

    def _elements_named(
        self, screenshot: Screenshot, name: str, role: str | None, window: str | None
    ) -> list[Match]:
        """Controls that say this name to assistive technology, inside the picture."""
        roles = None if role is None else ROLES.get(role, frozenset({role}))
        found = [
            Match(box=Box(*element.area), text=element.name, score=0.9, source="accessibility")
            for element in self._elements()
            if (element.role not in _CONTAINERS if roles is None else element.role in roles)
            and _folded(element.name) == _folded(name)
            and screenshot.shows(Box(*element.area).center)
        ]
        return found if window is None else self._inside(found, window)

    def _controls(
        self, screenshot: Screenshot, name: str, role: str | None, window: str | None
    ) -> list[Match]:
        """Controls of a kind by the words in them; the words on the screen decide, the tree gives boxes."""
        texts = self._texts(screenshot, name, window, exact=False)
        roles = ROLES.get(role or "", frozenset({role or ""}))
        boxes = [
            Box(*element.area)
            for element in self._elements()
            if (role is None or element.role in roles) and screenshot.shows(Box(*element.area).center)
        ]
        held = [replace(text, box=box) for text in texts for box in boxes if _holds(box, text.box)]
        if held:
            return held
        if role == "tick":
            return [self._tick(screenshot, text) for text in texts]
        return texts or self._elements_named(screenshot, name, role, window)

    def _tick(self, screenshot: Screenshot, label: Match) -> Match:
        from computer_vision.fields import tick_beside

        region = tick_beside(screenshot.frame.pixels, screenshot.region_of(label.box))
        return label if region is None else replace(label, box=screenshot.box_of(region), source="field")

    def _fields(self, screenshot: Screenshot, name: str, window: str | None) -> list[Match]:
        """What takes text and belongs to a label: in it, right of it, or below it."""
        labels = self._texts(screenshot, name, window, exact=False)
        boxes = [
            Box(*element.area)
            for element in self._elements()
            if _takes_a_value(element) and screenshot.shows(Box(*element.area).center)
        ]
        found = [self._field_of(screenshot, label, boxes) for label in labels]
        fields = [field for field in found if field is not None]
        return fields if labels else self._elements_named(screenshot, name, "field", window)

    def _field_of(self, screenshot: Screenshot, label: Match, boxes: list[Box]) -> Match | None:
        box = belonging(label.box, boxes)
        if box is not None:
            return Match(box=box, text=label.text, score=label.score, source="accessibility")
        box = self._drawn_field(screenshot, label.box)
        if box is None:
            return None
        return Match(box=box, text=label.text, score=label.score * 0.9, source="field")

    def _drawn_field(self, screenshot: Screenshot, label: Box) -> Box | None:
        """The box drawn right of a label, else the one below it, unless that is a button with words of its own."""
        from computer_vision.fields import field_beside

        region = screenshot.region_of(label)
        beside = field_beside(screenshot.frame.pixels, region, side="right")
        if beside is not None:
            return screenshot.box_of(beside)
        below = field_beside(screenshot.frame.pixels, region, side="below")
        if below is None:
            return None
        box = screenshot.box_of(below)
        return None if any(_hugs(box, text) for _, text in self._boxed_lines(screenshot)) else box

    def _boxed_lines(self, screenshot: Screenshot) -> list[tuple[str, Box]]:
        """Every line of the picture as text with its box on the desktop."""
        return [(text, screenshot.box_of(region)) for text, region in map(_joined, self.lines(screenshot))]

    def _named(self, point: Point, screenshot: Screenshot) -> Match:
        """A bare point, and in a run that is recorded a question that finds it again."""
        here = Match(box=Box(point.x, point.y, 1, 1), text="", score=1.0, source="pixel")
        if not self._anchored:
            return here
        try:
            lines, elements = self._boxed_lines(screenshot), self._elements()
        except UnsupportedError:  # nothing reads here: the click itself needs no words
            return here
        anchor = anchor_of(point, lines, elements, lambda question: self.candidates(question, screenshot))
        return here if anchor is None else replace(here, anchor=anchor, text=_words(anchor))


def belonging(label: Box, fields: Sequence[Box]) -> Box | None:
    """The field that a label names: around the label, else beginning nearest right of it, else nearest below."""
    holding = [box for box in fields if _holds(box, label)]
    if holding:
        return min(holding, key=lambda box: box.width * box.height)
    middle = label.center.y
    beside = [
        box
        for box in fields
        if box.top <= middle < box.bottom
        and label.right - _TOUCH_POINTS <= box.left <= label.right + _BESIDE_POINTS
    ]
    if beside:
        return min(beside, key=lambda box: box.left)
    below = [
        box
        for box in fields
        if label.bottom - _TOUCH_POINTS <= box.top <= label.bottom + _BELOW_POINTS
        and box.left - 24 <= label.left <= box.right
    ]
    return min(below, key=lambda box: box.top, default=None)


def _hugs(box: Box, text: Box) -> bool:
    """Whether a box is drawn around a text, as a button is: the text inside it, in its middle, filling it."""
    margins = text.left - box.left, box.right - text.right
    return (
        _holds(box, text)
        and abs(margins[0] - margins[1]) <= max(_TOUCH_POINTS, box.width // 10)
        and 2 * text.width >= box.width
    )


def _joined(line: Line) -> tuple[str, Region]:
    """A line's words as one text, and the region around them."""
    regions = [word.region for word in line.words]
    left, top = min(region.left for region in regions), min(region.top for region in regions)
    right, bottom = max(region.right for region in regions), max(region.bottom for region in regions)
    return " ".join(word.text for word in line.words), Region(left, top, right - left, bottom - top)


def _takes_a_value(element: Element) -> bool:
    """Whether a control is a field: of such a role, and either editable or a list to choose from."""
    return element.role in ROLES["field"] and (element.role == "combo box" or "editable" in element.states)


def _same(one: Screenshot, other: Screenshot) -> bool:
    import numpy as np

    return one.frame is other.frame or np.array_equal(one.frame.pixels, other.frame.pixels)


def _distinct(found: list[Match]) -> list[Match]:
    """The matches without those that lie on a better one."""
    kept: list[Match] = []
    for match in sorted(found, key=lambda match: -match.score):
        smaller = match.box.width * match.box.height
        if all(2 * match.box.overlap(other.box) <= smaller for other in kept):
            kept.append(match)
    return kept


def _holds(outer: Box, inner: Box) -> bool:
    return 10 * outer.overlap(inner) >= 7 * inner.width * inner.height


def topmost(stack: Sequence[Window], point: Point) -> Window | None:
    """The window that a click on the point would reach, its drawn frame included."""
    above = [window for window in stack if not window.hidden and point in Box(*window.area).grown(32)]
    inside = [window for window in above if point in Box(*window.area)]
    return next(iter(reversed(inside or above)), None)


def _words(target: SoughtTarget) -> str:
    match target:
        case TextTarget(text=words) | ElementTarget(name=words) | IconTarget(meaning=words):
            return words
        case PictureTarget(path=words):
            return words


def _placed(match: Match, screenshot: Screenshot) -> str:
    pixel = screenshot.pixel(match.point)
    return f'"{match.text}" at {pixel.x},{pixel.y}'


def _listed(titles: Sequence[str]) -> str:
    return ", ".join(f'"{title}"' for title in titles) or "none"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(":")
