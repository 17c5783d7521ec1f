"""Several monitors on one X server of a test's own, put up and taken away while it runs (RandR 1.5)."""

from __future__ import annotations

import struct
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from computer_platform.desktop import Area

LEFT = "left 1920/508x1080/286+0+360"
MIDDLE = "*middle 1280/300x1440/340+1920+0"
RIGHT = "right 1280/160x720/90+3200+100"
THREE = (LEFT, MIDDLE, RIGHT)
"""A wide one, lower than the primary one beside it, which stands on its side, and a small one on the right."""
UNION = (4480, 1440)


def put_up(display: str, *monitors: str) -> None:
    """Define monitors as ``xrandr --setmonitor`` takes them: a name, ``*`` for the primary, and the geometry.

    The first takes the server's only output, so that there is no further monitor that shows all.
    """
    for number, monitor in enumerate(monitors):
        add(display, monitor, output="none" if number else "screen")


def add(display: str, monitor: str, *, output: str = "none") -> None:
    """Plug in one more."""
    name, geometry = monitor.split()
    _xrandr(display, "--setmonitor", name, geometry, output)


def take_away(display: str, name: str) -> None:
    """Unplug one."""
    _xrandr(display, "--delmonitor", name)


def resize(display: str, width: int, height: int) -> None:
    """Make the whole screen that large, at most as large as the server began; the one output goes dark."""
    _xrandr(display, "--fb", f"{width}x{height}", check=False)  # it complains of the output, and does it


def settings(**numbers: int) -> bytes:
    """XSETTINGS as a daemon writes them, with a text and a colour among the numbers."""
    parts = [struct.pack("<BxH", 1, 7) + b"Net/Foo\0" + struct.pack("<II", 0, 5) + b"thing\0\0\0"]
    parts += [struct.pack("<BxH", 2, 3) + b"Col\0" + struct.pack("<I4H", 0, 1, 2, 3, 4)]
    for name, value in numbers.items():
        key = name.replace("_", "/").encode()
        padding = b"\0" * (-len(key) % 4)
        parts.append(struct.pack("<BxH", 0, len(key)) + key + padding + struct.pack("<Ii", 0, value))
    return struct.pack("<B3xII", 0, 1, len(parts)) + b"".join(parts)


def geometry(name: str, area: Area, *, primary: bool = False) -> str:
    """A monitor at that place, as ``put_up`` takes it."""
    star = "*" if primary else ""
    return f"{star}{name} {area.width}/300x{area.height}/200+{area.left}+{area.top}"


def _xrandr(display: str, *arguments: str, check: bool = True) -> None:
    command = ["xrandr", "-d", display, *arguments]
    subprocess.run(command, check=check, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
