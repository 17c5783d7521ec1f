"""The files of an export: named after the trace, whole or not at all, never over another file."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal, assert_never, get_args

from computer_agent.trace.archive import is_archive, pack
from computer_agent.trace.errors import TraceError
from computer_agent.trace.export_film import as_gif, write_mp4
from computer_agent.trace.export_pytest import as_pytest, replays
from computer_agent.trace.export_python import as_python
from computer_agent.trace.export_steps import as_steps
from computer_agent.trace.reader import read

if TYPE_CHECKING:
    from computer_agent.trace.reader import Trace

__all__ = ["KINDS", "Kind", "export"]

Kind = Literal["steps", "python", "pytest", "gif", "mp4"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def export(folder: Path, kind: Kind, out: Path | None = None, *, path: str | None = None) -> tuple[Path, ...]:
    """Write the trace in that folder or zip as that kind; gives the files. ``path`` is where programs are.

    Raises ``TraceError`` when it cannot be exported so or a file is there already, and ``OSError``.
    """
    trace = read(folder)
    name = re.sub(r"\W+", "_", folder.resolve().stem)
    match kind:
        case "steps":
            return (_written(out or Path(f"{name}.steps"), as_steps(trace)),)
        case "python":
            return (_written(out or Path(f"{name}.py"), as_python(trace)),)
        case "pytest":
            return _tested(folder, trace, out or Path(f"test_{name}.py"))
        case "gif":
            return (_written(out or Path(f"{name}.gif"), as_gif(trace)),)
        case "mp4":
            film = _free(out or Path(f"{name}.mp4"))
            write_mp4(trace, film, path=path)
            return (film,)
        case _:
            assert_never(kind)


def _tested(folder: Path, trace: Trace, out: Path) -> tuple[Path, ...]:
    """The test, and the trace that it replays beside it."""
    beside = _free(out.with_suffix(".trace"))
    test = _written(out, as_pytest(trace, beside.name))
    if not replays(trace):
        return (test,)
    if is_archive(folder):
        shutil.copyfile(folder, beside)
    else:
        pack(folder, beside)
    return (test, beside)


def _written(out: Path, data: str | bytes) -> Path:
    _free(out)
    part = out.with_name(f".{out.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)  # before it holds anything
    try:
        part.write_bytes(data.encode("utf-8", "replace") if isinstance(data, str) else data)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return out


def _free(out: Path) -> Path:
    if out.exists():
        raise TraceError(f'"{out}" is there already; name another file for the export.')
    return out
