"""Language models as tests make them: any dialect over litellm."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from computer_agent.models.dialects.function_calling import FunctionCalling
from computer_agent.models.language_model import LanguageModel
from computer_agent.models.transports.litellm import Litellm

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_agent.models.dialect import Dialect


def litellm_model(
    name: str,
    *,
    dialect: Dialect | None = None,
    wait: Callable[[float], None] = time.sleep,
    retries: int = 4,
    on_notice: Callable[[str], None] = lambda _: None,
    **transport: object,
) -> LanguageModel:
    """A model through the real litellm; ``transport`` are settings of ``Litellm``."""
    return LanguageModel(
        name,
        dialect=dialect or FunctionCalling(),
        transport=Litellm(name, **transport),  # type: ignore[arg-type] - fields of Litellm
        wait=wait,
        retries=retries,
        on_notice=on_notice,
    )
