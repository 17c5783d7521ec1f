"""Makes fixtures/screens: python tests/screens/make.py [--only NAME] [--draw FOLDER].

Each screen is a real program on a desktop of its own; what is written on it and where is told by the program
itself. With ``--draw``, also pictures with the boxes drawn on them, to be looked at before they are believed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / part) for part in ("tests", "vision", "platform", "")]

import cv2  # noqa: E402 - the paths come first
import numpy as np  # noqa: E402 - see above
from screens.scenes import SCENES  # noqa: E402 - see above
from screens.truth import PARTS, SCREENS, Screen, save  # noqa: E402 - see above


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("--only", action="append", help="the name of a screen, or the start of it")
    asked.add_argument("--part", choices=PARTS, help="only that part")
    asked.add_argument("--draw", type=Path, help="a folder for pictures with the boxes drawn in")
    options = asked.parse_args()
    for scene in SCENES:
        wanted = not options.only or any(scene.name.startswith(start) for start in options.only)
        if not wanted or options.part not in {None, scene.part}:
            continue
        screen = scene.make()
        assert screen.name == scene.name, f"{screen.name} is not {scene.name}"
        save(screen, SCREENS / scene.part)
        if options.draw:
            draw(screen, options.draw)
        print(f"{scene.part:7} {scene.name:28} {len(screen.labels):4} labels", flush=True)


def draw(screen: Screen, folder: Path) -> None:
    """The picture with its labels' boxes in red and their controls' in green."""
    picture = np.ascontiguousarray(screen.pixels[:, :, :3])
    for label in screen.labels:
        for box, colour in ((label.control, (0, 200, 0)), (label.box, (0, 0, 255))):
            if box:
                corner = (box.left + box.width, box.top + box.height)
                cv2.rectangle(picture, (box.left, box.top), corner, colour, 1)
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / f"{screen.name}.png"), picture)


if __name__ == "__main__":
    main()
