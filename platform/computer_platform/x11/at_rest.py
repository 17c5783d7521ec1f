"""Whether a program has nothing to do: on a busy machine no fixed wait tells that."""

from __future__ import annotations

from pathlib import Path


def family(pid: int) -> tuple[int, ...]:
    """The process and all that it has started, and those have; a browser is made of many."""
    found = [pid]
    for parent in found:  # it grows meanwhile
        found += [child for child in _children(parent) if child not in found]
    return tuple(found)


def at_rest(pids: tuple[int, ...]) -> bool:
    """Whether every thread of these processes sleeps; one that waits for its turn on a processor does not."""
    return all(state in "SIZX" for pid in pids for state in _states(pid))


def _children(pid: int) -> list[int]:
    try:
        lists = [(thread / "children").read_text() for thread in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []  # it has ended, or this kernel keeps no such list
    return [int(child) for told in lists for child in told.split()]


def _states(pid: int) -> list[str]:
    try:
        told = [(thread / "stat").read_bytes() for thread in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:  # it has ended, or one of its threads: that one was not asleep
        return ["R"] if Path(f"/proc/{pid}").exists() else []
    return [
        line.rpartition(b")")[2].split()[0].decode() for line in told
    ]  # after the name, which may hold any byte
