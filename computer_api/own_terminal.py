"""The terminal window that we run in: on the person's own screen it is no part of the task.

Its words are our own echo, and what is typed into it answers our own questions. So nothing is found there, nothing
is clicked there, and the keyboard is given to the window behind it. The window is known by its process, which is one
of our parents; where a terminal's windows belong to a server process (GNOME Terminal, tmux) it cannot be told apart.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from computer_platform.desktop import Window


def parents() -> frozenset[int]:
    """The process ids of our parents, on Linux; none elsewhere."""
    found: set[int] = set()
    pid = os.getppid()
    while pid > 1 and pid not in found:
        found.add(pid)
        try:
            status = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            break
        pid = int(status.rpartition(")")[2].split()[1])
    return frozenset(found)


def own(windows: Sequence[Window], processes: frozenset[int]) -> frozenset[int]:
    """The ids of those windows that belong to one of these processes."""
    return frozenset(window.id for window in windows if window.pid in processes)
