"""Watch what an action changes: the screen and the windows before it, and after the screen is quiet again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.geometry import Box
from computer_api.receipt import Receipt
from computer_api.settle import settled
from computer_api.titles import called

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from computer_api.receipt import Effect
    from computer_api.screenshot import Screenshot
    from computer_api.targets import Match
    from computer_platform.desktop import Desktop, Window

_NEAR_POINTS = 12  # a change this close to the target belongs to it
_FIRST_SECONDS = 0.1  # how long a program gets to begin to react
_SECONDS = 2.5  # how long a screen may take to become quiet


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The screen and its windows at one moment."""

    screenshot: Screenshot
    windows: tuple[Window, ...]


def scene(desktop: Desktop, look: Callable[[], Screenshot]) -> Scene:
    """The screen and its windows now."""
    return Scene(screenshot=look(), windows=() if desktop.windows is None else desktop.windows.all())


def receipt_of(
    before: Scene,
    desktop: Desktop,
    look: Callable[[], Screenshot],
    *,
    matches: Sequence[Match],
    check: Callable[[], None],
) -> Receipt:
    """Wait until the screen is quiet and say what is different from the scene before."""
    quiet = settled(lambda: look().frame, first=_FIRST_SECONDS, seconds=_SECONDS, check=check)
    after = scene(desktop, look)
    changed = _changed(before.screenshot, after.screenshot)
    opened, closed = _came(before.windows, after.windows), _came(after.windows, before.windows)
    return Receipt(
        effect=_effect(changed, [match.box for match in matches] or _with_keyboard(before.windows)),
        changed=changed,
        opened=opened,
        closed=closed,
        focus=_new_focus(before.windows, after.windows),
        matches=tuple(matches),
        moving=quiet.moving,
    )


def _changed(before: Screenshot, after: Screenshot) -> tuple[Box, ...]:
    from computer_vision.change import changes

    regions = changes(before.frame.pixels, after.frame.pixels)
    boxes = [after.box_of(region) for region in regions]
    return tuple(sorted(boxes, key=lambda box: -box.width * box.height))


def _effect(changed: Sequence[Box], targets: Sequence[Box]) -> Effect:
    if not changed:
        return "nothing"
    near = [target.grown(_NEAR_POINTS) for target in targets]
    return "here" if any(box.overlap(target) for box in changed for target in near) else "elsewhere"


def _with_keyboard(windows: Sequence[Window]) -> list[Box]:
    """Where an action without a target acts: in the window that has the keyboard."""
    return [Box(*window.area) for window in windows if window.active]


def _came(before: Sequence[Window], after: Sequence[Window]) -> tuple[str, ...]:
    known = {window.id for window in before}
    return tuple(called(window) for window in after if window.id not in known)


def _new_focus(before: Sequence[Window], after: Sequence[Window]) -> str | None:
    was = next((window.id for window in before if window.active), None)
    now = next((window for window in after if window.active), None)
    return None if now is None or now.id == was else called(now)
