"""Whether a replayed action did what it did when it was recorded: by its meaning, never by pixels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_agent.step import NotDone
from computer_api.actions import (
    Expect,
    HoldKeys,
    KeyDown,
    KeyUp,
    Move,
    OpenApp,
    PressKeys,
    Scroll,
    Tick,
    Wait,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from computer_agent.step import Outcome
    from computer_api.actions import Action
    from computer_api.receipt import Receipt


_SUBMIT = frozenset({"return", "enter", "kp_enter"})
_NEAR_POINTS = 12  # a change this close to the target belongs to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What an action did beside what it did when it was recorded, in words.

    Where it ``diverged``, ``expected`` and ``seen`` say how. It is ``late`` where all that lacks may still come.
    ``unchecked`` is what nobody could check, ``already`` what was so before the action.
    """

    diverged: bool = False
    expected: str = ""
    seen: str = ""
    late: bool = False
    unchecked: str = ""
    already: str = ""


def compared(recorded: Receipt, outcome: Outcome | None, titles: frozenset[str]) -> Comparison:
    """The outcome beside the recorded receipt. ``titles`` are all windows that the recording opened."""
    if outcome is None:
        return _diverged(recorded.sentence(), "nothing was performed")
    if isinstance(outcome, NotDone):
        how = {"refused": "not allowed", "interrupted": "broken off"}.get(outcome.kind, "not done")
        return _diverged(recorded.sentence(), f"{how}: {outcome.why.rstrip('.')}")
    seen, action = outcome.receipt, outcome.action
    if isinstance(action, Wait):
        return _surprise(seen, titles) or Comparison(late=_lacks_effect(recorded, seen))
    if isinstance(action, Tick) and seen.effect == "unknown" and seen.output:
        return Comparison(already=seen.output.strip().rstrip("."))
    return (
        (_texts(recorded, seen) if isinstance(action, Expect) else None)
        or _windows(recorded, seen, titles, of_a_start=isinstance(action, OpenApp))
        or _values(recorded, seen)
        or _effects(recorded, seen, action)
        or Comparison(unchecked=_unchecked(recorded, seen))
    )


def _windows(
    recorded: Receipt, seen: Receipt, titles: frozenset[str], *, of_a_start: bool
) -> Comparison | None:
    """The windows that opened and closed.

    A program that starts often changes its window's title while it loads, so that a title on the receipt
    says when it was read: there as many windows must open, and one not recorded may stand for one recorded.
    """
    missing, surprising = _without(recorded.opened, seen.opened), _without(seen.opened, titles)
    if of_a_start:
        renamed = len(missing)
        missing, surprising = missing[: max(0, len(recorded.opened) - len(seen.opened))], surprising[renamed:]
    if missing:
        return _diverged(f'a window "{missing[0]}" to open', seen.sentence(), late=not surprising)
    if surprising:
        return _diverged(f'no window "{surprising[0]}"', f'opened "{surprising[0]}"')
    if missing := _without(recorded.closed, seen.closed):
        return _diverged(f'the window "{missing[0]}" to close', seen.sentence(), late=True)
    return None


def _surprise(seen: Receipt, titles: frozenset[str]) -> Comparison | None:
    """A window that no step of the recording opened."""
    surprising = _without(seen.opened, titles)
    return _diverged(f'no window "{surprising[0]}"', f'opened "{surprising[0]}"') if surprising else None


def _values(recorded: Receipt, seen: Receipt) -> Comparison | None:
    if recorded.value is not None and seen.value is not None and recorded.value != seen.value:
        return _diverged(f'the {recorded.holder} to hold "{recorded.value}"', f'"{seen.value}"', late=True)
    if seen.failed and not recorded.failed:
        return _diverged("code that succeeds", f'failed code: "{seen.output.strip()[-80:]}"')
    return None


def _effects(recorded: Receipt, seen: Receipt, action: Action) -> Comparison | None:
    if recorded.only_focus and recorded.effect == "here" and seen.effect == "elsewhere" and recorded.matches:
        return _diverged("the target to get the keyboard", seen.sentence(), late=True)
    if not _lacks_effect(recorded, seen):
        return None
    if recorded.value is not None and recorded.value == seen.value:
        return Comparison(already=f'the {recorded.holder} held "{recorded.value}" already')
    if isinstance(action, PressKeys | HoldKeys | KeyDown | KeyUp | Move | Scroll) and not _submits(action):
        return Comparison(
            unchecked="whether the screen changed"
        )  # a selection, a caret, an end that is reached
    wanted = "more than the focus to change" if seen.only_focus else recorded.sentence()
    return _diverged(wanted, seen.sentence(), late=True)


def _submits(action: Action) -> bool:
    """Whether keys send off what was filled in, as a button does."""
    return isinstance(action, PressKeys | HoldKeys) and bool(
        _SUBMIT & {key.casefold() for key in action.keys}
    )


def _lacks_effect(recorded: Receipt, seen: Receipt) -> bool:
    if recorded.effect not in ("here", "elsewhere") or seen.opened:
        return False
    return seen.effect == "nothing" or (seen.only_focus and _went_on(recorded))


def _went_on(recorded: Receipt) -> bool:
    """Whether more changed than at the target, where a mere click leaves a frame or a caret."""
    if recorded.only_focus or not recorded.matches:
        return False
    targets = [match.box.grown(_NEAR_POINTS) for match in recorded.matches]
    return any(not any(box.overlap(target) for target in targets) for box in recorded.changed)


def _texts(recorded: Receipt, seen: Receipt) -> Comparison | None:
    """A check that found another word than it did: "Save" is no "Saved", however alike they are to a reader."""
    for was, now in zip(recorded.matches, seen.matches, strict=False):
        one, other = folded_title(was.text), folded_title(now.text)
        if one != other and one and other and (one.startswith(other) or other.startswith(one)):
            return _diverged(f'"{was.text}"', f'"{now.text}"', late=True)
    return None


def _unchecked(recorded: Receipt, seen: Receipt) -> str:
    if recorded.value is not None and seen.value is None:
        return f'whether the {recorded.holder} holds "{recorded.value}"'
    if recorded.effect in ("here", "elsewhere") and seen.effect == "unknown":
        return "whether the screen changed"
    return ""


def _diverged(expected: str, seen: str, *, late: bool = False) -> Comparison:
    return Comparison(diverged=True, expected=expected or "it to be done", seen=seen, late=late)


def _without(titles: Iterable[str], others: Iterable[str]) -> list[str]:
    known = {folded_title(title) for title in others}
    return [title for title in titles if folded_title(title) not in known]


def folded_title(title: str) -> str:
    """A title without what changes from run to run: counts and numbers, as in ``Inbox (3)``."""
    return re.sub(r"\d+", "#", " ".join(title.casefold().split()))
