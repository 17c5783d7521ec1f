"""What a person can see of a document and of the frames in it, as one piece of HTML, with a hand on each control."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from playwright.async_api import Error

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Frame, JSHandle

_LIMITS = {"size": 1_500_000, "nodes": 60_000, "depth": 400, "attribute": 4000}
_DEEPEST = 3  # frames within frames
_MOST_FRAMES = 12


@dataclass(frozen=True, slots=True)
class Controls:
    """The elements of one frame that can be acted on, numbered from ``first``; ``count`` of them."""

    first: int
    count: int
    elements: JSHandle


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A document as HTML, in which the controls say their number as ``data-oi``; ``cut`` says that it was too long."""

    html: str
    cut: bool
    controls: tuple[Controls, ...]

    async def element(self, mark: int) -> ElementHandle | None:
        """The element of that number, if it is still there."""
        for one in self.controls:
            if one.first <= mark < one.first + one.count:
                script = "(all, at) => all[at]?.isConnected ? all[at] : null"
                return (await one.elements.evaluate_handle(script, mark - one.first)).as_element()
        return None


async def snapshot(frame: Frame, first: int = 0, depth: int = 0) -> Snapshot:
    """What the frame shows, its own frames in their places. Raises the library's ``Error``."""
    shown = await frame.evaluate_handle(_script(), {**_LIMITS, "first": first})
    html, cut, count, frames = await shown.evaluate(
        "s => [s.html, s.cut, s.elements.length, s.frames.length]"
    )
    found = [Controls(first, count, await shown.get_property("elements"))]
    for at in range(min(frames, _MOST_FRAMES) if depth < _DEEPEST else 0):
        within = await _within(shown, at, first=found[-1].first + found[-1].count, depth=depth)
        if within is not None:
            html = html.replace(f'<div data-frame="{at}"></div>', f"<div data-block>{within.html}</div>", 1)
            cut = cut or within.cut
            found += within.controls
    return Snapshot(html=html, cut=cut, controls=tuple(found))


async def _within(shown: JSHandle, at: int, *, first: int, depth: int) -> Snapshot | None:
    """What one frame of a document shows; None if it is gone, or does not answer to scripts."""
    try:
        element = (await shown.evaluate_handle("(s, at) => s.frames[at]", at)).as_element()
        frame = None if element is None else await element.content_frame()
        return None if frame is None else await snapshot(frame, first, depth + 1)
    except Error:
        return None


@cache
def _script() -> str:
    return resources.files("computer_api.browser").joinpath("snapshot.js").read_text("utf-8")
