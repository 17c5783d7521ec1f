"""X servers for tests: each is fresh, has a number of its own and goes away with its test."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from Xlib import X
from Xlib.protocol.event import ClientMessage

from computer_platform.x11.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from Xlib import display
    from Xlib.xobject import drawable

    from computer_api import Computer

START_SECONDS = 20.0


def until(fact: Callable[[], object], seconds: float = 10.0) -> bool:
    """Whether the fact came true within that time. Asks often, and at least once after the end."""
    deadline = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > deadline:
            return bool(fact())
        select.select([], [], [], 0.005)
    return True


def end_programs(computer: Computer) -> None:
    """Kill every program that has a window, until none is left: one may have several, or be just opening another."""

    def gone() -> bool:
        windows = computer.windows.all()
        for pid in {window.pid for window in windows if window.pid is not None}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not windows

    assert until(gone, START_SECONDS)


@contextmanager
def server(
    size: tuple[int, int] = (1280, 800), *, authority: Path | None = None, options: Sequence[str] = ()
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A bare Xvfb: its display name and its process, which a test may kill."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "{}x{}x24".format(*size)]
    command += ["-noreset", "-nolisten", "tcp", *(["-auth", str(authority)] if authority else []), *options]
    with os.fdopen(reading, "rb") as told:
        process = subprocess.Popen(
            command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(writing)
        try:
            ready, _, _ = select.select([told], [], [], START_SECONDS)
            number = told.readline().strip() if ready else b""
            assert number, f"Xvfb did not start: {command}"
            yield f":{number.decode()}", process
        finally:
            _end(process)


@contextmanager
def window_manager(display_name: str) -> Iterator[subprocess.Popen[bytes]]:
    """An openbox on that display, dealing with events when it is yielded.

    It announces itself before that, and loses the requests of programs that map a window in between:
    they would wait for it for ever.
    """
    process = subprocess.Popen(
        ["openbox"],
        env=os.environ | {"DISPLAY": display_name},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with connected(display_name) as connection:
            asking = connection.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, X.InputOnly)
            assert until(lambda: _answers(connection, asking), START_SECONDS), "openbox did not start"
        yield process
    finally:
        _end(process)


@contextmanager
def x_server(size: tuple[int, int] = (1280, 800), *, manager: bool = True) -> Iterator[str]:
    """A fresh screen, with openbox unless told otherwise: the name of its display."""
    with server(size) as (name, _):
        if not manager:
            yield name
            return
        with window_manager(name):
            yield name


@contextmanager
def connected(display_name: str) -> Iterator[display.Display]:
    """A connection of the test's own, closed whatever happens."""
    # Not python-xlib's own: that mixes up the numbers of extensions of two servers.
    with closing(Connection(display_name, outlives_us=False)) as connection:
        yield connection.server


def _answers(connection: display.Display, asking: drawable.Window) -> bool:
    """Whether the window manager has told how wide the window's frame would be; asks anew each time."""
    extents = connection.intern_atom("_NET_FRAME_EXTENTS")
    request = ClientMessage(
        window=asking,
        client_type=connection.intern_atom("_NET_REQUEST_FRAME_EXTENTS"),
        data=(32, [0, 0, 0, 0, 0]),
    )
    mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
    connection.screen().root.send_event(request, event_mask=mask)
    return asking.get_full_property(extents, X.AnyPropertyType) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
