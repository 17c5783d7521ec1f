"""A recorded form under twelve drifts, replayed by ours, by a picture of each label, and at the stored pixels.

Each kind does the contact form (three fields, a tick, Save between Clear and Delete) on a page and in a GTK window,
in a new process each time. The program's own log is the truth: P pass, H halted with nothing wrong done, PH done and
then halted, W a wrong control, S a wrong record, M missed.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from drifts.baselines import replayed, spots
from drifts.drift import TWELVE, UNCHANGED
from drifts.runner import record, replay
from drifts.stage import stage
from drifts.tasks import scene_task
from timing import rounds, table

if TYPE_CHECKING:
    from drifts.baselines import Kind
    from drifts.stage import Stage
    from drifts.surfaces import Surface

SURFACES: tuple[Surface, ...] = ("web", "gtk3")
BASELINES: tuple[Kind, ...] = ("label template", "stored pixels")
KINDS = ("ours", *BASELINES)


def main() -> None:
    """Print the table."""
    count = rounds(1)
    headings = ["drift", *(f"{surface} {kind}" for surface in SURFACES for kind in KINDS)]
    columns: list[list[str]] = [[drift.name for drift in TWELVE], *([] for _ in headings[1:])]
    notes = []
    with stage() as desktops:
        for number, surface in enumerate(SURFACES):
            found, seconds = _surface(surface, count, desktops)
            for offset, kind in enumerate(KINDS):
                columns[1 + number * len(KINDS) + offset] = [found[kind, drift.name] for drift in TWELVE]
            notes.extend(_notes(surface, found, seconds, count))
    lines = [tuple(headings), *zip(*columns, strict=True)]
    table(f"A recorded form under twelve drifts, {count} time(s) each", lines, *notes)


def _surface(
    surface: Surface, count: int, desktops: Stage
) -> tuple[dict[tuple[str, str], str], dict[str, float]]:
    """The verdicts by kind and drift, and the seconds that each kind takes where nothing is different."""
    task = scene_task("contact", surface, "pixels")
    recording, stored = record(task, desktops), spots(task, desktops)
    found: dict[tuple[str, str], str] = {}
    seconds = {}
    for drift in (UNCHANGED, *TWELVE):
        ours = [replay(recording, drift, desktops) for _ in range(count)]
        found["ours", drift.name] = " ".join(one.verdict for one in ours)
        taken = {"ours": [one.seconds for one in ours]}
        for kind in BASELINES:
            theirs = [replayed(kind, stored, recording, drift, desktops) for _ in range(count)]
            found[kind, drift.name] = " ".join(one.verdict for one in theirs)
            taken[kind] = [one.seconds for one in theirs]
        if drift is UNCHANGED:
            seconds = {kind: median(each) for kind, each in taken.items()}
    return found, seconds


def _notes(
    surface: str, found: dict[tuple[str, str], str], seconds: dict[str, float], count: int
) -> list[str]:
    said = []
    for kind in KINDS:
        counted = Counter(verdict for drift in TWELVE for verdict in found[kind, drift.name].split())
        told = ", ".join(f"{number} {verdict}" for verdict, number in counted.most_common())
        said.append(
            f"{surface} {kind}: {counted['P']} of {len(TWELVE) * count} pass ({told}); unchanged "
            f"{found[kind, UNCHANGED.name]} in {seconds[kind]:.1f} s"
        )
    return said


if __name__ == "__main__":
    main()
