"""The X server of a private desktop: Xtigervnc where it is installed, whose screen can be watched by VNC, else Xvfb.

The two start in the same time, differ by 3 MB, have one keyboard map, the same extensions and devices, and keep
the same contract. Xtigervnc takes VNC connections on a socket in the desktop's own folder, which only this user
can enter, and on no port. They are for looking. A key that the layout lacks it would give to its own keyboard
alone, where the agent, which types with another, takes it for usable; asking for what was copied would look as if
a program had pasted it; and of a viewer that goes away it leaves the buttons pressed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WATCHABLE = "Xtigervnc"
PLAIN = "Xvfb"

_SOCKET = "vnc"
# It keeps its abstract socket, by which servers see that a number is taken. Without it (-nolisten local) it would
# take the number, and the socket file, of one that runs.
_COMMON = ("-displayfd", "READY", "-dpi", "96", "-br", "-noreset", "-nolisten", "tcp")


class Server(NamedTuple):
    """A way to start one: its name, and the command, in which ``READY`` stands for where to write the number."""

    name: str
    command: tuple[str, ...]


def servers(
    programs: Mapping[str, str], folder: Path, size: tuple[int, int], authority_file: str
) -> Iterator[Server]:
    """The ways to start one of that size in pixels, the best first; ``programs`` says where each program is."""
    width, height = size
    common = (*_COMMON, "-auth", authority_file)
    if WATCHABLE in programs:
        screen = ("-geometry", f"{width}x{height}", "-depth", "24")
        viewers = (
            *("-rfbport", "-1", "-rfbunixpath", str(folder / _SOCKET), "-SecurityTypes", "None"),
            *("-desktop", "oi", "-AlwaysShared=1", "-AcceptSetDesktopSize=0", "-AllowOverride", ""),
            *("-AcceptKeyEvents=0", "-AcceptPointerEvents=0", "-AcceptCutText=0", "-SetPrimary=0"),
            *("-SendCutText=0", "-SendPrimary=0"),
        )
        yield Server(WATCHABLE, (programs[WATCHABLE], *common, *screen, *viewers))
    if PLAIN in programs:
        yield Server(PLAIN, (programs[PLAIN], *common, "-screen", "0", f"{width}x{height}x24"))


def vnc_socket(folder: str) -> str | None:
    """Where the desktop of that folder takes VNC connections; None if its server takes none."""
    path = Path(folder) / _SOCKET
    return str(path) if path.is_socket() else None
