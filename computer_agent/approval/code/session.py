"""What the earlier blocks of a session may have left behind that changes what a later one means."""

from __future__ import annotations

from dataclasses import dataclass, field

from computer_agent.approval.code.assessment import LEVELS, Level
from computer_agent.approval.code.findings import higher
from computer_agent.approval.code.words import Variables

_MOST_FOLDERS = 8


@dataclass(slots=True)
class Names:
    """The names that code has defined, each with the highest level of what it was ever bound to.

    They are never taken to be better again: whether a later block ran, and how far, is not known here.
    """

    levels: dict[str, Level] = field(default_factory=dict)
    distrusted: Level = "low"
    """What every name is at least, once the meaning of all of them may have changed."""

    modules: set[str] = field(default_factory=set)
    """Those of the names that are modules, of which more can be taken than a harmless block needs."""

    def define(self, name: str, level: Level) -> None:
        """Let a name be at least of this level."""
        self.levels[name] = higher(self.levels.get(name, "low"), level)

    def of(self, name: str) -> Level | None:
        """The level of a name; ``None`` if no code defined it."""
        level = self.levels.get(name)
        return level if level is None else higher(level, self.distrusted)

    def distrust(self, level: Level = "medium") -> None:
        """Take every name for at least this."""
        self.distrusted = higher(self.distrusted, level)

    def worst(self) -> Level:
        """The highest of all levels."""
        return max(self.levels.values(), key=LEVELS.index, default="low")


@dataclass(slots=True)
class ShellState:
    """A shell's functions and aliases, its variables, and the folders that it may be in: ``None`` for anywhere."""

    folders: tuple[str, ...] | None
    names: Names = field(default_factory=Names)
    variables: Variables = field(default_factory=Variables)
    hidden_code: bool = False
    """Whether a text was seen that a later arithmetic expression would run."""

    def enter(self, folders: tuple[str, ...] | None) -> None:
        """Be in one of these folders from here on."""
        self.folders = (
            None if folders is None or len(folders) > _MOST_FOLDERS else tuple(dict.fromkeys(folders))
        )

    def maybe_in(self, folders: tuple[str, ...] | None) -> None:
        """Be in one of these folders, or still where it was."""
        self.enter(None if folders is None or self.folders is None else (*self.folders, *folders))
