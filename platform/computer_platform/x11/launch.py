"""Starting programs on a display."""

from __future__ import annotations

import os
import subprocess
import threading
from typing import TYPE_CHECKING

from computer_platform.inherited import without_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Without these, toolkits that start before a screen reader tell nobody what they show.
_SPEAKING = {
    "GTK_MODULES": "gail:atk-bridge",
    "NO_AT_BRIDGE": "0",
    "GNOME_ACCESSIBILITY": "1",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
}
_ELSEWHERE = ("NO_AT_BRIDGE", "WAYLAND_DISPLAY")  # they would mute programs, or put them on another screen


def environment_for(display: str, *added: Mapping[str, str], accessible: bool) -> dict[str, str]:
    """What a program is started with: a copy of ours without secrets, then what is added, and the display."""
    ours = {name: value for name, value in without_secrets(os.environ).items() if name not in _ELSEWHERE}
    environment = ours | (_SPEAKING if accessible else {})
    for more in added:
        environment |= more
    return environment | {"DISPLAY": display}


def start(argv: Sequence[str], environment: Mapping[str, str]) -> int:
    """Start the program apart from us and return its process id. Raises ``FileNotFoundError``.

    It outlives us, hears no Ctrl-C of ours and writes to no terminal.
    """
    if not argv:
        raise ValueError('No program was named. Give at least its name, such as ["xterm"].')
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f'There is no program "{argv[0]}" here. Install it, or give its full path.'
        ) from error
    # One that ends must not stay behind as a zombie, and a SIGCHLD handler is not ours to set.
    threading.Thread(target=process.wait, name=f"oi waits for {process.pid}", daemon=True).start()
    return process.pid
