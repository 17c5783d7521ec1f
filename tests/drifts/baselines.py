"""What others do when they replay: look for a picture of the label, or click where it was. Written fairly, by us.

Both wait as long as ours for a program that is late, and are judged by the same truth.
"""

from __future__ import annotations

import select
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import cv2
import numpy as np
from drifts.drift import SCREEN, UNCHANGED
from drifts.surfaces import at_rest
from drifts.tasks import SCENES
from drifts.truth import verdict

from computer_api.targets import TextTarget

if TYPE_CHECKING:
    from drifts.drift import Drift
    from drifts.runner import Recording, Task
    from drifts.stage import Stage
    from drifts.truth import Verdict

    from computer_platform.desktop import Desktop
    from computer_vision.reader import Pixels

Kind = Literal["label template", "stored pixels"]
TEMPLATE = (60, 30)  # pixels, around the middle of the label
SCORE = 0.9
WAIT_SECONDS = 3.0
STEP_SECONDS = 0.4  # between two steps, for the program to answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A step: a click at a place, beside which a label stood and looked so; or a text to type."""

    at: tuple[int, int] = (0, 0)
    label: tuple[int, int] = (0, 0)
    picture: Pixels | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What a baseline's replay came to."""

    verdict: Verdict
    seconds: float


def spots(task: Task, stage: Stage) -> tuple[Spot, ...]:
    """What both store of a task of clicks and texts, from the program as it is made."""
    scene, steps = SCENES[task.name.rsplit(" ", 2)[0]]
    labels = {name: label for _, name, label in scene.named()}
    with task.start(UNCHANGED, stage) as running:
        places = at_rest(running.places, 0.5)
        computer = stage.session(SCREEN).computer
        computer.locate(TextTarget(labels["save"]))
        screen = computer.desktop.capture().pixels
        found = []
        for kind, what in steps:
            if kind == "type":
                found.append(Spot(text=what))
                continue
            left, top, width, height = places[what]
            across = min(width, height) // 2 if what == "news" else width // 2  # of a tick box the box
            label = computer.locate(TextTarget(labels[what])).point
            found.append(
                Spot(
                    at=(left + across, top + height // 2),
                    label=(label.x, label.y),
                    picture=_cut(screen, label.x, label.y),
                )
            )
    return tuple(found)


def _cut(screen: Pixels, x: int, y: int) -> Pixels:
    width, height = TEMPLATE
    left, top = max(0, x - width // 2), max(0, y - height // 2)
    return np.ascontiguousarray(screen[top : top + height, left : left + width, :3])


def replayed(kind: Kind, stored: tuple[Spot, ...], recording: Recording, drift: Drift, stage: Stage) -> Came:
    """Do the steps again, and judge."""
    desktop = stage.session(drift.screen).computer.desktop
    with recording.task.start(drift, stage) as running:
        began = time.monotonic()
        done = _play(kind, stored, desktop)
        seconds = time.monotonic() - began
        truth = at_rest(running.truth)
    came = verdict(recording.truth, truth, said_done=done, last_was_done=bool(truth.effects))
    return Came(verdict=came, seconds=seconds)


def _play(kind: Kind, stored: tuple[Spot, ...], desktop: Desktop) -> bool:
    for spot in stored:
        if spot.text:
            desktop.type_text(spot.text)
        else:
            where = spot.at if kind == "stored pixels" else _found(spot, desktop)
            if where is None:
                return False
            desktop.move(*where)
            desktop.button("left", down=True)
            desktop.button("left", down=False)
        select.select([], [], [], STEP_SECONDS)
    return True


def _found(spot: Spot, desktop: Desktop) -> tuple[int, int] | None:
    """Where the label looks as it did, and the place beside it, as soon as that is so."""
    assert spot.picture is not None
    until = time.monotonic() + WAIT_SECONDS
    while True:
        screen = np.ascontiguousarray(desktop.capture().pixels[:, :, :3])
        scores = cv2.matchTemplate(screen, spot.picture, cv2.TM_CCOEFF_NORMED)
        _, best, _, (left, top) = cv2.minMaxLoc(scores)
        if best >= SCORE:
            middle = left + spot.picture.shape[1] // 2, top + spot.picture.shape[0] // 2
            return middle[0] + spot.at[0] - spot.label[0], middle[1] + spot.at[1] - spot.label[1]
        if time.monotonic() > until:
            return None
        select.select([], [], [], 0.1)
