"""One desktop each, as raw verbs: the X11 one a person works on, a private one, one in memory.

``connect`` opens one; ``desktop.py`` says what each can do. Nothing heavy is imported until then.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from computer_platform.desktop import DesktopUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from computer_platform.desktop import Desktop

    Size = tuple[int, int]

__all__ = ["NAMES", "connect"]

_ELSEWHERE = (
    f'Desktops are driven on Linux with X11; "{sys.platform}" is not supported. '
    'The desktop "memory" works everywhere, for dry runs.'
)
_SMALLEST, _LARGEST = 64, 16384  # pixels of a side that an X server takes and a picture still fits in


def connect(
    name: str | None, *, size: tuple[int, int] = (1280, 800), environment: Mapping[str, str]
) -> Desktop:
    """Open the desktop of that name; None is the one that is there, or else a private one.

    ``size`` in pixels is for ``private`` and ``memory``; ``environment`` says where the person's
    desktop is and what programs are started with. Raises ``DesktopUnavailable`` with what to do
    about it, ``ValueError`` for an unknown name or an impossible size.
    """
    if name is not None and name not in _BACKENDS:
        raise ValueError(f'There is no desktop "{name}". Choose one of: {", ".join(NAMES)}.')
    if not all(_SMALLEST <= side <= _LARGEST for side in size):
        raise ValueError(
            f'A desktop cannot be "{size[0]}x{size[1]}" pixels. '
            f"Each side must be {_SMALLEST} to {_LARGEST}, as in 1280x800."
        )
    return _BACKENDS[name](size, environment) if name is not None else _what_is_there(size, environment)


def _what_is_there(size: Size, environment: Mapping[str, str]) -> Desktop:
    if environment.get("DISPLAY"):
        try:
            return _x11(size, environment)
        except DesktopUnavailable:
            return _private(size, environment)
    if environment.get("WAYLAND_DISPLAY"):
        raise DesktopUnavailable(
            "This is a Wayland session without an X display, which cannot be driven. "
            'Use the desktop "private", or log in to an X11 session.'
        )
    return _private(size, environment)


def _x11(_size: Size, environment: Mapping[str, str]) -> Desktop:
    if sys.platform == "linux":
        from computer_platform.person import PersonDesktop

        return PersonDesktop(environment)
    raise DesktopUnavailable(_ELSEWHERE)


def _private(size: Size, environment: Mapping[str, str]) -> Desktop:
    if sys.platform == "linux":
        from computer_platform.private import open_private

        return open_private(size, environment)
    raise DesktopUnavailable(_ELSEWHERE)


def _memory(size: Size, _environment: Mapping[str, str]) -> Desktop:
    from computer_platform.memory import MemoryDesktop

    return MemoryDesktop(size)


_BACKENDS: dict[str, Callable[[Size, Mapping[str, str]], Desktop]] = {
    "x11": _x11,
    "private": _private,
    "memory": _memory,
}
NAMES = tuple(_BACKENDS)
