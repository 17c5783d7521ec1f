"""What keeps the files of a run: a checkpoint of the workspace before each block of code that may write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.undo import opened
from computer_api.terminal.checkpoints import CheckpointError

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.settings import Settings
    from computer_api.actions import RunCode
    from computer_api.terminal.checkpoints import Checkpoint, Checkpoints

_LONGEST_TITLE = 60


class Keeping:
    """Checkpoints for one run. ``say`` tells the person when there is none before a block, and why."""

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self._say = say
        self._workspace = settings.code.workspace
        self._checkpoints: Checkpoints | None = None
        self._running: Checkpoint | None = None
        self.why_not = ""
        try:
            self._checkpoints = opened(self._workspace, settings.environment)
        except CheckpointError as error:
            self.why_not = str(error)

    @property
    def words(self) -> str:
        """Whether what code changes can be taken back, in a sentence."""
        if self._checkpoints is None:
            return f"what it changes cannot be undone: {self.why_not}"
        return f'`oi undo` takes back what it changes in "{self._workspace}", and nothing else'

    def prepare(self) -> None:
        """Make the first copy, which takes longest, in the background."""
        if self._checkpoints is not None:
            self._checkpoints.prepare()

    def before(self, action: RunCode) -> None:
        """Take a checkpoint before the block; without one the block runs all the same, and the person is told."""
        if self._checkpoints is None:
            return
        self._running = None
        try:
            self._running = self._checkpoints.take(_title(action))
        except CheckpointError as error:
            self._say(f"[no checkpoint before this block, so it cannot be undone: {error}]\n")

    def after(self) -> None:
        """Note that the block has ended, so that what others change from now on is told from what it did."""
        if self._checkpoints is None or self._running is None:
            return
        try:
            self._checkpoints.ended(self._running)
        except CheckpointError as error:
            self._say(
                f"[`oi undo` will not tell what others change from now on from this block's: {error}]\n"
            )
        self._running = None

    def close(self) -> None:
        """Note the end of a block that was stopped, and forget the oldest checkpoints."""
        self.after()
        if self._checkpoints is not None:
            try:
                self._checkpoints.prune()
            except CheckpointError as error:
                self._say(f"[old checkpoints are still kept: {error}]\n")


def _title(action: RunCode) -> str:
    """The first line of the code, and its language."""
    line = next((line.strip() for line in action.code.splitlines() if line.strip()), "")
    short = line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1]}…"
    return f"{action.language}: {short}"
