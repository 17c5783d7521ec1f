"""Programs that were started without a step that says so: from a menu of the desktop, or from our own terminal."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.recording.merging import Clicked, Pressed, Typed
from computer_api.actions import OpenApp
from computer_api.geometry import Point
from computer_api.sight import topmost

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from computer_agent.recording.taking import Take
    from computer_platform.desktop import Window

_LAUNCHER_KEYS = ({"Super_L"}, {"Alt_L", "F2"}, {"Alt_L", "F1"})
_CHAIN_SECONDS = 20.0  # that a person looks for a program
_CHAIN = 5  # things that they do for that at most
_MOST_WORDS = 20  # of a command line that is worth repeating


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process: its command line, the folder it works in, and the numbers of those that it comes from, and its own."""

    words: tuple[str, ...] = ()
    folder: Path = Path()
    family: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A program with its windows, and the action that starts it; None where nobody knows how it was started."""

    windows: tuple[Window, ...]
    action: OpenApp | None
    ours: bool = False


def newcomers(
    before: Sequence[Window],
    after: Sequence[Window],
    avoided: frozenset[int],
    processes: Mapping[int, Process],
) -> list[Started]:
    """The programs that have windows now and neither had one before nor belong to one that had.

    ``ours`` are those that were started from a process to be ``avoided``: our own terminal. ``processes`` are those
    of all windows.
    """
    known = {window.id for window in before}
    owners = {window.pid for window in before if window.pid is not None} - avoided
    found: dict[int, list[Window]] = {}
    for window in after:
        if window.id not in known and window.pid is not None and window.dialog_of not in known:
            found.setdefault(window.pid, []).append(window)
    started = []
    for pid, windows in found.items():
        process = processes.get(pid, Process())
        if owners.isdisjoint({pid, *process.family}) and pid not in avoided:
            ours = not avoided.isdisjoint(process.family)
            started.append(Started(windows=tuple(windows), action=_opening(process), ours=ours))
    return started


def begins_launch(take: Take) -> bool:
    """Whether a program may be about to be started: a click outside all windows, or the key of a launcher."""
    match take.gesture:
        case Clicked(at=at):
            return topmost(take.before.windows, Point(*at)) is None
        case Pressed(keys=keys):
            return set(keys) in _LAUNCHER_KEYS
        case _:
            return False


def goes_on(chain: Sequence[Take], take: Take) -> bool:
    """Whether the take may belong to the start of a program that these have begun."""
    first = chain[0].gesture.began
    if len(chain) >= _CHAIN or take.gesture.ended - first > _CHAIN_SECONDS:
        return False
    if isinstance(take.gesture, Typed):
        return not any(isinstance(one.gesture, Typed) for one in chain)
    return begins_launch(take) or isinstance(take.gesture, Pressed)


def process_of(pid: int) -> Process:
    """What the system tells of a process now."""
    place = Path("/proc") / str(pid)
    with suppress(OSError):
        words = [os.fsdecode(word) for word in (place / "cmdline").read_bytes().split(b"\0")[:-1]]
        return Process(words=tuple(words), folder=(place / "cwd").readlink(), family=_family(pid))
    return Process()


def _opening(process: Process) -> OpenApp | None:
    """The action that starts the same program with the same arguments; None where its command line is not known."""
    words = process.words
    if not words or len(words) > _MOST_WORDS or not words[0]:
        return None
    return OpenApp(program=words[0], arguments=tuple(_found_anywhere(words[1:], process.folder)))


def _found_anywhere(arguments: Iterable[str], folder: Path) -> list[str]:
    """Arguments that name a file in the program's own folder, with that folder."""
    return [
        str(folder / argument)
        if argument and not argument.startswith("-") and (folder / argument).exists()
        else argument
        for argument in arguments
    ]


def _family(pid: int) -> frozenset[int]:
    """The process and those that it comes from, as far as the system tells; without the first of all."""
    found: set[int] = set()
    while pid > 1 and pid not in found:
        found.add(pid)
        try:
            status = (Path("/proc") / str(pid) / "stat").read_text()
        except OSError:
            break
        pid = int(status.rpartition(")")[2].split()[1])
    return frozenset(found)
