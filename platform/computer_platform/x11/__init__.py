"""The X11 desktop: capture through shared memory, input through XTEST, windows through EWMH."""

from __future__ import annotations

from computer_platform.x11.desktop import X11Desktop

__all__ = ["X11Desktop"]
