"""Puts right what a killed agent left on a person's screen: keys and buttons down, Caps Lock, keys it had taken.

Run as a script by ``notes.py``, as ``python -I -S afterwards.py OWNER DISPLAY WINDOW NOTES PATH...``: the
owner's process id, its display, its window there, the number of an open file with its notes, and where to
import packages from. Standard input is a pipe that the owner holds open and never writes to.

It runs in a process of its own because a process that is killed cannot clean up after itself. Until then it
sleeps, with little loaded. The notes are memory that both processes see: to note a key costs the owner no
system call, wakes nobody, and what was noted last is there whatever kills it.

Only what was noted is touched, so a person and other agents on the same screen keep what they hold.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # by hand: importing typing would double the time this takes to start
    from collections.abc import Iterator

    from Xlib.display import Display
    from Xlib.xobject.drawable import Window

# The notes, by offset: a byte for each keycode and for each button, not 0 while it is down or about to be; what
# Caps Lock was before it was switched for typing; and a row for each keycode, which begins with 1 where it was
# taken: what it gave before the last change and what it gives since, and the row that it had at first.
KEYS, BUTTONS, LOCK, ROWS = 0, 256, 512, 1024
LOCK_OFF, LOCK_ON = 1, 2
WIDTH = 24  # keysyms of a row; servers have 4 to 16
GIVEN, BEFORE = struct.Struct("=II"), struct.Struct(f"={WIDTH}I")
ROW = 4 + GIVEN.size + BEFORE.size
SIZE = ROWS + 256 * ROW

_GONE_SECONDS = 0.5  # until the server has done all that the owner sent; it hangs up on it then
_MASKED_BUTTONS = range(1, 6)  # a pointer's state tells these only


def main(owner: int, display: str, window: int, notes: int, paths: list[str]) -> None:
    """Wait until the owner is gone, then put right what it left."""
    if sys.platform != "linux":
        return  # no X11 desktop is offered there; tells the type checker
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)  # they are meant for the owner, who ends this one, too
    wait_for_end(owner)
    left = os.pread(notes, SIZE, 0)
    sys.path += paths
    # With no server nothing is down, and this ends here with an error that nobody hears.
    import Xlib.display
    import Xlib.error

    server = Xlib.display.Display(display)
    server.set_error_handler(lambda *_: None)
    # python-xlib registers the extensions' errors over the core's, and then cannot parse those.
    server.display.error_classes = dict(Xlib.error.xerror_class)
    wait_until_closed(server.create_resource_object("window", window), Xlib.error.XError)
    put_right(server, left)
    switch_caps_lock_back(server, left[LOCK], display)
    server.screen().root.delete_property(server.intern_atom(f"_OI_KEYBOARD_{window:x}"))  # see scratch.py
    server.sync()  # a server drops what it has not read from a client that hangs up


def wait_for_end(owner: int) -> None:
    """Return when the owner has died or has closed the pipe."""
    if sys.platform != "linux":
        return  # no X11 desktop is offered there; tells the type checker
    watched = [0]
    with contextlib.suppress(OSError):  # it is gone; or the kernel is an old one, and the pipe has to do
        watched.append(os.pidfd_open(owner))  # a fork of the owner may hold the pipe open, too
    if os.getppid() == owner:  # otherwise it died before we looked; the number may be another's by now
        select.select(watched, [], [])


def wait_until_closed(window: Window, gone: type[Exception]) -> None:
    """Return when the server has hung up on the owner: not before it has done all that the owner sent."""
    deadline = time.monotonic() + _GONE_SECONDS
    while time.monotonic() < deadline:
        try:
            window.get_attributes()
        except gone:
            return
        time.sleep(0.002)


def put_right(server: Display, left: bytes) -> None:
    """Undo what is noted and still so. Meanwhile nobody else is served, so nothing changes in between."""
    server.grab_server()
    modifiers = server.get_modifier_mapping()
    release_buttons(server, left)
    release_keys(server, left, {code for codes in modifiers for code in codes})
    give_rows_back(server, left)
    server.ungrab_server()


def release_buttons(server: Display, left: bytes) -> None:
    """Release the noted buttons that are down."""
    from Xlib import X

    mask = server.screen().root.query_pointer().mask
    for number in range(1, 256):
        up = number in _MASKED_BUTTONS and not mask & X.Button1Mask << number - 1
        if left[BUTTONS + number] and not up:
            server.xtest_fake_input(X.ButtonRelease, number)


def release_keys(server: Display, left: bytes, modifiers: set[int]) -> None:
    """Release the noted keys that are down, modifiers last: a key must not lose its Ctrl while it repeats."""
    from Xlib import X

    bits = server.query_keymap()
    down = [code for code in range(8, 256) if left[KEYS + code] and bits[code // 8] >> code % 8 & 1]
    for code in sorted(down, key=lambda code: code in modifiers):
        server.xtest_fake_input(X.KeyRelease, code)


def switch_caps_lock_back(server: Display, before: int, display: str) -> None:
    """Switch Caps Lock if it is not as it was before the owner switched it for typing."""
    from Xlib import X

    on = bool(server.screen().root.query_pointer().mask & X.LockMask)
    if before and on != (before == LOCK_ON):
        from computer_platform.x11.locks import lock  # takes 0.2 s with all that it brings, and is rare

        lock(display, None, X.LockMask, on=before == LOCK_ON)


def give_rows_back(server: Display, left: bytes) -> None:
    """Give each key that was taken, and still gives what the owner made it give, its row back, in one request."""
    taken = dict(taken_rows(left))
    if not taken:
        return
    first, last = min(taken), max(taken)
    rows = [tuple(row) for row in server.get_keyboard_mapping(first, last - first + 1)]
    width = len(rows[0])
    changed = False
    for code, (given, before) in taken.items():
        if rows[code - first][0] in given:
            rows[code - first] = before[:width]
            changed = True
    if changed:
        server.change_keyboard_mapping(first, rows)


def taken_rows(left: bytes) -> Iterator[tuple[int, tuple[tuple[int, ...], tuple[int, ...]]]]:
    """For each keycode that was taken: the keysyms that it may give now, and the row that it had."""
    for code in range(256):
        offset = ROWS + code * ROW
        if left[offset]:
            given = GIVEN.unpack_from(left, offset + 4)
            yield code, (tuple(filter(None, given)), BEFORE.unpack_from(left, offset + 4 + GIVEN.size))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
