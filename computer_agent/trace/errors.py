"""What can go wrong with a trace.

TraceError               told to the person: the trace cannot be written, read or replayed, and why
└── TraceFullError       no room is left; nothing more may be done, because it could not be recorded
"""

from __future__ import annotations


class TraceError(Exception):
    """The trace cannot be written, read or replayed; the message says why and what would work."""


class TraceFullError(TraceError):
    """No room is left for the trace: the run stops before its next action."""
