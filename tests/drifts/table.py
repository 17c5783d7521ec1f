"""The whole matrix: every recorded task under every drift, as a table. `make drifts`, ARGS="--only contact".

A result that is not as wanted is said with the words in which the replay ended.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "vision"), str(ROOT / "platform"), str(ROOT / "tests")]

from drifts.drift import ALL, BY_NAME  # noqa: E402 - the folders come first
from drifts.matrix import TASKS  # noqa: E402
from drifts.real_programs import installed  # noqa: E402
from drifts.runner import NotRecordedError, record, replay  # noqa: E402
from drifts.stage import stage  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from drifts.runner import Result, Task

BAR = 0.95
WRONG = {"W": "wrong controls", "S": "wrong records", "PH": "halts after the effect", "M": "misses"}


def main() -> int:
    """Run what is asked for, print the table; 0 where the bars hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="tasks whose name holds this; may be said again")
    parser.add_argument("--drift", choices=BY_NAME, action="append", help="these alone")
    chosen = parser.parse_args()
    tasks = [task for task in TASKS if any(words in task.name for words in chosen.only or [""])]
    drifts = [BY_NAME[name] for name in chosen.drift] if chosen.drift else list(ALL)
    began = time.monotonic()
    results = list(_results(tasks, drifts))
    print_table(results)
    print(f"{time.monotonic() - began:.0f} s")
    return 0 if holds(results) else 1


def _results(tasks: Sequence[Task], drifts: Sequence[object]) -> Iterator[Result]:
    with stage() as desktops:
        for task in tasks:
            if not installed(task):
                print(f"{task.name}: not installed here", flush=True)
                continue
            try:
                recording = record(task, desktops)
            except (NotRecordedError, AssertionError, KeyError) as error:
                print(f"{task.name}: NOT RECORDED: {error!r}", flush=True)
                continue
            for drift in task.drifts:
                if drift in drifts:
                    result = replay(recording, drift, desktops)
                    yield result
                    _tell(result)


def _tell(result: Result) -> None:
    wrong = "" if result.right else f"  {result.words}"
    print(
        f"{result.task.name:24} {result.drift.name:10} {result.verdict:2} {result.seconds:5.1f}{wrong}",
        flush=True,
    )


def print_table(results: Sequence[Result]) -> None:
    """Drifts down, surfaces across, and how the bars are met."""
    surfaces = sorted({one.task.surface for one in results})
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in results:
        counts[one.drift.name, one.task.surface][one.verdict] += 1
        counts[one.drift.name, "all"][one.verdict] += 1
    print("\n" + "drift".ljust(12) + "".join(surface.ljust(16) for surface in (*surfaces, "all")))
    for drift in ALL:
        cells = [counts[drift.name, surface] for surface in (*surfaces, "all")]
        words = [" ".join(f"{count}{kind}" for kind, count in sorted(cell.items())) for cell in cells]
        print(drift.name.ljust(12) + "".join(word.ljust(16) for word in words))
    staying = [one for one in results if one.drift.stays]
    passed = sum(one.verdict == "P" for one in staying)
    share = passed / max(1, len(staying))
    print(f"\n{len({one.task.name for one in results})} tasks, {len(results)} replays")
    print(f"the target stays: {passed} of {len(staying)} pass ({share:.1%}; the bar is {BAR:.0%})")
    renamed = sum(one.verdict == "H" and bool(one.drift.renamed) and not one.task.known for one in staying)
    print(f"  of the others {renamed} are renamed controls of programs without ids, which rightly stop")
    for kind, what in (
        ("W", "wrong controls"),
        ("S", "wrong records"),
        ("PH", "halts after the effect"),
        ("M", "misses"),
    ):
        print(f"{what}: {sum(one.verdict == kind for one in results)}")
    gone = [one for one in results if not one.drift.stays]
    named = sum(one.drift.dialog in one.words for one in gone)
    print(
        f"stopped before anything was sent: {sum(map(_right, gone))} of {len(gone)}; {named} name what is in the way"
    )


def _right(result: Result) -> bool:
    return result.right


def holds(results: Sequence[Result]) -> bool:
    """Whether the bars are met: 95 % pass of those whose target is still known, and nothing wrong is done."""
    staying = [one for one in results if one.task.expects(one.drift) == ("P",)]
    share = sum(one.verdict == "P" for one in staying) / max(1, len(staying))
    return share >= BAR and not any(one.verdict in WRONG for one in results)


if __name__ == "__main__":
    raise SystemExit(main())
