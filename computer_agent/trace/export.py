"""What of a trace can be taken elsewhere: the actions that were done, with targets that are found again.

``export_steps``, ``export_python``, ``export_pytest`` and ``export_film`` write it; the secrets are none of it: they
become values with a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from computer_agent.trace.codec import SECRET
from computer_agent.trace.errors import TraceError
from computer_api.actions import (
    AnswerPrompt,
    Browse,
    ClipboardGet,
    Look,
    TypeText,
    Zoom,
    aimed_at,
    targets_of,
)
from computer_api.geometry import Pixel
from computer_api.targets import ElementTarget, TextTarget, first_pixel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_agent.trace.reader import Attempt, Trace
    from computer_agent.trace.record import Observed
    from computer_api.actions import Action
    from computer_api.geometry import Box, Size
    from computer_api.targets import Target

__all__ = ["NAMED", "LeftOut", "Portable", "named", "portable", "variables"]

NAMED = re.compile("\ufdd0([A-Za-z_][A-Za-z0-9_]*)\ufdd0")
"""How a text of an exported action says that it is a value with a name: by characters that no text has."""

_LOOKING = Look | Zoom | ClipboardGet  # they told the model something and changed nothing
_ONLY_A_PLACE = "only a place is known: right where all lies as it did, on a screen of {size}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Portable:
    """An action to do again, of the recorded ``step``. ``note`` says what is doubtful about it.

    ``names`` are the values that it asks for. Its pixels are points of the recorded desktop.
    """

    step: int
    action: Action
    note: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """An action of the recorded ``step`` that is not exported, and why."""

    step: int
    action: Action
    why: str


def portable(trace: Trace) -> tuple[Portable | LeftOut, ...]:
    """What was done, in order, and what is left out. What code did is left to the code.

    Raises ``TraceError`` when nothing was done.
    """
    told = tuple(_Exporting().told(trace))
    if not any(isinstance(one, Portable) for one in told):
        raise TraceError("The trace holds no action that was done and changed something: nothing to export.")
    return told


def variables(exported: tuple[Portable | LeftOut, ...]) -> tuple[str, ...]:
    """The values that the export asks for, in order."""
    names = (name for one in exported if isinstance(one, Portable) for name in one.names)
    return tuple(dict.fromkeys(names))


def named(name: str) -> str:
    """The text that stands for a value of that name."""
    return f"\ufdd0{name}\ufdd0"


class _Exporting:
    """Remembers which names are taken and what the last picture showed."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._seen: Observed | None = None

    def told(self, trace: Trace) -> Iterator[Portable | LeftOut]:
        for step in trace.steps:
            if step.observation is not None and step.observation.picture is not None:
                self._seen = step.observation
            for attempt in step.attempts:
                if not attempt.nested and not isinstance(attempt.action, _LOOKING):
                    yield self._exported(step.number, attempt)

    def _exported(self, step: int, attempt: Attempt) -> Portable | LeftOut:
        action = attempt.action
        if attempt.outcome != "done":
            why = attempt.why or "whether it was done is unknown"
            return LeftOut(step=step, action=action, why=f"{attempt.outcome}: {why}")
        action, names = self._without_secrets(attempt)
        if attempt.redacted and not names:
            return LeftOut(step=step, action=action, why="a part of it was hidden when it was recorded")
        action, sure = self._found_anew(action, attempt)
        note = "" if sure else _ONLY_A_PLACE.format(size=self._area_size())
        return Portable(step=step, action=action, note=note, names=names)

    def _without_secrets(self, attempt: Attempt) -> tuple[Action, tuple[str, ...]]:
        action = attempt.action
        if isinstance(action, Browse) and attempt.receipt is not None and attempt.receipt.meant is not None:
            action = replace(action, where=attempt.receipt.meant)  # its number may be another's by then
        hidden = isinstance(action, TypeText | AnswerPrompt) and attempt.redacted
        if isinstance(action, TypeText | AnswerPrompt | Browse) and (action.secret or hidden):
            name = self._name(_label(action))
            return replace(action, text=named(name), secret=True), (name,)
        changed: dict[str, str] = {}
        for spot in fields(action) if attempt.redacted else ():
            value = getattr(action, spot.name)
            if isinstance(value, str) and SECRET in value:
                changed[spot.name] = self._name(spot.name)
        texts: dict[str, Any] = {field: named(name) for field, name in changed.items()}
        return replace(action, **texts), tuple(changed.values())

    def _name(self, label: str) -> str:
        """A name that is not taken: ``PASSWORD``, ``PASSWORD_2``."""
        plain = re.sub(r"[^A-Z0-9]+", "_", label.upper()).strip("_") or "SECRET"
        plain = f"_{plain}" if plain[0].isdecimal() else plain
        name, number = plain, 1
        while name in self._taken:
            number += 1
            name = f"{plain}_{number}"
        self._taken.add(name)
        return name

    def _found_anew(self, action: Action, attempt: Attempt) -> tuple[Action, bool]:
        """The action on what its receipt says was there, and whether no bare place is left."""
        targets = targets_of(action)
        matches = () if attempt.receipt is None else attempt.receipt.matches
        known = matches if len(matches) == len(targets) else (None,) * len(targets)
        anew: list[Target] = []
        for target, match in zip(targets, known, strict=True):
            anchor = None if match is None or match.anchors is None else match.anchors.question
            if isinstance(target, Pixel) and anchor is not None and first_pixel(anchor) is None:
                anew.append(anchor)
            elif isinstance(target, Pixel):
                anew.append(self._place(target))
            else:
                anew.append(target)
        return aimed_at(action, anew), all(first_pixel(target) is None for target in anew)

    def _place(self, pixel: Pixel) -> Pixel:
        """The pixel of the picture as a point of the desktop."""
        if self._seen is None or self._seen.picture is None or self._seen.area is None:
            return pixel
        picture, area = self._seen.picture, self._seen.area
        return Pixel(
            _scaled(pixel.x, picture.width, area.width), _scaled(pixel.y, picture.height, area.height)
        )

    def _area_size(self) -> Size | Box | str:
        area = None if self._seen is None else self._seen.area
        return "the same size" if area is None else f"{area.width}x{area.height}"


def _scaled(value: int, old: int, new: int) -> int:
    return value if old == new else int((value + 0.5) * new / old)


def _label(action: TypeText | AnswerPrompt | Browse) -> str:
    if isinstance(action, Browse):
        return action.where
    match action.into if isinstance(action, TypeText) else None:
        case TextTarget(text=label) | ElementTarget(name=label):
            return label
        case _:
            return "SECRET"
