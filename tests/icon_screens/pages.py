"""Pages with icons as sites have them: in bars, in buttons, beside words, on cards; light, dark and coloured."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from icon_screens.drawings import SETS, drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = (960, 600)
WORDS = (
    "Weekly report", "Shared with 4 people", "Inbox", "Drafts (12)", "Total: 1,240.50", "Last opened on Tuesday",
    "Ada Lovelace", "Kitchen plans", "All items", "No results", "Lisbon, Portugal", "v2.4.1", "x = y + 10 - z",
    "Unread", "Team", "Billing", "O Captain! My Captain!", "i < 10 && j > 3", "Read more", "Cancel", "Apply",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: ``split`` is tuning or test, ``icons`` a set, ``size`` in CSS pixels, ``colors`` ink and paper."""

    name: str
    split: str
    icons: str
    size: int
    colors: tuple[str, str]
    seed: int
    scale: int = 1


PAGES = (
    Page(name="feather_bar", split="tuning", icons="feather", size=20, colors=("#333", "#fafafa"), seed=1),
    Page(name="feather_dark", split="tuning", icons="feather", size=24, colors=("#ddd", "#1e1e24"), seed=2),
    Page(name="papirus_bar", split="tuning", icons="papirus-symbolic", size=16, colors=("#444", "#eee"), seed=3),
    Page(name="tabler_bar", split="tuning", icons="tabler-outline", size=24, colors=("#1a56db", "#fff"), seed=4),
    Page(name="tabler_filled", split="tuning", icons="tabler-filled", size=22, colors=("#e8e8e8", "#24292f"), seed=5),
    Page(name="bootstrap_bar", split="test", icons="bootstrap", size=20, colors=("#212529", "#f8f9fa"), seed=6),
    Page(name="bootstrap_dark", split="test", icons="bootstrap-filled", size=18, colors=("#adb5bd", "#212529"), seed=7),
    Page(name="material_filled", split="test", icons="material-filled", size=24, colors=("#5f6368", "#fff"), seed=8),
    Page(name="material_dark", split="test", icons="material-outlined", size=24, colors=("#e8eaed", "#202124"), seed=9),
    Page(name="fontawesome_bar", split="test", icons="fontawesome", size=18, colors=("#0d47a1", "#f4f4f4"), seed=10),
    Page(name="adwaita_bar", split="test", icons="adwaita-symbolic", size=16, colors=("#2e3436", "#f6f5f4"), seed=11),
    Page(name="glyphs", split="test", icons="glyph", size=22, colors=("#222", "#fff"), seed=12),
    Page(name="material_large", split="test", icons="material-outlined", size=24, colors=("#333", "#fff"), seed=13,
         scale=2),
)  # fmt: skip


def snap(page: Page, drawings: Path, folder: Path) -> list[dict[str, object]]:
    """Draw the page in Chromium as ``folder/name.png``; what is where, in pixels of the picture."""
    rng = random.Random(page.seed)  # noqa: S311 - the same page every time
    icons = _icons(page.icons, drawings)
    rng.shuffle(icons)
    body: list[str] = []
    truth: list[dict[str, object]] = []
    for (meaning, mark), (x, y, style) in zip(icons, _places(page, rng), strict=False):
        body.append(f'<div class="{style}" style="left:{x}px;top:{y}px">{mark}</div>')
        pad = 8 if style == "button" else 0
        box = [(value + pad) * page.scale for value in (x, y)] + [page.size * page.scale] * 2
        truth.append({"meaning": meaning, "box": box})
    body.extend(_words(rng))
    html = folder / f"{page.name}.html"
    html.write_text(_html(page, body))
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               f"--user-data-dir={folder / 'profile'}", f"--force-device-scale-factor={page.scale}",
               f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={folder / (page.name + '.png')}",
               html.as_uri()]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    html.unlink()
    return truth


def _icons(name: str, drawings: Path) -> list[tuple[str, str]]:
    if name == "glyph":
        return [(meaning, escape(glyph)) for meaning, glyph in drawn("glyph")]
    column, pattern = SETS[name]
    found = []
    for meaning, drawing in drawn(column):
        path = pattern.format(drawing)
        root = Path("/") if path.startswith("/") else drawings
        found.extend((meaning, file.read_text()) for file in sorted(root.glob(path.lstrip("/")))[:1])
    return found


def _places(page: Page, rng: random.Random) -> Iterator[tuple[int, int, str]]:
    """Two bars, a row of buttons, icons before words, and cards."""
    step = page.size + 14
    for at in range(9):
        yield 16 + at * step, 12, "plain"
    for at in range(6):
        yield SIZE[0] - 20 - page.size - at * step, 12, "plain"
    for at in range(8):
        yield 16 + at * (page.size + 30), 64, "button"
    for at in range(9):
        yield 24, 130 + at * 48, "plain"
    for at in range(8):
        yield 300 + (at % 4) * 160 + rng.randrange(30), 200 + at // 4 * 180, "plain"


def _words(rng: random.Random) -> list[str]:
    at = [(64, 132 + row * 48) for row in range(9)]
    at += [(290 + column * 160, 240 + row * 180) for column in range(4) for row in range(2)]
    at += [(500, 76), (620, 76), (300, 520), (560, 540), (760, 520)]
    return [f'<p style="left:{x}px;top:{y}px">{escape(rng.choice(WORDS))}</p>' for x, y in at]


def _html(page: Page, body: list[str]) -> str:
    ink, paper = page.colors
    return f"""<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: {paper}; color: {ink}; font: 14px sans-serif; }}
body > * {{ position: absolute; margin: 0; line-height: 1; }}
div {{ width: {page.size}px; height: {page.size}px; font-size: {page.size}px; text-align: center; }}
.button {{ padding: 8px; border-radius: 5px; box-shadow: inset 0 0 0 1px {ink}55; }}
svg {{ width: 100%; height: 100%; fill: currentColor; display: block; }}
svg[fill="none"] {{ fill: none; }}
{"svg * { fill: currentColor !important; }" if page.icons.endswith("symbolic") else ""}
</style>{"".join(body)}"""
