"""Desktops for the drifts, kept for all tests of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drifts.stage import stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from drifts.stage import Stage


@pytest.fixture(scope="module")
def desktops() -> Iterator[Stage]:
    """Desktops of several sizes, made when they are asked for."""
    with stage() as made:
        yield made
