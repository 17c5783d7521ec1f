"""What a place is known by on another day: the words in it or beside it, what surrounds it, how it looks.

They are taken from the picture on which the place was used. The question among them was asked at once on the same
picture, and is kept only if its answer holds the place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from computer_api.control_path import known_path
from computer_api.empty_spots import AREAS, spotted
from computer_api.fields import takes_a_value
from computer_api.geometry import Box
from computer_api.labels import is_drawn_button, phrase_around
from computer_api.own_ids import identified_at
from computer_api.sight import folded, smallest
from computer_api.targets import Anchors, ElementTarget, TextTarget, words_of
from computer_api.telling_apart import setting_of, what_tells
from computer_api.verifying import WRITTEN
from computer_api.waking import told_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from computer_api.geometry import Point
    from computer_api.sight import Sight
    from computer_api.targets import Apart, Match, SoughtTarget
    from computer_platform.desktop import Element, Window

_BESIDE_POINTS = 500  # how far left of a point its label may end
_ABOVE_POINTS = 80  # how far above a point its label may end
_TICK_POINTS = 40  # how far right of a tick box its label may begin
_SHORTEST = 2  # letters of a label: a lone one is some mark, or was misread
_FEWEST_LETTERS = 2  # different ones: dots that hide a password are read as one letter many times
_LABELS = 4  # how many labels are tried, nearest first
_SLACK_POINTS = 4  # a click beside a letter still means the word
_SENTENCE = 4  # words from which on it matters where in a text a click was
_NEIGHBOURS = 6
_LINES = 3  # times as high as its text: a box for several lines
_LEFT = 2  # times as much room right of what stands in a field as left of it
_LOOK_POINTS = 20  # around a place without words, that are kept as a picture
_OF_ROWS = frozenset({"list", "list box", "list item", "tree", "tree item"})  # which have no columns
_TICKS = frozenset({"check box", "radio button", "switch", "check menu item", "radio menu item"})


def anchors_of(
    point: Point,
    sight: Sight,
    ask: Callable[[SoughtTarget], Sequence[Match]],
    asked: tuple[SoughtTarget, Box] | None = None,
) -> Anchors:
    """What the place can be found again by; with ``asked``, a question that it answered already and that answer."""
    window = sight.window_at(point)
    if asked is None and window is not None:
        told_in(window, sight)  # who recorded may have been the first to ask this program
    found, box = (
        asked
        or _question(point, sight, ask)
        or _of_its_row(point, sight, ask)
        or (None, Box(point.x, point.y, 1, 1))
    )
    dialog = _dialog_of(sight, window)
    control = None if found is not None else _only_of_its_kind(point, sight)
    own = identified_at(point, sight)
    return Anchors(
        question=found,
        aim=_aim(found, point, box) if control is None else _within(Box(*control.area), point),
        row=row_of(box, sight),
        near=near(box, sight),
        **_apart(found, box, sight, ask),
        program="" if window is None else window.app,
        window="" if window is None else window.title,
        dialog="" if dialog is None else dialog.title,
        role=next((one.role for one in (own, control) if one is not None), ""),
        id="" if own is None else own.id,
        look=b"" if found is not None else _look(point, sight),
        path=known_path(point, sight),
        **(spotted(point, sight) if found is None else {}),
    )


class _Apart(TypedDict, total=False):
    apart: Apart
    shared: tuple[str, ...]
    caption: str


def _apart(
    question: SoughtTarget | None, box: Box, sight: Sight, ask: Callable[[SoughtTarget], Sequence[Match]]
) -> _Apart:
    """What tells a place from others that answer the same question; nothing where it is the only one."""
    if question is None or question.nth is None:
        return {}
    boxes = [match.box for match in ask(replace(question, nth=None))]
    if box not in boxes or len(boxes) == 1:
        return {}
    settings = [setting_of(one, row_of(one, sight), sight) for one in boxes]
    apart, shared, caption = what_tells(settings, boxes.index(box), words_of(question))
    return {"apart": apart, "shared": tuple(sorted(shared)), "caption": caption}


def row_of(box: Box, sight: Sight) -> tuple[str, ...]:
    """The texts beside a place, in its window and on its row, from the left; none of what lies in the place itself."""
    window = sight.window_at(box.center)
    beside = [
        (around.left, text)
        for text, around in sight.texts
        if 2 * min(box.bottom - around.top, around.bottom - box.top, around.height) > around.height
        and not around.overlap(box)
        and sight.window_at(around.center) == window
    ]
    return tuple(text for _, text in sorted(beside) if _is_label(text))[:_NEIGHBOURS]


def near(box: Box, sight: Sight) -> tuple[str, ...]:
    """The texts above and below a place in its window, the nearest first."""
    window = sight.window_at(box.center)
    around = [
        (min(abs(box.top - one.bottom), abs(one.top - box.bottom)) + abs(one.left - box.left) // 4, text)
        for text, one in sight.texts
        if (one.bottom <= box.top or one.top >= box.bottom) and sight.window_at(one.center) == window
    ]
    return tuple(text for _, text in sorted(around) if _is_label(text))[:_NEIGHBOURS]


def dialog_before(sight: Sight, point: Point) -> Window | None:
    """The dialog that lies before the window at a point; None if none does."""
    return _dialog_of(sight, sight.window_at(point))


def _dialog_of(sight: Sight, window: Window | None) -> Window | None:
    if window is None:
        return None
    known = {one.id for one in sight.windows}
    above = sight.windows[sight.windows.index(window) + 1 :]
    return next((one for one in reversed(above) if not one.hidden and _belongs(one, window, known)), None)


def _belongs(dialog: Window, window: Window, known: set[int]) -> bool:
    """Whether one is a dialog of the other; some programs name a part of theirs that no list of windows has."""
    if dialog.dialog_of in known:
        return dialog.dialog_of == window.id
    return dialog.dialog_of is not None and dialog.pid is not None and dialog.pid == window.pid


def only_of_kind(role: str, window: Window | None, sight: Sight) -> Element | None:
    """The only control of a role in a window that takes text, as that of an editor; None if there are several."""
    some = [
        one
        for one in sight.elements
        if one.role == role and takes_a_value(one) and sight.window_at(Box(*one.area).center) == window
    ]
    return some[0] if len(some) == 1 else None


def _only_of_its_kind(point: Point, sight: Sight) -> Element | None:
    """The text area at a point where it is the only one: a place in anything else is not known by its kind."""
    here = smallest(one for one in sight.elements if point in Box(*one.area))
    return None if here is None else only_of_kind(here.role, sight.window_at(point), sight)


def _question(
    point: Point, sight: Sight, ask: Callable[[SoughtTarget], Sequence[Match]]
) -> tuple[SoughtTarget, Box] | None:
    """The first question whose answer holds the point, and that answer; the number it has where several fit."""
    several: tuple[SoughtTarget, Box] | None = None
    for question in _questions(point, sight):
        found = ask(question)
        holding = [number for number, match in enumerate(found, 1) if point in match.box.grown(_SLACK_POINTS)]
        if len(holding) != 1 or not is_as_said(question, found[holding[0] - 1], sight):
            continue
        box = found[holding[0] - 1].box
        if len(found) == 1:
            return question, box
        several = several or (replace(question, nth=holding[0]), box)
    return several


def _of_its_row(
    point: Point, sight: Sight, ask: Callable[[SoughtTarget], Sequence[Match]]
) -> tuple[SoughtTarget, Box] | None:
    """The only words in the row of a list at a point beside them: a list takes its rows as a whole."""
    here = smallest(one for one in sight.elements if point in Box(*one.area))
    if here is None or here.role not in _OF_ROWS:
        return None
    inside = Box(*here.area)
    row = [
        (text.strip(_MARKS), box)
        for text, box in sight.texts
        if box.center in inside and box.top <= point.y < box.bottom
    ]
    if len(row) != 1 or not _is_label(row[0][0]):
        return None
    question = TextTarget(row[0][0])
    found = ask(question)
    at = [number for number, one in enumerate(found, 1) if one.box.overlap(row[0][1])]
    if len(at) != 1:
        return None
    box = found[at[0] - 1].box
    return (question, box) if len(found) == 1 else (replace(question, nth=at[0]), box)


def is_as_said(question: SoughtTarget, match: Match, sight: Sight) -> bool:
    """Whether an answer does not look like something else: a drawn box with words in its middle is no field.

    Neither is a high one with words in it, as the pane is that shows a folder beside the list of places.
    """
    if not isinstance(question, ElementTarget) or question.role != "field" or match.source != "field":
        return True
    box = match.box
    inside = [text for _, text in sight.texts if text.center in box]
    if not inside:
        return True
    if box.height > _LINES * inside[0].height:
        return False
    left = min(text.left for text in inside) - box.left
    right = box.right - max(text.right for text in inside)
    return _LEFT * left < right


def _questions(point: Point, sight: Sight) -> Iterator[SoughtTarget]:
    """Likeliest first: what a control says of itself, the words there, the label of a field or a tick box."""
    control = smallest(one for one in sight.elements if point in Box(*one.area) and _is_one(one))
    own = _words_at(point, sight)
    if control is not None:
        yield from _of_control(control, point, sight, own)
    elif own is not None and _is_button(own, sight):
        yield TextTarget(own[0])
    if own is None:
        yield from (ElementTarget(label, role="tick") for label in _labels_right(point, sight))
    yield from (ElementTarget(label, role="field") for label in _labels(point, sight))
    if own is not None:
        yield TextTarget(own[0])
    if control is not None and control.name and control.role not in AREAS:
        yield ElementTarget(control.name, role=control.role)


def _is_one(element: Element) -> bool:
    return takes_a_value(element) or element.role in WRITTEN or element.role in _TICKS or bool(element.name)


def _of_control(
    control: Element, point: Point, sight: Sight, own: tuple[str, Box] | None
) -> Iterator[SoughtTarget]:
    if takes_a_value(control):
        yield from (ElementTarget(label, role="field") for label in _labels(point, sight))
        if control.name:
            yield ElementTarget(control.name, role="field")
        return
    if control.role in _TICKS and control.name:
        yield ElementTarget(control.name, role="tick")
    if control.role in WRITTEN and control.name and (own is None or folded(own[0]) != folded(control.name)):
        yield ElementTarget(control.name, role=control.role)
    if own is not None:
        yield TextTarget(own[0])


def _words_at(point: Point, sight: Sight) -> tuple[str, Box] | None:
    """The words under a point, without bullets and boxes read as letters, and where they are."""
    for text, box in sight.texts:
        if point in box.grown(_SLACK_POINTS):
            place = sight.screenshot.region_of(Box(point.x, point.y, 1, 1))
            words, region = phrase_around(sight.lines, place)
            around = sight.screenshot.box_of(region) if words else box
            words = (words or text).strip(_MARKS)
            return (words, around) if _is_label(words) else None
    return None


def _is_button(own: tuple[str, Box], sight: Sight) -> bool:
    """Whether a box is drawn around the words, with these in its middle."""
    return is_drawn_button(sight, sight.screenshot.region_of(own[1]))


_MARKS = " :*■□▪▫●○◉◯☐☑☒✓✔★☆▲▼►◄«»|"


def _is_label(text: str) -> bool:
    letters = [sign for sign in text.casefold() if sign.isalnum()]
    return len(letters) >= _SHORTEST and (len(set(letters)) >= _FEWEST_LETTERS or len(letters) == _SHORTEST)


def _labels(point: Point, sight: Sight) -> list[str]:
    """The texts that may name a field at the point: left of it on its row, then above it; nearest first."""
    lines = sight.texts
    left = [
        (point.x - box.right, text)
        for text, box in lines
        if box.top - box.height <= point.y < box.bottom + box.height
        and 0 <= point.x - box.right <= _BESIDE_POINTS
    ]
    above = [
        (point.y - box.bottom, text)
        for text, box in lines
        if 0 <= point.y - box.bottom <= _ABOVE_POINTS and box.left <= point.x <= box.left + _BESIDE_POINTS
    ]
    labels = [text.strip(_MARKS) for _, text in [*sorted(left), *sorted(above)]]
    return [label for label in labels if _is_label(label)][:_LABELS]


def _labels_right(point: Point, sight: Sight) -> list[str]:
    """The text that may name a tick box at the point: right of it on its row; the box may be read as its first sign."""
    beside = [
        (box.left - point.x, region)
        for line in sight.lines
        for region, box in ((word.region, sight.screenshot.box_of(word.region)) for word in line.words)
        if box.top - _SLACK_POINTS <= point.y < box.bottom + _SLACK_POINTS
        and 0 <= box.left - point.x <= _TICK_POINTS
    ]
    if not beside:
        return []
    label = phrase_around(sight.lines, min(beside)[1])[0].strip(_MARKS)
    return [label] if _is_label(label) else []


def _aim(question: SoughtTarget | None, point: Point, box: Box) -> tuple[float, float] | None:
    """Where in its box a click was, as fractions of it, where that matters: in a long text."""
    if not isinstance(question, TextTarget) or len(words_of(question).split()) < _SENTENCE:
        return None
    if not box.width or not box.height or point not in box.grown(_SLACK_POINTS):
        return None
    return _within(box, point)


def _within(box: Box, point: Point) -> tuple[float, float]:
    """The place in a box as fractions of it."""
    across, down = (point.x - box.left) / box.width, (point.y - box.top) / box.height
    return round(min(max(across, 0.0), 1.0), 3), round(min(max(down, 0.0), 1.0), 3)


def _look(point: Point, sight: Sight) -> bytes:
    """A PNG of what is drawn around a place without words; nothing where all is of one colour."""
    from computer_vision.picture import png

    box = Box(point.x - _LOOK_POINTS, point.y - _LOOK_POINTS, 2 * _LOOK_POINTS, 2 * _LOOK_POINTS)
    region = sight.screenshot.region_of(box)
    part = sight.screenshot.frame.pixels[region.top : region.bottom, region.left : region.right]
    varied = part.size and int((part[:, :, :3].max(axis=(0, 1)) - part[:, :, :3].min(axis=(0, 1))).max()) > 0
    return png(part) if varied else b""
