"""Process groups: what a block started is stopped by group, for programs start programs."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

_PIECE = 256 * 1024

MARK = "OI_TERMINAL"
"""The variable by which all that a worker started is known, even in a session of its own and without a parent.

A daemon leaves session, group and parent behind, but keeps its environment. The other way, to adopt orphans as
their "subreaper", would change what becomes of every orphan of the program that uses this library.
"""


def signal_group(group: int, number: int) -> None:
    """Send the signal to every process of the group that is still there."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)


def kill_groups(groups: set[int]) -> None:
    """End every process of these groups at once."""
    if sys.platform != "win32":
        for group in groups:
            signal_group(group, signal.SIGKILL)


def session_groups(session: int) -> set[int]:
    """The process groups of a session, itself included; only itself where more cannot be found out."""
    if sys.platform != "linux":
        return {session}
    stats = map(status, processes())
    return {session} | {int(stat[2]) for stat in stats if stat[3:4] == [str(session)]}


def marked_groups(variable: str) -> set[int]:
    """The process groups of all that was started with this ``NAME=value``, in whatever session; known on Linux."""
    if sys.platform != "linux":
        return set()
    mark = variable.encode()
    return {int(stat[2]) for process in processes() if _has(process, mark) and (stat := status(process))}


def _has(process: Path, mark: bytes) -> bool:
    environment = _read(process, "environ")
    return mark in environment and mark in environment.split(b"\0")


def processes() -> list[Path]:
    """The folder of every process, on Linux."""
    return [Path("/proc", name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - of hundreds


def status(process: Path) -> list[str]:
    """State, parent, group and session of a process, and more; empty once it is gone."""
    # The name comes before them, in parentheses, and may hold anything.
    return _read(process, "stat").rpartition(b")")[2].decode().split()


def _read(process: Path, name: str) -> bytes:
    """A file of a process, empty when it ended or is not ours; no file object, for hundreds are read at once."""
    try:
        descriptor = os.open(f"{process}/{name}", os.O_RDONLY)
    except OSError:
        return b""
    data = bytearray()
    try:
        while piece := os.read(descriptor, _PIECE):
            data += piece
    except OSError:  # it ended meanwhile
        return b""
    finally:
        os.close(descriptor)
    return bytes(data)
