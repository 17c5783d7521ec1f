"""Putting the launcher before a command: what is done inside the sandbox, before the command is there."""

from __future__ import annotations

import dataclasses
import marshal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from computer_api.terminal.sandbox.sandbox import Command

LAUNCHER = Path(__file__).with_name("launcher.py")


def launched(command: Command, what: Mapping[str, Any] | int) -> Command:
    """The command with the launcher before it, which does ``what`` or what it reads from that descriptor."""
    given = str(what) if isinstance(what, int) else f"={marshal.dumps(dict(what)).hex()}"
    return dataclasses.replace(
        command,
        argv=(sys.executable, "-I", "-S", str(LAUNCHER), given, "--", *command.argv),
        shared=(*command.shared, LAUNCHER),
    )
