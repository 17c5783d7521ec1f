"""Approval: who lets an action through, asked before every one, code included."""

from computer_agent.approval.approval import Allow, Approval, Decision, Proposal, Refuse, Risk, Stop
from computer_agent.approval.modes import AllowAll, ByRisk, Never, all_but_hard, ask, auto, plan

__all__ = [
    "Allow",
    "AllowAll",
    "Approval",
    "ByRisk",
    "Decision",
    "Never",
    "Proposal",
    "Refuse",
    "Risk",
    "Stop",
    "all_but_hard",
    "ask",
    "auto",
    "plan",
]
