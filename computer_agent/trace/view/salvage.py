"""What can still be read of a trace that is damaged, torn, or newer than this program, and what is missing."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from computer_agent.trace.archive import contents, is_archive
from computer_agent.trace.codec import CLASSES, decode_fields
from computer_agent.trace.errors import TraceError
from computer_agent.trace.reader import fold, read
from computer_agent.trace.record import FILE, KINDS, VERSION, Entry, Intended, Resulted, Start, from_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from computer_agent.trace.reader import Trace

__all__ = ["Salvaged", "salvage"]

_VERSION = re.compile(rb'\{"version":([0-9]{1,9}),')
_SHOWN = 8  # of the lines that cannot be read, how many are told of one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """A trace as far as it can be read. ``version`` is the format's, 0 where the file does not say it."""

    trace: Trace
    version: int


def salvage(path: Path) -> Salvaged:
    """The trace in a folder, in a zip, or of its ``trace.jsonl``; its ``notes`` say what is missing or not understood.

    Raises ``TraceError`` when there is no such file, or not a line of it is a trace's.
    """
    packed = is_archive(path)
    file = path / FILE if path.is_dir() or packed else path
    try:
        data = contents(path, FILE) if packed else file.read_bytes()
    except OSError as error:
        raise TraceError(f'There is no trace to read at "{path}": {error.strerror}.') from error
    try:
        trace = read(path)
    except TraceError as error:
        trace = _Salvage(file, data).trace(error)
    return Salvaged(trace=trace, version=_version(data))


def _version(data: bytes) -> int:
    found = _VERSION.match(data)
    return int(found[1]) if found else 0


class _Salvage:
    """Takes the lines that fit together and tells of the others."""

    def __init__(self, file: Path, data: bytes) -> None:
        self._file = file
        self._version = _version(data)
        whole, newline, torn = data.rpartition(b"\n")
        self._lines = whole.split(b"\n") if newline else []
        self._torn = torn
        self._lost: list[str] = []
        self._open: set[int] = set()

    def trace(self, error: TraceError) -> Trace:
        """Raises the error again where nothing is left."""
        entries = list(self._entries())
        if not entries:
            raise error
        header = self._header(entries)
        return fold(self._file, header, entries, notes=self._notes(error))

    def _header(self, entries: list[Entry]) -> Start:
        first = entries[0].record
        if isinstance(first, Start):
            return first
        unknown = Start(
            task="(the start of this trace is missing)",
            model="unknown",
            desktop="unknown",
            screen=None,
            system="unknown",
            program="unknown",
        )
        entries.insert(0, Entry(sequence=0, time=entries[0].time, record=unknown))
        return unknown

    def _entries(self) -> Iterator[Entry]:
        expected = 0
        for number, line in enumerate(self._lines, start=1):
            try:
                entry = self._entry(line)
            except TraceError as error:
                self._lost.append(f"Line {number} is left out: {error}.")
                expected += 1
                continue
            if entry.sequence != expected:
                self._lost.append(
                    f"Before line {number} lines were taken out or put in: it was number {entry.sequence + 1}."
                )
            expected = entry.sequence + 1
            if self._fits(entry, number):
                yield entry

    def _entry(self, line: bytes) -> Entry:
        return _loosely(line) if self._version > VERSION else from_line(line)

    def _fits(self, entry: Entry, number: int) -> bool:
        """Whether it goes with what came before: a result needs its intent, and a run has one start."""
        match entry.record:
            case Start() if entry.sequence:
                what = "a second start"
            case Intended(id=id_) if id_ not in self._open:
                self._open.add(id_)
                return True
            case Resulted(id=id_) if id_ in self._open:
                self._open.discard(id_)
                return True
            case Intended(id=id_):
                what = f"a second intent {id_}"
            case Resulted():
                what = "the result of an action that is missing"
            case _:
                return True
        self._lost.append(f"Line {number} is left out: it holds {what}.")
        return False

    def _notes(self, error: TraceError) -> Iterator[str]:
        if self._version > VERSION:
            yield (
                f"This trace has format version {self._version}, newer than the {VERSION} that this program reads: "
                "what it does not know is left out. A newer version of the program can show all of it."
            )
        else:
            yield f"This trace is damaged, and is shown as far as it can be read. {error}"
        yield from self._lost[:_SHOWN]
        if len(self._lost) > _SHOWN:
            yield f"{len(self._lost) - _SHOWN} more lines are left out in the same way."
        if self._torn:
            yield f"The last line was torn while it was written; its {len(self._torn)} bytes are left out."


def _loosely(line: bytes) -> Entry:
    """The entry of a newer format's line: what is known of it. Raises ``TraceError``."""
    try:
        data = json.loads(line, parse_constant=_refuse)
    except ValueError as error:
        raise TraceError("it is not JSON") from error
    if not isinstance(data, dict):
        raise TraceError("it is no object")
    kind, sequence, time = data.get("kind"), data.get("sequence"), data.get("time")
    if not isinstance(kind, str) or kind not in KINDS:
        raise TraceError(f'this version does not know the kind "{kind}"')
    if not isinstance(sequence, int) or not isinstance(time, int | float):
        raise TraceError("it has no sequence or no time")
    return Entry(sequence=sequence, time=time, record=decode_fields(KINDS[kind], _known(KINDS[kind], data)))


def _refuse(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def _known(cls: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the class has, and in lists only what this version knows."""
    names = {field.name for field in fields(cls)}
    return {name: _understood(value) for name, value in data.items() if name in names}


def _understood(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_understood(item) for item in value if not _is_foreign(item)]
    if isinstance(value, dict) and not _is_foreign(value) and value["is"] in CLASSES:
        return {"is": value["is"], **_known(CLASSES[value["is"]], value)}
    return value


def _is_foreign(value: object) -> bool:
    """Whether it is an object of a class that this version does not have."""
    if not isinstance(value, dict):
        return False
    name = value.get("is")
    return not isinstance(name, str) or (name not in CLASSES and name != "bytes")
