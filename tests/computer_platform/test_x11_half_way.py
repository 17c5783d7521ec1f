"""Opening that fails half-way, and closing that fails half-way, leave nothing open."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest
from xvfb import server, until

from computer_platform.desktop import DesktopUnavailable
from computer_platform.person import PersonDesktop
from computer_platform.x11 import X11Desktop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.desktop

FLOOR = Path(__file__).parents[2] / "platform"
EVERYTHING = 1 << 30


@pytest.fixture
def screen() -> Iterator[str]:
    with server() as (name, _):
        yield name


class Terminated(BaseException):
    """What the handler of a signal raises."""


class Relay:
    """Stands between a client and an X server, and hangs up after so many bytes from the client.

    ``display`` is its name. With ``stalled`` it calls that instead of passing on what it hears then.
    """

    def __init__(self, screen: str, *, most: int, stalled: Callable[[], None] | None = None) -> None:
        self._real = f"/tmp/.X11-unix/X{screen.removeprefix(':')}"
        self._most, self._stalled = most, stalled
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.display = f"127.0.0.1:{self._listening.getsockname()[1] - 6000}"
        self.passed = 0
        self._ended, self._end = os.pipe()
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._end)
        self._thread.join()
        self._listening.close()
        os.close(self._ended)

    def _serve(self) -> None:
        while self._listening in select.select([self._listening, self._ended], [], [])[0]:
            client, _ = self._listening.accept()
            with client, socket.socket(socket.AF_UNIX) as real:
                real.connect(self._real)
                self._pass_on(client, real)

    def _pass_on(self, client: socket.socket, real: socket.socket) -> None:
        while self._ended not in (ready := select.select([client, real, self._ended], [], [])[0]):
            for source in ready:
                data = source.recv(1 << 16)
                self.passed += len(data) if source is client else 0
                if not data or (self.passed > self._most and self._stalled is None):
                    return
                if self.passed > self._most and self._stalled is not None:
                    self._stalled()
                else:
                    (real if source is client else client).sendall(data)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@contextmanager
def nothing_stays_open() -> Iterator[None]:
    """Counted while the exception, and with it all that failed, is still there: no collector may help."""
    before = open_files()
    yield
    assert open_files() == before


def bytes_to_open(screen: str) -> int:
    """How much a desktop says until it is open; a little more where another was left open by force."""
    with Relay(screen, most=EVERYTHING) as relay, closing(X11Desktop(relay.display)):
        said = relay.passed
    assert said > 300
    return said


def test_a_connection_that_breaks_at_any_moment_of_opening_is_closed(screen: str) -> None:
    needed = bytes_to_open(screen)
    for most in range(0, needed - 40, needed // 25):
        with (
            nothing_stays_open(),
            Relay(screen, most=most) as relay,
            pytest.raises(DesktopUnavailable) as failed,
        ):
            X11Desktop(relay.display)
        assert failed.tb is not None


def test_a_server_without_input_is_refused_and_hung_up_on() -> None:
    with server(options=["-tst"]) as (name, _), nothing_stays_open():
        with pytest.raises(DesktopUnavailable, match="XTEST") as failed:
            X11Desktop(name)
        assert failed.tb is not None


@pytest.mark.parametrize("part", [0, 0.5, 0.8])  # connecting, asking what there is, reading the keyboard
def test_somebody_who_insists_ends_the_wait_for_a_server_that_does_not_answer(
    screen: str, part: float
) -> None:
    heard = int(part * bytes_to_open(screen))
    insisted: list[int] = []
    ours = threading.get_ident()

    def terminate(number: int, _: object) -> None:
        insisted.append(number)
        if len(insisted) == 1:
            raise Terminated

    def insist() -> None:
        signal.pthread_kill(ours, signal.SIGINT)
        until(lambda: insisted or signal.pthread_kill(ours, signal.SIGTERM))

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        with (
            nothing_stays_open(),
            Relay(screen, most=heard, stalled=insist) as relay,
            pytest.raises((KeyboardInterrupt, Terminated)) as failed,
        ):
            X11Desktop(relay.display)
        assert failed.tb is not None
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_connection_that_was_interrupted_says_so_instead_of_waiting_for_ever(screen: str) -> None:
    desktop = X11Desktop(screen)
    desktop._connection._uninterrupted._patience = 0.0  # pressed again at once is insisting here
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        with pytest.raises(Terminated), desktop._connection.talking():
            _raise_twice()
    finally:
        signal.signal(signal.SIGTERM, before)
    with pytest.raises(DesktopUnavailable, match=f"{screen}.*interrupted"):
        desktop.pointer()
    desktop.close()


def _terminate(*_: object) -> None:
    raise Terminated


def _raise_twice() -> None:
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)


def test_the_session_is_closed_when_the_screen_does_not_answer(tmp_path: Path) -> None:
    with server() as (gone, _):
        pass
    threads = threading.active_count()
    environment = {"DISPLAY": gone, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/none"}
    with nothing_stays_open(), pytest.raises(DesktopUnavailable, match=gone):
        PersonDesktop(environment)
    assert threading.active_count() == threads


def test_an_xclip_that_hangs_keeps_nothing_open(screen: str, tmp_path: Path) -> None:
    (tmp_path / "xclip").write_text("#!/bin/sh\nexec sleep 600\n")
    (tmp_path / "xclip").chmod(0o755)
    X11Desktop(screen).close()  # what opening the first one imports and keeps
    with nothing_stays_open():
        desktop = X11Desktop(screen, environment={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"})
        desktop.clipboard.write("nobody takes it")
        desktop.close()
        assert until(lambda: "oi clipboard" not in [thread.name for thread in threading.enumerate()])


@pytest.mark.parametrize("session", [{}, {"XDG_RUNTIME_DIR": "/nonexistent"}])
def test_without_a_session_bus_nothing_of_d_bus_is_imported(screen: str, session: dict[str, str]) -> None:
    script = (
        "import sys; from computer_platform import connect\n"
        f"connect('x11', environment={ {'DISPLAY': screen, **session}!r}).close()\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(FLOOR)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "computer_platform.x11" in loaded
    assert {"dbus_fast", "asyncio"}.isdisjoint(loaded)
