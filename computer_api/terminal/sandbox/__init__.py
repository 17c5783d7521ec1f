"""Confining what runs in the terminal: the seam, the policies, one file for each way of doing it."""

from computer_api.terminal.sandbox.policy import Access, Network, Policy
from computer_api.terminal.sandbox.sandbox import Command, Denial, Enclosed, Sandbox, Unconfined

__all__ = ["Access", "Command", "Denial", "Enclosed", "Network", "Policy", "Sandbox", "Unconfined"]
