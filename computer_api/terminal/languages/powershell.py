"""PowerShell: known by its names, and not run yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_api.terminal.call import Answer
    from computer_api.terminal.place import Place
    from computer_api.terminal.worker import Worker

# The loop of workers selects on pipes and signals process groups, and Windows has neither: there it needs a thread
# for each pipe and a job object. Elsewhere nobody has tried this language, and an untried one is not offered.
_MISSING = "PowerShell cannot run in the terminal yet; use python, or a shell on Linux or macOS."


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerShellLanguage:
    """A ``Language`` that says why it cannot run."""

    name: str = "powershell"
    aliases: tuple[str, ...] = ("pwsh", "ps1")

    def missing(self, environment: Mapping[str, str]) -> str | None:  # noqa: ARG002 - the same everywhere
        """One sentence on what would work."""
        return _MISSING

    def worker(self, place: Place, answer: Answer | None) -> Worker:  # noqa: ARG002 - as the seam has it
        """Raises ``UnsupportedError``."""
        raise UnsupportedError(_MISSING)


POWERSHELL = PowerShellLanguage()
