"""What an action aims at: a question about the screen, answered just before the action runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, assert_never

from computer_api.geometry import Box, Pixel, Point

Side = Literal["near", "in", "right of", "left of", "above", "below"]
Apart = Literal["", "row", "above", "below"]


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a target lies, seen from another: ``right of`` the text "Name", ``in`` the box of a group.

    ``near`` keeps what is on the same row, or else the closest; the others leave out what does not lie there. Of
    several that are left the closest is meant, unless a number says which. ``in`` something is within a window or a
    dialog of that title, or within the box of a control. ``target`` may also be a place, or a box of the desktop
    (points).
    """

    side: Side
    target: Target | Box


@dataclass(frozen=True, slots=True)
class TextTarget:
    """Text that is on the screen, in any window, over several words or lines.

    ``nth`` counts equal texts from the top left, 1 first; without it, two equal texts are an error.
    ``window`` narrows to the window whose title holds it. ``exact`` forbids OCR slips and other cases.
    """

    text: str
    nth: int | None = None
    window: str | None = None
    exact: bool = False
    where: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class ElementTarget:
    """A control by its label and kind.

    ``role`` is ``field`` (anything that takes text), ``button``, ``tick``, ``menu``, ``list`` or an
    AT-SPI role name; ``None`` takes any. The label is what a person reads beside or in the control; it may be ``""``
    where ``where`` says which control is meant.
    """

    name: str
    role: str | None = None
    nth: int | None = None
    window: str | None = None
    where: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class IconTarget:
    """A control without words, by what it means: ``save``, ``close``, ``settings``."""

    meaning: str
    nth: int | None = None
    window: str | None = None
    where: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class PictureTarget:
    """What looks like a picture in a file: a PNG of the control, as it is on the screen or at another scale."""

    path: str
    nth: int | None = None
    window: str | None = None
    where: tuple[Relation, ...] = ()


SoughtTarget = TextTarget | ElementTarget | IconTarget | PictureTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchors:
    """What a place was known by when it was used.

    ``question`` is what answered it: words, the label of a field, a control; its number is that of the moment, and is
    never used again. ``aim`` is where in the answer's box it was, as fractions, where that matters. ``row`` are the
    texts in its row, ``near`` those above and below, the nearest first. Where the question had several answers,
    ``apart`` is what told this one from the others (its row, or the text right above or below it; ``""`` if nothing
    did), ``shared`` are the words that stand in the row of each, and ``caption`` is that text. ``program``, ``window``
    and ``dialog`` are the window's program and title, and the title of the dialog that lay before it. Of a place that
    no question answers, ``look`` is a PNG of what was drawn around it. ``id`` is the program's own id of the control,
    and ``role`` its kind, where the id or the kind alone would do. ``words`` are those of whoever chose it.

    ``path`` are the controls that the place lies in, from the window down, each as its role and its name in quotes.
    Of a place that no question answers, ``spot`` is where in its window it was (right, down) and the size of that
    (width, height), in points; ``texts`` are those closest to it, and ``boxes`` where these are, seen from the place.
    """

    question: SoughtTarget | None = None
    aim: tuple[float, ...] | None = None
    row: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    apart: Apart = ""
    shared: tuple[str, ...] = ()
    caption: str = ""
    program: str = ""
    window: str = ""
    dialog: str = ""
    role: str = ""
    id: str = ""
    look: bytes = field(default=b"", repr=False)
    words: str = ""
    path: tuple[str, ...] = ()
    spot: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchoredTarget:
    """A place of a recording, which is found again by what it was known by then; never by where it was alone.

    With ``area`` any place does that lies in the same scrolling area, as for a wheel.
    """

    anchors: Anchors
    area: bool = False

    @property
    def in_words(self) -> SoughtTarget:
        """What it is in words: the question, or the kind of control, or a picture that is named so."""
        if self.anchors.question is not None:
            return self.anchors.question
        return (
            ElementTarget("", role=self.anchors.role) if self.anchors.role else PictureTarget("of the place")
        )


Target = Pixel | SoughtTarget | AnchoredTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Where a target is.

    ``box`` is in desktop points; ``score`` is 0 to 1; ``source`` says who found it (``text``, ``sought text`` where the
    line was read otherwise, ``accessibility``, ``field``, ``theme``, ``shape``, ``picture``, ``pixel``); ``text`` is
    what stands there. ``aim`` is the place in the box that is meant, as fractions of it, where it is not the middle.
    ``anchors`` are what finds the same place again, in a run that is recorded.
    """

    box: Box
    text: str
    score: float
    source: str
    aim: tuple[float, ...] | None = None
    anchors: Anchors | None = None

    @property
    def point(self) -> Point:
        """Where to click: the middle of the box, or the place in it that is meant."""
        if self.aim is None:
            return self.box.center
        across, down = self.aim
        last = self.box.width - 1, self.box.height - 1
        return Point(self.box.left + round(across * last[0]), self.box.top + round(down * last[1]))


DIALOG = "dialog"
"""The kind of a control that means a dialog's window, by its title; without a title the topmost one."""


def within(words: str) -> Relation:
    """What lies in the window or the control of that name; in the topmost dialog, where that is all that is said."""
    if words.strip().casefold() in ("dialog", "the dialog"):
        return Relation("in", ElementTarget("", role=DIALOG))
    return Relation("in", TextTarget(words))


def words_of(target: Target) -> str:
    """The text by which a target is named, ``""`` for a place."""
    match target:
        case TextTarget(text=words) | ElementTarget(name=words) | IconTarget(meaning=words):
            return words
        case PictureTarget(path=words):
            return words
        case Pixel():
            return ""
        case AnchoredTarget():
            return words_of(target.in_words)


def first_pixel(target: Target) -> Pixel | None:
    """A place on a picture that a target is, or that it is sought from; None if it has none."""
    if isinstance(target, Pixel):
        return target
    if isinstance(target, AnchoredTarget):
        return first_pixel(target.in_words)
    others = (one.target for one in target.where if not isinstance(one.target, Box))
    return next((pixel for one in others if (pixel := first_pixel(one)) is not None), None)


def described(target: Target) -> str:
    """The target in the words of the ``steps`` language."""
    match target:
        case Pixel(x, y):
            return f"{x},{y}"
        case TextTarget(text=text, nth=nth):
            words = _counted(f'"{text}"', nth)
        case ElementTarget(name=name, role=role, nth=nth):
            called = f' "{name}"' if name or not target.where else ""
            words = _counted(f"the {role or 'element'}{called}", nth)
        case IconTarget(meaning=meaning, nth=nth):
            words = _counted(f'the icon "{meaning}"', nth)
        case PictureTarget(path=path, nth=nth):
            words = _counted(f'the picture "{path}"', nth)
        case AnchoredTarget():
            return described(target.in_words)
        case _:
            assert_never(target)
    return " ".join([words, *map(_related, target.where)])


def _related(relation: Relation) -> str:
    match relation.target:
        case Box(left, top, width, height):
            return f"{relation.side} the area {left},{top} {width}x{height}"
        case target:
            return f"{relation.side} {described(target)}"


def _counted(words: str, nth: int | None) -> str:
    return words if nth is None else f"{words} number {nth}"
