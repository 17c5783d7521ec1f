"""A private desktop's view, hands and server put together, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from computer_agent import runs
from computer_agent.watch.hands import Hands
from computer_agent.watch.server import Vnc, WatchServer
from computer_agent.watch.view import View

if sys.platform == "linux":
    from computer_platform.private import attach, running

if TYPE_CHECKING:
    from collections.abc import Mapping

    if sys.platform == "linux":
        from computer_platform.private import Running

assert sys.platform == "linux"  # noqa: S101 - tells the type checker; the command answers people elsewhere

_WHERE_NOVNC_IS = ("/usr/share/novnc", "/usr/share/webapps/novnc", "/usr/local/share/novnc")
_LOOK_SECONDS = 0.5  # between two looks for a run


class CannotServe(Exception):
    """There is no such desktop, or the port cannot be had; the message says what would work."""


def serve(display: str | None, environment: Mapping[str, str], *, plain: bool, port: int) -> None:
    """Serve the view of the newest private desktop, or of the one with that display, until a signal ends it.

    Raises ``CannotServe`` and ``DesktopUnavailable``.
    """
    desktop = _chosen(display, environment)
    with ExitStack() as opened:
        server = _open(desktop, environment, opened, vnc=None if plain else _vnc(desktop), port=port)
        how = "by VNC" if server.vnc else "as pictures"
        sys.stdout.write(f"Desktop {desktop.display} at {server.address}  ({how}; Ctrl-C ends the view)\n")
        sys.stdout.flush()
        server.serve_forever()


def _chosen(display: str | None, environment: Mapping[str, str]) -> Running:
    there = running(environment)
    found = [one for one in there if display in (None, one.display)]
    if found:
        return found[-1]
    if there:
        listed = ", ".join(one.display for one in there)
        raise CannotServe(f'No private desktop has the display "{display}". Running are: {listed}.')
    raise CannotServe("No private desktop is running. Start one: oi --os --private ...")


def _open(
    desktop: Running, environment: Mapping[str, str], opened: ExitStack, *, vnc: Vnc | None, port: int
) -> WatchServer:
    """The server with all its parts, which end with ``opened``."""
    run = _Run(desktop.pid, environment)
    eyes = attach(desktop)
    opened.callback(eyes.close)
    view = View(eyes, lambda: (hands.viewer, run.title()))
    person = attach(desktop, in_person=True)
    opened.callback(person.close)
    hands = Hands(person, lambda: view.area, lambda: run.title() is not None)
    try:
        server = WatchServer(view, hands, run.stop, vnc=vnc, port=port)
    except OSError as error:
        raise CannotServe(
            f'The port "{port}" cannot be taken: {error.strerror}. Name another with --port, or none.'
        ) from None
    opened.callback(server.server_close)
    opened.callback(hands.close)
    return server


def _vnc(desktop: Running) -> Vnc | None:
    """The desktop's VNC server and a viewer for it, where both are there."""
    socket = desktop.vnc
    found = [folder for folder in map(Path, _WHERE_NOVNC_IS) if (folder / "core" / "rfb.js").is_file()]
    return Vnc(socket=socket, viewer=found[0]) if socket and found else None


class _Run:
    """The run whose process owns the desktop, if it is one of `oi`."""

    def __init__(self, pid: int, environment: Mapping[str, str]) -> None:
        self._pid = pid
        self._environment = environment
        self._title: str | None = None
        self._looked = 0.0

    def title(self) -> str | None:
        """Its task, None when none goes on; looked up twice a second at most."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_SECONDS:
            self._looked = now
            titles = [run.title for run in runs.running(self._environment) if run.pid == self._pid]
            self._title = titles[-1] if titles else None
        return self._title

    def stop(self) -> bool:
        """Stop it as `oi stop` does; whether there was one."""
        self._looked = 0.0
        if self.title() is None:
            return False
        with suppress(ProcessLookupError):  # it ended just now
            os.kill(self._pid, signal.SIGTERM)
        return True
