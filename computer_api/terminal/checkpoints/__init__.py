"""Taking back what code changed: copies of the workspace, kept in a git store of our own outside it."""

from computer_api.terminal.checkpoints.checkpoints import Checkpoint, Checkpoints, Restored
from computer_api.terminal.checkpoints.errors import CheckpointError
from computer_api.terminal.checkpoints.shadow import BY_OTHERS, Change

__all__ = ["BY_OTHERS", "Change", "Checkpoint", "CheckpointError", "Checkpoints", "Restored"]
