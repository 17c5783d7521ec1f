"""Skills: tasks that are kept under a name, with parameters, and done again. What keeps them is given from above."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from computer_api.arguments import as_text
from computer_api.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping


class KeptSkills(Protocol):
    """Where skills are kept. Each verb raises ``ComputerError`` with what would work."""

    def told(self) -> Mapping[str, str]:
        """The names, and what each does, with its parameters as ``{{name}}``."""
        ...

    def run(self, name: str, values: Mapping[str, str]) -> str:
        """Do one again, and say what came of it; each action passes the computer's gate."""
        ...

    def save(self, name: str, trace: str | None, values: Mapping[str, str]) -> str:
        """Keep a recorded run, by default the newest that ended well, and say what its parameters are."""
        ...

    def write(self, name: str, steps: str) -> str:
        """Keep plain-English steps."""
        ...


class SkillVerbs:
    """Tasks that were done once and are done again, by name."""

    def __init__(self) -> None:
        self.kept: KeptSkills | None = None
        self.new_skill = NewSkill(self)

    def search(self, query: str) -> dict[str, str]:
        """Those that have all the words in their name or in what they do, with what they do."""
        words = as_text("skills.search", query).casefold().split()
        told = self._kept().told()
        return {
            name: what
            for name, what in told.items()
            if all(word in f"{name} {what}".casefold() for word in words)
        }

    def run(self, name: str, **values: str) -> str:
        """Do one again, with these values for its parameters, and say what came of it.

        Raises ``ComputerError`` at the first step that goes otherwise than it was recorded.
        """
        return self._kept().run(as_text("skills.run", name), _texts(values))

    def save(self, name: str, trace: str | None = None, **values: str) -> str:
        """Keep a recorded run under a name; each value becomes a parameter wherever it stands in the run.

        ``skills.save("invoice", customer="Ada")`` keeps the newest run that ended well; ``trace`` names another one.
        """
        return self._kept().save(as_text("skills.save", name), trace, _texts(values))

    def import_skills(self) -> list[str]:
        """The names of all skills: nothing has to be imported."""
        return [*self._kept().told()]

    def list(self) -> list[str]:
        """The names of all skills."""
        return [*self._kept().told()]

    def _kept(self) -> KeptSkills:
        if self.kept is None:
            raise UnsupportedError("No skills are kept here: that takes a run of oi.")
        return self.kept


class NewSkill:
    """A skill that is written step by step: words, and the Python code that does it."""

    def __init__(self, skills: SkillVerbs) -> None:
        self._skills = skills
        self.create()

    def create(self) -> None:
        """Begin a new one."""
        self.name = "Untitled"
        self._steps: list[tuple[str, str]] = []

    def add_step(self, step: str, code: str) -> None:
        """Add what is done next, in words, and the code for it."""
        self._steps.append((as_text("new_skill.add_step", step), as_text("new_skill.add_step(code)", code)))

    def save(self) -> str:
        """Keep it under its name."""
        if not self._steps:
            raise UnsupportedError("The new skill has no step yet: new_skill.add_step(words, code).")
        kept = self._skills.kept
        if kept is None:
            raise UnsupportedError("No skills are kept here: that takes a run of oi.")
        return kept.write(self.name, "\n".join(_written(words, code) for words, code in self._steps))


def _written(words: str, code: str) -> str:
    """A step as plain-English steps have code, between lines of more backquotes than there are in it."""
    fence = "```"
    while fence in code:
        fence += "`"
    return f"# {' '.join(words.split())}\n{fence}python\n{code}\n{fence}"


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}
