"""A run of `oi` on a screen of its own, stopped by a person at that screen: how long it goes on, what stays pressed."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oi_process import Ran, oi, says
from person_device import PersonDevice
from Xlib import display
from xvfb import until, x_server

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

REACHED_SECONDS = 60.0
HALT_SECONDS = 20.0
_END = b'"kind":"end"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A screen, and the person at it."""

    name: str
    person: PersonDevice
    environment: dict[str, str] = field(default_factory=dict)

    def pressed(self) -> list[int]:
        """The key codes that are down, and the mask of the buttons that are."""
        connection = display.Display(self.name)
        try:
            keymap = enumerate(connection.query_keymap())
            keys = [8 * byte + bit for byte, bits in keymap for bit in range(8) if bits >> bit & 1]
            buttons = connection.screen().root.query_pointer().mask & 0x1F00
            return [*keys, *([buttons] if buttons else [])]
        finally:
            connection.close()

    def esc_twice(self) -> None:
        """The person presses Esc, and again."""
        self.person.tap("Escape", 2)

    def slam(self) -> None:
        """The person pushes the pointer from the middle into the top left corner, fast."""
        self.person.push((step * 80, step * 60) for step in range(5, -1, -1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """How a stopped run ended: ``seconds`` from the wish to the trace's end, ``pressed`` what was down then."""

    seconds: float
    pressed: list[int]
    ran: Ran


@contextmanager
def screen(size: tuple[int, int] = (1280, 800)) -> Iterator[Screen]:
    """A fresh screen with a window manager, and a person."""
    with ExitStack() as opened:
        name = opened.enter_context(x_server(size))
        person = PersonDevice(name)
        opened.callback(person.close)
        yield Screen(name=name, person=person, environment=dict(os.environ) | {"DISPLAY": name})


def steps(*lines: str) -> list[str]:
    """The arguments that run plain-English steps on the person's screen, unasked."""
    return ["--os", "--desktop", "x11", "--model", "steps", "-y", "--trace", "trace", "\n".join(lines)]


def stopped(
    where: Screen,
    folder: Path,
    arguments: list[str],
    reached: Callable[[subprocess.Popen[str], Path], bool],
    wish: Callable[[subprocess.Popen[str]], None],
) -> Halt:
    """Run `oi`, wait until it has got there, have the person stop it, and see when nothing acts any more."""
    measured: list[tuple[float, list[int]]] = []

    def during(process: subprocess.Popen[str], out: Path) -> None:
        assert until(lambda: reached(process, out), REACHED_SECONDS), out.read_text()
        began = time.monotonic()
        wish(process)
        trace = folder / "trace" / "trace.jsonl"
        assert until(lambda: _END in trace.read_bytes(), HALT_SECONDS), out.read_text()
        measured.append((time.monotonic() - began, where.pressed()))

    ran = oi(*arguments, cwd=folder, environment=where.environment, during=during)
    seconds, pressed = measured[0]
    return Halt(seconds=seconds, pressed=pressed, ran=ran)


def said(words: str) -> Callable[[subprocess.Popen[str], Path], bool]:
    """That the run has said these words."""
    return lambda _process, out: says(out, words)()
