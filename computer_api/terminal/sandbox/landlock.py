"""Confining with Linux's Landlock and a seccomp filter: for machines where nobody may make user namespaces.

The command's own process is restricted before it becomes the command, so its number, its session and its terminal
are the real ones. Landlock only knows rights that are given: what may be read is enumerated when a program starts.

What it cannot do, unlike bubblewrap:

- It cannot take away a part of a folder that code may write: git's hooks and editors' settings in the workspace can
  be changed, and a workspace that holds a home is refused.
- Modes, owners and times of any file of the person's can be changed (``chmod``, ``touch``), not what is in it.
- Names can be listed everywhere, also in folders whose files cannot be read; processes can be listed.
- There is no ``/tmp`` of its own (``TMPDIR`` names one), nor a ``/dev/shm``: ``multiprocessing``'s locks fail.
- No new terminals (``script``, ``pty.spawn``). What appears in the home later is readable by programs started after.
- There is no namespace to end: a program that leaves its session and drops its variables outlives the terminal.
- Before Linux 6.12 (Landlock's version 6), processes outside can be sent signals.
- One port is allowed or refused for all hosts, so an allow-list of hosts cannot be held.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import shutil
import sys
import tempfile
import weakref
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox import denials, seccomp, secrets
from computer_api.terminal.sandbox.launching import launched
from computer_api.terminal.sandbox.mounts import needed
from computer_api.terminal.sandbox.sandbox import Command, Denial, Enclosed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from computer_api.terminal.sandbox.policy import Policy

_CREATE_RULESET = 444
_VERSION = 1  # the flag that asks for it
_OLDEST = 3  # below it, files outside can be emptied
_WITH_NETWORK, _WITH_DEVICES, _WITH_SCOPES = 4, 5, 6

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_ALL_OF_FILES = (1 << 15) - 1  # of version 3
_OF_ONE_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_TCP = 0b11  # bind, connect
_SCOPES = 0b11  # abstract sockets, signals

_READ = _EXECUTE | _READ_FILE | _READ_DIR
_WRITE = _ALL_OF_FILES & ~_MAKE_CHAR & ~_MAKE_BLOCK
_USE = _READ_FILE | _WRITE_FILE | _IOCTL  # a device

_DEVICES = tuple(Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "tty"))
# Other programs' temporary files, sockets and devices.
_OTHERS = tuple(map(Path, ("/tmp", "/var/tmp", "/run", "/var/run", "/dev")))  # noqa: S108 - to keep code from it
_NAMES = Path("/etc/resolv.conf")

WEAKNESSES = (
    "git hooks and editor settings in the workspace can be changed, modes and times of files outside too, "
    "and the names of all files can be listed"
)


def abi() -> int:
    """Landlock's version on this machine; 0 if there is none."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None)
    libc.syscall.restype = ctypes.c_long
    return max(
        0, int(libc.syscall(ctypes.c_long(_CREATE_RULESET), None, ctypes.c_long(0), ctypes.c_long(_VERSION)))
    )


def scoped(command: Command) -> Command:
    """The command, kept from abstract sockets and from signals to processes outside: for a shared network.

    The desktop listens on an abstract socket, which no other file system and no mask takes away. Raises
    ``UnsupportedError`` where Landlock cannot do it.
    """
    version = abi()
    if version < _WITH_SCOPES:
        raise UnsupportedError(
            "With the network on, code could reach the desktop: closing its abstract socket needs Linux 6.12 or newer "
            f"(Landlock 6, this is {version or 'none'}). Turn the network off, or allow hosts by name."
        )
    return launched(command, {"landlock": _landlock(files=0, network=0, scoped=_SCOPES, rules=())})


class Landlock:
    """The Sandbox that needs no namespaces."""

    name = "landlock"

    def __init__(self, policy: Policy, *, environment: Mapping[str, str]) -> None:
        """Raises ``UnsupportedError`` when this machine, or Landlock itself, cannot hold the policy."""
        self._version = abi()
        self._policy = policy
        self._homes = tuple(home.resolve() for home in secrets.homes(environment))
        # Resolved now: code that runs may put links where a folder was.
        self._workspace = policy.workspace.resolve()
        self._writable = tuple(path.resolve() for path in _written(policy))
        self._require()
        self._filter = seccomp.program(
            sockets="none" if policy.network.mode == "off" else "internet", shared_memory=False
        )
        self._temporary = Path(tempfile.mkdtemp(prefix="oi-temporary-")).resolve()
        self._removed = weakref.finalize(self, shutil.rmtree, self._temporary, ignore_errors=True)

    def _require(self) -> None:
        if self._version < _OLDEST:
            raise UnsupportedError(
                f"Landlock {_OLDEST} is needed to confine code (Linux 6.2 or newer, and not switched off), "
                f"this machine has {self._version or 'none'}. bwrap, or a question before each block, would do."
            )
        if self._policy.network.mode == "hosts":
            raise UnsupportedError(
                "An allow-list of hosts needs bwrap: Landlock allows a port, whichever the host. "
                "Turn the network off or on, or make user namespaces possible."
            )
        for path in self._writable:
            if home := self._home_in(path):
                raise UnsupportedError(
                    f'"{path}" holds the home "{home}", and Landlock cannot keep code from a part of what it may '
                    "write. Choose a folder in it."
                )

    def _home_in(self, folder: Path) -> Path | None:
        return next((home for home in self._homes if home.is_relative_to(folder)), None)

    @contextmanager
    def enclose(self, command: Command) -> Iterator[Enclosed]:
        """The launcher, which restricts itself and becomes the command."""
        with tempfile.TemporaryFile() as what:
            what.write(marshal.dumps(self._what(command)))
            what.seek(0)
            given = launched(command, what.fileno())
            yield Enclosed(
                argv=given.argv,
                environment=self._environment(command),
                inherited=(*command.inherited, what.fileno()),
                leader=lambda process: process.pid,
            )

    def _environment(self, command: Command) -> dict[str, str]:
        return secrets.environment(command.environment) | dict.fromkeys(
            ("TMPDIR", "TMP", "TEMP"), str(self._temporary)
        )

    def _what(self, command: Command) -> dict[str, Any]:
        files = _ALL_OF_FILES | (_IOCTL if self._version >= _WITH_DEVICES else 0)
        on = self._policy.network.mode == "on"
        rules = [(path, allowed & files) for path, allowed in self._rules(command)]
        network = _TCP if self._version >= _WITH_NETWORK and not on else 0
        scopes = _SCOPES if self._version >= _WITH_SCOPES else 0
        return {
            "powerless": True,
            "landlock": _landlock(files=files, network=network, scoped=scopes, rules=rules),
            "filter": self._filter,
        }

    def _rules(self, command: Command) -> Iterator[tuple[Path, int]]:
        yield Path("/"), _READ_DIR
        for path in (*self._readable(), *self._needed(command)):
            yield path, _READ
        for path in (*self._writable, *(path.resolve() for path in command.written), self._temporary):
            yield path, _WRITE
        for device in (*_DEVICES, *([Path(command.terminal)] if command.terminal else [])):
            yield device, _USE

    def _readable(self) -> Iterator[Path]:
        hidden = frozenset(_with_targets((*self._homes, *secrets.SYSTEM, *_OTHERS)))
        yield from largest_without(Path("/"), hidden)
        for home in self._homes:
            for shown in secrets.shown(home):
                yield shown.resolve()
        if not self._home_in(self._workspace):
            yield self._workspace
        if self._policy.network.mode == "on":
            yield _NAMES.resolve()

    def _needed(self, command: Command) -> Iterator[Path]:
        """What the command itself must be able to read, wherever that is."""
        yield from (path.resolve() for path in command.shared)
        program = shutil.which(command.argv[0], path=command.environment.get("PATH", os.defpath))
        for path in map(Path.resolve, needed(program) if program else ()):
            if not self._home_in(path):
                yield path

    def denials(self, output: str) -> tuple[Denial, ...]:
        """What the output of a failed block says was denied."""
        return denials.found(output, self._policy, homes=self._homes)

    def close(self) -> None:
        """Remove the temporary folder."""
        self._removed()


def _written(policy: Policy) -> tuple[Path, ...]:
    return (policy.workspace, *policy.writable) if policy.access == "workspace-write" else ()


def largest_without(root: Path, hidden: frozenset[Path]) -> Iterator[Path]:
    """The largest files and folders at or below ``root`` that hold none of the hidden ones, existing or not.

    Links are left out: following one needs no right, and what it names has a place of its own.
    """
    holding = {parent for path in hidden for parent in path.parents}
    folders = [root]
    while folders:
        path = folders.pop()
        if path in hidden or path.is_symlink():
            continue
        if path in holding:
            folders += _listed(path)
        else:
            yield path


def _listed(folder: Path) -> tuple[Path, ...]:
    try:
        return tuple(folder.iterdir())
    except OSError:
        return ()


def _with_targets(paths: Iterable[Path]) -> Iterator[Path]:
    """The paths, and what they lead to where they are links."""
    for path in paths:
        yield path
        yield path.resolve()


def _landlock(*, files: int, network: int, scoped: int, rules: Iterable[tuple[Path, int]]) -> dict[str, Any]:
    return {
        "files": files,
        "network": network,
        "scoped": scoped,
        "rules": [(str(path), allowed) for path, allowed in rules],
        "of_files": _OF_ONE_FILE,
    }
