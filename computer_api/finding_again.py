"""A recorded place on another day: found by the agreement of what it was known by, or told as lost.

The words that a place was asked for or known by decide. Where they are there several times, what stands in the same
row does, or else what stands above and below; where neither tells them apart, nothing is done. Words that stand among
quite other ones are not believed either: the "Delete" beside "Bob" is not the one that stood beside "Ada".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_api.anchors import dialog_before, is_as_said, near, only_of_kind, row_of
from computer_api.control_path import path_at, same_path
from computer_api.empty_spots import by_spot
from computer_api.errors import AmbiguousError, NotFoundError
from computer_api.geometry import Box
from computer_api.labels import is_drawn_button
from computer_api.own_ids import by_own_id
from computer_api.sight import folded, holds
from computer_api.targets import ElementTarget, Match, described
from computer_api.telling_apart import Setting, setting_of, stands_elsewhere, stands_so, words_in
from computer_api.waking import told_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.sight import Sight
    from computer_api.targets import AnchoredTarget, Anchors, SoughtTarget

_DIALOGS = frozenset({"dialog", "alert"})
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class _Candidate:
    match: Match
    setting: Setting
    near: frozenset[str]


def found_again(
    target: AnchoredTarget, sight: Sight, ask: Callable[[SoughtTarget], Sequence[Match]]
) -> Match:
    """The one place that agrees with what was recorded.

    Raises ``NotFoundError`` and ``AmbiguousError``, which say what speaks for and against the places there are.
    """
    anchors = target.anchors
    if anchors.question is None:
        chosen = _by_role(target, sight) or _renamed(target, sight) or _wordless(target, sight)
        _check_dialog(target, chosen, sight)
        return chosen
    # A counted place is another one when a list is in another order.
    try:
        found = [_candidate(match, sight) for match in ask(replace(anchors.question, nth=None))]
    except NotFoundError as missing:
        same = _renamed(target, sight)
        if same is None:
            raise NotFoundError(f"{missing}{_in_the_way(target, sight)}", missing.closest) from None
        _check_dialog(target, same, sight)
        return same
    found = [one for one in found if is_as_said(anchors.question, one.match, sight)]
    if not found:
        raise NotFoundError(f"{described(target)} is there no more: what stands in its place is a button.")
    chosen = _chosen(target, found, sight)
    _check_dialog(target, chosen, sight)
    return chosen if anchors.aim is None else replace(chosen, aim=anchors.aim)


def _renamed(target: AnchoredTarget, sight: Sight) -> Match | None:
    """The control that its program says is the same, under other words; one of several like ones never is."""
    anchors = target.anchors
    if anchors.question is not None and anchors.question.nth is not None:
        return None
    same = by_own_id(anchors, sight, lambda box: (*row_of(box, sight), *near(box, sight)))
    if same is None:
        return None
    aim = anchors.aim if anchors.question is None else None
    return Match(box=Box(*same.area), text=same.name, score=0.8, source="accessibility", aim=aim)


def _candidate(match: Match, sight: Sight) -> _Candidate:
    setting = setting_of(match.box, row_of(match.box, sight), sight)
    return _Candidate(match, setting, words_in(near(match.box, sight)))


def _chosen(target: AnchoredTarget, found: list[_Candidate], sight: Sight) -> Match:
    """The one candidate, or the one whose surroundings are those that were recorded."""
    anchors = target.anchors
    inside = [one for one in found if _of_its_program(anchors.program, one, sight)]
    if not inside:
        places = tuple(_placed(one.match, sight) for one in found[:_MOST_SHOWN])
        raise NotFoundError(
            f'{described(target)} is there in another program than "{anchors.program}" only: {"; ".join(places)}.',
            places,
        )
    if anchors.question is not None and anchors.question.nth is not None:
        best = _told_apart(target, inside, sight)
    elif len(inside) == 1:
        best = inside[0]
        if _is_button(anchors.question, best.match, sight) and stands_elsewhere(anchors.row, best.setting):
            raise NotFoundError(
                f"{described(target)} stands elsewhere: it stood beside {_said(anchors.row)}, "
                f"and the only one now stands beside {_said(row_of(best.match.box, sight))}."
            )
    else:
        best = _likeliest(anchors, inside, sight)
    if best is None:
        places = tuple(_placed(one.match, sight) for one in found[:_MOST_SHOWN])
        raise AmbiguousError(
            f"{described(target)} fits {len(found)} places, and what stands around them does not tell which: "
            f"{'; '.join(places)}.",
            places,
        )
    return best.match


def _told_apart(target: AnchoredTarget, found: Sequence[_Candidate], sight: Sight) -> _Candidate | None:
    """The one of several like places that stands where the recorded one did; None where more than one may be it."""
    anchors = target.anchors
    shared: frozenset[str] = frozenset()
    if len(found) > 1:
        shared = found[0].setting.row.intersection(*(one.setting.row for one in found[1:]))
    standing = [one for one in found if stands_so(anchors, one.setting, shared)]
    if not standing and anchors.apart:
        stood = _said((anchors.caption,) if anchors.caption else anchors.row)
        places = tuple(_placed(one.match, sight) for one in found[:_MOST_SHOWN])
        raise NotFoundError(
            f"{described(target)} was one of several, the one by {stood}, which is not there: {'; '.join(places)}.",
            places,
        )
    return _by_path(anchors, standing, sight)


def _by_path(anchors: Anchors, agreeing: Sequence[_Candidate], sight: Sight) -> _Candidate | None:
    """The only one of those that others speak for already; of several the only one in the recorded controls."""
    if len(agreeing) > 1 and anchors.path:
        agreeing = [one for one in agreeing if same_path(anchors.path, path_at(one.match.point, sight))]
    return agreeing[0] if len(agreeing) == 1 else None


def _likeliest(anchors: Anchors, found: Sequence[_Candidate], sight: Sight) -> _Candidate | None:
    """Of several where there was one: that in its very row, or the one among the texts that stood around it."""
    row, around = words_in(anchors.row), words_in(anchors.near)
    if row:
        there = [one for one in found if one.setting.row == row]
    else:
        there = [one for one in found if not one.setting.row and 2 * len(around & one.near) > len(around)]
    return _by_path(anchors, there, sight)


def _is_button(question: SoughtTarget | None, match: Match, sight: Sight) -> bool:
    """Whether it does something to what its row is about; a file or an entry of a list is what its words say."""
    if isinstance(question, ElementTarget):
        return "button" in (question.role or "")
    return is_drawn_button(sight, sight.screenshot.region_of(match.box))


def _of_its_program(program: str, candidate: _Candidate, sight: Sight) -> bool:
    """Whether nothing says that it is another program's."""
    return _program(sight, candidate.match) in ("", program) or not program


def _check_dialog(target: AnchoredTarget, match: Match, sight: Sight) -> None:
    """Raise where a dialog lies before the window that did not when it was recorded."""
    dialog = dialog_before(sight, match.point)
    if dialog is not None and folded(dialog.title) != folded(target.anchors.dialog):
        raise NotFoundError(
            f'{described(target)} cannot be reached: the dialog "{dialog.title or dialog.app}" lies before its window.'
        )
    inside = _modal_around(match, sight)
    if inside is not None and (not inside or folded(inside) != folded(target.anchors.dialog)):
        named = f'the dialog "{inside}"' if inside else "a dialog"
        raise NotFoundError(
            f"{described(target)} cannot be reached: {named} lies before the rest of its window."
        )


def _in_the_way(target: AnchoredTarget, sight: Sight) -> str:
    """That a dialog is open which was not then, where one is: it may lie on the place."""
    anchors = target.anchors
    known = {folded(anchors.dialog), folded(anchors.window)}
    dialogs = [one.title for one in sight.windows if one.dialog_of is not None and not one.hidden]
    pages = [one.name for one in sight.elements if one.role in _DIALOGS and "modal" in one.states]
    new = [title for title in [*dialogs, *pages] if folded(title) not in known]
    return f' The dialog "{new[-1]}" is open, which was not when it was recorded.' if new else ""


def _modal_around(match: Match, sight: Sight) -> str | None:
    """A dialog in the window of a place, as pages show them, that takes all input meanwhile; the place is not in it.

    Its name or its first words, ``""`` for one that has none; None where there is no such dialog.
    """
    window = sight.window_at(match.point)
    told = sight.elements if window is None else told_in(window, sight)
    modal = next(
        (
            one
            for one in told
            if one.role in _DIALOGS and "modal" in one.states and match.point not in Box(*one.area)
        ),
        None,
    )
    if modal is None or modal.name:
        return None if modal is None else modal.name
    words = (one.name for one in told if one.name and holds(Box(*modal.area), Box(*one.area)))
    return next(words, "")


def _by_role(target: AnchoredTarget, sight: Sight) -> Match | None:
    """The only text area in the windows of its program, as that of an editor."""
    anchors = target.anchors
    if not anchors.role:
        return None
    homes = [one for one in sight.windows if one.app == anchors.program and not one.hidden]
    found = [one for home in homes if (one := only_of_kind(anchors.role, home, sight)) is not None]
    if len(found) != 1:
        return None
    return Match(box=Box(*found[0].area), text="", score=0.8, source="accessibility", aim=anchors.aim)


def _wordless(target: AnchoredTarget, sight: Sight) -> Match:
    """A place without words, by how it looks; where that is nothing, or there several times, by its window too."""
    if not target.anchors.look:
        return by_spot(target, sight)
    try:
        return _by_look(target, sight)
    except AmbiguousError as several:
        alike = several
    except NotFoundError:
        if not target.area:
            raise
        return by_spot(target, sight)
    try:
        there = by_spot(target, sight)
    except (NotFoundError, AmbiguousError):
        raise alike from None
    if target.area or any(there.point in one for one in _alike(target, sight)):
        return there
    raise alike


def _by_look(target: AnchoredTarget, sight: Sight) -> Match:
    """A place without words, by its picture: there once, and among texts that were there."""
    anchors = target.anchors
    found = [
        _candidate(Match(box=box, text="", score=score, source="picture"), sight)
        for box, score in _alike(target, sight).items()
    ]
    agree = [
        one
        for one in found
        if words_in(anchors.row) & one.setting.row
        or words_in(anchors.near) & one.near
        or (not (anchors.row or anchors.near) and _program(sight, one.match) == anchors.program != "")
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


def _alike(target: AnchoredTarget, sight: Sight) -> dict[Box, float]:
    """The places that look as it did, and how much."""
    from computer_vision.drawing import picture
    from computer_vision.template import find_picture

    try:
        hits = find_picture(sight.screenshot.frame.pixels, picture(target.anchors.look))
    except ValueError:
        return {}
    return {sight.screenshot.box_of(hit.region): hit.score for hit in hits}


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
