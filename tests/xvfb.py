"""X servers for tests: each is fresh, has a number of its own and goes away with its test."""

from __future__ import annotations

import os
import select
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from Xlib import X, display

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

START_SECONDS = 20.0


def until(fact: Callable[[], object], seconds: float = 10.0) -> bool:
    """Whether the fact came true within that time. Asks often, and at least once after the end."""
    deadline = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > deadline:
            return bool(fact())
        select.select([], [], [], 0.005)
    return True


@contextmanager
def server(
    size: tuple[int, int] = (1280, 800), *, authority: Path | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A bare Xvfb: its display name and its process, which a test may kill."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "{}x{}x24".format(*size)]
    command += ["-noreset", "-nolisten", "tcp", *(["-auth", str(authority)] if authority else [])]
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
    """An openbox on that display, ready when it is yielded."""
    process = subprocess.Popen(
        ["openbox"],
        env=os.environ | {"DISPLAY": display_name},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        connection = display.Display(display_name)
        check = connection.intern_atom("_NET_SUPPORTING_WM_CHECK")
        root = connection.screen().root
        assert until(lambda: root.get_full_property(check, X.AnyPropertyType), START_SECONDS)
        connection.close()
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


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
