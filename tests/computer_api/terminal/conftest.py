"""What the tests of the shells share."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from computer_api.terminal.languages.language import Language
    from computer_api.terminal.languages.shell import ShellWorker


@pytest.fixture(scope="session")
def impatient_shells() -> tuple[Language, ...]:
    """The shells, which take a program that reads the terminal to wait nearly at once."""
    # Imported here, for it cannot be on Windows, where the tests are skipped.
    from computer_api.terminal.languages.shell import BASH, SH, SHELL, ZSH

    return tuple(replace(language, patience=0.05) for language in (SHELL, BASH, ZSH, SH))


@pytest.fixture(params=["bash", "zsh", "sh"])
def shell_of(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[type[ShellWorker]], ShellWorker]]:
    """Starts one shell after the other as a worker of the kind that a test gives."""
    from computer_api.terminal.languages.shell import BASH, SH, ZSH
    from computer_api.terminal.place import Place

    (dialect,) = next(language for language in (BASH, ZSH, SH) if language.name == request.param).dialects
    program = shutil.which(dialect.program)
    if program is None:
        pytest.skip(f"{dialect.program} is not installed")
    place = Place(cwd=tmp_path, environment={"PATH": os.environ["PATH"]})
    with ExitStack() as started:

        def of(kind: type[ShellWorker]) -> ShellWorker:
            worker = kind(place, None, dialect=dialect, program=program)
            started.callback(worker.close)
            return worker

        yield of
