"""A person who shows something: their hand on a mouse and a keyboard of their own, at a pace that people have."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from person_device import PersonDevice
from xvfb import until

from computer_platform.private import open_private, program_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_platform.private import PrivateDesktop

_PACE = 0.12  # seconds between two things that a hand does
_KEY_PACE = 0.02  # and between two keys
_NAMES = {" ": "space", "-": "minus"}
_ACUTE = {"é": "e", "á": "a"}  # which this keyboard gives by a dead key


def pause(seconds: float = _PACE) -> None:
    """Be no faster than people are: that the hand rests is part of what it does, nothing is waited for."""
    until(lambda: False, seconds)


class Hand:
    """The hand of a person at that display."""

    def __init__(self, display: str, authority_file: str | None) -> None:
        self._device = PersonDevice(display, authority_file)

    def click(self, x: int, y: int, button: int = 1, times: int = 1) -> None:
        """Go there, and click."""
        self._device.move(x, y)
        pause()
        self._device.click(button, times)
        pause(2 * _PACE)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press there, move in small steps, let go."""
        self._device.move(*start)
        pause()
        self._device.button(1, down=True)
        for step in range(1, 11):
            at = [one + (other - one) * step // 10 for one, other in zip(start, end, strict=True)]
            self._device.move(at[0], at[1])
            pause(_KEY_PACE)
        self._device.button(1, down=False)
        pause(2 * _PACE)

    def wheel(self, x: int, y: int, notches: int) -> None:
        """Turn the wheel down over a place."""
        self._device.move(x, y)
        for _ in range(notches):
            self._device.button(5, down=True)
            self._device.button(5, down=False)
        pause(2 * _PACE)

    def press(self, *names: str) -> None:
        """Press keys together."""
        for name in names:
            self._device.key(name, down=True)
        for name in reversed(names):
            self._device.key(name, down=False)
        pause()

    def write(self, text: str) -> None:
        """Type on a US keyboard with dead keys; ``\\b`` takes a character back."""
        for character in text:
            for keys in _strokes(character):
                for name in keys:
                    self._device.key(name, down=True)
                for name in reversed(keys):
                    self._device.key(name, down=False)
            pause(_KEY_PACE)
        pause()

    def close(self) -> None:
        """Hang up."""
        self._device.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A desktop with a person at it. ``environment`` is what they start programs with."""

    desktop: PrivateDesktop
    hand: Hand
    environment: dict[str, str]


@contextmanager
def desk(size: tuple[int, int] = (1280, 800)) -> Iterator[Desk]:
    """A fresh desktop with a window manager, a session bus, a US keyboard with dead keys, and a person."""
    with ExitStack() as opened:
        desktop = open_private(size, os.environ)
        opened.callback(desktop.close)
        running = desktop.running
        environment = program_environment(os.environ, Path(running.folder)) | {"DISPLAY": running.display}
        subprocess.run(["setxkbmap", "-layout", "us", "-variant", "intl"], env=environment, check=True)
        hand = Hand(running.display, running.xauthority)
        opened.callback(hand.close)
        yield Desk(desktop=desktop, hand=hand, environment=environment)


def _strokes(character: str) -> list[tuple[str, ...]]:
    """The keys to press for a character, one chord after the other."""
    if character in _ACUTE:
        return [("dead_acute",), (_ACUTE[character],)]
    if character == "\b":
        return [("BackSpace",)]
    if character.isupper():
        return [("Shift_L", character.lower())]
    return [(_NAMES.get(character, character),)]
