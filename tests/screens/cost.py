"""What reading costs beside pytesseract with one thread, on the same pictures in the same run, in CPU seconds.

    python tests/screens/cost.py [--part tuning|test] [--frames N]

Cold: each labelled screen by a reader that has seen nothing. Warm: the recorded session, followed frame by frame;
pytesseract is asked for N of its frames spread evenly, and for those that cost ours most.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":  # run as a program, it is not on the path of the tests
    sys.path[:0] = [
        str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "vision", "platform", "")
    ]

from screens.scoring import cpu, ours, pytesseracts, warm_up
from screens.session import frames
from screens.truth import Screen, screens

from computer_vision.alphabets import ALPHABETS
from computer_vision.lines import find
from computer_vision.networks import SMALL, TINY, loaded
from computer_vision.reader import open_reader

if TYPE_CHECKING:
    from computer_vision.reader import Pixels

DENSE = 100  # labels
WORST = 12  # of the frames that cost ours most
QUERIES = ("Week 3", "Look up", "Document", "kettle 4")


def main() -> None:
    asked = argparse.ArgumentParser(description="CPU of reading, ours and pytesseract's.")
    asked.add_argument("--part", choices=("tuning", "test"), default="tuning")
    asked.add_argument("--frames", type=int, default=30, help="frames that pytesseract is asked for too")
    options = asked.parse_args()
    warm_up(None)
    for weights in (TINY, SMALL, ALPHABETS):
        loaded(weights)  # which is no part of reading
    cold(options.part)
    warm(options.frames)


def cold(part: str) -> None:
    """Screens that are new, sparse and dense ones."""
    ratios: dict[str, list[float]] = {"sparse": [], "dense": []}
    for screen in screens(part):
        theirs, mine = pytesseracts(screen).cpu, ours(screen, open_reader()).cpu
        ratios["dense" if len(screen.labels) > DENSE else "sparse"].append(theirs / mine)
    for kind, found in ratios.items():
        if found:
            print(
                f"cold, {kind:6} ({len(found)}): {statistics.median(found):6.2f}x median, {min(found):5.2f}x worst"
            )


def warm(asked: int) -> None:
    """The frames of the session after the first."""
    shown = [frame.pixels for frame in frames()]
    reader = open_reader()
    reader.read(shown[0])
    spent = [0.0]
    for pixels in shown[1:]:
        before = cpu()
        reader.read(pixels)
        spent.append(cpu() - before)
    step = max(1, len(shown) // asked)
    costly = sorted(range(1, len(shown)), key=lambda number: -spent[number])[:WORST]
    theirs = {number: _pytesseract(shown[number]) for number in {*range(1, len(shown), step), *costly}}
    spread = [theirs[number] / spent[number] for number in range(1, len(shown), step)]
    worst = min(theirs[number] / spent[number] for number in theirs)
    print(
        f"warm ({len(shown) - 1} frames): {1000 * statistics.median(spent[1:]):.0f} ms median, "
        f"{1000 * max(spent):.0f} ms worst; "
        f"{statistics.median(spread):.1f}x median of {len(spread)}, {worst:.2f}x worst"
    )
    _second(shown[-1], statistics.median(theirs.values()))


def _second(pixels: Pixels, theirs: float) -> None:
    """Another question about a frame that has been read."""
    reader = open_reader()
    lines = reader.read(pixels)
    first = time.process_time()
    find(lines, "Cancel")
    before = time.process_time()
    for query in QUERIES:
        find(lines, query)
    spent = (time.process_time() - before) / len(QUERIES)
    print(
        f"second find: {1000 * spent:.2f} ms, {theirs / spent:.0f}x (first: {1000 * (before - first):.2f} ms)"
    )


def _pytesseract(pixels: Pixels) -> float:
    screen = Screen(name="frame", pixels=pixels, labels=(), theme="", toolkit="")
    return pytesseracts(screen).cpu


if __name__ == "__main__":
    main()
