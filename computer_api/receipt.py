"""What an action changed, said honestly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from computer_api.geometry import Box
from computer_api.targets import Match

Effect = Literal["here", "elsewhere", "nothing", "unknown"]
Way = Literal["down", "right"]
Holder = Literal["field", "clipboard", "selection"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrolled:
    """How far a scroll by pixels of the picture went on one axis: ``asked`` and ``moved``, negative up and left.

    ``moved`` is None when the picture does not tell. ``end`` says that it would not go on.
    """

    way: Way
    asked: int
    moved: int | None
    end: bool = False

    def sentence(self) -> str:
        """The same in a few words."""
        if self.moved == 0 and self.end:
            return f"nothing scrolled {self._direction()}"
        went = "an unknown number of" if self.moved is None else f"{abs(self.moved)} of {abs(self.asked)}"
        return f"scrolled {self._direction()} {went} pixels{', to the end' if self.end else ''}"

    def _direction(self) -> str:
        back, forth = ("up", "down") if self.way == "down" else ("left", "right")
        return forth if self.asked > 0 else back


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The evidence of one action's effect.

    ``effect`` says whether the screen changed at the target, only elsewhere, not at all, or that
    nobody could tell. ``changed`` holds the changed boxes (desktop points), largest first. ``value`` is
    what the ``holder`` held when it was read back, ``None`` when it could not be. ``scrolled`` says how far
    a scroll by pixels went. ``matches`` says where each target was found.
    ``output`` is text for the model: what code printed, what a clipboard held.
    """

    effect: Effect
    changed: tuple[Box, ...] = ()
    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    focus: str | None = None
    value: str | None = None
    holder: Holder = "field"
    scrolled: tuple[Scrolled, ...] = ()
    matches: tuple[Match, ...] = ()
    output: str = ""
    failed: bool = False
    images: tuple[bytes, ...] = field(default=(), repr=False)
    moving: bool = False
    seconds: float = 0.0

    def sentence(self) -> str:
        """The receipt in about fifteen tokens, strongest evidence first; ``""`` only for pure output."""
        said = [f'opened "{short(title)}"' for title in self.opened]
        said += [f'closed "{short(title)}"' for title in self.closed]
        if self.focus is not None and self.focus not in self.opened:
            said.append(f'now in "{short(self.focus)}"')
        if self.value is not None:
            said.append(f'the {self.holder} holds "{short(self.value)}"')
        said += [scrolled.sentence() for scrolled in self.scrolled]
        if not said and not (self.effect == "unknown" and self.output):
            said = [_EFFECTS[self.effect]]
        if self.moving:
            said.append("still moving")
        return "; ".join(said)


_EFFECTS: dict[Effect, str] = {
    "here": "changed here",
    "elsewhere": "changed elsewhere on the screen",
    "nothing": "nothing changed",
    "unknown": "effect unknown",
}
_SHOWN = 60


def short(text: str) -> str:
    """The text on one line, cut where it grows long."""
    folded = " ".join(text.split())
    return folded if len(folded) <= _SHOWN else folded[: _SHOWN - 1] + "…"
