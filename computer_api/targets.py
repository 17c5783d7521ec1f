"""What an action aims at: a question about the screen, answered just before the action runs."""

from __future__ import annotations

from dataclasses import dataclass

from computer_api.geometry import Box, Pixel, Point


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


@dataclass(frozen=True, slots=True)
class ElementTarget:
    """A control by its label and kind.

    ``role`` is ``field`` (anything that takes text), ``button``, ``tick``, ``menu``, ``list`` or an
    AT-SPI role name; ``None`` takes any. The label is what a person reads beside or in the control.
    """

    name: str
    role: str | None = None
    nth: int | None = None
    window: str | None = None


@dataclass(frozen=True, slots=True)
class IconTarget:
    """A control without words, by what it means: ``save``, ``close``, ``settings``."""

    meaning: str
    nth: int | None = None
    window: str | None = None


Target = Pixel | TextTarget | ElementTarget | IconTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Where a target is.

    ``box`` is in desktop points; ``score`` is 0 to 1; ``source`` says who found it
    (``text``, ``accessibility``, ``field``, ``pixel``); ``text`` is what stands there. ``anchor`` is a
    question that finds the same place again where the target was a bare pixel, if there is one.
    """

    box: Box
    text: str
    score: float
    source: str
    anchor: Target | None = None

    @property
    def point(self) -> Point:
        """Where to click: the middle of the box."""
        return self.box.center


def described(target: Target) -> str:
    """The target in the words of the ``steps`` language."""
    match target:
        case Pixel(x, y):
            return f"{x},{y}"
        case TextTarget(text=text, nth=nth):
            return _counted(f'"{text}"', nth)
        case ElementTarget(name=name, role=role, nth=nth):
            return _counted(f'the {role or "element"} "{name}"', nth)
        case IconTarget(meaning=meaning, nth=nth):
            return _counted(f'the icon "{meaning}"', nth)


def _counted(words: str, nth: int | None) -> str:
    return words if nth is None else f"{words} number {nth}"
