"""A new trace made from an old one: each record may be changed, pictures stay, the old trace is not touched."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent.trace.archive import FOLDERS, contents, is_archive, names, pack
from computer_agent.trace.errors import TraceError
from computer_agent.trace.record import FILE, Entry, from_line, to_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["entries", "rewritten"]

_PACKED = (".zip", ".trace")


def entries(trace: Path) -> list[Entry]:
    """The records of a trace in a folder or a zip, a torn last line left out. Raises ``TraceError`` and ``OSError``."""
    whole, newline, _ = contents(trace, FILE).rpartition(b"\n")
    return [from_line(line) for line in whole.split(b"\n")] if newline else []


def rewritten(trace: Path, out: Path, change: Callable[[Entry], Entry]) -> None:
    """Write the trace with every record changed to ``out``: a zip if that ends so or with ``.trace``, else a folder.

    It is written whole or not at all, in the newest version of the format. Raises ``TraceError`` when ``out`` is there
    already, or a record cannot be read, and ``OSError``.
    """
    if out.exists():
        raise TraceError(f'"{out}" is there already; name another one for the new trace.')
    lines = b"".join(to_line(change(entry)) for entry in entries(trace))
    out.absolute().parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.absolute().parent))
    try:
        for name in _beside(trace):
            file = folder / name
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.touch(mode=0o600)
            file.write_bytes(contents(trace, name))
        (folder / FILE).touch(mode=0o600)
        (folder / FILE).write_bytes(lines)
        if out.suffix in _PACKED:
            pack(folder, out)
        else:
            folder.rename(out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _beside(trace: Path) -> Iterator[str]:
    """The pictures and outputs, by their names in the trace."""
    if is_archive(trace):
        yield from (name for name in names(trace) if name.split("/")[0] in FOLDERS)
        return
    for folder in FOLDERS:
        found = (file for file in (trace / folder).rglob("*") if file.suffix != ".part")
        yield from (
            file.relative_to(trace).as_posix() for file in found if file.is_file() and not file.is_symlink()
        )
