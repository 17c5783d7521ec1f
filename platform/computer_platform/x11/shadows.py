"""Windows with the shadows that their programs draw around them (``_GTK_FRAME_EXTENTS``)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import Xlib.error
from Xlib import X

from computer_platform.desktop import Area

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_platform.desktop import Window
    from computer_platform.x11.connection import Connection

_SIDES = 4


def with_shadows(connection: Connection, windows: Sequence[Window]) -> Iterator[Window]:
    """Those windows that have a shadow, each with its area grown by it: all of the X window."""
    for window in windows:
        handle = connection.server.create_resource_object("window", window.id)
        try:
            found = handle.get_full_property(connection.atom("_GTK_FRAME_EXTENTS"), X.AnyPropertyType)
        except Xlib.error.XError:
            continue  # it closed meanwhile
        if found is not None and len(found.value) == _SIDES:
            left, right, top, bottom = (int(side) for side in found.value)
            area = window.area
            whole = Area(
                area.left - left, area.top - top, area.width + left + right, area.height + top + bottom
            )
            yield replace(window, area=whole)
