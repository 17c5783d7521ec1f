"""A desktop of our own on which programs are photographed, and programs that tell where their texts are."""

from __future__ import annotations

import json
import os
import select
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from screens.truth import Box, Label, Screen, labels_from
from xvfb import until

from computer_platform.private import open_private

assert sys.platform == "linux"

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from computer_platform.desktop import Window
    from computer_platform.private import PrivateDesktop
    from computer_vision.reader import Pixels

PROGRAMS = Path(__file__).resolve().parent / "programs"
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's, which has GTK's, Qt's and Tk's modules
START_SECONDS = 60.0
STILL_SECONDS = 0.7
CARET_PIXELS = 120  # a blinking caret moves for ever


class Stage:
    """The desktop, and the folder in which its programs leave what they tell."""

    def __init__(self, desktop: PrivateDesktop, folder: Path) -> None:
        self.desktop = desktop
        self.folder = folder

    def program(self, name: str, scene: str, **environment: str) -> tuple[Label, ...]:
        """Start ``programs/NAME.py SCENE``; when its windows are up, what it says is written on them."""
        told = self.folder / f"{name}-{scene}.json"
        command = [SYSTEM_PYTHON, str(PROGRAMS / f"{name}.py"), scene, str(told)]
        pid = self.desktop.launch(command, environment=environment)
        done = until(lambda: told.exists() or self.desktop.ended(pid), START_SECONDS)
        assert done, f"{name} {scene} told nothing"
        assert told.exists(), f"{name} {scene} ended: {self.desktop.ended(pid)}"
        entries: list[dict[str, Any]] = json.loads(told.read_text())
        return labels_from(entries)

    def window(self, title: str) -> Window:
        """The window with that in its title, as soon as it is there."""
        windows = self.desktop.windows
        assert windows is not None
        assert until(lambda: any(title in one.title for one in windows.all()), START_SECONDS), (
            f'no window "{title}": {[one.title for one in windows.all()]}'
        )
        return next(one for one in windows.all() if title in one.title)

    def still(self) -> Pixels:
        """The screen, as soon as nothing has moved on it for a while."""
        deadline = time.monotonic() + START_SECONDS
        last = self.desktop.capture().pixels
        since = time.monotonic()
        while time.monotonic() - since < STILL_SECONDS:
            assert time.monotonic() < deadline, "the screen does not come to rest"
            select.select([], [], [], 0.05)
            now = self.desktop.capture().pixels
            if np.count_nonzero((now != last).any(axis=2)) > CARET_PIXELS:
                last, since = now, time.monotonic()
        return np.array(last)

    def press(self, *keys: str) -> None:
        """Hold the keys together, then let go."""
        for key in keys:
            self.desktop.key(key, down=True)
        for key in reversed(keys):
            self.desktop.key(key, down=False)

    def click(self, x: int, y: int) -> None:
        """Click there."""
        self.desktop.move(x, y)
        self.desktop.button("left", down=True)
        self.desktop.button("left", down=False)


@contextmanager
def stage(size: tuple[int, int], environment: Mapping[str, str] | None = None) -> Iterator[Stage]:
    """A fresh desktop of that size, with nothing of the person's on it."""
    with tempfile.TemporaryDirectory(prefix="oi-stage-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        settings = home / ".config" / "gtk-3.0"
        settings.mkdir(parents=True)
        (settings / "settings.ini").write_text("[Settings]\ngtk-cursor-blink=0\ngtk-enable-animations=0\n")
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        kept |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "LANG": "C.UTF-8"}
        kept |= {"TMPDIR": folder, "XDG_CACHE_HOME": str(home / ".cache"), **(environment or {})}
        with closing(open_private(size, kept)) as desktop:
            yield Stage(desktop, Path(folder))


def seen(labels: Sequence[Label], windows: Sequence[Box], own: Box | None) -> tuple[Label, ...]:
    """The labels that no window above covers and that lie inside their own window."""
    return tuple(
        label
        for label in labels
        if not any(label.box.meets(above) for above in windows)
        and (own is None or (own.holds(*label.box.middle) and own.holds(label.box.left, label.box.top)))
    )


def cut(screen: Screen, box: Box) -> Screen:
    """The part of the picture inside the box; labels that are not wholly in it are left out."""
    inside = [
        label
        for label in screen.labels
        if box.holds(label.box.left, label.box.top)
        and box.holds(label.box.left + label.box.width - 1, label.box.top + label.box.height - 1)
    ]
    pixels = screen.pixels[box.top : box.top + box.height, box.left : box.left + box.width]
    return Screen(
        name=screen.name,
        pixels=np.ascontiguousarray(pixels),
        labels=tuple(label.moved(-box.left, -box.top) for label in inside),
        theme=screen.theme,
        toolkit=screen.toolkit,
        scale=screen.scale,
        tags=screen.tags,
    )
