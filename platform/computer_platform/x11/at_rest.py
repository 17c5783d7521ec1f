"""Whether a program has nothing to do: on a busy machine no fixed wait tells that."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class _Thread(NamedTuple):
    state: str
    session: int


def family(pid: int) -> tuple[int, ...]:
    """The process and all that it has started, and those have; a browser is made of many."""
    found = [pid]
    for parent in found:  # it grows meanwhile
        found += [child for child in _children(parent) if child not in found]
    return tuple(found)


def at_rest(pids: tuple[int, ...]) -> bool:
    """Whether every thread of these processes sleeps; one that waits for its turn on a processor does not.

    A program that was stopped may go on at any moment. A job that somebody stopped in the program's terminal, and which
    so is in another session than the first process, does not.
    """
    threads = [thread for pid in pids for thread in _threads(pid)]
    return all(
        state in "SIZX" or (state in "Tt" and session != threads[0].session) for state, session in threads
    )


def _children(pid: int) -> list[int]:
    try:
        lists = [(thread / "children").read_text() for thread in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []  # it has ended, or this kernel keeps no such list
    return [int(child) for told in lists for child in told.split()]


def _threads(pid: int) -> list[_Thread]:
    try:
        told = [(thread / "stat").read_bytes() for thread in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:  # it has ended, or one of its threads: that one was not asleep
        return [_Thread("R", 0)] if Path(f"/proc/{pid}").exists() else []
    fields = [line.rpartition(b")")[2].split() for line in told]  # after the name, which may hold any byte
    return [_Thread(state.decode(), int(session)) for state, _, _, session, *_ in fields]
