"""What a person did to a window by its frame: closed, moved, minimised. Its buttons are elsewhere tomorrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_agent.recording.merging import Clicked, Dragged
from computer_api.actions import ArrangeWindow, CloseWindow, FocusWindow, PlaceWindow
from computer_api.computer import PictureLimit
from computer_api.geometry import Box, Point
from computer_api.sight import topmost
from computer_api.titles import called

if TYPE_CHECKING:
    from computer_agent.recording.still import View
    from computer_api.actions import Action
    from computer_platform.desktop import Window


def on_window(gesture: Clicked | Dragged, before: View, after: View) -> Action | None:
    """The action that does the same to the window, None where the frame was not used, or nothing came of it."""
    at = Point(*(gesture.at if isinstance(gesture, Clicked) else gesture.start))
    was = topmost(before.windows, at)
    if was is None or gesture.button != "left" or gesture.keys or not _is_on_frame(was, at):
        return None
    now = next((window for window in after.windows if window.id == was.id), None)
    if now is None or any(_asks_for(window, was, before) for window in after.windows):
        return CloseWindow(title=called(was)) if isinstance(gesture, Clicked) else None
    if now.hidden and not was.hidden:
        return ArrangeWindow(title=called(was), how="minimize")
    if now.maximized != was.maximized:
        return ArrangeWindow(title=called(was), how="maximize" if now.maximized else "restore")
    if now.outside != was.outside:
        return _placed(now, after, resized=now.area[2:] != was.area[2:])
    return FocusWindow(title=called(was)) if now.active and not was.active else None


def _is_on_frame(window: Window, at: Point) -> bool:
    return at in Box(*window.outside) and at not in Box(*window.area)


def _asks_for(window: Window, closed: Window, before: View) -> bool:
    """Whether the window is a question that came when the other was to be closed."""
    return window.dialog_of == closed.id and all(window.id != known.id for known in before.windows)


def _placed(window: Window, view: View, *, resized: bool) -> PlaceWindow:
    """Where it is now, in pixels of a picture as a run of the agent has it."""
    native = view.screenshot.native
    size = PictureLimit().fitted(native)
    left, top, width, height = view.screenshot.rectangle(Box(*window.outside))
    across, down = size.width / native.width, size.height / native.height
    return PlaceWindow(
        title=called(window),
        left=round(left * across),
        top=round(top * down),
        width=round(width * across) if resized else None,
        height=round(height * down) if resized else None,
    )
