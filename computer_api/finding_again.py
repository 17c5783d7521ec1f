"""A recorded place on another day: found by the agreement of what it was known by, or told as lost.

The words that a place was asked for or known by decide. Where they are there several times, what stands in the same
row does, or else what stands above and below; where neither tells them apart, nothing is done. Words that stand among
quite other ones are not believed either: the "Delete" beside "Bob" is not the one that stood beside "Ada".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_api.anchors import dialog_before, near, row_of
from computer_api.errors import AmbiguousError, NotFoundError
from computer_api.geometry import Box
from computer_api.sight import folded
from computer_api.targets import Match, described

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.sight import Sight
    from computer_api.targets import AnchoredTarget, SoughtTarget
    from computer_platform.desktop import Element

_DIALOGS = frozenset({"dialog", "alert"})
_LETTERS = 3  # of a word that says something
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class _Candidate:
    match: Match
    row: frozenset[str]
    near: frozenset[str]


def found_again(
    target: AnchoredTarget, sight: Sight, ask: Callable[[SoughtTarget], Sequence[Match]]
) -> Match:
    """The one place that agrees with what was recorded.

    Raises ``NotFoundError`` and ``AmbiguousError``, which say what speaks for and against the places there are.
    """
    anchors = target.anchors
    if anchors.question is None:
        return _by_look(target, sight)
    # A counted place is another one when a list is in another order.
    found = [_candidate(match, sight) for match in ask(replace(anchors.question, nth=None))]
    chosen = _chosen(target, found, sight)
    _check_dialog(target, chosen, sight)
    return chosen if anchors.aim is None else replace(chosen, aim=anchors.aim)


def _candidate(match: Match, sight: Sight) -> _Candidate:
    return _Candidate(match, _words(row_of(match.box, sight)), _words(near(match.box, sight)))


def _chosen(target: AnchoredTarget, found: list[_Candidate], sight: Sight) -> Match:
    """The one candidate, or the one whose surroundings are those that were recorded."""
    anchors = target.anchors
    row, around = _words(anchors.row), _words(anchors.near)
    numbered = getattr(anchors.question, "nth", None) is not None
    if len(found) == 1:
        (only,) = found
        if row and only.row and not row & only.row:
            raise NotFoundError(
                f"{described(target)} stands elsewhere: it stood beside {_said(anchors.row)}, "
                f"and the only one now stands beside {_said(row_of(only.match.box, sight))}."
            )
        if numbered and row and not row & only.row:
            raise NotFoundError(f"{described(target)} was one of several, and only another one is left.")
        return only.match
    inside = [one for one in found if _program(sight, one.match) == anchors.program] or found
    if len(inside) == 1:
        return inside[0].match
    best = _best(inside, row, lambda one: one.row) if row else None
    if best is None and not (row and any(one.row for one in inside)):
        best = _best(inside, around, lambda one: one.near)
    if best is None:
        places = tuple(_placed(one.match, sight) for one in found[:_MOST_SHOWN])
        raise AmbiguousError(
            f"{described(target)} fits {len(found)} places, and what stands around them does not tell which: "
            f"{'; '.join(places)}.",
            places,
        )
    return best.match


def _best(
    found: Sequence[_Candidate], wanted: frozenset[str], of: Callable[[_Candidate], frozenset[str]]
) -> _Candidate | None:
    """The candidate that has most of what is wanted, and more than any other; None where two have as much."""
    ranked = sorted(found, key=lambda one: (-len(wanted & of(one)), len(of(one) - wanted)))
    first, second = ranked[0], ranked[1]
    more = len(wanted & of(first)) > len(wanted & of(second))
    return first if more and wanted & of(first) else None


def _check_dialog(target: AnchoredTarget, match: Match, sight: Sight) -> None:
    """Raise where a dialog lies before the window that did not when it was recorded."""
    dialog = dialog_before(sight, match.point)
    if dialog is not None and folded(dialog.title) != folded(target.anchors.dialog):
        raise NotFoundError(
            f'{described(target)} cannot be reached: the dialog "{dialog.title or dialog.app}" lies before its window.'
        )
    inside = _modal_around(match, sight)
    if inside is not None and folded(inside.name) != folded(target.anchors.dialog):
        raise NotFoundError(
            f'{described(target)} cannot be reached: the dialog "{inside.name}" lies before the rest of its window.'
        )


def _modal_around(match: Match, sight: Sight) -> Element | None:
    """A dialog in the window of a place, as pages show them, that takes all input meanwhile; the place is not in it."""
    window = sight.window_at(match.point)
    return next(
        (
            one
            for one in sight.elements
            if one.role in _DIALOGS
            and "modal" in one.states
            and match.point not in Box(*one.area)
            and (window is None or one.pid in (None, window.pid))
        ),
        None,
    )


def _by_look(target: AnchoredTarget, sight: Sight) -> Match:
    """A place without words, by its picture: there once, and among texts that were there."""
    from computer_api.targets import Match
    from computer_vision.drawing import picture
    from computer_vision.template import find_picture

    anchors = target.anchors
    if not anchors.look:
        raise NotFoundError("A place with no words and nothing drawn in it cannot be found again.")
    try:
        hits = find_picture(sight.screenshot.frame.pixels, picture(anchors.look))
    except ValueError:
        hits = ()
    found = [
        _candidate(
            Match(box=sight.screenshot.box_of(hit.region), text="", score=hit.score, source="picture"), sight
        )
        for hit in hits
    ]
    agree = [
        one
        for one in found
        if _words(anchors.row) & one.row
        or _words(anchors.near) & one.near
        or not (anchors.row or anchors.near)
    ]
    if len(agree) == 1:
        return agree[0].match
    places = tuple(_placed(one.match, sight) for one in found[:_MOST_SHOWN])
    if not agree:
        raise NotFoundError(
            "The place, which had no words, does not look as it did anywhere among the texts that stood around it.",
            places,
        )
    raise AmbiguousError(
        f"The place, which had no words, looks as it did at {len(agree)} places: {'; '.join(places)}.", places
    )


def _words(texts: Sequence[str]) -> frozenset[str]:
    """The words that say something, each for itself: "Total 12" and "Total 14" have one in common."""
    words = (word.strip(".,:;*()[]") for text in texts for word in folded(text).split())
    return frozenset(word for word in words if len(word) >= _LETTERS or not word.isascii())


def _program(sight: Sight, match: Match) -> str:
    window = sight.window_at(match.point)
    return "" if window is None else window.app


def _placed(match: Match, sight: Sight) -> str:
    pixel = sight.screenshot.pixel(match.point)
    beside = row_of(match.box, sight)
    among = f" beside {_said(beside)}" if beside else ""
    return f'"{match.text}"{among} at {pixel.x},{pixel.y}'


def _said(texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts[:3])
