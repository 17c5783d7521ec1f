"""The judge of code: which parser a language has, and what earlier blocks of a session have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.approval.code.assessment import Assessment, Label

if TYPE_CHECKING:
    from pathlib import Path


class Assessor:
    """Judges the blocks of one session, and remembers which names the earlier ones have defined."""

    def __init__(self, *, workspace: Path, home: Path) -> None:
        self._workspace = workspace
        self._home = home

    def assess(self, language: str, code: str) -> Assessment:
        """How risky a block is, after the blocks that were assessed before it."""
        words = f"is {language}, which is not read here: {len(code)} characters"
        return Assessment(level="medium", labels=(Label(name="unknown", words=words),))

    def matches_prefix(self, language: str, code: str, prefix: tuple[str, ...]) -> bool:  # noqa: ARG002 - to come
        """Whether a block consists only of commands that begin with these words, and is neither dynamic nor high."""
        return False

    def forget(self, language: str | None = None) -> None:
        """The state of a language's worker was lost, or that of all: what was defined there is gone."""


def assess(language: str, code: str, *, workspace: Path, home: Path) -> Assessment:
    """How risky a block of code is by itself. Paths are resolved by their words alone, not on the disk."""
    return Assessor(workspace=workspace, home=home).assess(language, code)


def matches_prefix(language: str, code: str, prefix: tuple[str, ...], *, workspace: Path, home: Path) -> bool:
    """Whether a block consists only of commands that begin with these words, and is neither dynamic nor high."""
    return Assessor(workspace=workspace, home=home).matches_prefix(language, code, prefix)
