"""What a judge of code says about a block: a level, labels in words, and whether it is always asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["low", "medium", "high"]
"""``low``: known to be harmless. ``medium``: writes in the workspace, or is not known. ``high``: all the rest."""

LEVELS: tuple[Level, ...] = ("low", "medium", "high")

LabelName = Literal[
    "destructive",
    "recursive-delete",
    "history-rewrite",
    "privilege",
    "system-write",
    "persistence",
    "secret-read",
    "exfil",
    "pipe-to-shell",
    "dynamic-command",
    "package-install",
    "network",
    "infra",
    "power",
    "kill",
    "write",
    "unknown",
    "unparsed",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One thing that a block does. ``words`` says it to a person and names the command or the path concerned."""

    name: LabelName
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """How risky a block of code is, and why.

    ``hard`` says why a person is asked even with ``-y``. ``prefix`` is what "allow these commands" would hold for,
    ``None`` where that cannot be said: anything dynamic, high, piped or redirected into a file.
    """

    level: Level
    labels: tuple[Label, ...] = ()
    hard: str | None = None
    prefix: tuple[str, ...] | None = None
