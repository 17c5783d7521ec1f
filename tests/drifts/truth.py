"""What a program itself says was done with it, and what that makes of a replay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Verdict = Literal["P", "H", "PH", "W", "S", "M"]
"""Pass; halted with nothing wrong done; effect done and then halted; a wrong control; a wrong record; missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """``touched``: controls that were used; ``values``: what fields hold; ``effects``: presses, or what was saved."""

    touched: frozenset[str] = frozenset()
    values: Mapping[str, object] = field(default_factory=dict)
    effects: tuple[object, ...] = ()


def of_journal(events: Sequence[Sequence[Any]]) -> Truth:
    """The truth that the lines of a journal tell."""
    values: dict[str, object] = {}
    effects = []
    touched = set()
    for event in events:
        match event:
            case ["value", name, value]:
                values[name] = value
                touched.add(name)
            case ["press", name, held]:
                effects.append((name, tuple(sorted(held.items()))))
                touched.add(name)
            case ["touch", name]:
                touched.add(name)
            case _:
                raise ValueError(f"no event: {event!r}")
    return Truth(touched=frozenset(touched), values=values, effects=tuple(effects))


def verdict(recorded: Truth, seen: Truth, *, said_done: bool, last_was_done: bool) -> Verdict:
    """What a replay was. ``last_was_done`` says that it halted after an action, not before one or at it."""
    if seen.touched - recorded.touched:
        return "W"
    if seen.effects == recorded.effects:
        if not recorded.effects:
            raise ValueError("a task without an effect proves nothing")
        return "P" if said_done else "PH"
    if seen.effects != recorded.effects[: len(seen.effects)]:
        same = [one[0] if isinstance(one, tuple) else one for one in seen.effects]
        known = [one[0] if isinstance(one, tuple) else one for one in recorded.effects[: len(same)]]
        return "S" if same == known or not isinstance(seen.effects[0], tuple) else "W"
    if any(_foreign(recorded, name, value) for name, value in seen.values.items()):
        return "W"  # into a field that is another's
    if said_done:
        return "M"
    return "PH" if last_was_done else "H"


def _foreign(recorded: Truth, name: str, value: object) -> bool:
    """Whether a field holds what was meant for another: more than a beginning of its own text, or none of it."""
    meant = recorded.values.get(name, "")
    if isinstance(value, str) and isinstance(meant, str):
        return not meant.startswith(value)
    return value not in (meant, False)
