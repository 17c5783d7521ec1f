"""A program with the keyboard, and what it has got: read from the program itself."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xvfb import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from computer_platform.x11 import X11Desktop

START_SECONDS = 60.0  # the machine may be busy
ARRIVE_SECONDS = 30.0  # the machine may be busy
STORE_SECONDS = 0.7  # after which a program is asked again to store what it has
END_SECONDS = 1.0
_LOOKS = 30  # a program that sleeps at all of them has nothing to do

# What is tested is the keyboard: no input method, no settings of the person.
PLAIN = {
    "LC_ALL": "C.UTF-8",
    "GTK_IM_MODULE": "",
    "QT_IM_MODULE": "",
    "XMODIFIERS": "",
    "GDK_BACKEND": "x11",
    "QT_QPA_PLATFORM": "xcb",
}
# Where nobody would listen, programs would start what is needed to tell.
SILENT = {"NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}


def nothing(_desktop: X11Desktop) -> None:
    """A program that keeps its text at every change need not be asked."""


@dataclass(slots=True)
class Sink:
    """A program with the keyboard.

    ``kept`` reads all that it has stored so far, and ``store`` makes it store what it has, by keys of
    ``desktop``; one that ``drops`` loses keys that come meanwhile (LibreOffice, and it
    goes on storing for ever if the layout is changed then). ``received`` tells what came after ``forget``.
    """

    title: str
    desktop: X11Desktop
    kept: Callable[[], str]
    store: Callable[[X11Desktop], None] = nothing
    drops: bool = False
    _before: str = ""

    def text(self) -> str:
        """What it has stored, without what was there at the last ``forget``."""
        whole = self.kept()
        return whole.removeprefix(self._before) if self._before else whole

    def received(self, wanted: str, seconds: float = ARRIVE_SECONDS) -> str:
        """What has arrived: the wanted text as soon as it has, otherwise whatever there is in the end."""
        deadline = time.monotonic() + seconds
        while True:
            self.store(self.desktop)
            if until(lambda: self.text() == wanted, STORE_SECONDS) or time.monotonic() > deadline:
                self.rests()
                return self.text()

    def rests(self) -> None:
        """Wait until one that ``drops`` has done with what it stores."""
        assert not self.drops or until(_at_rest_for(_LOOKS, self), START_SECONDS), (
            f"{self.title} does not rest"
        )

    def forget(self) -> None:
        """What it has stored so far is no part of what comes next."""
        self._before = self.kept()


@contextmanager
def running(
    desktop: X11Desktop, argv: Sequence[str], environment: Mapping[str, str] | None = None
) -> Iterator[None]:
    """The program, which ends with the test together with all that it has started.

    It has a session bus of its own where the desktop brings none.
    """
    alone = desktop.accessibility is None
    bus = ["dbus-run-session", "--"] if alone else []
    silent = SILENT if alone else {}
    pid = desktop.launch([*bus, *argv], environment={**PLAIN, **silent, **(environment or {})})
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(pid, number)
            if until(lambda: not _group_lives(pid), END_SECONDS):
                break


def activate(desktop: X11Desktop, title: str) -> None:
    """Give the window with that in its title the keyboard; wait for it to come up."""

    def active() -> bool:
        windows = desktop.windows
        assert windows is not None
        for window in windows.all():
            if title in window.title and not window.active:
                windows.activate(window)
        return any(title in window.title and window.active for window in windows.all())

    assert until(active, START_SECONDS), f"{title} did not get the keyboard"


def ready(desktop: X11Desktop, title: str, kept: Path, cleaned: Callable[[str], str] = str) -> Sink:
    """The program of that title, once it has the keyboard; it keeps in that file what it gets."""
    assert until(kept.exists, START_SECONDS), f"{title} did not start"
    activate(desktop, title)
    return Sink(title, desktop, lambda: cleaned(kept.read_bytes().decode("utf-8", "replace")))


def answering(sink: Sink) -> Sink:
    """The sink, once a key that is pressed arrives: some windows are up long before they take any."""

    def arrived() -> bool:
        _tap(sink.desktop, "space")
        sink.store(sink.desktop)
        return until(sink.kept, STORE_SECONDS)

    assert until(arrived, START_SECONDS), f"{sink.title} takes no keys"
    seen = ""
    while seen != (seen := _stored(sink)):  # a key may have been pressed again because the machine was busy
        pass
    sink.rests()
    _chord(sink.desktop, "End")  # a file that was still being loaded puts the caret back to its begin
    sink.forget()
    return sink


def save(desktop: X11Desktop) -> None:
    """Ctrl+S."""
    _chord(desktop, "s")


def _at_rest_for(looks: int, sink: Sink) -> Callable[[], bool]:
    """Whether the program slept at so many looks one after the other, the last of them now."""
    slept = 0

    def rests() -> bool:
        nonlocal slept
        windows = sink.desktop.windows
        assert windows is not None
        own = [window for window in windows.all() if sink.title in window.title]
        slept = slept + 1 if all(sink.desktop.activity(window) == "idle" for window in own) else 0
        return slept >= looks

    return rests


def _stored(sink: Sink) -> str:
    sink.store(sink.desktop)
    before = sink.kept()
    until(lambda: sink.kept() != before, STORE_SECONDS)
    return sink.kept()


def _chord(desktop: X11Desktop, name: str) -> None:
    desktop.key("Control_L", down=True)
    _tap(desktop, name)
    desktop.key("Control_L", down=False)


def _tap(desktop: X11Desktop, name: str) -> None:
    desktop.key(name, down=True)
    desktop.key(name, down=False)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
