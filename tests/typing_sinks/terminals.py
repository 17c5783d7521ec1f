"""Terminals: a child stores every byte of its tty as it comes. Return is a carriage return there."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING

from typing_sinks.sink import Sink, ready, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from computer_platform.x11 import X11Desktop


@contextmanager
def xterm(desktop: X11Desktop, folder: Path, *, shown: bool = False) -> Iterator[Sink]:
    """xterm, which reads the core keymap through Xlib. It shows what is typed only when told to."""
    kept = folder / "xterm.txt"
    with running(desktop, ["xterm", "-u8", "-T", "xterm sink", "-e", "sh", "-c", _child(kept, shown=shown)]):
        yield ready(desktop, "xterm sink", kept, _as_text)


@contextmanager
def vte(desktop: X11Desktop, folder: Path, *, shown: bool = False) -> Iterator[Sink]:
    """VTE, the terminal of GNOME, Xfce and LXDE, in LXDE's window."""
    kept, child = folder / "vte.txt", folder / "vte-child.sh"
    child.write_text(f"#!/bin/sh\n{_child(kept, shown=shown)}\n")  # its option takes one word
    child.chmod(0o700)
    terminal = ["lxterminal", "--no-remote", "-t", "VTE sink", "-e", str(child)]
    with running(desktop, terminal, {"XDG_CONFIG_HOME": str(folder / "vte")}):
        yield ready(desktop, "VTE sink", kept, _as_text)


def _child(kept: Path, *, shown: bool) -> str:
    command = f"exec tee {shlex.quote(str(kept))}" if shown else f"exec cat > {shlex.quote(str(kept))}"
    return f"stty raw -echo; {command}"


def _as_text(raw: str) -> str:
    return raw.replace("\r", "\n")
