"""The contact form on a page, recorded by pixels as a model does it: the drifts that break others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drifts.drift import MOVED, RENAMED, Drift
from drifts.runner import record, replay
from drifts.tasks import scene_task

if TYPE_CHECKING:
    from drifts.runner import Recording
    from drifts.stage import Stage

pytestmark = pytest.mark.desktop


@pytest.fixture(scope="module")
def contact(desktops: Stage) -> Recording:
    return record(scene_task("contact", "web", "pixels"), desktops)


@pytest.mark.parametrize("drift", [MOVED, RENAMED], ids=lambda drift: drift.name)
def test_the_same_record_is_saved(contact: Recording, desktops: Stage, drift: Drift) -> None:
    result = replay(contact, drift, desktops)
    assert result.verdict == "P", result.words
