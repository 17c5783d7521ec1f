"""What the tests of the shells share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from computer_api.terminal.languages.language import Language


@pytest.fixture(scope="session")
def impatient_shells() -> tuple[Language, ...]:
    """The shells, which take a program that reads the terminal to wait nearly at once."""
    # Imported here, for it cannot be on Windows, where the tests are skipped.
    from computer_api.terminal.languages.shell import BASH, SH, SHELL, ZSH

    return tuple(replace(language, patience=0.05) for language in (SHELL, BASH, ZSH, SH))
