"""Which X authority file a connection is made with.

python-xlib and libxcb find the file only through the variable XAUTHORITY of this process, so it
is set for the few milliseconds that connecting takes, and put back.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_changing = threading.Lock()


@contextmanager
def authority(file: str | None) -> Iterator[None]:
    """Connect with this authority file; with None, with the one the process would use anyway."""
    with _changing:
        before = os.environ.get("XAUTHORITY")
        wanted = file or before or str(Path.home() / ".Xauthority")
        # python-xlib prints a warning about an empty file, and none about a missing one: both
        # mean that there is no cookie.
        os.environ["XAUTHORITY"] = wanted if _has_content(wanted) else f"{wanted}.absent"
        try:
            yield
        finally:
            if before is None:
                del os.environ["XAUTHORITY"]
            else:
                os.environ["XAUTHORITY"] = before


def _has_content(file: str) -> bool:
    try:
        return Path(file).stat().st_size > 0
    except OSError:
        return False
