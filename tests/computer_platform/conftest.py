"""Connections to X servers that are closed however the test ends: one left open fails another test later."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from Xlib.display import Display

    from computer_platform.x11 import X11Desktop


@pytest.fixture
def open_desktop() -> Iterator[Callable[..., X11Desktop]]:
    """Opens desktops, as ``X11Desktop`` does."""
    from computer_platform.x11 import X11Desktop

    with ExitStack() as opened:
        yield lambda *args, **options: opened.enter_context(closing(X11Desktop(*args, **options)))


@pytest.fixture
def observe() -> Iterator[Callable[[str], Display]]:
    """Opens connections of somebody who only looks, or of a person who types."""
    from xvfb import connected

    with ExitStack() as opened:
        yield lambda name: opened.enter_context(connected(name))
