"""Every layout x script x program x keyboard, one cell each: is the text exact, and in how many ms has the program it?

    .venv/bin/python tests/benchmarks/typing_matrix.py [--programs xterm,qt] [--layouts us,de] [--keyboards own,shared]

Milliseconds are until the program itself has stored the text, saving included; in brackets, until typing returned.
Two more lines for each program type 100 characters: of ASCII (bar 350 ms), and of all scripts (bar 600 ms).
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bed import quiet_place
from timing import table
from typing_sinks import PROGRAMS, Sink
from typing_sinks.cells import EVERYTHING, LAYOUTS, SCRIPTS, caps_lock, differences, held_shift, use
from xvfb import x_server

from computer_platform.desktop import CannotType
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYBOARDS = {"own": True, "shared": False}
ASCII_100 = (SCRIPTS["ASCII"] + "12345").lstrip()[:100].ljust(100, "x")
MIXED_100 = (EVERYTHING[60:95] + EVERYTHING[96:]).replace("\n", " ").replace("\t", " ")[:100]
SPEEDS = {"100 ASCII": ASCII_100, "100 mixed": MIXED_100}
ROUNDS = 5


class Cell(NamedTuple):
    """One text, typed once."""

    wrong: list[str]
    typed: float
    stored: float

    def __str__(self) -> str:
        times = f"{self.stored * 1000:.0f} ({self.typed * 1000:.0f})"
        return times if not self.wrong else f"WRONG {times}"


def main() -> None:
    chosen = _chosen()
    failures: list[str] = []
    for program in chosen.programs:
        missing = PROGRAMS[program].missing()
        if missing:
            print(f"\n{missing}")
            continue
        with ExitStack() as opened:
            environment = opened.enter_context(quiet_place())
            os.environ.update(HOME=environment["HOME"])
            display = opened.enter_context(x_server())
            starter = X11Desktop(display)
            sink = opened.enter_context(PROGRAMS[program].opened(starter, Path(environment["HOME"])))
            starter.close()
            for keyboard in chosen.keyboards:
                desktop = sink.desktop = X11Desktop(display, own_keyboard=KEYBOARDS[keyboard])
                lines = list(
                    _rows(sink, display, chosen.layouts, failures, f"{program}, {keyboard} keyboard")
                )
                table(f"{program}, {keyboard} keyboard", lines)
                use(display, LAYOUTS["us"])
                desktop.close()
    print(f"\n{len(failures)} cells are wrong")
    print("\n".join(failures))


def _rows(
    sink: Sink, display: str, layouts: list[str], failures: list[str], where: str
) -> Iterator[tuple[str, ...]]:
    yield ("", *SCRIPTS, *SPEEDS)
    for name in layouts:
        use(display, LAYOUTS[name])
        cells = [_cell(sink, text) for text in SCRIPTS.values()]
        for speed in SPEEDS.values():
            again = [_cell(sink, speed) for _ in range(ROUNDS)]
            again.sort(key=lambda cell: (bool(cell.wrong), cell.stored))
            cells.append(again[-1] if again[-1].wrong else again[ROUNDS // 2])
        failures += _said(f"{where}, {name}", (*SCRIPTS, *SPEEDS), cells)
        yield (name, *map(str, cells))
    use(display, LAYOUTS["us"])
    for name, state in (("Caps Lock", caps_lock), ("held Shift", held_shift)):
        cells = []
        for text in SCRIPTS.values():
            sink.forget()
            begin = time.perf_counter()
            with state(display):
                _type(sink, text)
            typed = time.perf_counter() - begin
            got = sink.received(text)
            cells.append(Cell(differences(text, got), typed, time.perf_counter() - begin))
        failures += _said(f"{where}, {name}", tuple(SCRIPTS), cells)
        yield (name, *map(str, cells), *("" for _ in SPEEDS))


def _cell(sink: Sink, text: str) -> Cell:
    sink.forget()
    begin = time.perf_counter()
    _type(sink, text)
    typed = time.perf_counter() - begin
    got = sink.received(text, 2.0)
    return Cell(differences(text, got), typed, time.perf_counter() - begin)


def _type(sink: Sink, text: str) -> None:
    try:
        sink.desktop.type_text(text)
    except CannotType as cannot:
        print(cannot)


def _said(where: str, names: tuple[str, ...], cells: list[Cell]) -> list[str]:
    return [
        f"{where}, {name}: {'; '.join(cell.wrong[:6])}"
        for name, cell in zip(names, cells, strict=True)
        if cell.wrong
    ]


def _chosen() -> argparse.Namespace:
    def several(of: dict[str, object]) -> dict[str, object]:
        return {"type": lambda words: words.split(";"), "default": list(of), "metavar": ";".join(of)}

    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", **several(dict(PROGRAMS)))  # type: ignore[arg-type] # of argparse
    parser.add_argument("--layouts", **several(dict(LAYOUTS)))  # type: ignore[arg-type] # of argparse
    parser.add_argument("--keyboards", **several(dict(KEYBOARDS)))  # type: ignore[arg-type] # of argparse
    return parser.parse_args()


if __name__ == "__main__":
    main()
