"""What would have to be put right on the screen if we were killed now, noted where another process finds it.

That process (``afterwards.py``) is started with the first key or button that is pressed, and ended when
nothing is left to put right. A note costs well under a microsecond: it is a byte in memory that both share.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from Xlib import X

from computer_platform.inherited import without_secrets
from computer_platform.x11 import afterwards
from computer_platform.x11.authority import authority

if TYPE_CHECKING:
    from collections.abc import Sequence

_OFFSETS = {
    X.KeyPress: afterwards.KEYS,
    X.KeyRelease: afterwards.KEYS,
    X.ButtonPress: afterwards.BUTTONS,
    X.ButtonRelease: afterwards.BUTTONS,
}
_PRESSES = frozenset({X.KeyPress, X.ButtonPress})
_SCRIPT = afterwards.__file__
_PUT_RIGHT_SECONDS = 2.0


class Notes:
    """The notes of one connection, whose window there is ``window``.

    A press is noted before it is sent, and its release when it has been done: who is killed in between
    has noted too much, never too little.
    """

    def __init__(self, display: str, authority_file: str | None, window: int) -> None:
        self._display, self._authority_file, self._window = display, authority_file, window
        self._memory: mmap.mmap | None = None
        self._file = -1
        self._watcher: subprocess.Popen[bytes] | None = None
        self._possible = True
        self._down: set[int] = set()  # offsets of what is down, when all is done that was asked
        self._undone: set[int] = set()  # offsets of what was released, or given back, since the last ``done``
        self._lifted: set[int] = set()  # offsets of what others hold and we released for a while

    def event(self, event_type: int, detail: int) -> None:
        """An input event is about to be sent."""
        base = _OFFSETS.get(event_type)
        if base is None:
            return
        offset = base + detail
        if event_type in _PRESSES:
            self._press(offset)
        elif offset in self._down:
            self._down.discard(offset)
            self._undone.add(offset)
        else:
            self._lifted.add(offset)

    def _press(self, offset: int) -> None:
        if offset in self._lifted:
            self._lifted.discard(offset)  # as the person holds it
            return
        self._watch()
        self._down.add(offset)
        if self._memory is not None:
            self._memory[offset] = 1

    def lock(self, *, on: bool) -> None:
        """Caps Lock is about to be switched, and is on or off now."""
        self._watch()
        if self._memory is not None and not self._memory[afterwards.LOCK]:
            self._memory[afterwards.LOCK] = afterwards.LOCK_ON if on else afterwards.LOCK_OFF

    def rows(self, first: int, before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> None:
        """The rows of the keyboard's map from keycode ``first`` on are about to be changed."""
        self._watch()
        for code, (had, gets) in enumerate(zip(before, after, strict=False), start=first):
            if _trimmed(had) != _trimmed(gets):
                self._row(code, had, gets)

    def _row(self, code: int, had: Sequence[int], gets: Sequence[int]) -> None:
        if self._memory is None:
            return
        offset = afterwards.ROWS + code * afterwards.ROW
        row = offset + 4 + afterwards.GIVEN.size
        taken = bool(self._memory[offset])
        given = _trimmed(gets)
        if not given or (taken and given == _trimmed(afterwards.BEFORE.unpack_from(self._memory, row))):
            self._undone.add(offset)
            return
        self._undone.discard(offset)
        # in this order: half written, it still holds what the key gives
        afterwards.GIVEN.pack_into(self._memory, offset + 4, had[0], given[0])
        if not taken:
            padded = (*had, *[0] * afterwards.WIDTH)[: afterwards.WIDTH]
            afterwards.BEFORE.pack_into(self._memory, row, *padded)
            self._memory[offset] = 1  # at last, when the rest is whole

    def done(self) -> None:
        """The server has done all that was asked so far. It drops what it has not read when we are killed."""
        if self._undone:
            if self._memory is not None:
                for offset in self._undone - self._down:
                    self._memory[offset] = 0
            self._undone.clear()

    def told(self) -> None:
        """A whole verb is done: Caps Lock is as it is meant to be, and all that we lifted is down again."""
        self._lifted.clear()
        if self._memory is not None:
            self._memory[afterwards.LOCK] = 0

    def _watch(self) -> None:
        """Have a process that watches; one that cannot be started, or was killed, must not stop the work."""
        if sys.platform != "linux":
            return  # no X11 desktop is offered there; tells the type checker
        if not self._possible or (self._watcher is not None and self._watcher.poll() is None):
            return
        self._let_go()
        self._possible = False
        with suppress(OSError), authority(self._authority_file):
            if self._memory is None:
                self._file = os.memfd_create("oi notes")
                os.ftruncate(self._file, afterwards.SIZE)
                self._memory = mmap.mmap(self._file, afterwards.SIZE)
            self._watcher = self._start()
            self._possible = True

    def _start(self) -> subprocess.Popen[bytes]:
        arguments = [os.getpid(), self._display, self._window, self._file, *map(os.path.abspath, sys.path)]
        return subprocess.Popen(
            [sys.executable, "-I", "-S", _SCRIPT, *map(str, arguments)],
            # nothing of ours is kept open or in use but the notes: terminals, pipes, folders
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[self._file],
            cwd="/",
            env=without_secrets(os.environ),
            start_new_session=True,  # Ctrl-C in the terminal is for the agent
        )

    def close(self) -> None:
        """End the watching process; where something is left, because the talk was torn, it puts that right first."""
        if self._watcher is not None and not self._left():
            self._watcher.kill()
            self._watcher.wait()
        self._let_go()
        if self._memory is not None:
            self._memory.close()
            os.close(self._file)
            self._memory = None

    def _left(self) -> bool:
        """Whether there is something to put right."""
        if self._memory is None:
            return False
        return any(self._memory[: afterwards.ROWS]) or any(self._memory[afterwards.ROWS :: afterwards.ROW])

    def _let_go(self) -> None:
        """Close our end of the pipe, by which the process knows that we are done, and see it end."""
        watcher, self._watcher = self._watcher, None
        if watcher is None:
            return
        if watcher.stdin is not None:
            watcher.stdin.close()
        try:
            watcher.wait(_PUT_RIGHT_SECONDS)
        except subprocess.TimeoutExpired:
            watcher.kill()
            watcher.wait()


def _trimmed(row: Sequence[int]) -> tuple[int, ...]:
    """The row without the empty levels at its end: how many there are is the server's business."""
    last = max((index for index, keysym in enumerate(row) if keysym), default=-1)
    return tuple(map(int, row[: last + 1]))
