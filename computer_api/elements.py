"""One list of what can be acted on on the screen: what programs describe, completed with what is drawn and read.

Programs that describe themselves to assistive technology know where a control ends and what it holds; others, as
Tk and terminals, are read. What lies under another window is left out, and a text inside a control is that control.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from computer_api.geometry import Box, Pixel
from computer_api.own_terminal import own
from computer_api.sight import folded, topmost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Desktop, Element, Elements, Window
    from computer_vision.controls import Drawn
    from computer_vision.reader import Line, Region, Word

Source = Literal["accessibility", "text", "field", "tick"]
"""Who found an element: a program's own description, reading, or the drawing of a field (or button) or of a tick."""

KINDS: dict[str, str] = {
    **dict.fromkeys(("text", "entry", "editbar", "spin button", "date editor", "terminal"), "field"),
    "password text": "password",
    **dict.fromkeys(("push button", "button", "toggle button", "menu button", "push button menu"), "button"),
    **dict.fromkeys(("check box", "switch"), "tick"),
    "radio button": "radio",
    "combo box": "list",
    "menu": "menu",
    **dict.fromkeys(("menu item", "check menu item", "radio menu item"), "menu item"),
    **dict.fromkeys(("list item", "table cell", "tree item"), "item"),
    "link": "link",
    "page tab": "tab",
    **dict.fromkeys(("slider", "dial"), "slider"),
    **dict.fromkeys(
        ("label", "static", "heading", "paragraph", "caption", "column header", "table column header"), "text"
    ),
}
"""AT-SPI roles and the plain kind of each; what has another role only holds others."""

_ENTERED = frozenset({"field", "password", "list"})  # a label beside them names them
_STATES = (
    ("checked", "ticked"),
    ("pressed", "pressed"),
    ("selected", "selected"),
    ("focused", "focused"),
    ("expanded", "expanded"),
    ("indeterminate", "partly ticked"),
)
_WITHIN_POINTS = 8  # how far a control may stick out of its window, whose edges are not always told exactly
_TEXT_ROW = 0.5  # of a control's height: what begins higher is on the same row
_BAR_POINTS = 40  # how high a title bar is that a program draws itself
_READ_WELL = 0.5  # what was read with less certainty is a drawing, unless it names a control
_EMBEDDED = "\ufffc"  # stands in a value where another control is


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenElement:
    """Something that can be acted on, or a text.

    ``role`` is a plain kind: field, password, button, tick, radio, list, menu, menu item, item, link, tab, slider,
    text. ``box`` is in desktop points, ``area`` is left, top, width and height in pixels of the picture it was found
    on. ``states`` are those that matter: ticked, pressed, selected, focused, expanded, partly ticked, disabled.
    ``window`` is the title of its window, ``""`` outside of all. A password field has no ``value``.
    """

    number: int
    role: str
    name: str
    value: str
    box: Box
    area: tuple[int, ...]
    states: tuple[str, ...]
    source: Source
    window: str

    @property
    def pixel(self) -> Pixel:
        """The middle of its area on the picture."""
        left, top, width, height = self.area
        return Pixel(left + width // 2, top + height // 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenElements:
    """Numbered from 1, window by window from the topmost, as people read; ``truncated`` if some were left out."""

    items: tuple[ScreenElement, ...] = ()
    truncated: bool = False


class Listing:
    """Lists the elements of a screenshot. ``lines`` reads it; ``avoided`` are processes whose windows are left out."""

    def __init__(self, desktop: Desktop, lines: Callable[[Screenshot], tuple[Line, ...]]) -> None:
        self.avoided: frozenset[int] = frozenset()
        self._desktop = desktop
        self._lines = lines

    def elements(
        self, screenshot: Screenshot, *, window: Window | None, seconds: float, most: int
    ) -> ScreenElements:
        """What can be acted on on this screenshot, taken just now, or in one window of it.

        Programs get that many seconds to answer; what is found is told even if some do not. Of more than ``most``
        elements the texts are left out first. Where nothing can be read, only what programs describe is listed.
        """
        deadline = time.monotonic() + seconds
        stack = () if self._desktop.windows is None else self._desktop.windows.all()
        described = self._described(seconds)
        lines = self._read(screenshot)
        avoided = own(stack, self.avoided)
        told = [_of_program(element, stack, _texts(lines, (), screenshot)) for element in described.items]
        found = _apart([one for one in told if one is not None])
        texts = _texts(lines, [one.box for one in found if one.role != "text"], screenshot)
        late = time.monotonic() > deadline
        if not late:
            found += _drawn_controls(screenshot, found, texts)
        found, labels = _named(found, texts, screenshot)
        found = [one for one in found if one.role != "text" or not _among(one.box, labels)]
        found += _free_texts(found, [text for text in texts if text.box not in labels])
        placed = [_placed(one, screenshot, stack) for one in found]
        visible = [
            one
            for one in placed
            if one is not None
            and (one.owner is None or one.owner.id not in avoided)
            and (window is None or (one.owner is not None and one.owner.id == window.id))
        ]
        rows = sorted(_most_useful(visible, most), key=lambda one: _order(one, stack))
        ordered = [one.element for one in _in_rows(rows)]
        items = tuple(replace(one, number=number) for number, one in enumerate(ordered, 1))
        return ScreenElements(items=items, truncated=described.truncated or late or len(items) < len(visible))

    def _described(self, seconds: float) -> Elements:
        from computer_platform.desktop import Elements

        accessibility = self._desktop.accessibility
        return Elements() if accessibility is None else accessibility.elements(seconds=seconds)

    def _read(self, screenshot: Screenshot) -> tuple[Line, ...]:
        from computer_api.errors import UnsupportedError

        try:
            return self._lines(screenshot)
        except UnsupportedError:
            return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """Words of a line that was read; ``score`` says how certainly."""

    words: str
    region: Region
    box: Box
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """An element before it has its number and its place on the picture."""

    role: str
    name: str
    value: str
    box: Box
    states: tuple[str, ...]
    source: Source
    pid: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    element: ScreenElement
    owner: Window | None


def _texts(lines: Iterable[Line], controls: Sequence[Box], screenshot: Screenshot) -> list[_Text]:
    """The lines, cut where they go from one control into another or out of one."""
    texts: list[_Text] = []
    for line in lines:
        boxes = [screenshot.box_of(word.region) for word in line.words]
        within = [next((n for n, it in enumerate(controls) if box.center in it), None) for box in boxes]
        for _, words in groupby(zip(within, line.words, strict=True), key=lambda pair: pair[0]):
            texts.append(_text([word for _, word in words], screenshot))
    return texts


def _text(words: Sequence[Word], screenshot: Screenshot) -> _Text:
    from computer_vision.regions import union

    region = union(word.region for word in words)
    return _Text(
        words=" ".join(word.text for word in words),
        region=region,
        box=screenshot.box_of(region),
        score=sum(word.score for word in words) / len(words),
    )


def _of_program(element: Element, stack: Sequence[Window], texts: Sequence[_Text]) -> _Found | None:
    """What a program describes; None for what only holds others, has no size, or is covered."""
    kind = KINDS.get(element.role)
    box = Box(*element.area)
    if kind is None or box.width <= 1 or box.height <= 1 or _is_covered(element, box, stack, texts):
        return None
    if kind == "field" and "editable" not in element.states and element.role == "text":
        kind = "text"
    name = " ".join(element.name.split())
    if kind == "text" and not (name or element.value.strip()):
        return None
    states = [plain for state, plain in _STATES if state in element.states]
    if element.states and not {"enabled", "sensitive"} & element.states:
        states.append("disabled")
    return _Found(
        role=kind,
        name=name or (element.value.strip() if kind == "text" else ""),
        value="" if kind in ("password", "text") else element.value.replace(_EMBEDDED, "").strip(),
        box=box,
        states=tuple(states),
        source="accessibility",
        pid=element.pid,
    )


def _is_covered(element: Element, box: Box, stack: Sequence[Window], texts: Sequence[_Text]) -> bool:
    """Whether another window lies on its middle.

    Of windows of one program nobody says which the control is in: where several could hold it, its words decide.
    """
    top = topmost(stack, box.center)
    if top is None or element.pid is None or top.pid is None:
        return False
    if top.pid != element.pid:
        return any(window.pid == element.pid for window in stack)
    holding = [
        window
        for window in stack
        if window.pid == element.pid
        and not window.hidden
        and _inside(box, Box(*window.outside).grown(_WITHIN_POINTS))
    ]
    if len(holding) <= 1:
        return bool(holding) and holding[0].id != top.id
    words = folded(element.name)
    return (
        bool(words)
        and bool(texts)
        and not any(_says(text, words) for text in texts if _inside(text.box, box))
    )


def _says(text: _Text, words: str) -> bool:
    from difflib import SequenceMatcher

    read = folded(text.words)
    return read in words or words in read or SequenceMatcher(None, read, words).ratio() > 0.7  # noqa: PLR2004 - slips


def _apart(found: list[_Found]) -> list[_Found]:
    """Without texts that stand inside a control, and without controls told twice; a bare control takes such a text."""
    controls: list[_Found] = []
    for one in (one for one in found if one.role != "text"):
        if not any(one.box == other.box and one.role == other.role for other in controls):
            controls.append(one)
    texts = [one for one in found if one.role == "text"]
    named = [
        replace(control, name=next((text.name for text in texts if _inside(text.box, control.box)), ""))
        if not control.name and control.role not in _ENTERED
        else control
        for control in controls
    ]
    free = [text for text in texts if not any(_inside(text.box, control.box) for control in controls)]
    distinct: list[_Found] = []
    for text in free:
        if not any(text.name == other.name and _inside(text.box, other.box) for other in distinct):
            distinct.append(text)
    return named + distinct


def _named(
    found: list[_Found], texts: Sequence[_Text], screenshot: Screenshot
) -> tuple[list[_Found], list[Box]]:
    """Fields under the label that a person reads beside them, which some programs tell wrong; and these labels.

    What takes no text and has no name gets the text that is read inside it; a list without a value shows one.
    """
    from computer_vision.controls import label_of

    outside = [
        text for text in texts if not any(_inside(text.box, one.box) for one in found if one.role != "text")
    ]
    ticks = [text for text in outside if any(_is_beside_tick(text, one) for one in found)]
    outside = [text for text in outside if text not in ticks]
    regions = [text.region for text in outside]
    named, labels = [], [text.box for text in ticks]
    for one in found:
        inside = " ".join(text.words for text in texts if _inside(text.box, one.box))
        if one.role in _ENTERED:
            number = label_of(screenshot.region_of(one.box), regions)
            label = None if number is None else outside[number]
            if label is not None and _names(label, one, found):
                labels.append(label.box)
                one = replace(one, name=label.words.strip(" :*"))  # noqa: PLW2901 - it has got its name
            named.append(replace(one, value=inside) if one.role == "list" and not one.value else one)
        else:
            named.append(one if one.name else replace(one, name=inside))
    return named, labels


def _is_beside_tick(text: _Text, one: _Found) -> bool:
    """Whether the text is the label of a tick box or a radio button: right of it, and its name."""
    box = one.box
    return (
        one.role in ("tick", "radio")
        and text.box.top <= box.center.y < text.box.bottom
        and -box.width <= text.box.left - box.right <= 2 * box.height
        and _says(text, folded(one.name))
    )


def _names(label: _Text, field: _Found, others: Sequence[_Found]) -> bool:
    """Whether a text says something, and no other control stands between it and the field."""
    box = label.box.around(field.box)
    return bool(label.words.strip(" :*")) and not any(
        other.box.overlap(box) for other in others if other is not field and other.role != "text"
    )


def _among(box: Box, labels: Sequence[Box]) -> bool:
    """Whether a text that a program describes is one of the labels that were read."""
    return any(_inside(label, box) for label in labels)


def _drawn_controls(screenshot: Screenshot, found: Sequence[_Found], texts: Sequence[_Text]) -> list[_Found]:
    """Fields, buttons and ticks that are drawn where no program describes anything."""
    from computer_vision.controls import drawn

    described = [one.box for one in found]
    alone = [text for text in texts if not any(_inside(text.box, box) for box in described)]
    controls = drawn(screenshot.frame.pixels, [text.region for text in alone])
    return [
        _from_drawing(control, alone, screenshot)
        for control in controls
        if not any(screenshot.box_of(control.region).overlap(box) for box in described)
    ]


def _from_drawing(control: Drawn, texts: Sequence[_Text], screenshot: Screenshot) -> _Found:
    box = screenshot.box_of(control.region)
    held = "" if control.kind != "field" else " ".join(text.words for text in texts if _inside(text.box, box))
    return _Found(
        role=control.kind,
        name=texts[control.line].words.strip(" :*") if control.kind == "field" else texts[control.line].words,
        value=held,
        box=box,
        states=(),
        source="tick" if control.kind == "tick" else "field",
    )


def _free_texts(found: Sequence[_Found], texts: Sequence[_Text]) -> list[_Found]:
    """Lines that were read and that are no part of anything listed so far."""
    boxes = [one.box for one in found]
    return [
        _Found(role="text", name=text.words, value="", box=text.box, states=(), source="text")
        for text in texts
        if text.score >= _READ_WELL
        and any(letter.isalnum() for letter in text.words)
        and not any(_inside(text.box, box) for box in boxes)
    ]


def _placed(one: _Found, screenshot: Screenshot, stack: Sequence[Window]) -> _Placed | None:
    """The element on its picture, with the window that it lies in; None outside the picture."""
    shown = one.box.shared(screenshot.box)
    if shown is None or not screenshot.shows(shown.center):
        return None
    owner = topmost(stack, shown.center)
    if one.source == "text" and owner is not None and _is_title(one, owner):
        return None
    left, top, width, height = screenshot.rectangle(shown)
    element = ScreenElement(
        number=0,
        role=one.role,
        name=one.name,
        value=one.value,
        box=one.box,
        area=(left, top, max(1, width), max(1, height)),
        states=one.states,
        source=one.source,
        window="" if owner is None else owner.title or owner.app,
    )
    return _Placed(element=element, owner=owner)


def _is_title(text: _Found, window: Window) -> bool:
    """Whether a text stands in the bar that the window manager draws, or is the title in the window's own."""
    own_bar = text.box.top < window.area.top + _BAR_POINTS and folded(text.name) == folded(window.title)
    return own_bar or text.box.center not in Box(*window.area)


def _most_useful(placed: list[_Placed], most: int) -> list[_Placed]:
    """At most that many: controls with a name first, then those without, then texts."""
    if len(placed) <= most:
        return placed
    return sorted(placed, key=lambda one: usefulness(one.element))[:most]


def usefulness(element: ScreenElement) -> int:
    """0 for what is needed most; what has the highest number is left out first."""
    if element.role == "text":
        return 3
    if "focused" in element.states:
        return 0
    return 1 if element.name else 2


def _order(one: _Placed, stack: Sequence[Window]) -> tuple[int, int, int]:
    """The topmost window first, then from the top, then from the left."""
    depth = len(stack)
    if one.owner is not None:
        depth = next(at for at, window in enumerate(reversed(stack)) if window.id == one.owner.id)
    return depth, one.element.box.top, one.element.box.left


def _in_rows(ordered: Iterable[_Placed]) -> list[_Placed]:
    """Those that stand on one row, from left to right, though one may begin some points higher."""
    done: list[_Placed] = []
    row: list[_Placed] = []
    for one in ordered:
        if row and not _on_row(one, row[0]):
            done += sorted(row, key=lambda other: other.element.box.left)
            row = []
        row.append(one)
    return done + sorted(row, key=lambda other: other.element.box.left)


def _on_row(one: _Placed, first: _Placed) -> bool:
    box, of = one.element.box, first.element.box
    same = (one.owner is None) == (first.owner is None)
    same = same and (one.owner is None or first.owner is None or one.owner.id == first.owner.id)
    return same and box.top < of.top + max(4, round(min(of.height, box.height) * _TEXT_ROW))


def _inside(inner: Box, outer: Box) -> bool:
    """Whether most of a box lies in another."""
    return 10 * inner.overlap(outer) >= 7 * inner.width * inner.height
