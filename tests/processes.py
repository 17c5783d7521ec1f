"""What runs on this machine, as the kernel tells it."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import Popen
    from typing import AnyStr


@contextmanager
def killed_after(process: Popen[AnyStr]) -> Iterator[Popen[AnyStr]]:
    """The process, which ends with the block at the latest.

    `Popen` alone waits at the end of its block: for ever, after a check that failed before the program was ended.
    """
    with process:
        try:
            yield process
        finally:
            process.kill()


def alive(pid: int) -> bool:
    """Whether the process still runs; one that has ended and waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def below(pid: int) -> dict[int, str]:
    """All descendants of the process, with their names; those that have ended and wait to be collected are none."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            number = int(folder.name)
            before, _, after = (folder / "stat").read_text().rpartition(")")
            if after.split()[0] == "Z":
                continue
            parents[number], names[number] = int(after.split()[1]), before.partition("(")[2]
    found: dict[int, str] = {}
    level = {pid}
    while level:
        level = {child for child, parent in parents.items() if parent in level}
        found |= {child: names[child] for child in level}
    return found


def listening_ports(pid: int) -> list[str]:
    """The TCP addresses, as the kernel writes them, at which the process takes connections."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            inodes.add(os.readlink(link))  # noqa: PTH115 - it names no path
    listening = "0A"
    return [
        fields[1]
        for table in ("tcp", "tcp6")
        for fields in map(str.split, Path(f"/proc/net/{table}").read_text().splitlines()[1:])
        if fields[3] == listening and f"socket:[{fields[9]}]" in inodes
    ]
