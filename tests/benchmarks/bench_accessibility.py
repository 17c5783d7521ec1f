"""Finding a control by its name on real programs, by the accessibility tree: beside asking for all controls."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import closing
from statistics import quantiles
from typing import TYPE_CHECKING

from bed import ROOT
from timing import rounds

from computer_platform.private import open_private

if TYPE_CHECKING:
    from collections.abc import Callable

    from computer_platform.desktop import Accessibility

BUTTONS = 500
CHROMIUM = (
    "--no-sandbox",
    "--no-first-run",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
)
PROGRAMS = {
    "GTK 3, mousepad": (("mousepad",), "File"),
    "GTK 4, gnome-text-editor": (("gnome-text-editor",), "Open"),
    "Qt, featherpad": (("featherpad",), "File"),
    "Chromium, a page of 1,000 nodes": (
        ("chromium", *CHROMIUM, "--force-renderer-accessibility"),
        "Button 77",
    ),
    "LibreOffice Calc": (("soffice", "--norestore", "--calc"), "Save"),
}


def main() -> None:
    count = rounds(60)
    print(f"{'ms':36}{'find, median':>14}{'95 %':>8}{'all, median':>14}{'95 %':>8}")
    for what, (argv, name) in PROGRAMS.items():
        with tempfile.TemporaryDirectory(dir=ROOT) as folder:
            _measure(what, argv, name, count, folder)


def _measure(what: str, argv: tuple[str, ...], name: str, count: int, folder: str) -> None:
    page = f"{folder}/page.html"
    with open(page, "w", encoding="utf-8") as file:  # noqa: PTH123 - one line
        file.write("".join(f"<button>Button {number}</button> " for number in range(BUTTONS)))
    more = (f"--user-data-dir={folder}/profile", page) if argv[0] == "chromium" else ()
    with closing(open_private((1280, 800), os.environ)) as desktop:
        spoken = desktop.accessibility
        assert spoken is not None  # a private desktop has a bus of its own
        desktop.launch([*argv, *more])
        deadline = time.monotonic() + 60
        while not spoken.find(name, seconds=2).items:
            if time.monotonic() > deadline:
                print(f"{what:36}{'not found':>14}")
                return
        find, everything = (
            _times(lambda: spoken.find(name, seconds=2), count),
            _times(_all(spoken), count // 4),
        )
    print(f"{what:36}{find[0]:14.1f}{find[1]:8.1f}{everything[0]:14.1f}{everything[1]:8.1f}")


def _all(spoken: Accessibility) -> Callable[[], object]:
    return lambda: spoken.elements(seconds=5)


def _times(ask: Callable[[], object], count: int) -> tuple[float, float]:
    """Median and 95th percentile, in ms."""
    taken = []
    for _ in range(count):
        began = time.perf_counter()
        ask()
        taken.append(1000 * (time.perf_counter() - began))
    cuts = quantiles(taken, n=20)
    return cuts[9], cuts[18]


if __name__ == "__main__":
    main()
