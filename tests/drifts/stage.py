"""Private desktops on which tasks are recorded and replayed: one for each size of the screen, kept between runs."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xvfb import until

from computer_agent.approval.approval import Refuse
from computer_agent.assemble import Questions, session_for
from computer_agent.loop import run
from computer_agent.models.script import ScriptModel
from computer_agent.settings import Settings
from computer_agent.step import Finished
from computer_agent.trace.reader import read
from computer_agent.trace.replay import ReplayModel
from computer_platform.desktop import Area

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from computer_agent.models.model import Model
    from computer_agent.session import Session
    from computer_agent.trace.reader import Trace
    from computer_platform.desktop import Window

START_SECONDS = 60.0
SLICE_SECONDS = 0.1
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a run ended, and its trace."""

    finished: Finished
    trace: Trace
    seconds: float


class Stage:
    """Desktops by the size of their screen, each fresh for a program and gone with it, as for `oi replay`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._opened: dict[tuple[int, int], tuple[Session, ExitStack]] = {}
        self._count = 0

    def session(self, size: tuple[int, int]) -> Session:
        """The session on a screen of that size, opened when there is none."""
        if size not in self._opened:
            home = self.folder / "home"
            home.mkdir(exist_ok=True)
            kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
            settings = Settings(
                os=True,
                model="script",
                desktop="private",
                size=size,
                approval="all",
                share="off",
                trace=self.new_folder("trace"),
                traces=self.folder / "traces",
                environment=kept | {"HOME": str(home)},
            )
            closing = ExitStack()
            opened = closing.enter_context(
                session_for(
                    settings,
                    ScriptModel(()),
                    tell=lambda _event: None,
                    questions=Questions(ask=lambda _folder: lambda *_: Refuse("nobody is asked here")),
                )
            )
            self._opened[size] = (opened, closing)
        return self._opened[size][0]

    def new_folder(self, name: str) -> Path:
        """A folder that nothing else has used."""
        self._count += 1
        made = self.folder / f"{name}-{self._count}"
        made.mkdir(parents=True)
        return made

    def run(self, model: Model, size: tuple[int, int], title: str) -> Ran:
        """Let a model work on what is open on that screen, as a turn with a trace of its own."""
        session = self.session(size)
        session.model = model
        began = time.monotonic()
        with session.turn(title) as agent:
            if isinstance(model, ReplayModel):
                model.attach(agent)
            *_, finished = run(title, agent)
        assert isinstance(finished, Finished)
        seconds = time.monotonic() - began
        return Ran(finished=finished, trace=read(session.traces[-1]), seconds=seconds)

    def windows(self, size: tuple[int, int]) -> tuple[Window, ...]:
        """The windows on that screen."""
        return self.session(size).computer.windows.all()

    def window(self, size: tuple[int, int], title: str) -> Window:
        """The window with that in its title, as soon as it is there."""

        def named() -> Window | None:
            return next((one for one in self.windows(size) if title in one.title), None)

        assert until(named, START_SECONDS), f'no "{title}": {[one.title for one in self.windows(size)]}'
        found = named()
        assert found is not None
        return found

    def place(
        self, size: tuple[int, int], title: str, at: tuple[int, int], grown: tuple[float, float]
    ) -> Window:
        """Move the window there, its size times those factors."""
        window = self.window(size, title)
        area = window.area
        wanted = Area(*at, round(area.width * grown[0]), round(area.height * grown[1]))
        if area != wanted:
            windows = self.session(size).computer.desktop.windows
            assert windows is not None
            windows.move(window, wanted)
        return self.window(size, title)

    def clear(self) -> None:
        """End the desktops, with every program on them."""
        while self._opened:
            self._opened.popitem()[1][1].close()


def end(pid: int | None) -> None:
    """Kill a program of ours, if it is still there."""
    if pid is not None:
        _signal((pid,), signal.SIGCONT)
        _signal((pid,), signal.SIGKILL)


def _signal(family: Sequence[int], number: signal.Signals) -> None:
    for one in family:
        with suppress(ProcessLookupError):
            os.kill(one, number)


def _children(pid: int) -> Iterator[int]:
    """The processes that a program has started, and theirs."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in children.read_text().split():
                yield int(child)
                yield from _children(int(child))


@contextmanager
def slowed(pid: int | None, share: float) -> Iterator[None]:
    """Let a process run only that share of the time, in slices: what a machine does that is so much slower."""
    if pid is None or share >= 1:
        yield
        return
    over = threading.Event()
    family = (pid, *_children(pid))

    def turns() -> None:
        while not over.is_set():
            _signal(family, signal.SIGSTOP)
            over.wait(SLICE_SECONDS * (1 - share))
            _signal(family, signal.SIGCONT)
            over.wait(SLICE_SECONDS * share)

    thread = threading.Thread(target=turns, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def stage() -> Iterator[Stage]:
    """An empty stage, whose desktops end with it."""
    with tempfile.TemporaryDirectory(prefix="oi-drifts-", ignore_cleanup_errors=True) as folder:
        made = Stage(Path(folder))
        try:
            yield made
        finally:
            made.clear()
