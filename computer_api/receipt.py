"""What an action changed, said honestly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from computer_api.geometry import Box
from computer_api.targets import Match
from computer_api.terminal.sandbox.sandbox import Denial

Effect = Literal["here", "elsewhere", "nothing", "unknown"]
Way = Literal["down", "right"]
Holder = Literal["field", "clipboard", "selection"]
MenuChange = Literal["opened", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrolled:
    """How far a scroll by pixels of the picture went on one axis: ``asked`` and ``moved``, negative up and left.

    ``moved`` is None when the picture does not tell, or the program is still at work. ``end`` says that it would not
    go on.
    """

    way: Way
    asked: int
    moved: int | None
    end: bool = False

    def sentence(self) -> str:
        """The same in a few words."""
        if self.moved == 0 and self.end:
            return f"nothing scrolled {self._direction()}"
        end = ", to the end" if self.end else ""
        if self.moved is None:
            return f"turned the wheel {self._direction()}{end}; how far it scrolled is unknown"
        return f"scrolled {self._direction()} {abs(self.moved)} of {abs(self.asked)} pixels{end}"

    def _direction(self) -> str:
        back, forth = ("up", "down") if self.way == "down" else ("left", "right")
        return forth if self.asked > 0 else back


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The evidence of one action's effect.

    ``effect`` says whether the screen changed at the target, only elsewhere, not at all, or that
    nobody could tell. ``changed`` holds the changed boxes (desktop points), largest first; what moves by itself is
    not among them. ``opened``, ``closed`` and ``renamed`` are titles of windows, ``renamed`` the new ones; ``focus``
    is the window that got the keyboard. ``only_focus`` says that no more changed than a frame or a caret at the
    target, ``control`` which control has the keyboard then. ``menu`` says what became of menus.
    ``moving`` says that the screen did not become quiet: ``moving_at`` where (desktop points), ``moving_where`` the
    same as words, in pixels of the picture. ``busy`` says that the program was still at work. ``value`` is what
    the ``holder`` held when it was read back, ``None`` when it could not be. ``scrolled`` says how far
    a scroll by pixels went. ``matches`` says where each target was found.
    ``output`` is text for the model: what code printed, what a clipboard held. ``html`` is what values of the code
    show of themselves in a browser, ``denied`` what a sandbox denied it. ``waiting`` is the question of a program that
    waits for a line in the terminal. ``lost_state``: variables of earlier blocks are gone.
    ``meant`` is the text of the link or field of a web page that the action's number stood for.
    """

    effect: Effect
    changed: tuple[Box, ...] = ()
    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    focus: str | None = None
    only_focus: bool = False
    control: str | None = None
    menu: MenuChange | None = None
    value: str | None = None
    holder: Holder = "field"
    scrolled: tuple[Scrolled, ...] = ()
    matches: tuple[Match, ...] = ()
    output: str = ""
    failed: bool = False
    images: tuple[bytes, ...] = field(default=(), repr=False)
    html: tuple[str, ...] = field(default=(), repr=False)
    denied: tuple[Denial, ...] = ()
    meant: str | None = None
    waiting: str | None = None
    lost_state: bool = False
    moving: bool = False
    moving_at: tuple[Box, ...] = ()
    moving_where: str = ""
    busy: bool = False
    seconds: float = 0.0

    def sentence(self) -> str:
        """The receipt in about fifteen tokens, strongest evidence first; ``""`` only for pure output."""
        said = [f'opened "{short(title)}"' for title in self.opened]
        said += [f'closed "{short(title)}"' for title in self.closed]
        if self.focus is not None and self.focus not in self.opened:
            said.append(f'now in "{short(self.focus)}"')
        said += [f'now called "{short(title)}"' for title in self.renamed if title != self.focus]
        if self.menu is not None:
            said.append(f"{self.menu} a menu")
        if self.value is not None:
            said.append(f'the {self.holder} holds "{short(self.value)}"')
        said += [scrolled.sentence() for scrolled in self.scrolled]
        if not said and not (self.effect == "unknown" and self.output):
            said = [self._seen()]
        if self.moving:
            said.append(f"still moving{' at ' if self.moving_where else ''}{self.moving_where}")
        if self.busy:
            said.append("the program is still busy")
        return "; ".join(said)

    def _seen(self) -> str:
        if not self.only_focus:
            return _EFFECTS[self.effect]
        return "only the focus changed" if not self.control else f"focus moved to {self.control}"


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
