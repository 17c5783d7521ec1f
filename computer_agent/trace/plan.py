"""From a recorded run to the actions that can be done again: places found anew, secrets asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from computer_agent.trace.errors import TraceError
from computer_api.actions import (
    Action,
    AnswerPrompt,
    AskModel,
    Browse,
    Click,
    ClipboardGet,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    RunCode,
    Scroll,
    TypeText,
    Zoom,
    aimed_at,
    secret_text,
    targets_of,
)
from computer_api.geometry import Pixel
from computer_api.receipt import Receipt
from computer_api.targets import AnchoredTarget, ElementTarget, TextTarget, described, first_pixel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from computer_agent.trace.reader import Attempt, Trace
    from computer_api.targets import Anchors, Target

__all__ = ["Planned", "named", "part", "plan", "secret_names"]

_LOOKING = Look | Zoom | ClipboardGet | AskModel  # they told the model something and changed nothing
_VERBS = {"Click": "clicked", "Move": "pointed", "Drag": "dragged", "Scroll": "scrolled", "TypeText": "typed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """An action to replay, what it changed when it was recorded, and the recorded step and attempt it comes from."""

    step: int
    action: Action
    receipt: Receipt
    attempt: Attempt


def plan(trace: Trace, values: Mapping[str, str]) -> tuple[Planned, ...]:
    """The actions that were done, in order, with no pixel among their targets and no secret text missing.

    ``values`` holds the secret texts by ``secret1``, ``secret2``, … or by the label of the field, in any
    case. Raises ``TraceError`` when a place cannot be found again, when a secret is missing, and when
    there is nothing to do.
    """
    planned = tuple(_found_anew(trace))
    if not planned:
        raise TraceError("The trace holds no action that was done and changed something: nothing to replay.")
    folded = {name.casefold(): value for name, value in values.items()}
    missing = [
        _asked(number, label)
        for number, label in _secrets(planned)
        if f"secret{number}" not in folded and (label is None or label.casefold() not in folded)
    ]
    if missing:
        raise TraceError(f"The trace does not hold the secret texts it typed: give {' and '.join(missing)}.")
    return tuple(_filled(planned, folded))


def part(planned: Sequence[Planned], first: int, last: int | None) -> tuple[Planned, ...]:
    """The actions from number ``first`` to number ``last``, 1 first, both included; None is the last one.

    Raises ``TraceError`` when there are none of those numbers, and when what is left out had put the pointer
    somewhere or held something down that the first ones rely on.
    """
    end = len(planned) if last is None else last
    if not 1 <= first <= end <= len(planned):
        raise TraceError(
            f"There are no steps {first} to {end} to replay: it has the steps 1 to {len(planned)}, "
            "and the first wanted comes before the last."
        )
    if held := _held_before(planned[: first - 1]):
        raise TraceError(
            f"The replay cannot begin at step {first}: {held} was held down before it; begin at an earlier one."
        )
    kept = tuple(planned[first - 1 : end])
    aimed = False
    for number, each in enumerate(kept, start=first):
        _check_pointer(number, each.action, aimed=aimed)
        aimed = aimed or bool(targets_of(each.action))
    return kept


def _held_before(planned: Sequence[Planned]) -> str:
    """What is pressed when these have been done: the keys and the mouse button, ``""`` for nothing."""
    held: dict[str, None] = {}
    for each in planned:
        match each.action:
            case KeyDown(keys=keys):
                held.update(dict.fromkeys(keys))
            case KeyUp(keys=keys):
                held = {key: None for key in held if key not in keys}
            case MouseDown(button=button):
                held[f"the {button} mouse button"] = None
            case MouseUp(button=button):
                held.pop(f"the {button} mouse button", None)
            case _:
                pass
    return " and ".join(held)


def secret_names(trace: Trace) -> tuple[str, ...]:
    """Under which names a replay wants the secret texts: ``secret1 (or "Password")``.

    Raises ``TraceError`` when a place cannot be found again.
    """
    return tuple(_asked(number, label) for number, label in _secrets(tuple(_found_anew(trace))))


def named(action: Action) -> str:
    """The action in a few words: its name and what it aims at or works with."""
    words = [described(target) for target in targets_of(action)]
    if isinstance(action, RunCode):
        words.append(action.language)
    return " ".join([type(action).__name__, *words])


def _found_anew(trace: Trace) -> Iterator[Planned]:
    aimed = False  # whether the replay has put the pointer somewhere
    code_runs = False  # whether the code that nested attempts come from is replayed
    for step in trace.steps:
        for attempt in step.attempts:
            if attempt.nested:
                _check_nested(step.number, attempt, code_runs=code_runs)
                continue
            code_runs = attempt.outcome == "done"
            if attempt.outcome == "done" and not isinstance(attempt.action, _LOOKING):
                _check_pointer(step.number, attempt.action, aimed=aimed)
                planned = _anchored(step.number, attempt)
                aimed = aimed or bool(targets_of(planned.action))
                yield planned


def _check_nested(step: int, attempt: Attempt, *, code_runs: bool) -> None:
    for target in targets_of(attempt.action):
        if code_runs and first_pixel(target) is not None:
            raise TraceError(
                f"Step {step} ran code that used the pixel ({described(target)}) and would use it again, "
                "whatever is there now; code that names texts or labels can be replayed."
            )


def _check_pointer(step: int, action: Action, *, aimed: bool) -> None:
    bare = isinstance(action, Click | Scroll) and action.target is None
    if not aimed and (bare or isinstance(action, MouseDown | MouseUp)):
        raise TraceError(
            f"Step {step} used the mouse where the pointer happened to be, and nothing before put it there: "
            "that place cannot be found again."
        )


def _anchored(step: int, attempt: Attempt) -> Planned:
    action, receipt = attempt.action, attempt.receipt or Receipt(effect="unknown")
    typed = isinstance(action, TypeText | AnswerPrompt) or secret_text(action) is not None
    if attempt.redacted and not typed:
        raise TraceError(
            f"Step {step} holds a text that was hidden when it was recorded ({named(action)}): "
            "it cannot be done again from this trace."
        )
    if isinstance(action, Browse) and receipt.meant is not None:
        action = replace(action, where=receipt.meant)  # its number may be another's by now
    if attempt.redacted and isinstance(action, TypeText | AnswerPrompt | Browse):
        action, receipt = replace(action, text="", secret=True), replace(receipt, value=None)
    targets = targets_of(action)
    matches = receipt.matches if len(receipt.matches) == len(targets) else (None,) * len(targets)
    anew: list[Target] = []
    for target, match in zip(targets, matches, strict=True):
        pixel = first_pixel(target)
        anchors = None if match is None else match.anchors
        if pixel is not None and (not isinstance(target, Pixel) or not _finds(anchors)):
            raise TraceError(_lost(step, action, pixel))
        area = isinstance(action, Scroll) and anchors is not None and anchors.question is None
        anew.append(target if anchors is None else AnchoredTarget(anchors=anchors, area=area))
    return Planned(step=step, action=aimed_at(action, anew), receipt=receipt, attempt=attempt)


def _finds(anchors: Anchors | None) -> bool:
    """Whether there is anything but a bare place to go by."""
    if anchors is None:
        return False
    question = anchors.question
    if question is None:
        return bool(anchors.look or anchors.role or anchors.spot)
    return first_pixel(question) is None


def _lost(step: int, action: Action, place: Pixel) -> str:
    verb = _VERBS.get(type(action).__name__, "looked")
    return (
        f"Step {step} {verb} at a place with no text or label near it ({place.x}, {place.y}): "
        "it cannot be found again, and a recorded pixel is never used."
    )


def _secrets(planned: Sequence[Planned]) -> Iterator[tuple[int, str | None]]:
    """The number of each secret text, 1 first, and the label of its field where it is known."""
    actions = [each.action for each in planned]
    secret = [action for action in actions if secret_text(action) is not None]
    for number, action in enumerate(secret, start=1):
        yield number, _label(action)


def _label(action: Action) -> str | None:
    if isinstance(action, Browse):
        return action.where
    into = action.into if isinstance(action, TypeText) else None
    if isinstance(into, AnchoredTarget):
        into = into.anchors.question
    match into:
        case TextTarget(text=label) | ElementTarget(name=label):
            return label
        case _:
            return None


def _asked(number: int, label: str | None) -> str:
    return f"secret{number}" if label is None else f'secret{number} (or "{label}")'


def _filled(planned: Sequence[Planned], values: Mapping[str, str]) -> Iterator[Planned]:
    number = 0
    for each in planned:
        action = each.action
        if isinstance(action, TypeText | AnswerPrompt | Browse) and action.secret:
            number += 1
            text = values.get(f"secret{number}")
            if text is None:
                text = values[(_label(action) or "").casefold()]
            yield replace(each, action=replace(action, text=text))
        else:
            yield each
