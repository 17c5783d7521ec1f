"""The forms of ``expect``: what shall be so, of the screen, a field, a file, a program, a page or the clipboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from computer_api import actions

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.models.steps.cursor import Cursor
    from computer_api.actions import Action

_GONE = ("to be gone", "is gone", "gone", "to disappear", "disappears")
_THERE = ("to be there", "is there", "to appear", "appears", "to exist", "exists", "to be shown", "is shown")
_ANSWER = ("to answer", "answers")
_HOLD = ("to hold", "holds", "to be", "to say", "to show")
_CONTAIN = ("to contain", "contains", "containing", "with")
_ON = ("to be ticked", "is ticked", "ticked", "to be checked", "is checked", "to be on", "is on")
_OFF = (
    *("to be unticked", "is unticked", "unticked", "not to be ticked", "to be not ticked", "is not ticked"),
    *("to be unchecked", "is unchecked", "is not checked", "not to be checked", "to be off", "is off"),
)


def expectation(cursor: Cursor) -> Action:
    """What is expected, from the word after ``expect`` on. Raises ``BadSteps``."""
    cursor.skip("to", "see", "that")
    gone = bool(cursor.take("no", "not"))
    start = cursor.at
    cursor.skip("the", "a", "an")
    for names, form in _FORMS.items():
        if cursor.take(*names):
            return form(cursor, gone)
    cursor.at = start
    return _on_screen(cursor, gone)


def _file(cursor: Cursor, gone: bool) -> Action:  # noqa: FBT001 - read before the form is known
    path = cursor.name("the path of a file")
    gone = bool(cursor.take(*_GONE, "not to exist")) or gone
    if not gone:
        cursor.take(*_THERE)
    holds = cursor.text("the text that is in it") if not gone and cursor.take(*_HOLD, *_CONTAIN) else None
    return actions.ExpectFile(path=path, holds=holds, gone=gone, **_within(cursor))


def _program(cursor: Cursor, gone: bool) -> Action:  # noqa: FBT001 - read before the form is known
    name = cursor.name("the name of a program")
    gone = bool(cursor.take(*_GONE, "to end", "to have ended", "not to run")) or gone
    cursor.take("to run", "runs", "to be running", "is running")
    return actions.ExpectProcess(name=name, gone=gone, **_within(cursor))


def _address(cursor: Cursor, gone: bool) -> Action:  # noqa: FBT001 - read before the form is known
    if gone:
        raise cursor.wrong('an address that answers: expect the address "http://…" to answer 404')
    url = cursor.text("a web address")
    status: dict[str, Any] = {}
    if cursor.take(*_ANSWER):
        number = cursor.whole()
        if number is not None:
            status["status"] = number
    holds = cursor.text("the text that is in it") if cursor.take(*_HOLD, *_CONTAIN) else None
    return actions.ExpectHttp(url=url, holds=holds, **status, **_within(cursor))


def _clipboard(selection: actions.Selection) -> Callable[[Cursor, bool], Action]:
    def form(cursor: Cursor, gone: bool) -> Action:  # noqa: FBT001 - read before the form is known
        if gone:
            raise cursor.wrong(f'what it shall hold: expect the {selection} to hold "…"')
        part = bool(cursor.take(*_CONTAIN))
        if not part:
            cursor.need('to hold "…", or to contain "…"', *_HOLD)
        text = cursor.text("the text that it shall hold")
        return actions.ExpectClipboard(text=text, part=part, selection=selection, **_within(cursor))

    return form


def _on_screen(cursor: Cursor, gone: bool) -> Action:  # noqa: FBT001 - read before the form is known
    start = cursor.at
    if cursor.quoted() and not gone:  # expect "http://…" to answer 200
        cursor.at += 1
        answers = cursor.take(*_ANSWER)
        cursor.at = start
        if answers:
            return _address(cursor, gone)
    target = cursor.target()
    if not gone:
        found = _state(cursor, start)
        if found is not None:
            return found
    gone = bool(cursor.take(*_GONE)) or gone
    if not gone:
        cursor.take(*_THERE)
    return actions.Expect(target=target, gone=gone, **_within(cursor))


def _state(cursor: Cursor, start: int) -> Action | None:
    """What a control shall hold, or that it shall be ticked; a bare text before it is the label of such a control."""
    after = cursor.at
    ticked = bool(cursor.take(*_ON))
    if ticked or cursor.take(*_OFF):
        end, cursor.at = cursor.at, start
        target = cursor.target("tick")
        cursor.at = end
        return actions.ExpectTicked(target=target, ticked=ticked, **_within(cursor))
    part = bool(cursor.take(*_CONTAIN))
    if not part and not cursor.take(*_HOLD):
        return None
    if not cursor.quoted():
        cursor.at = after
        return None
    end, cursor.at = cursor.at, start
    target = cursor.target("field")
    cursor.at = end
    value = cursor.text("the text that it shall hold")
    return actions.ExpectValue(target=target, value=value, part=part, **_within(cursor))


def _within(cursor: Cursor) -> dict[str, Any]:
    """How long to wait, where that is said."""
    timed = cursor.take("within", "in", "for") or cursor.counting
    return {"seconds": cursor.seconds()} if timed else {}


_FORMS: dict[tuple[str, ...], Callable[[Cursor, bool], Action]] = {
    ("file",): _file,
    ("program", "process"): _program,
    ("address", "page", "url"): _address,
    ("clipboard",): _clipboard("clipboard"),
    ("selection",): _clipboard("primary"),
}
