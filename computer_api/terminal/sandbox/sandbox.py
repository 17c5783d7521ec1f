"""The Sandbox seam: a command in, the command that runs it confined out."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from computer_api.errors import UnsupportedError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program to start as the leader of a session of its own.

    ``inherited`` are descriptors that it gets under the same numbers, ``shared`` files and folders of ours that it
    must be able to use, whatever the policy: ``shared`` is read, ``written`` is written too. ``terminal`` is the
    path of the pseudo-terminal that it opens itself, if it has one.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    cwd: Path | None
    inherited: tuple[int, ...] = ()
    shared: tuple[Path, ...] = ()
    written: tuple[Path, ...] = ()
    terminal: str | None = None


class ChangedError(UnsupportedError):
    """What a command was to see or not to see changed while it was being started: enclosing it again may do."""


def at_once(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Start it here and now."""
    return start()


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosed:
    """What to start instead.

    ``leader`` tells, once it was started, the host's number of the process that leads the command's session and
    group, to which signals go; it raises ``UnsupportedError`` when that never came to run. ``spawn`` calls what
    starts the process, in a thread of its own where that matters. ``complaints`` is the standard error of what
    confines, where the command has its own apart from that: the same as its output.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    inherited: tuple[int, ...]
    leader: Callable[[subprocess.Popen[bytes]], int]
    spawn: Callable[[Callable[[], subprocess.Popen[bytes]]], subprocess.Popen[bytes]] = at_once
    complaints: int | None = None


@dataclass(frozen=True, slots=True)
class Denial:
    """What a block was denied: a path, a host, or a program's right; ``words`` names it in a sentence."""

    kind: str
    what: str
    words: str


class Sandbox(Protocol):
    """One way of confining programs, with the policy that it enforces."""

    name: str

    def enclose(self, command: Command) -> AbstractContextManager[Enclosed]:
        """The confined command; what the context holds open is needed until it was started.

        Raises ``UnsupportedError`` when it cannot be confined as the policy says: it is never run unconfined instead.
        """
        ...

    def denials(self, output: str) -> tuple[Denial, ...]:
        """What the output of a failed block says was denied."""
        ...

    def close(self) -> None:
        """End what helps it, such as a proxy."""
        ...


class Unconfined:
    """No sandbox: the command as it is."""

    name = "none"

    @contextmanager
    def enclose(self, command: Command) -> Iterator[Enclosed]:
        """The command as it is."""
        yield Enclosed(
            argv=command.argv,
            environment=command.environment,
            inherited=command.inherited,
            leader=lambda process: process.pid,
        )

    def denials(self, output: str) -> tuple[Denial, ...]:  # noqa: ARG002 - the seam's
        """Nothing is denied."""
        return ()

    def close(self) -> None:
        """There is nothing to end."""
