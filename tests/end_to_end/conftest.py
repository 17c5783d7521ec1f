"""Of the typing matrix, which cells are left to `make heavy`."""

import pytest


@pytest.hookimpl(tryfirst=True)  # before cells are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every other cell of program x keyboard x column as heavy: each pair of these has a cell that stays."""
    for item in items:
        if not isinstance(item, pytest.Function) or not {"started", "sink"} <= set(item.fixturenames):
            continue
        if sum(item.callspec.indices.values()) % 2:
            item.add_marker("heavy")
