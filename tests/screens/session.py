"""A recorded session: what a screen showed while programs were used, frame by frame.

Stored are the first frame and, for each that follows, the rectangles that changed: lossless pictures in one ZIP file,
with an index of what was done and where each rectangle belongs.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import cv2
import numpy as np
from PIL import Image
from screens.truth import SCREENS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_vision.reader import Pixels

SESSION = SCREENS / "session" / "session.zip"
INDEX = "index.json"
NEAR = 24  # pixels: changes closer than this are one rectangle


class Frame(NamedTuple):
    """What was done just before, and what the screen showed then: B, G, R, X."""

    event: str
    pixels: Pixels


def frames(path: Path = SESSION) -> Iterator[Frame]:
    """The frames in order, each an array of its own."""
    with zipfile.ZipFile(path) as stored:
        index: list[dict[str, Any]] = json.loads(stored.read(INDEX))
        screen: Pixels | None = None
        for number, entry in enumerate(index):
            for part, (left, top) in enumerate(entry["at"]):
                # Not OpenCV's: that takes a WebP picture of fewer than 32 bytes for a broken one.
                with Image.open(io.BytesIO(stored.read(f"{number:03}-{part}.webp"))) as image:
                    crop = np.asarray(image.convert("RGB"))[:, :, ::-1]
                if screen is None:
                    screen = np.full((*crop.shape[:2], 4), 255, np.uint8)
                height, width = crop.shape[:2]
                screen[top : top + height, left : left + width, :3] = crop
            assert screen is not None, "the first frame is empty"
            yield Frame(entry["event"], screen.copy())


def events(path: Path = SESSION) -> tuple[str, ...]:
    """What was done before each frame."""
    with zipfile.ZipFile(path) as stored:
        return tuple(entry["event"] for entry in json.loads(stored.read(INDEX)))


@dataclass(slots=True)
class Recording:
    """Frames on their way into a file: only what changed is kept of each."""

    index: list[dict[str, Any]] = field(default_factory=list)
    crops: dict[str, bytes] = field(default_factory=dict)
    _last: Pixels | None = None

    def add(self, event: str, pixels: Pixels) -> None:
        """The next frame, all of one size."""
        at = []
        for part, (left, top, width, height) in enumerate(self._changed(pixels)):
            crop = np.ascontiguousarray(pixels[top : top + height, left : left + width, 2::-1])
            written = io.BytesIO()
            Image.fromarray(crop).save(written, "WEBP", lossless=True, quality=100, method=6)
            self.crops[f"{len(self.index):03}-{part}.webp"] = written.getvalue()
            at.append((left, top))
        self.index.append({"event": event, "at": at})
        self._last = pixels

    def store(self, path: Path = SESSION) -> None:
        """Write the file."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as stored:
            lines = ",\n".join(json.dumps(entry) for entry in self.index)
            stored.writestr(zipfile.ZipInfo(INDEX), f"[\n{lines}\n]\n", zipfile.ZIP_DEFLATED)
            for name, data in self.crops.items():
                stored.writestr(zipfile.ZipInfo(name), data)

    def _changed(self, pixels: Pixels) -> list[tuple[int, int, int, int]]:
        if self._last is None:
            return [(0, 0, pixels.shape[1], pixels.shape[0])]
        differ = (pixels[:, :, :3] != self._last[:, :, :3]).any(axis=2).astype(np.uint8)
        joined = cv2.dilate(differ, np.ones((NEAR, NEAR), np.uint8))
        count, numbered = cv2.connectedComponents(joined)
        boxes = []
        for number in range(1, count):
            rows, columns = np.nonzero((numbered == number) & (differ > 0))
            left, top = int(columns.min()), int(rows.min())
            boxes.append((left, top, int(columns.max()) + 1 - left, int(rows.max()) + 1 - top))
        return boxes
