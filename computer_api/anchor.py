"""Anchors: for a bare point on a picture, a question that finds the same place again on another day.

Each question is asked at once, on the same picture, and kept only if its answer holds the point.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.targets import ElementTarget, TextTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from computer_api.geometry import Point
    from computer_api.locate import SoughtTarget
    from computer_api.targets import Match
    from computer_platform.desktop import Element

_BESIDE_POINTS = 500  # how far left of a point its label may end
_ABOVE_POINTS = 80  # how far above a point its label may end
_SHORTEST = 2  # letters of a label: a lone one is some mark, or was misread
_LABELS = 4  # how many labels are tried, nearest first
_SLACK_POINTS = 4  # a click beside a letter still means the word


def anchor_of(
    point: Point,
    lines: Sequence[tuple[str, Box]],
    elements: Sequence[Element],
    ask: Callable[[SoughtTarget], Sequence[Match]],
) -> SoughtTarget | None:
    """The first question whose answer holds the point: a field by its label, a control by its name, a text.

    ``lines`` is what can be read on the picture, ``ask`` answers a question from the same picture.
    """
    for question in _questions(point, lines, elements):
        found = ask(question)
        holding = [number for number, match in enumerate(found, 1) if point in match.box.grown(_SLACK_POINTS)]
        if len(holding) == 1:
            return question if len(found) == 1 else replace(question, nth=holding[0])
    return None


def _questions(
    point: Point, lines: Sequence[tuple[str, Box]], elements: Sequence[Element]
) -> Iterator[SoughtTarget]:
    for label in _labels(point, lines):
        yield ElementTarget(label, role="field")
    under = [text for text, box in lines if point in box.grown(_SLACK_POINTS)]
    yield from (TextTarget(text) for text in under)
    holding = [element for element in elements if element.name and point in Box(*element.area)]
    for element in sorted(holding, key=lambda element: element.area.width * element.area.height)[:1]:
        yield ElementTarget(element.name, role=element.role)


def _labels(point: Point, lines: Sequence[tuple[str, Box]]) -> list[str]:
    """The texts that may name a field at the point: left of it on its row, then above it; nearest first."""
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
    labels = [text.strip(": *") for _, text in [*sorted(left), *sorted(above)]]
    return [label for label in labels if sum(map(str.isalnum, label)) >= _SHORTEST][:_LABELS]
