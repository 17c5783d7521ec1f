"""Where workers run, and starting their processes there."""

from __future__ import annotations

import contextlib
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.limits import ResourceLimits
from computer_api.terminal.output import KEPT
from computer_api.terminal.sandbox import Command, Sandbox, Unconfined
from computer_api.terminal.sandbox.sandbox import ChangedError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from computer_api.terminal.spool import Outputs

_MOST_TRIES = 3  # sockets and files come and go while mounts are made of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where workers run: their directory, their whole environment, what confines them and what they may use.

    ``lasting`` says that they are used again after a block that Ctrl-C ended, so that what it set is worth a wait.
    ``outputs`` makes the files of long outputs, if there are any; ``kept`` bytes of each of their ends are given back.
    """

    cwd: Path | None
    environment: Mapping[str, str]
    lasting: bool = True
    sandbox: Sandbox = field(default_factory=Unconfined)
    outputs: Outputs | None = None
    kept: int = KEPT
    limits: ResourceLimits = field(default_factory=ResourceLimits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A running process, and the host's number of the process that leads the command's session and group."""

    process: subprocess.Popen[bytes]
    leader: int


def start(place: Place, command: Command, *, output: int = subprocess.DEVNULL) -> Started:
    """Start the command in a session of its own, confined, with nothing to read; what it prints goes to ``output``.

    Raises ``UnsupportedError`` when it cannot be started.
    """
    for _ in range(_MOST_TRIES - 1):
        with contextlib.suppress(ChangedError):
            return _start(place, command, output)
    return _start(place, command, output)


def _start(place: Place, command: Command, output: int) -> Started:
    try:
        with place.sandbox.enclose(command) as enclosed:
            process = enclosed.spawn(
                lambda: subprocess.Popen(
                    enclosed.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output if enclosed.complaints is None else enclosed.complaints,
                    cwd=command.cwd,
                    env=dict(enclosed.environment),
                    pass_fds=enclosed.inherited,
                    start_new_session=True,
                )
            )
            return Started(process=process, leader=enclosed.leader(process))
    except OSError as error:
        raise UnsupportedError(f'"{command.argv[0]}" could not be started: {error}.') from error
