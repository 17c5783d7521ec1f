"""`computer.ai` and `computer.vision` in a run: what code asks of the run's own model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.models.grounding import Grounded
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.model import ModelError
from computer_api.errors import ComputerError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.models.model import Model


def adviser(model: Callable[[], Model]) -> Callable[[str, tuple[bytes, ...]], str]:
    """What answers words and PNG pictures, with the model that the run has at that moment.

    It raises ``UnsupportedError`` for a model that has no words, such as steps, and ``ComputerError`` when it fails.
    """

    def advise(words: str, pictures: tuple[bytes, ...]) -> str:
        now = model()
        asked = now.planner if isinstance(now, Grounded) else now
        if not isinstance(asked, LanguageModel):
            raise UnsupportedError(
                f'"{now.name}" is no model that can be asked: run with a language model for that.'
            )
        try:
            return asked.advise(words, pictures)
        except ModelError as error:
            raise ComputerError(f"The model could not be asked: {error}") from None

    return advise
