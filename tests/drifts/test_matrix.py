"""Every recorded task under every drift. Hours of `make heavy`; `make drifts` prints the same as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drifts.matrix import TASKS
from drifts.real_programs import installed
from drifts.runner import Task, record, replay

if TYPE_CHECKING:
    from drifts.stage import Stage

pytestmark = [pytest.mark.desktop, pytest.mark.heavy]


def test_there_are_forty_tasks_and_half_of_them_are_recorded_by_pixels() -> None:
    assert len({task.name for task in TASKS}) >= 40
    assert sum(task.by == "pixels" for task in TASKS) * 2 >= len(TASKS)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_it_is_done_again_or_stopped_before_it_is_done_wrongly(task: Task, desktops: Stage) -> None:
    if not installed(task):
        pytest.skip(f'there is no "{task.surface}" here')
    recorded = record(task, desktops)
    results = [replay(recorded, drift, desktops) for drift in task.drifts]
    wrong = [f"{one.drift.name}: {one.verdict} {one.words}" for one in results if not one.right]
    assert not wrong, "\n".join(wrong)
