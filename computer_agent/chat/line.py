"""One line from the terminal, given up at once on Ctrl-C."""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def read_line(prompt: str, *, forgets: bool = True) -> str:
    """Show the prompt and read a line, without its newline. Raises ``EOFError`` at the end of input.

    What was typed before it is forgotten, unless it is no question but a text of several lines that goes on.

    A line in another encoding than the terminal's comes as a mark that is no answer to anything.

    Not ``input``: a Ctrl-C between its prompt and its reading is only noticed after the next line.
    """
    if forgets:
        _forget_what_was_typed()
    try:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        _wait_for_input()
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
    except KeyboardInterrupt:
        with suppress(OSError):  # the terminal itself was closed
            sys.stdout.write("\n")
        raise
    if not line:
        raise EOFError
    return line.rstrip("\n")


def hidden(read: Callable[[str], str], prompt: str) -> str:
    """What ``read`` reads, without the terminal showing it."""
    if sys.platform == "win32":
        return read(prompt)
    import termios

    modes = termios.tcgetattr(sys.stdin)
    unseen = [*modes[:3], modes[3] & ~termios.ECHO, *modes[4:]]
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, unseen)
    try:
        return read(prompt)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)
        sys.stdout.write("\n")


def _forget_what_was_typed() -> None:
    """Keys from before the question are no answer to it: they were not typed by somebody who had read it."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        return
    import termios

    termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _wait_for_input() -> None:
    """Wait until the terminal has a line; a signal that arrives meanwhile, or just before, is handled at once."""
    if sys.platform == "win32":  # there a terminal cannot be waited for beside something else
        return
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        while sys.stdin not in select.select([sys.stdin, woken], [], [])[0]:
            os.read(woken, 4096)  # a signal whose handler did not raise
    finally:
        signal.set_wakeup_fd(before)
        os.close(woken)
        os.close(wake)
