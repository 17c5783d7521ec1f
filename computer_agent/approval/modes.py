"""The modes of approval: what is done unasked, by its risk, and what a person is asked about.

plan   only what is known to change nothing; the rest is refused
ask    the rest is asked about
auto   also what stays in the sandbox, or on a private desktop, and announces nothing that lasts
all    everything (``-y``), but for the short list of what is always asked about
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from computer_agent.approval.approval import HARMLESS, Allow, Decision, Proposal, Refuse, Resolved, Risk, Stop
from computer_agent.approval.risk import harmless

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.approval.judge import Judge
    from computer_api.actions import RunCode

    Ask = Callable[[Proposal, Resolved], "Said"]
    Rule = Callable[[Risk], Allow | Refuse | None]


class AllowRest(Allow):
    """Do it, and do not ask again in this run."""


class AllowPrefix(Allow):
    """Do it, and do not ask again in this run about commands that begin with the same words."""


class Edited:
    """Judge and ask again, about the code as the person has changed it."""

    def __init__(self, action: RunCode) -> None:
        self.action = action


Said = Allow | Refuse | Stop | Edited
"""What a person may say about a proposal."""


class AllowAll:
    """Allows everything, and asks nobody: for tests, and for programs that own the desktop they work on."""

    def decide(self, proposal: Proposal) -> Decision:  # noqa: ARG002 - the seam's
        """Let it through."""
        return Allow("-y")


class Never:
    """Refuses everything that is not plainly harmless, code included: for runs that only look."""

    def decide(self, proposal: Proposal) -> Decision:
        """Let it through if it is harmless."""
        if harmless(proposal.action):
            return HARMLESS
        return Refuse(_ONLY_LOOKS)


class ByRisk:
    """Judges each action, lets through what its rule allows, and asks a person about the rest.

    What the person says holds for exactly what was shown: code that they change is judged and shown again, "all of
    this run" never holds for the list of what is always asked about, and neither does a prefix.
    """

    def __init__(self, rule: Rule, judge: Judge, ask: Ask) -> None:
        self._rule = rule
        self._judge = judge
        self._ask = ask
        self._rest = False
        self._prefixes: set[tuple[str, ...]] = set()

    def end_turn(self) -> None:
        """Forget that the rest was allowed: that was said of what the person had asked for then."""
        self._rest = False

    def decide(self, proposal: Proposal) -> Decision:
        """Let it through, refuse it, or ask. Raises what ``resolve`` raises: what is not there is not asked about."""
        given = proposal.action
        while True:
            proposal = replace(proposal, risk=self._judge.risk(proposal))
            decision = self._unasked(proposal) or self._ask(proposal, proposal.resolve())
            if not isinstance(decision, Edited):
                return self._kept(decision, proposal, given)
            proposal = replace(proposal, action=decision.action)

    def _unasked(self, proposal: Proposal) -> Allow | Refuse | None:
        """What the rule says, or what the person has said before."""
        risk = proposal.risk
        assert risk is not None  # noqa: S101 - judged just before
        ruled = self._rule(risk)
        if ruled is not None or risk.hard is not None:
            return ruled
        if self._rest:
            return Allow("the person, for the rest of the run")
        prefix = next((one for one in self._prefixes if self._judge.has_prefix(proposal.action, one)), None)
        return None if prefix is None else Allow(f'the person, for what begins with "{" ".join(prefix)}"')

    def _kept(self, decision: Decision, proposal: Proposal, given: object) -> Decision:
        """The decision, with what it says about later actions remembered and what the person changed in it."""
        if isinstance(decision, AllowRest):
            self._rest = True
        if (
            isinstance(decision, AllowPrefix)
            and proposal.risk is not None
            and proposal.risk.prefix is not None
        ):
            self._prefixes.add(proposal.risk.prefix)
        if not isinstance(decision, Allow):
            return decision
        digest = "" if proposal.risk is None else proposal.risk.digest
        if proposal.action is not given:
            by = "the person, who changed it" if decision.harmless else f"{decision.by}, who changed it"
            return replace(decision, by=by, instead=proposal.action, digest=digest)
        return decision if decision.harmless else replace(decision, digest=digest)


_ONLY_LOOKS = "this run may only look, it was started with --approve plan"


def plan(risk: Risk) -> Allow | Refuse | None:
    """Only what is known to change nothing."""
    return HARMLESS if _is_low(risk) else Refuse(_ONLY_LOOKS)


def ask(risk: Risk) -> Allow | Refuse | None:
    """What is known to change nothing; the rest is asked about."""
    return HARMLESS if _is_low(risk) else None


def auto(risk: Risk) -> Allow | Refuse | None:
    """Also what stays where it can do little harm."""
    if _is_low(risk):
        return HARMLESS
    if risk.level == "medium" and risk.confined and risk.hard is None:
        return Allow("confined")
    return None


def all_but_hard(risk: Risk) -> Allow | Refuse | None:
    """Everything but the short list."""
    return Allow("-y") if risk.hard is None else None


def _is_low(risk: Risk) -> bool:
    return risk.level == "low" and risk.hard is None
