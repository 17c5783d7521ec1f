"""What the programs of a block may use: time, memory, the size of a file, how many there may be.

What one process takes of memory, and writes into one file, the system limits (RLIMIT_DATA, RLIMIT_FSIZE). What all of
them take together, and their number, only a cgroup would limit, and those are not ours to make; so they are looked at
while a block runs, and what uses too much is killed. RLIMIT_NPROC would not do: it counts a person's processes
elsewhere too, and does not hold for root. Known on Linux only; elsewhere time is all that is limited.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LOOK_SECONDS = 0.2
_KILL_SECONDS = 3.0  # a fork bomb makes new processes while its old ones are killed
_MB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLimits:
    """Seconds that a block runs, bytes of memory, bytes of one file, and processes at a time.

    Memory and processes are those of a language's worker and all that it started, together; memory is that of each
    one too.
    """

    seconds: float = 120.0
    memory: int = 4096 * _MB
    file_size: int = 2048 * _MB
    processes: int = 512


class Watchdog:
    """Looks, now and then, at what one worker's programs use.

    ``process`` is the worker's, ``leader`` leads its session, ``mark`` marks all of them.
    """

    def __init__(self, limits: ResourceLimits, process: int, leader: int, mark: str) -> None:
        self._limits = limits
        self._process = process
        self._leader = leader
        self._mark = mark.encode()
        self._looked = 0.0
        self._fewest = _processes_here() if sys.platform == "linux" else 0

    def limit_each(self) -> None:
        """Have the system hold each process that runs now, and what it starts, to what counts for one.

        Of memory that is what it may write to: address space that is only reserved is no measure, for JavaScript and
        Go reserve more than any machine has. None leaves its memory behind as a file when it crashes.
        """
        if sys.platform != "linux":
            return
        import resource

        for pid in self._all():
            for what, most in (
                (resource.RLIMIT_DATA, self._limits.memory),
                (resource.RLIMIT_FSIZE, self._limits.file_size),
                (resource.RLIMIT_CORE, 0),
            ):
                with contextlib.suppress(OSError, ValueError):  # it has ended, or is held to less already
                    resource.prlimit(pid, what, (most, most))

    def exceeded(self) -> str | None:
        """Which limit is exceeded by all of them together, in a sentence; they are killed then."""
        if sys.platform != "linux" or not self._is_time():
            return None
        reason = self._too_much(self._all())
        if reason is not None:
            self._kill()
        self._looked = time.monotonic()
        return reason

    def _is_time(self) -> bool:
        """Whether to look: every so often, and at once when the machine has many more processes than before.

        A fork bomb leaves no time to whoever looks late.
        """
        total = _processes_here()
        self._fewest = min(self._fewest, total)
        due = time.monotonic() - self._looked >= _LOOK_SECONDS
        return due or total - self._fewest > self._limits.processes // 2

    def _too_much(self, running: dict[int, int]) -> str | None:
        limits = self._limits
        if len(running) > limits.processes:
            return f"stopped: it started more than {limits.processes} processes"
        # Pages that several processes share count for each of them: only if that is too much, they are counted once.
        if sum(running.values()) > limits.memory and sum(map(_share, running)) > limits.memory:
            return f"stopped: its programs used more than {limits.memory // _MB} MB of memory"
        return None

    def _kill(self) -> None:
        """Hold all of them, so that none starts another, and kill them then."""
        if sys.platform == "win32":
            return
        if (
            self._leader != self._process
        ):  # the first process of a sandbox: the kernel ends all others with it
            _signal(self._leader, signal.SIGKILL)
        until = time.monotonic() + _KILL_SECONDS
        while time.monotonic() < until:
            held: set[int] = set()
            while self._hold(held) and time.monotonic() < until:
                pass
            if not held:
                return
            for group in held:
                _signal(-group, signal.SIGKILL)

    def _hold(self, held: set[int]) -> bool:
        """Stop each group of processes as soon as one of it is seen, the newest first; whether there was any.

        A group is stopped as one, however many fork in it; to look at all processes first would be to run after them.
        """
        if sys.platform == "win32":
            return False
        before = len(held)
        own = os.getpgrp()
        for pid in sorted(_pids(), reverse=True):
            stat = _stat(pid)
            group = int(stat[2]) if stat and stat[0] != "Z" else own
            if group not in (own, *held) and (pid == self._process or self._is_marked(pid)):
                _signal(-group, signal.SIGSTOP)
                held.add(group)
        return len(held) > before

    def _all(self) -> dict[int, int]:
        """The process ids of all that the worker started and of itself, with the bytes of memory that each has."""
        if sys.platform == "win32":
            return {}
        page = os.sysconf("SC_PAGE_SIZE")
        known = {pid: stat for pid in _pids() if (stat := _stat(pid)) and stat[0] != "Z"}
        children: dict[int, list[int]] = {}
        for pid, stat in known.items():
            children.setdefault(int(stat[1]), []).append(pid)
        found = _below(self._process, children)
        for pid in known:  # those whose parents have ended; to ask each of the others would cost more
            if pid not in found and self._is_marked(pid):
                found |= _below(pid, children)
        return {pid: int(known[pid][21]) * page for pid in found if pid in known}

    def _is_marked(self, pid: int) -> bool:
        try:
            return self._mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:  # it has ended, or it is another person's
            return False


def _below(pid: int, children: Mapping[int, Sequence[int]]) -> set[int]:
    """A process and all that it started, and they."""
    found: set[int] = set()
    rest = [pid]
    while rest:
        one = rest.pop()
        if one not in found:
            found.add(one)
            rest += children.get(one, ())
    return found


def _signal(pid: int, number: signal.Signals) -> None:
    """Signal a process, or a group by its negative number."""
    with contextlib.suppress(OSError):  # it has ended
        os.kill(pid, number)


def _processes_here() -> int:
    """How many processes and threads the machine has now."""
    return int(Path("/proc/loadavg").read_text().split()[3].split("/")[1])


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - for each of them, often


def _stat(pid: int) -> list[str]:
    """State, parent and what else the kernel tells of a process; empty once it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _share(pid: int) -> int:
    """The bytes of memory of a process, of those that it shares with others its part."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return 0
