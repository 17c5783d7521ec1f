"""Clicking, dragging and typing beside pyautogui, pynput and xdotool: how long it takes, and what arrived.

Each tool has a fresh screen for each table: one that hung leaves keys down on it.
"""

from __future__ import annotations

import string
import subprocess
import time
from contextlib import contextmanager
from difflib import SequenceMatcher
from itertools import cycle
from statistics import median
from typing import TYPE_CHECKING, Protocol

from bed import PYNPUT, Child, FailedError, HungError, arrived, peers, screen, window
from timing import Tally, rounds, table, timed
from xvfb import until

from computer_api.computer import Computer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bed import Environment

PEER_SECONDS = 6.0  # pyautogui has been seen to hang for minutes
SIZE = 100
TEXTS = {
    "100 of ASCII": (
        "Hello, World! 123 " + string.punctuation + " The quick brown fox jumps over the lazy dog again"
    )[:SIZE],
    "100 mixed": (
        "Größe café naïve Ångström señor ça Ω λόγος Привет мир 你好世界 🙂👍🏽 € → “x” "
        + string.ascii_letters
    )[:SIZE],
}
HEADINGS = ("", "ms", "(min)", "until it is there", "right", "")


class Tool(Protocol):
    """One way to have things done; each verb returns the seconds that its call took."""

    def click(self, x: int, y: int) -> float: ...

    def drag(self, x: int, y: int, to_x: int, to_y: int) -> float: ...

    def write(self, text: str) -> float: ...


class Ours:
    """A ``Computer``; with receipts it also waits until the screen is quiet and says what changed."""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def click(self, x: int, y: int) -> float:
        return timed(lambda: self._computer.mouse.click(x, y))[0]

    def drag(self, x: int, y: int, to_x: int, to_y: int) -> float:
        return timed(lambda: self._computer.mouse.drag((x, y), (to_x, to_y)))[0]

    def write(self, text: str) -> float:
        return timed(lambda: self._computer.keyboard.write(text))[0]


class Library:
    """pyautogui or pynput in a process of its own; the time is taken there."""

    def __init__(self, peer: Child, prefix: str, **options: float) -> None:
        self._peer, self._prefix, self._options = peer, prefix, options

    def click(self, x: int, y: int) -> float:
        return self._ask("click", x=x, y=y)

    def drag(self, x: int, y: int, to_x: int, to_y: int) -> float:
        return self._ask("drag", x=x, y=y, to_x=to_x, to_y=to_y)

    def write(self, text: str) -> float:
        return self._ask("write", text=text)

    def _ask(self, verb: str, **arguments: object) -> float:
        verb = f"{self._prefix}{verb}"
        return self._peer.ask(verb, within=PEER_SECONDS, **arguments, **self._options).seconds


class Xdotool:
    """A process for each verb, as scripts have it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def click(self, x: int, y: int) -> float:
        return self._run("mousemove", x, y, "click", 1)

    def drag(self, x: int, y: int, to_x: int, to_y: int) -> float:
        return self._run("mousemove", x, y, "mousedown", 1, "mousemove", to_x, to_y, "mouseup", 1)

    def write(self, text: str) -> float:
        return self._run("type", "--", text)

    def _run(self, *words: object) -> float:
        command = ["xdotool", *map(str, words)]
        return timed(lambda: subprocess.run(command, env=self._environment, check=True))[0]


@contextmanager
def bare(environment: Environment) -> Iterator[Tool]:
    with Computer.open("x11", environment=environment, receipts=False) as computer:
        yield Ours(computer)


@contextmanager
def watching(environment: Environment) -> Iterator[Tool]:
    with Computer.open("x11", environment=environment, receipts=True) as computer:
        yield Ours(computer)


@contextmanager
def pyautogui(environment: Environment, pause: float = 0.1) -> Iterator[Tool]:
    with peers(environment) as peer:
        peer.ask("load", modules=["pyautogui"])
        yield Library(peer, "", pause=pause)


@contextmanager
def hasty_pyautogui(environment: Environment) -> Iterator[Tool]:
    with pyautogui(environment, pause=0.0) as tool:
        yield tool


@contextmanager
def pynput(environment: Environment) -> Iterator[Tool]:
    with peers(environment | {"PYTHONPATH": str(PYNPUT)}) as peer:
        peer.ask("load", modules=["pynput.mouse", "pynput.keyboard"])
        yield Library(peer, "pynput_")


@contextmanager
def xdotool(environment: Environment) -> Iterator[Tool]:
    yield Xdotool(environment)


TOOLS = {
    "oi, receipts=False": bare,
    "oi": watching,
    "pyautogui, PAUSE=0": hasty_pyautogui,
    "pyautogui": pyautogui,
    "pynput": pynput,
    "xdotool": xdotool,
}


class Line:
    """What came out of one tool."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls: list[float] = []
        self.whole: list[float] = []  # until the program had it, where that was looked for
        self.right = Tally()
        self.said = ""

    def cells(self) -> tuple[str, ...]:
        if not self.calls:
            return (self.name, "", "", "", str(self.right), self.said)
        whole = f"{median(self.whole) * 1000:.4g}" if self.whole else ""
        low = f"({min(self.calls) * 1000:.4g})"
        return (self.name, f"{median(self.calls) * 1000:.4g}", low, whole, str(self.right), self.said)


def main() -> None:
    count = rounds(10)
    measured("Click at a place; right are those that arrived there, once", clicks, count)
    measured(
        "Drag on a canvas; right are those that began and ended there, with motion between", drags, count
    )
    for layout in ("us", "de"):
        for name, text in TEXTS.items():
            title = f"Type {name} characters into a Tk field, layout {layout}; right are those that arrived"
            measured(title, typing(text), max(1, count // 3), layout)


def measured(
    title: str, measure: Callable[[Tool, Child, Line, int], None], count: int, layout: str = "us"
) -> None:
    """A table of one task, each tool with a screen and a window of its own."""
    lines = []
    for name, opened in TOOLS.items():
        line = Line(name)
        lines.append(line)
        with screen() as environment:
            subprocess.run(["setxkbmap", layout], env=environment, check=True)
            try:
                with window(environment) as target, opened(environment) as tool:
                    measure(tool, target, line, count)
            except HungError:
                line.said = f"hung > {PEER_SECONDS:g} s"
            except FailedError as error:
                line.said = str(error)[:60]
    table(title, [HEADINGS, *(line.cells() for line in lines)])


def clicks(tool: Tool, target: Child, line: Line, count: int) -> None:
    """Every click at another place than the one before."""
    places = cycle(map(tuple, target.ask("places").value))
    tool.click(*next(places))  # the first loads what it needs
    until(lambda: target.ask("clicks").value, 2)
    for _ in range(count):
        place = next(places)
        line.calls.append(tool.click(*place))
        line.right.count(right=_seen(target, "clicks") == [list(place)])


def drags(tool: Tool, target: Child, line: Line, count: int) -> None:
    places = cycle(map(tuple, target.ask("places").value))
    for _ in range(count):
        start, end = next(places), next(places)
        line.calls.append(tool.drag(*start, *end))
        got = _seen(target, "drags")
        line.right.count(right=len(got) == 1 and got[0][:2] == [list(start), list(end)] and got[0][2] > 1)
        target.ask("clicks")


def typing(text: str) -> Callable[[Tool, Child, Line, int], None]:
    def measure(tool: Tool, target: Child, line: Line, count: int) -> None:
        try:
            for _ in range(count):
                target.ask("clear")
                began = time.perf_counter()
                line.calls.append(tool.write(text))
                got = arrived(target, text)
                if got == text:
                    line.whole.append(time.perf_counter() - began)
                _count(line.right, text, got)
        except HungError:
            # What it left half done is not held against it twice: only the hang is reported.
            _count(line.right, text, arrived(target, text))
            line.calls.clear()
            raise

    return measure


def _seen(target: Child, verb: str) -> list[list[int]]:
    """What the window saw since it was asked last, waiting for something."""
    got: list[list[int]] = []

    def some() -> bool:
        got.extend(target.ask(verb).value)
        return bool(got)

    until(some, 2)
    return got


def _count(tally: Tally, wanted: str, got: str) -> None:
    """Add the characters that arrived in their order."""
    blocks = SequenceMatcher(None, wanted, got, autojunk=False).get_matching_blocks()
    tally.right += sum(block.size for block in blocks)
    tally.of += len(wanted)


if __name__ == "__main__":
    main()
