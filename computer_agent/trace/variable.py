"""A name that stands in a trace for a text which may be another in each replay."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """``{{name}}`` stands for a text; ``default`` is the recorded one, ``None`` where every replay has to name it."""

    name: str
    default: str | None = None

    @property
    def mark(self) -> str:
        """What stands in the texts."""
        return "{{" + self.name + "}}"
