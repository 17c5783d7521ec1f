"""Which tasks there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drifts.real_programs import REAL
from drifts.tasks import SCENES, scene_task

if TYPE_CHECKING:
    from drifts.runner import By, Task
    from drifts.surfaces import Surface

_PIXELS: tuple[tuple[str, tuple[Surface, ...]], ...] = (
    ("contact", ("gtk3", "web", "tk", "qt", "gtk4")),
    ("people", ("web", "tk", "qt")),
    ("towns", ("gtk3", "web", "tk")),
    ("sign in", ("gtk3", "web", "qt")),
    ("order", ("gtk4", "web", "tk", "qt")),
    ("office", ("gtk3", "tk")),
)
_WORDS: tuple[tuple[str, tuple[Surface, ...]], ...] = (
    ("contact", ("gtk3", "web", "tk")),
    ("people", ("web", "gtk4")),
    ("towns", ("qt", "gtk4")),
    ("sign in", ("tk",)),
    ("order", ("gtk3", "web")),
    ("office", ("qt",)),
)


def _tasks(by: By, rows: tuple[tuple[str, tuple[Surface, ...]], ...]) -> tuple[Task, ...]:
    return tuple(scene_task(name, surface, by) for name, surfaces in rows for surface in surfaces)


TASKS = (*_tasks("pixels", _PIXELS), *_tasks("words", _WORDS), *REAL)
assert set(SCENES) == {name for name, _ in _PIXELS}
