"""Measure ours and theirs in turn, and print what came out as a table."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

HEADINGS = ("", "ours ms", "(min)", "theirs", "theirs ms", "(min)", "ratio", "ours right", "theirs right")


@dataclass(slots=True, kw_only=True)
class Tally:
    """How much of what was done came out right; ``note`` says it in words where numbers do not."""

    right: int = 0
    of: int = 0
    note: str = ""

    def count(self, *, right: bool) -> None:
        self.right += right
        self.of += 1

    def __str__(self) -> str:
        counted = f"{self.right}/{self.of}" if self.of else ""
        return " ".join(filter(None, (counted, self.note)))


@dataclass(slots=True, kw_only=True)
class Row:
    """One comparison. Times are seconds; an empty list was not measured, and ``said`` tells why."""

    what: str
    peer: str = ""
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    ours_right: Tally = field(default_factory=Tally)
    theirs_right: Tally = field(default_factory=Tally)
    said: str = ""

    def cells(self) -> tuple[str, ...]:
        ratio = f"{median(self.theirs) / median(self.ours):.3g}x" if self.ours and self.theirs else ""
        theirs = _milliseconds(self.theirs) if self.theirs else (self.said, "")
        times = (*_milliseconds(self.ours), self.peer, *theirs)
        return (self.what, *times, ratio, str(self.ours_right), str(self.theirs_right))


def rounds(default: int) -> int:
    """How many rounds to measure: what `--rounds` says, or the benchmark's own number."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=default, metavar="N")
    return max(1, int(parser.parse_args().rounds))


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """How many seconds the call took, and what it returned."""
    began = time.perf_counter()
    value = call()
    return time.perf_counter() - began, value


def in_turn(count: int, *measures: Callable[[], None]) -> None:
    """Measure one after the other, again and again, so that a busy moment of the machine hits all of them."""
    for number in range(count):
        for measure in measures if number % 2 == 0 else reversed(measures):
            measure()


def show(title: str, rows: Sequence[Row], *notes: str) -> None:
    """Print the rows. Times are medians of the rounds; a ratio is theirs / ours, so above 1 ours is faster."""
    table(f"{title} (ratio = theirs / ours, of medians)", [HEADINGS, *(row.cells() for row in rows)], *notes)


def table(title: str, lines: Sequence[tuple[str, ...]], *notes: str) -> None:
    """Print lines, the first of which are headings, in columns, under a title that says how busy the machine is."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"\n{title}; load {load}")
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    for note in notes:
        print(f"  {note}")


def _milliseconds(seconds: list[float]) -> tuple[str, str]:
    if not seconds:
        return "", ""
    return f"{median(seconds) * 1000:.4g}", f"({min(seconds) * 1000:.4g})"
