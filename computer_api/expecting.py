"""Wait until something is so, and say what is there instead when it is not in time."""

from __future__ import annotations

import time
from threading import Thread
from typing import TYPE_CHECKING, assert_never

from computer_api import actions
from computer_api.errors import AmbiguousError, ExpectationError, NotFoundError, UnsupportedError
from computer_api.facts import file_lacks, page_lacks, program_lacks
from computer_api.geometry import Box, Pixel
from computer_api.read_back import HIDDEN_ROLE
from computer_api.receipt import Receipt, short
from computer_api.sight import smallest
from computer_api.targets import described
from computer_api.ticking import is_ticked

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_api.acting import Acting
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match, Target
    from computer_platform.desktop import Element

Expectation = (
    actions.Expect
    | actions.ExpectValue
    | actions.ExpectTicked
    | actions.ExpectClipboard
    | actions.ExpectFile
    | actions.ExpectProcess
    | actions.ExpectHttp
)

_POLL_SECONDS = 0.1
_GLANCE_SECONDS = 0.02
_HOLDING = frozenset({HIDDEN_ROLE, "combo box"})  # whatever else they say
_TELL_SECONDS = 0.5  # that programs get to say what a field holds
_ANSWER_SECONDS = (
    30.0  # after which a question is given up: a page may trickle, a folder may hold millions of files
)


def expect(acting: Acting, action: Expectation) -> Receipt:
    """Wait for it. Raises ``ExpectationError`` with what was there instead, ``UnsupportedError`` where it cannot be."""
    match action:
        case actions.Expect(gone=True):
            return _gone(acting, action)
        case actions.Expect():
            return _there(acting, action)
        case actions.ExpectValue():
            return _value(acting, action)
        case actions.ExpectTicked():
            return _ticked(acting, action)
        case actions.ExpectClipboard():
            return _until(acting, action.seconds, lambda: _clipboard_lacks(acting, action))
        case actions.ExpectFile():
            known: dict[str, tuple[int, int]] = {}  # of the look before
            return _until(
                acting, action.seconds, lambda: _meanwhile(acting, lambda: file_lacks(action, known))
            )
        case actions.ExpectProcess():
            return _until(acting, action.seconds, lambda: program_lacks(action))
        case actions.ExpectHttp():
            return _until(acting, action.seconds, lambda: _meanwhile(acting, lambda: page_lacks(action)))
        case _:
            assert_never(action)


def _gone(acting: Acting, action: actions.Expect) -> Receipt:
    target = _sought(action.target)
    if not acting.locator.gone(target, seconds=action.seconds, check=acting.check):
        raise ExpectationError(f"{described(target)} is still on the screen after {action.seconds:g} s.")
    return Receipt(effect="unknown")


def _there(acting: Acting, action: actions.Expect) -> Receipt:
    try:
        match = acting.locate(_sought(action.target), action.seconds)
    except NotFoundError as missing:
        raise ExpectationError(f"Waited {action.seconds:g} s: {missing}") from None
    except AmbiguousError:
        return Receipt(effect="unknown")  # it is there, and more than once
    return Receipt(effect="unknown", matches=(match,))


def _value(acting: Acting, action: actions.ExpectValue) -> Receipt:
    target = _sought(action.target)

    def lacks(match: Match, screenshot: Screenshot) -> str | None:
        held = _held(acting, match, screenshot)
        wanted, found = _folded(action.value), _folded(held)
        if wanted in found if action.part else wanted == found or _same_number(wanted, found):
            return None
        holds = f'holds "{short(held)}"' if held else "is empty"
        return f'{described(target)} {holds}, not "{short(action.value)}".'

    return _at(acting, target, action.seconds, lacks)


def _ticked(acting: Acting, action: actions.ExpectTicked) -> Receipt:
    target = _sought(action.target)

    def lacks(match: Match, screenshot: Screenshot) -> str | None:
        on = is_ticked(acting.desktop, match, screenshot)
        if on is None:
            return f"{described(target)} is nothing that can be ticked."
        if on is action.ticked:
            return None
        return f"{described(target)} is {'ticked' if on else 'not ticked'}."

    return _at(acting, target, action.seconds, lacks)


def _at(
    acting: Acting, target: Target, seconds: float, lacks: Callable[[Match, Screenshot], str | None]
) -> Receipt:
    """Wait until the target is there and lacks nothing."""
    matches: list[Match] = []

    def missing() -> str | None:
        screenshot = acting.look()
        try:
            match = acting.locator.locate_on(target, screenshot)
        except NotFoundError as absent:
            return str(absent)
        matches[:] = [match]
        return lacks(match, screenshot)

    receipt = _until(acting, seconds, missing)
    return Receipt(effect=receipt.effect, matches=tuple(matches))


def _held(acting: Acting, match: Match, screenshot: Screenshot) -> str:
    """What the field at a match holds: as its program tells, else as it can be read."""
    field = _field(acting, match.box)
    if field is not None:
        if field.role == HIDDEN_ROLE:
            raise UnsupportedError(f'"{match.text}" is a field for passwords, and those are not read.')
        return field.value or (field.name if field.role == "combo box" else "")
    words = [
        " ".join(word.text for word in line.words if screenshot.box_of(word.region).center in match.box)
        for line in acting.locator.lines(screenshot)
    ]
    return "\n".join(filter(None, words))


def _field(acting: Acting, box: Box) -> Element | None:
    """The smallest control there that holds something."""
    accessibility = acting.desktop.accessibility
    if accessibility is None:
        return None
    told = accessibility.elements(seconds=_TELL_SECONDS).items
    holding = (one for one in told if one.value or "editable" in one.states or one.role in _HOLDING)
    return smallest(one for one in holding if 2 * Box(*one.area).overlap(box) >= box.width * box.height)


def _clipboard_lacks(acting: Acting, action: actions.ExpectClipboard) -> str | None:
    clipboard = acting.desktop.clipboard
    if clipboard is None:
        raise UnsupportedError("This desktop has no clipboard.")
    try:
        held = clipboard.read(action.selection)
    except TimeoutError as late:
        return str(late)
    if action.text in held if action.part else action.text == held:
        return None
    holds = f'holds "{short(held)}"' if held else "holds no text"
    return f'The {action.selection} {holds}, not "{short(action.text)}".'


def _until(acting: Acting, seconds: float, missing: Callable[[], str | None]) -> Receipt:
    """Ask what is missing until nothing is."""
    deadline = time.monotonic() + seconds
    while (instead := missing()) is not None:
        if time.monotonic() >= deadline:
            raise ExpectationError(f"Waited {seconds:g} s: {instead}")
        acting.wait(_POLL_SECONDS)
    return Receipt(effect="unknown")


def _meanwhile(acting: Acting, ask: Callable[[], str | None]) -> str | None:
    """The answer to a question that may take seconds, during which a person can end the run."""
    answers: list[str | None] = []
    failures: list[Exception] = []

    def asked() -> None:
        try:
            answers.append(ask())
        except Exception as error:  # noqa: BLE001 - raised again below, where somebody hears of it
            failures.append(error)

    asking = Thread(target=asked, name="expect", daemon=True)
    asking.start()
    given_up = time.monotonic() + _ANSWER_SECONDS
    while asking.is_alive():
        if time.monotonic() >= given_up:
            return f"there is no answer after {_ANSWER_SECONDS:g} s."
        acting.wait(_GLANCE_SECONDS)
    if failures:
        raise failures[0]
    return answers[0]


def _sought(target: Target) -> Target:
    if isinstance(target, Pixel):
        raise UnsupportedError("A place is always there; expect a text, a field or another control.")
    return target


def _same_number(wanted: str, found: str) -> bool:
    """Whether both are one number: a slider says 5.0 where a person says 5."""
    try:
        return float(wanted) == float(found)
    except ValueError:
        return False


def _folded(text: str) -> str:
    return " ".join(text.split())
