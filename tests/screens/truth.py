"""A labelled screenshot: what is written on it and where, and how it lies in a folder."""

from __future__ import annotations

import io
import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import cv2
import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from computer_vision.reader import Pixels

SCREENS = Path(__file__).resolve().parents[2] / "fixtures" / "screens"
PARTS = ("tuning", "test", "fresh")
CLICKABLE = frozenset({"button", "menu", "link", "tab", "tick", "cell", "item", "field"})

# First characters of the scripts that are told apart; everything else counts as Latin.
_SCRIPTS = (
    ("arabic", "ARABIC"),
    ("hebrew", "HEBREW"),
    ("cjk", "CJK"),
    ("cjk", "HIRAGANA"),
    ("cjk", "KATAKANA"),
    ("cjk", "HALFWIDTH KATAKANA"),
    ("cjk", "HANGUL"),
)


class Box(NamedTuple):
    """A rectangle in pixels of the picture."""

    left: int
    top: int
    width: int
    height: int

    def holds(self, x: float, y: float, slack: int = 0) -> bool:
        """Whether the point is inside, or at most that many pixels beside it."""
        across = self.left - slack <= x < self.left + self.width + slack
        return across and self.top - slack <= y < self.top + self.height + slack

    def meets(self, other: Box) -> bool:
        """Whether the two have a pixel in common."""
        across = self.left < other.left + other.width and other.left < self.left + self.width
        return across and self.top < other.top + other.height and other.top < self.top + self.height

    def moved(self, right: int, down: int) -> Box:
        """The same rectangle elsewhere."""
        return self._replace(left=self.left + right, top=self.top + down)

    @property
    def middle(self) -> tuple[float, float]:
        """The point in the middle."""
        return self.left + self.width / 2, self.top + self.height / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A text on one line; ``control`` is the box in which a click on it does what the text says."""

    text: str
    box: Box
    kind: str
    control: Box | None = None

    @property
    def script(self) -> str:
        """``latin``, ``cjk``, ``arabic`` or ``hebrew``: that of its first letter that is not Latin."""
        for character in self.text:
            name = unicodedata.name(character, "")
            for script, start in _SCRIPTS:
                if name.startswith(start):
                    return script
        return "latin"

    def moved(self, right: int, down: int) -> Label:
        """The same label elsewhere."""
        control = self.control.moved(right, down) if self.control else None
        return Label(text=self.text, box=self.box.moved(right, down), kind=self.kind, control=control)


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A picture and the labels on it. ``pixels`` are B, G, R, X; ``tags`` say what is hard about it."""

    name: str
    pixels: Pixels
    labels: tuple[Label, ...]
    theme: str
    toolkit: str
    scale: int = 1
    tags: tuple[str, ...] = ()


def labels_from(entries: Iterable[dict[str, Any]]) -> tuple[Label, ...]:
    """Labels as programs and files write them."""
    return tuple(
        Label(
            text=" ".join(entry["text"].split()),
            box=Box(*entry["box"]),
            kind=entry["kind"],
            control=Box(*entry["control"]) if entry.get("control") else None,
        )
        for entry in entries
        if entry["text"].strip()
    )


def save(screen: Screen, folder: Path) -> None:
    """Write the picture, as small as it goes without loss, and its labels beside it."""
    (folder / f"{screen.name}.png").write_bytes(small_png(np.asarray(screen.pixels[:, :, :3])))
    height, width = screen.pixels.shape[:2]
    about = {
        "size": [width, height],
        "theme": screen.theme,
        "toolkit": screen.toolkit,
        "scale": screen.scale,
        "tags": list(screen.tags),
    }
    lines = ",\n".join(json.dumps(_entry(label), ensure_ascii=False) for label in screen.labels)
    text = json.dumps(about)[:-1] + f', "labels": [\n{lines}\n]}}\n'
    (folder / f"{screen.name}.json").write_text(text)


def _entry(label: Label) -> dict[str, Any]:
    entry: dict[str, Any] = {"text": label.text, "box": list(label.box), "kind": label.kind}
    return entry | ({"control": list(label.control)} if label.control else {})


def small_png(colours: NDArray[np.uint8]) -> bytes:
    """The B, G, R picture as PNG: with a palette where it has at most 256 colours."""
    image = Image.fromarray(np.ascontiguousarray(colours[:, :, ::-1]))
    counted = image.getcolors(256)
    if counted is not None:
        image = _with_palette(image, [colour for _, colour in counted])
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _with_palette(image: Image.Image, colours: list[Any]) -> Image.Image:
    palette = Image.new("P", (1, 1))
    flat = [level for colour in colours for level in colour]
    palette.putpalette(flat + flat[:3] * (256 - len(colours)))
    exact = image.quantize(palette=palette, dither=Image.Dither.NONE)
    return exact if exact.convert("RGB").tobytes() == image.tobytes() else image


def load(path: Path) -> Screen:
    """The screen whose PNG that is."""
    told = json.loads(path.with_suffix(".json").read_text())
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    assert picture is not None, f"no picture: {path}"
    return Screen(
        name=path.stem,
        pixels=np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), dtype=np.uint8),
        labels=labels_from(told["labels"]),
        theme=told["theme"],
        toolkit=told["toolkit"],
        scale=told["scale"],
        tags=tuple(told["tags"]),
    )


def screens(part: str) -> Iterator[Screen]:
    """All screens of one part, by name."""
    for path in sorted((SCREENS / part).glob("*.png")):
        yield load(path)
