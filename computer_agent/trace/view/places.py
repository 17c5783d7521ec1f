"""Where on the desktop an action aimed, where its target lay, and what it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from computer_api.actions import PlaceWindow, Zoom, targets_of
from computer_api.targets import first_pixel

if TYPE_CHECKING:
    from computer_api.actions import Action
    from computer_api.geometry import Box, Pixel
    from computer_api.receipt import Receipt

__all__ = ["actions_places"]

_DOT = 4  # points: a smaller box is the place itself
_MOST = 40  # changed boxes that are shown


def actions_places(action: Action, receipt: Receipt | None, frame: dict[str, Any] | None) -> dict[str, Any]:
    """Places in points of the desktop, as numbers: ``points`` in order, ``targets`` and ``changed`` as boxes.

    ``points`` are middles of what is clicked, so they may lie between two points. ``frame`` is the one that the
    action was decided on.
    """
    matches = receipt.matches if receipt else ()
    if matches:
        points = [[match.point.x + 0.5, match.point.y + 0.5] for match in matches]
        targets = [_edges(match.box) for match in matches if max(match.box.width, match.box.height) > _DOT]
    else:
        pixels = [pixel for target in targets_of(action) if (pixel := first_pixel(target)) is not None]
        points = [_point(pixel, frame) for pixel in pixels]
        targets = []
    if area := _named_area(action):
        left, top, width, height = area
        (x, y), (right, bottom) = (
            _corner(*corner, frame) for corner in ((left, top), (left + width, top + height))
        )
        targets.append([x, y, right - x, bottom - y])
    return {
        "points": points,
        "targets": targets,
        "changed": [_edges(box) for box in (receipt.changed if receipt else ())[:_MOST]],
        "moving": [_edges(box) for box in (receipt.moving_at if receipt else ())[:_MOST]],
    }


def _named_area(action: Action) -> tuple[int, int, int, int] | None:
    """Left, top, width and height that the action itself names, in pixels of the picture."""
    match action:
        case Zoom(left=left, top=top, right=right, bottom=bottom):
            return left, top, right - left, bottom - top
        case PlaceWindow(left=int(left), top=int(top), width=int(width), height=int(height)):
            return left, top, width, height
        case _:
            return None


def _point(pixel: Pixel, frame: dict[str, Any] | None) -> list[float]:
    """The middle of a pixel."""
    return _corner(pixel.x + 0.5, pixel.y + 0.5, frame)


def _corner(x: float, y: float, frame: dict[str, Any] | None) -> list[float]:
    if not frame or not frame["area"] or not frame["size"]:
        return [x, y]
    left, top, width, height = frame["area"]
    columns, rows = frame["size"]
    return [round(left + x * width / columns, 3), round(top + y * height / rows, 3)]


def _edges(box: Box) -> list[float]:
    return [box.left, box.top, box.width, box.height]
