"""Every layout x script x program x keyboard, one cell each: is the text exact, and in how many ms has the program it?

    make bench BENCHMARKS=tests/benchmarks/typing_matrix.py ARGS="--programs 'xterm;qt' --layouts 'us;us,ru'"

Milliseconds are until the program itself has stored the text, saving included; in brackets, until typing returned.
Last come 100 characters, of ASCII (bar 350 ms) and of all scripts (bar 600 ms): by a `Computer` on a private desktop
that reads back what arrived and gives a receipt. `--verified` measures only those.
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

from computer_api.computer import Computer
from computer_api.errors import NotTypedError
from computer_platform import connect
from computer_platform.private import PrivateDesktop
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEYBOARDS = {"own": True, "shared": False}
ASCII_100 = (SCRIPTS["ASCII"] + "12345").lstrip()[:100].ljust(100, "x")
MIXED_100 = (EVERYTHING[60:95] + EVERYTHING[96:]).replace("\n", " ").replace("\t", " ")[:100]
SPEEDS = {"100 ASCII": ASCII_100, "100 mixed": MIXED_100}
ROUNDS = 5
SECONDS = 2.0  # after which a cell is given up


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
    missing = {name: PROGRAMS[name].missing() for name in chosen.programs}
    programs = [name for name in chosen.programs if missing[name] is None]
    failures: list[str] = []
    for name in [] if chosen.verified else programs:
        _matrix(name, chosen, failures)
    lines = [_verified(name, failures) for name in programs]
    table("A Computer with receipts on a private desktop, layout us", [("", *SPEEDS), *lines])
    print("\n".join(filter(None, missing.values())))
    print(f"{len(failures)} cells are wrong")
    print("\n".join(failures))


def _matrix(program: str, chosen: argparse.Namespace, failures: list[str]) -> None:
    """The program's two tables: with all keys for us, and with a person's few spare ones."""
    with ExitStack() as opened:
        environment = opened.enter_context(quiet_place())
        os.environ.update(HOME=environment["HOME"])
        display = opened.enter_context(x_server())
        starter = X11Desktop(display)
        sink = opened.enter_context(PROGRAMS[program].opened(starter, Path(environment["HOME"])))
        starter.close()
        for keyboard in chosen.keyboards:
            desktop = sink.desktop = X11Desktop(display, own_keyboard=KEYBOARDS[keyboard])
            where = f"{program}, {keyboard} keyboard"
            table(where, list(_rows(sink, display, chosen.layouts, failures, where)))
            use(display, LAYOUTS["us"])
            desktop.close()


def _verified(program: str, failures: list[str]) -> tuple[str, ...]:
    """The program's line of times by ``Computer``."""
    with ExitStack() as opened:
        environment = opened.enter_context(quiet_place())
        desktop = connect("private", environment=environment)
        assert isinstance(desktop, PrivateDesktop)
        computer = opened.enter_context(Computer.on(desktop, environment=environment))
        sink = opened.enter_context(PROGRAMS[program].opened(desktop, Path(environment["HOME"])))

        def write(text: str) -> None:
            try:
                computer.keyboard.write(text)
            except NotTypedError as error:
                failures.append(f"{program}, verified: {error}")

        cells = [_median(lambda text=text: _cell(sink, text, write)) for text in SPEEDS.values()]
        failures += _said(f"{program}, verified", tuple(SPEEDS), cells)
        return (program, *map(str, cells))


def _rows(
    sink: Sink, display: str, layouts: list[str], failures: list[str], where: str
) -> Iterator[tuple[str, ...]]:
    yield ("", *SCRIPTS)
    for name in layouts:
        use(display, LAYOUTS[name])
        cells = [_cell(sink, text, sink.desktop.type_text) for text in SCRIPTS.values()]
        failures += _said(f"{where}, {name}", tuple(SCRIPTS), cells)
        yield (name, *map(str, cells))
    use(display, LAYOUTS["us"])
    for name, state in (("Caps Lock", caps_lock), ("held Shift", held_shift)):
        cells = []
        for text in SCRIPTS.values():
            sink.forget()
            begin = time.perf_counter()
            with state(display):
                sink.desktop.type_text(text)
            typed = time.perf_counter() - begin
            got = sink.received(text)
            cells.append(Cell(differences(text, got), typed, time.perf_counter() - begin))
        failures += _said(f"{where}, {name}", tuple(SCRIPTS), cells)
        yield (name, *map(str, cells))


def _cell(sink: Sink, text: str, write: Callable[[str], object]) -> Cell:
    sink.forget()
    begin = time.perf_counter()
    write(text)
    typed = time.perf_counter() - begin
    got = sink.received(text, SECONDS)
    return Cell(differences(text, got), typed, time.perf_counter() - begin)


def _median(measure: Callable[[], Cell]) -> Cell:
    """The middle one of several times, or one that went wrong."""
    cells = sorted((measure() for _ in range(ROUNDS)), key=lambda cell: (bool(cell.wrong), cell.stored))
    return cells[-1] if cells[-1].wrong else cells[ROUNDS // 2]


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
    parser.add_argument("--verified", action="store_true", help="only the times of 100 characters")
    return parser.parse_args()


if __name__ == "__main__":
    main()
