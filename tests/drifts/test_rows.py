"""Equal buttons in rows that only eyes can read: the one of the row that was meant, wherever that is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drifts.drift import REORDERED
from drifts.runner import record, replay
from drifts.tasks import scene_task

if TYPE_CHECKING:
    from drifts.stage import Stage

pytestmark = pytest.mark.desktop


def test_who_was_deleted_is_deleted_again_and_nobody_else(desktops: Stage) -> None:
    recorded = record(scene_task("people", "tk", "pixels"), desktops)
    result = replay(recorded, REORDERED, desktops)
    assert result.verdict == "P", (result.words, result.truth)
