"""The surfaces: how a scene, or a real program, is started under a drift, and how it tells what was done."""

from __future__ import annotations

import json
import math
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from drifts.page import ScenePage
from drifts.stage import START_SECONDS, end
from drifts.truth import of_journal
from web_page import CHROMIUM_FLAGS
from xvfb import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from drifts.drift import Drift
    from drifts.scene import Scene
    from drifts.stage import Stage
    from drifts.truth import Truth


PROGRAMS = Path(__file__).resolve().parent / "programs"
PYTHON = "/usr/bin/python3"  # the system's, which has the toolkits
T = TypeVar("T")
Surface = Literal["tk", "gtk3", "gtk4", "qt", "web"]
SURFACES: tuple[Surface, ...] = get_args(Surface)
QUIET_SECONDS = 0.3

Place = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A program under a drift: ``truth`` is what it says now, ``places`` where its controls are on the desktop."""

    pid: int
    truth: Callable[[], Truth]
    places: Callable[[], dict[str, Place]]


def drifted(scene: Scene, drift: Drift) -> Scene:
    """The scene as the drift leaves it."""
    scene = scene.reordered() if drift.reordered else scene
    return replace(
        scene.renamed(drift.renamed),
        dark=drift.dark,
        font=scene.font + drift.more_points,
        zoom=drift.zoom * drift.scale,
        late=drift.late,
        dialog=drift.dialog,
    )


def environment_of(drift: Drift) -> dict[str, str]:
    """What makes toolkits draw larger."""
    variables = {}
    if drift.zoom != 1:
        variables |= {"GDK_DPI_SCALE": str(drift.zoom), "QT_SCALE_FACTOR": str(drift.zoom)}
    if drift.scale != 1:
        variables |= {"GDK_SCALE": str(drift.scale), "QT_SCALE_FACTOR": str(drift.scale)}
    return variables


@contextmanager
def started(surface: Surface, scene: Scene, drift: Drift, stage: Stage) -> Iterator[Running]:
    """The scene's window, placed as the drift says and with what it tells."""
    opened = _page if surface == "web" else _window
    with opened(surface, drifted(scene, drift), drift, stage) as running:
        try:
            yield running
        finally:
            end(running.pid)
            stage.clear()


@contextmanager
def _window(surface: Surface, scene: Scene, drift: Drift, stage: Stage) -> Iterator[Running]:
    folder = stage.new_folder(surface)
    told, journal, places = folder / "scene.json", folder / "journal", folder / "places"
    told.write_text(json.dumps(scene.json()))
    journal.touch()
    desktop = stage.session(drift.screen).computer.desktop
    command = [PYTHON, str(PROGRAMS / f"window_{surface}.py"), str(told), str(journal), str(places)]
    pid = desktop.launch(command, environment=environment_of(drift))
    stage.place(drift.screen, scene.title, drift.at, drift.grown)

    def where() -> dict[str, Place]:
        assert until(places.exists, START_SECONDS), "the window told no places"
        corner = stage.window(drift.screen, scene.title).area
        inside = json.loads(places.read_text())
        return {
            name: (box[0] + corner.left, box[1] + corner.top, box[2], box[3]) for name, box in inside.items()
        }

    def truth() -> Truth:
        return of_journal([json.loads(line) for line in journal.read_text().splitlines()])

    yield Running(pid=pid, truth=truth, places=where)


@contextmanager
def _page(surface: Surface, scene: Scene, drift: Drift, stage: Stage) -> Iterator[Running]:
    del surface
    profile = stage.new_folder("profile")
    if drift.zoom != 1:
        _zoom(profile, drift.zoom)
    flags = [f"--{flag}" for flag in CHROMIUM_FLAGS]
    width, height = scene.size
    with ScenePage(scene) as page:
        desktop = stage.session(drift.screen).computer.desktop
        pid = desktop.launch(
            ["chromium", *flags, f"--user-data-dir={profile}", f"--app={page.address}", "--lang=en",
             f"--force-device-scale-factor={drift.scale}", f"--window-size={width},{height + 40}"]
        )  # fmt: skip
        stage.place(drift.screen, scene.title, drift.at, drift.grown)

        def where() -> dict[str, Place]:
            assert until(lambda: page.places, START_SECONDS), "the page told no places"
            area = stage.window(drift.screen, scene.title).area
            left, top = area.left + (area.width - page.view[0]) // 2, area.bottom - page.view[1]
            return {name: (box[0] + left, box[1] + top, box[2], box[3]) for name, box in page.places.items()}

        yield Running(pid=pid, truth=lambda: of_journal(page.journal), places=where)


def _zoom(profile: Path, factor: float) -> None:
    """Have Chromium zoom every page, as a person sets it in its settings."""
    folder = profile / "Default"
    folder.mkdir(parents=True)
    level = math.log(factor) / math.log(1.2)
    (folder / "Preferences").write_text(json.dumps({"partition": {"default_zoom_level": {"x": level}}}))


def at_rest(read: Callable[[], T], seconds: float = QUIET_SECONDS) -> T:
    """What is read once it has not changed for that long."""
    last = read()
    while until(partial(_differs, read, last), seconds):
        last = read()
    return last


def _differs(read: Callable[[], T], last: T) -> bool:
    return read() != last


assert sys.platform != "win32"
