"""How many texts of the labelled screens are found, by ours and by the fair baseline, and where clicks would land.

    python tests/screens/scoring.py tuning|test|fresh [--engine NAME] [--baseline] [--clicks] [--misses]

A text is found when one of the places that ``lines.find`` returns has its middle inside the text's own box, give or
take 3 pixels. The baseline is what pytesseract does when it is called once (page segmentation 3, the picture as it
is) with one OpenMP thread, searched by the same rule. CPU is that of this process and its children.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if __name__ == "__main__":  # run as a program, it is not on the path of the tests
    sys.path[:0] = [
        str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "vision", "platform", "")
    ]

import numpy as np
from screens.truth import PARTS, SCREENS, screens

from computer_api.computer import Computer
from computer_api.errors import AmbiguousError, NotFoundError
from computer_api.targets import TextTarget
from computer_platform.memory import MemoryDesktop
from computer_platform.memory import Screen as Shown
from computer_vision.lines import find
from computer_vision.picture import png
from computer_vision.reader import ENGINES, Line, Region, Word, open_reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from screens.truth import Label, Screen

    from computer_vision.reader import EngineName, Pixels, Reader

SLACK = 3  # pixels by which a middle may lie beside the box
BASELINE = SCREENS / "baseline.json"
WORD_LEVEL = "5"


class Count(NamedTuple):
    """So many of so many."""

    found: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        """The part that was found, 0 to 1; 1 of none."""
        return self.found / self.total if self.total else 1.0

    def plus(self, found: int, total: int = 1) -> Count:
        """With these added."""
        return Count(self.found + found, self.total + total)

    def __str__(self) -> str:
        return f"{self.found:4}/{self.total:<4} {100 * self.share:5.1f} %"


class Read(NamedTuple):
    """What a reader made of a screen: which labels were found, in their order, and what it cost."""

    found: tuple[bool, ...]
    cpu: float


class Clicks(NamedTuple):
    """What came of asking for the place of each clickable text that stands on its screen once."""

    right: int = 0
    wrong: tuple[str, ...] = ()  # a place outside the text's control: what must never happen
    missing: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()

    @property
    def asked(self) -> int:
        """How many texts were asked for."""
        return self.right + len(self.wrong) + len(self.missing) + len(self.ambiguous)

    def plus(self, other: Clicks) -> Clicks:
        """Both together."""
        return Clicks(
            self.right + other.right,
            self.wrong + other.wrong,
            self.missing + other.missing,
            self.ambiguous + other.ambiguous,
        )


def cpu() -> float:
    """CPU seconds of this process and of its children that have ended."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def found_on(lines: Sequence[Line], labels: Sequence[Label]) -> tuple[bool, ...]:
    """For each label whether it is found on what was read."""
    hits = {text: find(lines, text) for text in {label.text for label in labels}}
    return tuple(
        any(label.box.holds(*_middle(hit.region), SLACK) for hit in hits[label.text]) for label in labels
    )


def _middle(region: Region) -> tuple[float, float]:
    return region.left + region.width / 2, region.top + region.height / 2


def ours(screen: Screen, reader: Reader) -> Read:
    """Read by a reader, which should have seen nothing yet if the cost is to mean something."""
    before = cpu()
    lines = reader.read(screen.pixels)
    spent = cpu() - before
    return Read(found_on(lines, screen.labels), spent)


def pytesseracts(screen: Screen) -> Read:
    """Read as pytesseract has it read: a PNG to ``tesseract``, its table back."""
    before = cpu()
    answer = subprocess.run(
        ["tesseract", "stdin", "stdout", "--psm", "3", "tsv"],
        input=png(screen.pixels),
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    ).stdout.decode()
    lines = _lines_of_table(answer)
    spent = cpu() - before
    return Read(found_on(lines, screen.labels), spent)


def _lines_of_table(table: str) -> tuple[Line, ...]:
    lines: defaultdict[tuple[str, ...], list[Word]] = defaultdict(list)
    for row in table.splitlines()[1:]:
        level, *place, _, left, top, width, height, sure, text = row.split("\t")
        if level == WORD_LEVEL and text.strip():
            region = Region(int(left), int(top), int(width), int(height))
            word = Word(text=text.strip(), region=region, score=max(float(sure), 0) / 100)
            lines[tuple(place)].append(word)
    return tuple(Line(words=tuple(words)) for words in lines.values())


def clicks(screen: Screen, reader: Reader) -> Clicks:
    """Ask a computer that shows the picture for each clickable text that the screen has once."""
    counted = Counter(_plain(label.text) for label in screen.labels)
    asked = [label for label in screen.labels if label.control and counted[_plain(label.text)] == 1]
    height, width = screen.pixels.shape[:2]
    desktop = MemoryDesktop(
        (width, height), screens=(Shown(name="picture", picture=np.array(screen.pixels)),)
    )
    made = Clicks()
    with Computer(desktop, reader=reader, receipts=False) as computer:
        for label in asked:
            made = made.plus(_click(computer, label, screen.name))
    return made


def _click(computer: Computer, label: Label, where: str) -> Clicks:
    name = f"{where}: {label.text}"
    try:
        point = computer.locate(TextTarget(label.text), seconds=0.0).point
    except NotFoundError:
        return Clicks(missing=(name,))
    except AmbiguousError:
        return Clicks(ambiguous=(name,))
    assert label.control is not None
    return Clicks(right=1) if label.control.holds(point.x, point.y) else Clicks(wrong=(name,))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def by_category(read: Iterable[tuple[Screen, Sequence[bool]]]) -> dict[str, Count]:
    """Recall of everything, and by script, theme, toolkit and what is hard about the screen."""
    counts: defaultdict[str, Count] = defaultdict(Count)
    for screen, found in read:
        shared = [
            "all",
            f"theme {screen.theme}",
            f"toolkit {screen.toolkit}",
            *(f"tag {tag}" for tag in screen.tags),
        ]
        for label, hit in zip(screen.labels, found, strict=True):
            for category in (*shared, f"script {label.script}"):
                counts[category] = counts[category].plus(int(hit))
    return dict(sorted(counts.items()))


def baseline(part: str) -> dict[str, list[int]]:
    """What pytesseract found of each screen of a part: found, of how many, and how many of its Latin ones."""
    stored: dict[str, dict[str, list[int]]] = json.loads(BASELINE.read_text())
    return stored[part]


def _store(part: str, read: Sequence[tuple[Screen, Sequence[bool]]]) -> None:
    stored = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    stored[part] = {}
    for screen, found in read:
        latin = [hit for label, hit in zip(screen.labels, found, strict=True) if label.script == "latin"]
        stored[part][screen.name] = [sum(found), len(found), sum(latin), len(latin)]
    parts = [
        f'"{name}": {{\n' + ",\n".join(f'"{s}": {v}' for s, v in counts.items()) + "\n}"
        for name, counts in sorted(stored.items())
    ]
    BASELINE.write_text("{" + ",\n".join(parts) + "}\n")


def main() -> None:
    asked = argparse.ArgumentParser(
        description="Recall of the labelled screens, and where clicks would land."
    )
    asked.add_argument("part", choices=PARTS)
    asked.add_argument("--engine", choices=ENGINES)
    asked.add_argument("--only", help="the start of a screen's name")
    asked.add_argument(
        "--baseline", action="store_true", help="measure pytesseract too, and store what it found"
    )
    asked.add_argument("--clicks", action="store_true", help="ask for the place of each clickable text too")
    asked.add_argument(
        "--misses", action="store_true", help="name what was missed (of the tuning screens only)"
    )
    options = asked.parse_args()
    if options.misses and options.part != "tuning":
        asked.error("what is missed on the unseen screens stays unknown, or they would be tuned on")
    chosen = [screen for screen in screens(options.part) if screen.name.startswith(options.only or "")]
    read = _read(chosen, options.engine, baseline_too=options.baseline, misses=options.misses)
    if options.baseline and not options.only:
        _store(options.part, [(screen, theirs.found) for screen, _, theirs in read if theirs])
    _tell_categories(read)
    if options.clicks:
        _tell_clicks(chosen, options.engine, named=options.part == "tuning")


Scored = tuple["Screen", Read, Read | None]


def _read(
    chosen: Sequence[Screen], engine: EngineName | None, *, baseline_too: bool, misses: bool
) -> list[Scored]:
    read: list[Scored] = []
    warm_up(engine)
    for screen in chosen:
        mine = ours(screen, open_reader(engine))
        theirs = pytesseracts(screen) if baseline_too else None
        read.append((screen, mine, theirs))
        told = f"{screen.name:26} {Count(sum(mine.found), len(mine.found))} {mine.cpu:6.2f} s"
        if theirs:
            told += f"   pytesseract {Count(sum(theirs.found), len(theirs.found))} {theirs.cpu:6.2f} s"
        print(told, flush=True)
        if misses:
            for label, hit in zip(screen.labels, mine.found, strict=True):
                if not hit:
                    print(f"    {label.text!r} {tuple(label.box)}")
    return read


def warm_up(engine: EngineName | None) -> None:
    """Loading weights is no part of reading."""
    blank: Pixels = np.full((64, 256, 4), 255, np.uint8)
    blank[20:40:3, 20:200:5] = 0
    open_reader(engine).read(blank)


def _tell_categories(read: Sequence[Scored]) -> None:
    theirs = by_category((screen, other.found) for screen, _, other in read if other)
    print(f"\nCPU {sum(mine.cpu for _, mine, _ in read):.2f} s, "
          f"pytesseract {sum(other.cpu for _, _, other in read if other):.2f} s")  # fmt: skip
    for category, count in by_category((screen, mine.found) for screen, mine, _ in read).items():
        print(f"{category:22} {count}" + (f"   {theirs[category]}" if theirs else ""))


def _tell_clicks(chosen: Sequence[Screen], engine: EngineName | None, *, named: bool) -> None:
    made = Clicks()
    for screen in chosen:
        made = made.plus(clicks(screen, open_reader(engine)))
    print(f"\nclicks: {made.right} right of {made.asked}, {len(made.wrong)} wrong, {len(made.missing)} not found, "
          f"{len(made.ambiguous)} ambiguous")  # fmt: skip
    if named:
        for what in ("wrong", "missing", "ambiguous"):
            for name in getattr(made, what):
                print(f"    {what:9} {name}")


if __name__ == "__main__":
    main()
