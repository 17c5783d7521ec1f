"""Eyes that the tests of this floor share: what they have read once they know."""

from __future__ import annotations

import pytest

from computer_vision.reader import Reader, open_reader


@pytest.fixture(scope="session")
def reader() -> Reader:
    return open_reader()
