"""The Demonstration seam: everything that is done with mouse and keyboard, for a person who wants it recorded.

Unlike ``Person``, which tells no one what is typed, this one does; so it is opened for a recording alone.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MODIFIERS = ("Control_L", "Alt_L", "Super_L", "Shift_L", "ISO_Level3_Shift")
"""The names that ``held`` has for modifiers, whichever of their keys is down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEvent:
    """A key, a button, a notch of the wheel, or a motion while a button is down, with the pointer ``at`` that place.

    ``name`` is the X keysym name of the key by itself, without modifiers (a single character where it writes one),
    that of the button (``left``), or the way of the wheel (``up``). ``text`` is what the press of a key writes:
    ``""`` while a character is being composed, None for keys that write nothing. ``held`` are the modifiers that
    are down, by the names of ``MODIFIERS``. ``window`` is the id of the window that has the keyboard, for keys.
    ``seconds`` is ``time.monotonic()``, never less than that of the event before.
    """

    kind: Literal["key", "button", "wheel", "motion"]
    at: tuple[int, int]
    seconds: float
    name: str = ""
    down: bool = False
    text: str | None = None
    held: frozenset[str] = frozenset()
    window: int | None = None


class Demonstration(Protocol):
    """What is done with mouse and keyboard, whoever does it. Nothing is held up or taken away by that."""

    def listen(self, heard: Callable[[InputEvent], None]) -> None:
        """From now on call ``heard`` for each event, on a thread of its own. Raises ``DesktopUnavailable``."""
        ...

    def stop(self) -> None:
        """Listen no more; ``heard`` is not called after this returns. Safe to call twice."""
        ...


def demonstration(environment: Mapping[str, str]) -> Demonstration | None:
    """What is done at the desktop that the environment names; None where this system has no way to hear it.

    A Wayland session has none: an X server in it is told of X programs alone.
    """
    if sys.platform != "linux" or not environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"):
        return None
    from computer_platform.x11.demonstration import X11Demonstration

    return X11Demonstration(environment["DISPLAY"], environment)
