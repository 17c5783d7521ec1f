"""One writer for a trace: a lock file that the kernel lets go of when its process dies, however it dies."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

from computer_agent.trace.errors import TraceError

if TYPE_CHECKING:
    from pathlib import Path


class Lock:
    """Held from construction to ``release()``; holds the writer's process id and start for people to read.

    Raises ``TraceError`` naming the other writer if there is one.
    """

    def __init__(self, path: Path, started: float) -> None:
        self._path = path
        self._file = _locked(path)
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(started))
        try:
            os.ftruncate(self._file, 0)
            os.write(self._file, json.dumps({"pid": os.getpid(), "started": when}).encode("ascii"))
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Let go of the lock and remove its file. Safe to call twice."""
        if self._file < 0:
            return
        if sys.platform != "win32":  # Windows removes no open file; an unlocked one does no harm
            self._path.unlink(missing_ok=True)
        os.close(self._file)
        self._file = -1


def held(path: Path) -> bool:
    """Whether a process holds the lock of that file now; false where there is none."""
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        lock(file)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(file)


def _locked(path: Path) -> int:
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock(file)
        except OSError as error:
            os.close(file)
            raise TraceError(f'The trace "{path.parent}" is being written by {_holder(path)}.') from error
        if _is_still(path, file):
            return file
        os.close(file)  # its owner removed it between our opening and our locking: try the new one


def _is_still(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def _holder(path: Path) -> str:
    try:
        data = json.loads(path.read_bytes())
        return f"process {data['pid']}, since {data['started']}"
    except (OSError, ValueError, KeyError, TypeError):  # it is only just being written
        return "another process"


if sys.platform == "win32":
    import msvcrt

    def lock(file: int) -> None:
        """Hold an open file's lock until it is closed or the process ends. Raises ``OSError`` when another does."""
        os.lseek(file, 4096, os.SEEK_SET)  # behind the text, which stays readable
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
else:
    import fcntl

    def lock(file: int) -> None:
        """Hold an open file's lock until it is closed or the process ends. Raises ``OSError`` when another does."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
