"""Make the labelled screens of ``fixtures/icons`` anew: pages in Chromium, and real programs on a desktop of their own.

    python tests/icon_screens/make.py FOLDER_OF_UNPACKED_PACKAGES [NAME...]

The folder holds the unpacked npm packages of the sets in ``drawings.py``. Icon themes and programs are those
installed; a page or a program that is not there is left as it was.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "platform"), str(ROOT / "vision"), str(ROOT)]

from icon_screens import pages, programs  # noqa: E402 - the path comes first

SCREENS = ROOT / "fixtures" / "icons"


def main() -> None:
    drawings, names = Path(sys.argv[1]), sys.argv[2:]
    for page in pages.PAGES:
        if not names or page.name in names:
            with tempfile.TemporaryDirectory() as folder:
                icons = pages.snap(page, drawings, Path(folder))
                _keep(
                    page.name,
                    page.split,
                    Path(folder),
                    {"source": "shape", "scale": page.scale, "icons": icons},
                )
    for program in programs.PROGRAMS:
        if (not names or program.name in names) and shutil.which(program.command[0]):
            with tempfile.TemporaryDirectory() as folder:
                icons = programs.snap(program, Path(folder))
                seen = [{"meaning": name, "box": box} for name, box in programs.SEEN.get(program.name, ())]
                theme = "office" if program.named is programs.OFFICE else program.theme
                _keep(
                    program.name,
                    program.split,
                    Path(folder),
                    {"source": "theme", "theme": theme, "icons": icons + seen},
                )


def _keep(name: str, split: str, folder: Path, truth: dict[str, object]) -> None:
    shutil.copy(folder / f"{name}.png", SCREENS / split / f"{name}.png")
    (SCREENS / split / f"{name}.json").write_text(json.dumps(truth))


if __name__ == "__main__":
    main()
