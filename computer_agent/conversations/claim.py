"""A conversation's file belongs to one `oi` at a time: two that write into it would take back each other's turns."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(slots=True)
class Claim:
    """A lock on a file, which the system lets go of when this process ends, however that is."""

    _descriptor: int | None = field(default=None, init=False)

    def take(self, path: Path) -> bool:
        """Have the file instead of another one; false where another process has it.

        Where files cannot be locked, as on some network drives and on Windows, it is nobody's.
        """
        self.release()
        if sys.platform == "win32":
            return True
        import fcntl

        descriptor = None
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._descriptor = descriptor
            self.release()
            return False
        except OSError:
            pass
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Let others have it."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)
