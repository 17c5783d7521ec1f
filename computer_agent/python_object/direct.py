"""A person's own calls of the computer: whoever wrote them has approved them, so nobody is asked about them again."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from computer_api.gate import open_gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from computer_api.actions import Action
    from computer_api.computer import Computer
    from computer_api.receipt import Receipt


class Direct:
    """Stands for the computer that ``opened`` gives, with an open gate; questions to a model go to ``ask``.

    ``ask`` gets the words and the pictures' files.
    """

    def __init__(self, opened: Callable[[], Computer], ask: Callable[[str, tuple[str, ...]], str]) -> None:
        self._opened = opened
        self._ask = ask

    def perform(self, action: Action, *, first: Callable[[], None] | None = None) -> Receipt:
        """Do it. Raises what the computer raises."""
        from computer_api.actions import AskModel
        from computer_api.receipt import Receipt

        if isinstance(action, AskModel):
            return Receipt(effect="unknown", output=self._ask(action.text, action.pictures))
        computer = self._opened()
        with let_through(computer):
            return computer.perform(action, first=first)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the computer has of that name
        return getattr(self._opened(), name)


@contextmanager
def let_through(computer: Computer) -> Iterator[None]:
    """Meanwhile everything passes the computer's gate, and no limit of an earlier turn holds."""
    gate, computer.gate = computer.gate, open_gate
    computer.stop_when(lambda: None)
    try:
        yield
    finally:
        computer.gate = gate
