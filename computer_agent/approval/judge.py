"""What every action is judged by before somebody is asked: code by its syntax tree, the rest by what it aims at."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from computer_agent.approval.approval import Risk
from computer_agent.approval.browsing import risk_of_browsing
from computer_agent.approval.code import Assessor
from computer_agent.approval.gui import ScreenJudge
from computer_agent.approval.risk import harmless
from computer_api.actions import Browse, RunCode
from computer_api.browser.reach import Reach
from computer_api.terminal.sandbox.policy import Network

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from computer_agent.approval.approval import Proposal
    from computer_api.actions import Action

_OUTSIDE = "runs without the sandbox"
_ON_SCREEN = "what is done on the screen cannot be undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What holds the actions of a run: a sandbox around its code, a desktop of its own, checkpoints of its files.

    ``workspace`` is the folder that it works in, ``home`` the person's. ``sandbox`` says in a sentence what code is
    kept from; ``confined`` whether that holds. ``undo`` says which files a checkpoint covers. ``pages`` is what a
    browser may load unasked, ``pages_held`` that it can load nothing else.
    """

    workspace: Path
    home: Path
    confined: bool
    sandbox: str
    private: bool = False
    undo: str = ""
    pages: Reach = field(default_factory=lambda: Reach(network=Network()))
    pages_held: bool = False


class Judge:
    """Judges the actions of one run in their order, for the later ones may use what the earlier ones defined.

    ``around`` tells what holds them, which the person may change meanwhile. Without ``names`` what actions aim at is
    not looked for: where nobody would be asked because of it. ``called`` is what a number of a web page stands for.
    """

    def __init__(
        self,
        around: Callable[[], Surroundings],
        *,
        names: bool = True,
        called: Callable[[str], str] = lambda _where: "",
    ) -> None:
        self._called = called
        folders = {"workspace": around().workspace, "home": around().home}
        self._code = Assessor(**folders)
        self._screen = ScreenJudge(Assessor(**folders), names=names)
        self._around = around

    def look_for_names(self, names: bool) -> None:  # noqa: FBT001 - what it sets
        """From now on, look for what actions aim at, or leave it."""
        self._screen.names = names

    def risk(self, proposal: Proposal) -> Risk:
        """How risky it is. Raises ``ComputerError`` when what it aims at is not there."""
        action = proposal.action
        if isinstance(action, RunCode):
            return self._risk_of_code(action)
        around = self._around()
        if isinstance(action, Browse):
            return risk_of_browsing(action, around.pages, held=around.pages_held, called=self._called)
        if harmless(action):
            return Risk(level="low", confined=around.private)
        found = self._screen.assess(proposal)
        # Whatever is done on the screen changes something: the least of it counts as what stays where it does no harm.
        return Risk(
            level="high" if found.level == "high" else "medium",
            labels=found.labels,
            hard=found.hard,
            confined=around.private or found.level == "low",
            where="on a desktop of its own" if around.private else "",
            undo=_ON_SCREEN,
        )

    def has_prefix(self, action: Action, prefix: tuple[str, ...]) -> bool:
        """Whether it consists of commands that begin with these words."""
        return (
            isinstance(action, RunCode)
            and not action.outside
            and self._code.matches_prefix(action.language, action.code, prefix)
        )

    def _risk_of_code(self, action: RunCode) -> Risk:
        found, around = self._code.assess(action.language, action.code), self._around()
        hard = found.hard or (f"it {_OUTSIDE}" if action.outside and around.confined else None)
        return Risk(
            level="high" if action.outside else found.level,
            labels=found.labels,
            hard=hard,
            prefix=None if action.outside else found.prefix,
            confined=around.confined and not action.outside,
            where=_OUTSIDE if action.outside else around.sandbox,
            undo=around.undo,
            digest=_digest(action, around),
        )

    def forget(self, language: str) -> None:
        """What earlier blocks of the language defined is gone, since its worker is."""
        self._code.forget(language)


def _digest(action: RunCode, around: Surroundings) -> str:
    """What names exactly this code in this place: an approval of it is of nothing else."""
    parts = (action.language, action.code, str(action.outside), str(around.workspace), around.sandbox)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
