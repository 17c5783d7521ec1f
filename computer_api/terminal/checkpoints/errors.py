"""Why there is no checkpoint, or none can be restored."""

from __future__ import annotations


class CheckpointError(Exception):
    """The workspace could not be copied or restored; the message says why and what would work."""
