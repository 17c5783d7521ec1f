"""The traces that are kept: found, counted, and removed again, without reading each as a whole."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from computer_agent.settings import state_folder
from computer_agent.trace.archive import contents, is_archive
from computer_agent.trace.errors import TraceError
from computer_agent.trace.lock import Lock, held
from computer_agent.trace.record import FILE, Ended, Start, from_line
from computer_agent.trace.writer import LOCK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from computer_agent.step import Ending
    from computer_agent.trace.record import Entry

__all__ = ["Kept", "found", "holds", "kept", "remove", "traces_folder"]

How = Literal["going", "broke off", "damaged"]
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A trace in the folder of traces: a folder, or a zip.

    ``began`` is in seconds since 1970, ``size`` in bytes on the disk. ``ending`` is the run's own word, or that it is
    ``going`` on, ``broke off`` without an end, or cannot be read. ``dollars`` is None where a price is not known.
    """

    path: Path
    began: float
    size: int
    ending: Ending | How
    task: str = ""
    steps: int = 0
    seconds: float = 0.0
    dollars: float | None = None

    @property
    def failed(self) -> bool:
        """Whether the task was not done, as far as is known by now."""
        return self.ending not in ("done", "going")


def traces_folder(environment: Mapping[str, str]) -> Path:
    """Where traces go that were given no folder."""
    return state_folder(environment) / "traces"


def kept(traces: Path) -> tuple[Kept, ...]:
    """The traces in that folder, the newest first."""
    return tuple(sorted(map(_kept, _paths(traces)), key=lambda one: (one.began, one.path.name), reverse=True))


def found(words: str, traces: Path) -> Path:
    """The trace that is meant: a folder, a zip, a number of the list, or how the name of a kept one begins.

    Raises ``TraceError`` when there is none, or several.
    """
    path = Path(words)
    if words and (path.is_file() or (path / FILE).is_file()):
        return path
    known = kept(traces)
    if words.isascii() and words.isdecimal() and 1 <= int(words) <= len(known):
        return known[int(words) - 1].path
    named = [one.path for one in known if words and one.path.name.startswith(words)]
    if len(named) == 1:
        return named[0]
    if named:
        some = ", ".join(f'"{one.name}"' for one in named[:_MOST_NAMED])
        raise TraceError(f'{len(named)} traces begin with "{words}": {some}. Say more of the name.')
    raise TraceError(
        f'There is no trace "{words}": name a folder or a zip that holds one, or one that `oi trace list` lists.'
    )


def holds(path: Path, words: str) -> bool:
    """Whether the trace holds these words: in its task, its thoughts, its actions or their output; in any case."""
    wanted = words.casefold()
    try:
        lines = contents(path, FILE).splitlines()
    except (OSError, TraceError):
        return False
    for line in lines:
        with suppress(ValueError):
            if any(wanted in text.casefold() for text in _texts(json.loads(line))):
                return True
    return False


def remove(path: Path, traces: Path) -> int:
    """Remove a kept trace for good; gives the bytes that it took.

    Raises ``TraceError`` for one that lies elsewhere, behind a link, or is being written.
    """
    if path.is_symlink() or path.parent.resolve() != traces.resolve() or path not in set(_paths(traces)):
        raise TraceError(f'"{path}" is not removed: it is no trace of the folder "{traces}".')
    size = _size(path)
    try:
        if path.is_dir():
            lock = Lock(path / LOCK, 0.0)  # so that nobody writes there meanwhile
            if sys.platform == "win32":  # which removes no open file
                lock.release()
            try:
                shutil.rmtree(path)
            finally:
                lock.release()
        else:
            path.unlink()
    except OSError as error:
        raise TraceError(f'"{path}" cannot be removed: {error.strerror}.') from error
    return size


def _paths(traces: Path) -> Iterator[Path]:
    """The traces there. What a link leads to lies elsewhere and is none of them."""
    with suppress(OSError):
        for path in sorted(traces.iterdir()):
            if not path.is_symlink() and ((path / FILE).is_file() or (path.is_file() and is_archive(path))):
                yield path


def _kept(path: Path) -> Kept:
    size = _size(path)
    try:
        lines = contents(path, FILE).split(b"\n")
        first = from_line(lines[0])
        last = from_line(lines[max(0, len(lines) - 2)])  # what follows the last line feed is empty, or torn
    except (OSError, TraceError):
        changed = path.stat().st_mtime
        return Kept(path=path, began=changed, size=size, ending="damaged")
    observations = sum(b'"kind":"observation"' in line for line in lines)
    return _told(path, size, (first, last), observations)


def _told(path: Path, size: int, ends: tuple[Entry, Entry], observations: int) -> Kept:
    first, last = ends
    task = first.record.task if isinstance(first.record, Start) else ""
    if not isinstance(last.record, Ended):
        return Kept(
            path=path,
            began=first.time,
            size=size,
            ending="going" if path.is_dir() and held(path / LOCK) else "broke off",
            task=task,
            steps=observations,
            seconds=last.time - first.time,
        )
    spent = last.record.spent
    return Kept(
        path=path,
        began=first.time,
        size=size,
        ending=last.record.ending,
        task=task,
        steps=observations if spent is None else spent.steps,
        seconds=last.time - first.time if spent is None else spent.seconds,
        dollars=None if spent is None else spent.dollars,
    )


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else iter((path,))
    size = 0
    for file in files:
        with suppress(OSError):  # one that its run removes just now
            size += file.lstat().st_size
    return size


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in ("is", "kind", "base64"):
                yield from _texts(item)
