"""The Language seam: what the terminal must know of a language to run blocks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_api.terminal.call import Answer
    from computer_api.terminal.place import Place
    from computer_api.terminal.worker import Worker


class Language(Protocol):
    """A language by its name and the other words for it, all in lower case."""

    @property
    def name(self) -> str:
        """The first name: ``python``."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names: ``py``."""
        ...

    def missing(self, environment: Mapping[str, str]) -> str | None:
        """One sentence on what has to be installed, or None when it can run."""
        ...

    def worker(self, place: Place, answer: Answer | None) -> Worker:
        """A worker, whose process is not started yet. Raises ``UnsupportedError``."""
        ...
