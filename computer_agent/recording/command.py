"""`oi record`: watch a person at their desktop until they say that it is enough, and say where the trace is."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import FrameType

    from computer_agent.settings import Settings

DONE, NOT_DONE = 0, 1

_MEANING = """\
Record what you do with mouse and keyboard, as a trace that `oi replay` does again. You work as always; nothing is
held up. What you type into password fields is left out. Ctrl-C here, or Ctrl+Alt+End anywhere, ends it."""
_IMPATIENT_SECONDS = 3.0  # after which a second Ctrl-C does not wait for what is still to be written


def flags_of(words: Sequence[str]) -> argparse.Namespace:
    """The words of the command: ``trace``, a folder or None, and ``task``."""
    parser = argparse.ArgumentParser(prog="oi record", description=_MEANING, allow_abbrev=False)
    parser.add_argument("-o", "--trace", help="folder of the trace", metavar="TRACE")
    parser.add_argument("--task", default="", help="what is shown, in words", metavar="WORDS")
    return parser.parse_args(words)


def record(task: str, settings: Settings) -> int:
    """Record until the person ends it; an exit code. Raises ``DesktopUnavailable`` and ``TraceError``."""
    from computer_agent.recording.running import Recording

    with _asked_to_end() as ended:
        recording = Recording(settings, task=task, say=_say, ended=ended, own_terminal=sys.stdin.isatty())
        steps = recording.run()
    return _told(recording.folder, steps)


def _told(folder: Path, steps: int) -> int:
    """Say where the trace is and how it is used."""
    from computer_agent.trace.errors import TraceError
    from computer_agent.trace.plan import secret_names
    from computer_agent.trace.reader import read

    where = shlex.quote(str(folder))
    counted = "1 step" if steps == 1 else f"{steps} steps"
    if not steps:
        _say(f'Nothing was done, so there is nothing to replay; the trace is in "{folder}".')
        return NOT_DONE
    _say(f'Recorded {counted} in "{folder}".')
    try:
        secrets = [f"--var {name.split()[0]}=..." for name in secret_names(read(folder))]
    except TraceError as error:
        _say(f"It cannot be replayed as it is: {error}")
    else:
        _say(f"  do it again:  {' '.join(['oi replay', where, *secrets])}")
    _say(f"  look at it:   oi trace view {where}")
    return DONE


@contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """An event that a signal sets, instead of breaking anything off; a second one, later, breaks off what is left."""
    ended = threading.Event()
    heard = 0.0

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal heard
        if ended.is_set() and time.monotonic() - heard > _IMPATIENT_SECONDS:
            raise KeyboardInterrupt
        heard = time.monotonic()
        ended.set()

    numbers = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(words: str) -> None:
    with suppress(OSError):  # whoever read us has gone, which is no reason to lose what is recorded
        sys.stdout.write(f"{words}\n")
        sys.stdout.flush()
