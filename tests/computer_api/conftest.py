"""Eyes that the tests of this floor share: what they have read once they know."""

from __future__ import annotations

import pytest

from computer_vision.tesseract import TesseractReader


@pytest.fixture(scope="session")
def reader() -> TesseractReader:
    return TesseractReader()
