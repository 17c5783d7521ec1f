"""Modes of approval with a judge, and people who answer as they are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.approval import Allow, ByRisk, Proposal, Refuse, Stop, ask
from computer_agent.approval.approval import Resolved
from computer_agent.approval.judge import Judge, Surroundings

if TYPE_CHECKING:
    from computer_agent.approval.modes import Ask, Rule, Said
    from computer_api.actions import Action

HERE = Surroundings(workspace=Path("/work"), home=Path("/home/ada"), confined=False, sandbox="no sandbox")
CONFINED = replace(HERE, confined=True, sandbox="a sandbox holds it")
PRIVATE = replace(HERE, private=True)


def asking(person: Ask, *, rule: Rule = ask, around: Surroundings = HERE, names: bool = True) -> ByRisk:
    return ByRisk(rule, Judge(lambda: around, names=names), person)


class Person:
    """Answers in order, and keeps what was asked."""

    def __init__(self, *answers: Said) -> None:
        self._answers = list(answers)
        self.proposals: list[Proposal] = []

    def __call__(self, proposal: Proposal, resolved: Resolved) -> Said:
        self.proposals.append(proposal)
        return self._answers.pop(0)

    @property
    def asked(self) -> list[Action]:
        return [proposal.action for proposal in self.proposals]


def proposal(action: Action, *, nested: bool = False) -> Proposal:
    nothing = Resolved(shown=(), screenshot=None)
    return Proposal(action=action, nested=nested, resolve=lambda: nothing)


__all__ = ["CONFINED", "HERE", "PRIVATE", "Allow", "Person", "Refuse", "Stop", "asking", "proposal"]
