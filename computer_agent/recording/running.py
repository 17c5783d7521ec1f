"""One recording, from its first look to its last: each step is written as soon as it is complete."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from computer_agent.recording.demonstration import Demonstration, DoneAt
from computer_agent.recording.eyes import Eyes
from computer_agent.recording.taking import Takes
from computer_agent.runs import registered
from computer_agent.session import new_folder
from computer_agent.step import Answer, Spent
from computer_agent.trace.writer import TraceWriter
from computer_api.geometry import Size
from computer_api.own_terminal import parents
from computer_platform import connect
from computer_platform.demonstration import demonstration
from computer_platform.desktop import DesktopUnavailable
from computer_platform.terminals import is_terminal
from computer_vision.reader import open_reader

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from computer_agent.settings import Settings
    from computer_platform.desktop import Window

_LAST_SECONDS = 8.0  # that what was done last gets to show what it does
_TICK_SECONDS = 0.05
_ENDED = "The person ended the recording."
_NOT_HERE = (
    "Nothing can be recorded here: that needs Linux with an X11 session (Wayland tells nobody what is done), and "
    "DISPLAY to name it. Start it from a terminal on that desktop."
)


class Recording:
    """Records what is done at the desktop that the environment names, until ``ended`` is set or its keys are pressed.

    ``say`` is told what the person may want to know, a line each. ``own_terminal`` says that they typed the command
    into a terminal, which is no part of what they show. Raises ``DesktopUnavailable`` and ``TraceError``.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        task: str,
        say: Callable[[str], None],
        ended: threading.Event,
        own_terminal: bool,
    ) -> None:
        heard = demonstration(settings.environment)
        if heard is None:
            raise DesktopUnavailable(_NOT_HERE)
        self._heard = heard
        self._settings = settings
        self._task = task
        self._say = say
        self._ended = ended
        self._own_terminal = own_terminal
        self._opened = ExitStack()
        with ExitStack() as opened:
            self._eyes = Eyes(lambda: connect("x11", environment=settings.environment))
            opened.callback(self._eyes.close)
            self.folder: Path = settings.trace or new_folder(settings.traces)
            self._clock = DoneAt()
            self._trace = TraceWriter(self.folder, clock=self._clock)
            opened.callback(self._trace.close)
            self._takes = Takes(self._eyes)
            self._shown = self._begun()
            self._opened = opened.pop_all()

    def run(self) -> int:
        """Record; the number of steps that were written."""
        began = time.monotonic()
        with self._opened as opened:
            opened.enter_context(registered(self._task or "a recording", self._settings.environment))
            opened.callback(self._heard.stop)
            self._heard.listen(self._takes.heard)
            self._say("Recording what you do. Ctrl-C here, or Ctrl+Alt+End anywhere, ends it.")
            self._follow()
            self._heard.stop()
            spent = Spent(steps=self._shown.steps, seconds=time.monotonic() - began, dollars=0.0, tokens=0)
            if self._eyes.lost:
                self._trace.end("failed", self._eyes.lost, spent)
                raise DesktopUnavailable(self._eyes.lost)
            self._end(spent)
        return self._shown.steps

    def _begun(self) -> Demonstration:
        view = self._eyes.view(float("inf"))
        screen = Size(view.screenshot.box.width, view.screenshot.box.height)
        self._trace.start(task=self._task, model="person", desktop="x11", screen=screen)
        return Demonstration(
            self._eyes,
            open_reader(self._settings.reader),
            self._trace,
            self._clock,
            avoided=parents(),
            own_window=self._own_window(view.active),
        )

    def _follow(self) -> None:
        """Write each step as soon as it is complete, until the person ends it, and what is left then."""
        finished: float | None = None
        while not self._eyes.lost:
            now = time.monotonic()
            if finished is None and (self._ended.is_set() or self._takes.stopped):
                finished = now
                self._takes.finish()
            self._takes.tick(now)
            take = self._takes.next()
            if take is not None:
                self._tell(self._shown.write(take))
            elif finished is not None and (not self._takes.waiting or now - finished > _LAST_SECONDS):
                return
            else:
                self._takes.wanted.wait(_TICK_SECONDS)
                self._takes.wanted.clear()

    def _tell(self, steps: Iterable[str]) -> None:
        for words in steps:
            self._say(f"{self._shown.steps:3}  {words}")

    def _end(self, spent: Spent) -> None:
        self._tell(self._shown.end())
        steps = self._shown.steps
        self._trace.decision(steps + 1, Answer(text=_ENDED))
        self._trace.end("done", _ENDED, replace(spent, steps=steps))

    def _own_window(self, active: Window | None) -> int | None:
        """The terminal that the command was typed into: what has the keyboard, if the person sits at this screen."""
        environment = self._settings.environment
        elsewhere = any(environment.get(name) for name in ("SSH_CONNECTION", "SSH_TTY"))
        if active is None or elsewhere or not self._own_terminal or not is_terminal(active.app):
            return None
        return active.id
