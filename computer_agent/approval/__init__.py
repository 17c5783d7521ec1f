"""Approval: who lets an action through, asked before every one, code included."""

from computer_agent.approval.approval import Allow, Approval, Decision, Proposal, Refuse, Stop
from computer_agent.approval.modes import AllowAll, AskFirst, Never

__all__ = ["Allow", "AllowAll", "Approval", "AskFirst", "Decision", "Never", "Proposal", "Refuse", "Stop"]
