"""What is piped into `oi`, read whole."""

from __future__ import annotations

import select
import stat
import sys
from contextlib import suppress

from computer_agent.code_settings import BadSetting

_PATIENCE = 3.0  # seconds for the first byte of a pipe that nobody may write to


def piped(*, wait: bool) -> str:
    """The text of the input where that is a pipe or a file, else nothing.

    Without ``wait`` a pipe into which nothing comes in a moment is left alone: many programs are started with one.
    Raises ``BadSetting`` for what is no UTF-8 text.
    """
    if sys.stdin is None or sys.stdin.isatty() or not (wait or _comes()):
        return ""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise BadSetting(
            f"What is piped in is not UTF-8 text: byte {error.start} is 0x{data[error.start]:02x}."
        ) from None


def _comes() -> bool:
    """Whether there is something to read, or an end."""
    import os

    with suppress(OSError, ValueError):
        number = sys.stdin.fileno()
        mode = os.fstat(number).st_mode
        if stat.S_ISREG(mode):
            return True
        if stat.S_ISFIFO(mode) and sys.platform != "win32":
            return bool(select.select([number], [], [], _PATIENCE)[0])
    return False
