"""Long outputs in files: all that a block printed, as it came, for what the model's copy leaves out."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

MOST = 64 * 1024 * 1024  # bytes of a file; what comes after them is read, and not stored
_SHORT = 128 * 1024  # what the model is shown whole needs no file


class Outputs:
    """The folder of these files: one that the person gave, where they stay, or a temporary one until ``close``."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._temporary: Path | None = None
        self._removed: weakref.finalize[..., Outputs] | None = None

    def spool(self) -> Spool:
        """A file for the output of one block."""
        return Spool(self)

    def close(self) -> None:
        """Remove the temporary folder. Safe to call twice."""
        if self._removed is not None:
            self._removed()
        self._temporary = None

    def create(self) -> tuple[int, Path]:
        """A new file that only the person may read, open for writing. Raises ``OSError``."""
        descriptor, name = tempfile.mkstemp(prefix="output-", suffix=".txt", dir=self._made())
        return descriptor, Path(name)

    def _made(self) -> Path:
        if self._folder is not None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._folder
        if self._temporary is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="oi-output-"))
            self._removed = weakref.finalize(self, shutil.rmtree, self._temporary, ignore_errors=True)
        return self._temporary


class Spool:
    """The output of one block. A disk that is full ends the storing, and nothing else."""

    def __init__(self, outputs: Outputs, most: int = MOST) -> None:
        self._outputs = outputs
        self._most = most
        self._first: bytearray | None = bytearray()
        self._descriptor: int | None = None
        self._path: Path | None = None
        self._written = 0
        self._cut = False
        self._trouble: str | None = None

    def add(self, data: bytes) -> None:
        """Store the next bytes, or keep them as long as they are few."""
        if self._first is not None:
            self._first += data
            if len(self._first) <= _SHORT:
                return
            data, self._first = bytes(self._first), None
        try:
            self._store(data)
        except OSError as error:
            self._trouble = error.strerror or str(error)
            self._close()

    def end(self, *, needed: bool) -> tuple[Path | None, str | None]:
        """The file, and a note that names it; a file that is not needed is removed."""
        self._close()
        self._first = None
        if self._path is None:
            return None, None if self._trouble is None else f"the whole output was not saved: {self._trouble}"
        if not needed:
            self._path.unlink(missing_ok=True)
            return None, None
        return self._path, f'{self._what()} is in "{self._path}"'

    def _what(self) -> str:
        if self._trouble is not None:
            return f"saving the output failed ({self._trouble}): its beginning, {self._written} bytes,"
        return f"the beginning of the output, {self._written} bytes," if self._cut else "the whole output"

    def _store(self, data: bytes) -> None:
        if self._trouble is not None:
            return
        if self._path is None:
            self._descriptor, self._path = self._outputs.create()
        room = self._most - self._written
        self._cut = self._cut or len(data) > room
        view = memoryview(data)[:room]
        while view and self._descriptor is not None:
            written = os.write(self._descriptor, view)
            self._written += written
            view = view[written:]

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
