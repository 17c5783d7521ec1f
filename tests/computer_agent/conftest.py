"""What the tests of the agent share: eyes, and a stage to run on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agent_run import Stage

from computer_vision.reader import Reader, open_reader

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def reader() -> Reader:
    return open_reader()


@pytest.fixture
def stage(tmp_path: Path, reader: Reader) -> Stage:
    return Stage(folder=tmp_path, reader=reader)
