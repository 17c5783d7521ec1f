"""The modes of approval: ask a person, allow all (``-y``), never."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.approval.approval import Allow, Decision, Proposal, Refuse, Resolved, Stop
from computer_agent.approval.risk import harmless

if TYPE_CHECKING:
    from collections.abc import Callable

    Ask = Callable[[Proposal, Resolved], "Allow | Refuse | Stop | AllowRest"]


class AllowRest(Allow):
    """Do it, and do not ask again in this run."""


class AllowAll:
    """Allows everything: ``-y``."""

    def decide(self, proposal: Proposal) -> Decision:  # noqa: ARG002 - the seam's
        """Let it through."""
        return Allow("-y")


class Never:
    """Refuses everything that is not plainly harmless: a run that only looks."""

    def decide(self, proposal: Proposal) -> Decision:
        """Let it through if it is harmless."""
        if harmless(proposal.action):
            return Allow("harmless")
        return Refuse("this run may only look, it was started with --approve never")


class AskFirst:
    """Asks a person before everything that is not plainly harmless; the person may say yes to the rest of the run."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._rest = False

    def decide(self, proposal: Proposal) -> Decision:
        """Let it through, or ask. Raises what ``resolve`` raises: nobody is asked about what cannot be done."""
        if harmless(proposal.action):
            return Allow("harmless")
        if self._rest:
            return Allow("the person, for the rest of the run")
        decision = self._ask(proposal, proposal.resolve())
        self._rest = isinstance(decision, AllowRest)
        return decision
