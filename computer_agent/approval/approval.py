"""The Approval seam: a proposal in, a decision out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.code import Label, Level
    from computer_api.acting import Shown
    from computer_api.actions import Action
    from computer_api.screenshot import Screenshot
    from computer_platform.desktop import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An action that wants to be done. ``nested`` if a code step asked for it.

    ``resolve`` finds the action's targets and looks at the screen; it costs time, so it is called only
    when somebody is asked. It raises ``ComputerError`` when a target is not there. ``receiver`` tells which window
    keys would reach. ``risk`` is known once the action was judged.
    """

    action: Action
    nested: bool
    resolve: Callable[[], Resolved]
    receiver: Callable[[], Window | None] = lambda: None
    risk: Risk | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """How risky an action is, why, and whether it stays where it can do little harm.

    ``confined``: code that runs in a sandbox, or an action on a desktop of its own. ``hard`` says why a person is
    asked whatever the mode. ``prefix`` is what "these commands" means, ``None`` where that cannot be said.
    ``where`` tells a person what holds the action, and ``undo`` whether it can be taken back. ``digest`` is the SHA-256
    of the code with its language, folder and sandbox: what a yes is bound to.
    """

    level: Level
    labels: tuple[Label, ...] = ()
    hard: str | None = None
    prefix: tuple[str, ...] | None = None
    confined: bool = False
    where: str = ""
    undo: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Where a proposed action would act, and the screen it would act on (``None`` for code).

    ``receiver`` is the window that would get the keys, for an action that only sends some.
    """

    shown: tuple[Shown, ...]
    screenshot: Screenshot | None
    receiver: Window | None = None


@dataclass(frozen=True, slots=True)
class Allow:
    """Do it. ``by`` says who or what allowed it, for the trace; ``instead`` is the action as the person changed it.

    ``harmless``: it is known to change nothing. ``digest`` names exactly what was shown, for code.
    """

    by: str
    instead: Action | None = None
    harmless: bool = False
    digest: str = field(default="", compare=False)


HARMLESS = Allow("harmless", harmless=True)


@dataclass(frozen=True, slots=True)
class Refuse:
    """Do not do it; the model is told why."""

    why: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run now."""


Decision = Allow | Refuse | Stop


class Approval(Protocol):
    """Whoever decides: a person, or a rule."""

    def decide(self, proposal: Proposal) -> Decision:
        """Let one action through, refuse it with a reason, or end the run."""
        ...
