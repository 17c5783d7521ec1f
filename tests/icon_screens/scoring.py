"""Icons asked for on the labelled screens: how many are found, and what is found that is not there."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from computer_api.geometry import Size
from computer_api.icons import Icons, Meaning, meanings
from computer_api.screenshot import Screenshot
from computer_platform import icon_themes
from computer_platform.desktop import Area, Window
from computer_platform.memory import MemoryDesktop, Screen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_api.targets import Match
    from computer_platform.icon_themes import IconFile

SCREENS = Path(__file__).parents[2] / "fixtures" / "icons"
OFFICE = Path("/usr/lib/libreoffice/share/config")
SLACK = 3  # pixels by which the middle of what was found may lie outside of the true box


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One labelled screen: who draws its icons, and what each means where."""

    name: str
    source: str
    theme: str
    scale: int
    icons: tuple[tuple[str, Area], ...]
    screenshot: Screenshot
    desktop: MemoryDesktop

    def icons_here(self) -> Icons:
        return Icons(self.desktop, files=self.files)

    def files(self, meaning: Meaning, _: int) -> Sequence[IconFile]:
        """The files that the program drew from, as they are installed here."""
        if self.source != "theme":
            return ()
        if self.theme == "office":
            return icon_themes.office(meaning.office, OFFICE)
        return icon_themes.themed(meaning.theme, {"GTK_ICON_THEME": self.theme or "Adwaita"})

    def present(self) -> list[str]:
        return sorted({meaning for meaning, _ in self.icons})

    def absent(self) -> list[str]:
        """Meanings of which the screen shows nothing: none that shares a drawing with one that it shows."""
        known = meanings()
        here = [known[name] for name in self.present()]
        names = {name for meaning in here for name in (*meaning.theme, *meaning.office, *meaning.shapes)}
        return [
            name
            for name, meaning in known.items()
            if names.isdisjoint((*meaning.theme, *meaning.office, *meaning.shapes))
        ]

    def right(self, meaning: str, match: Match) -> bool:
        at = match.point
        return any(
            label == meaning
            and box.left - SLACK <= at.x < box.right + SLACK
            and box.top - SLACK <= at.y < box.bottom + SLACK
            for label, box in self.icons
        )


@dataclass(slots=True, kw_only=True)
class Score:
    """Questions about icons that are there and right first answers; questions about others, and answers to those."""

    asked: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    others: int = 0
    invented: list[str] = field(default_factory=list)


def screens(split: str) -> Iterator[Labelled]:
    for file in sorted((SCREENS / split).glob("*.json")):
        told = json.loads(file.read_text())
        pixels = cv2.cvtColor(cv2.imread(str(file.with_suffix(".png"))), cv2.COLOR_BGR2BGRA)
        scale = told.get("scale", 1)
        height, width = pixels.shape[0], pixels.shape[1]
        area = Area(0, 0, width // scale, height // scale)
        window = Window(id=1, title=file.stem, app=file.stem, pid=1, area=area, active=True, hidden=False)
        desktop = MemoryDesktop(
            displays=[area],
            scale=scale,
            screens=[Screen(name="only", picture=np.asarray(pixels, dtype=np.uint8))],
            windows=[window],
        )
        boxes = [(icon["meaning"], [value // scale for value in icon["box"]]) for icon in told["icons"]]
        yield Labelled(
            name=file.stem,
            source=told["source"],
            theme=told.get("theme", ""),
            scale=scale,
            icons=tuple((meaning, Area(*box)) for meaning, box in boxes),
            screenshot=Screenshot(frame=desktop.capture(), size=Size(area.width, area.height)),
            desktop=desktop,
        )


def scored(screen: Labelled, score: Score | None = None, *, every: int = 1) -> Score:
    """Every meaning that the screen shows asked for, and of the others one in ``every``, counted."""
    score = score or Score()
    icons = screen.icons_here()
    for meaning in screen.present():
        found = icons.find(meaning, screen.screenshot)
        score.asked += 1
        if found and screen.right(meaning, found[0]):
            score.right += 1
        else:
            where = f"{found[0].point} {found[0].score} {found[0].source}" if found else "nothing"
            score.wrong.append(f"{screen.name}: {meaning}: {where}")
    for meaning in screen.absent()[::every]:
        found = icons.find(meaning, screen.screenshot)
        score.others += 1
        if found:
            score.invented.append(
                f"{screen.name}: {meaning}: {found[0].point} {found[0].score} {found[0].source}"
            )
    return score
