"""The contact form on GTK 3, recorded by pixels as a model does it: the drifts that break others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drifts.drift import DIALOG_IN_THE_WAY, REORDERED, SCALE_2, Drift
from drifts.runner import record, replay
from drifts.tasks import scene_task

if TYPE_CHECKING:
    from drifts.runner import Recording
    from drifts.stage import Stage

pytestmark = pytest.mark.desktop


@pytest.fixture(scope="module")
def contact(desktops: Stage) -> Recording:
    return record(scene_task("contact", "gtk3", "pixels"), desktops)


@pytest.mark.parametrize("drift", [SCALE_2, REORDERED], ids=lambda drift: drift.name)
def test_the_same_record_is_saved(contact: Recording, desktops: Stage, drift: Drift) -> None:
    result = replay(contact, drift, desktops)
    assert result.verdict == "P", result.words


def test_it_stops_before_a_dialog_that_is_in_the_way(contact: Recording, desktops: Stage) -> None:
    result = replay(contact, DIALOG_IN_THE_WAY, desktops)
    assert result.right, result
