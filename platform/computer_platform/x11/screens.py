"""The monitors, as RandR 1.5 describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from computer_platform.desktop import Area, Display

if TYPE_CHECKING:
    from computer_platform.x11.connection import Connection


def displays(connection: Connection) -> tuple[Display, ...]:
    """The monitors as they are now, primary first; the whole root window where RandR tells of none."""
    found = _monitors(connection) or [Display(name="screen", area=root_area(connection), primary=True)]
    first = next((monitor for monitor in found if monitor.primary), found[0])
    others = [monitor for monitor in found if monitor is not first]
    return (
        Display(name=first.name, area=first.area, primary=True),
        *(Display(name=other.name, area=other.area, primary=False) for other in others),
    )


def root_area(connection: Connection) -> Area:
    """All that can be captured, as it is now: RandR may have resized it since we connected."""
    size = connection.root.get_geometry()
    return Area(0, 0, int(size.width), int(size.height))


def whole(monitors: tuple[Display, ...], root: Area) -> Area:
    """The smallest area that holds all monitors, within the root window."""
    left = min(monitor.area.left for monitor in monitors)
    top = min(monitor.area.top for monitor in monitors)
    right = max(monitor.area.right for monitor in monitors)
    bottom = max(monitor.area.bottom for monitor in monitors)
    return clipped(Area(left, top, right - left, bottom - top), root)


def clipped(area: Area, to: Area) -> Area:
    """The part of the area inside the other; its width or height is 0 when there is none."""
    left, top = max(area.left, to.left), max(area.top, to.top)
    width = max(0, min(area.right, to.right) - left)
    height = max(0, min(area.bottom, to.bottom) - top)
    return Area(left, top, width, height)


def _monitors(connection: Connection) -> list[Display]:
    if not connection.server.has_extension("RANDR"):
        return []
    version = connection.server.xrandr_query_version()
    if (version.major_version, version.minor_version) < (1, 5):
        return []
    return [
        Display(
            name=str(connection.server.get_atom_name(monitor.name)),
            area=Area(
                int(monitor.x), int(monitor.y), int(monitor.width_in_pixels), int(monitor.height_in_pixels)
            ),
            primary=bool(monitor.primary),
        )
        for monitor in connection.root.xrandr_get_monitors().monitors
        if monitor.width_in_pixels and monitor.height_in_pixels
    ]
