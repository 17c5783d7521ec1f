"""What a block was denied, read from what it printed: programs name the path or host that they did not get."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from computer_api.terminal.sandbox import secrets
from computer_api.terminal.sandbox.mounts import is_trusted
from computer_api.terminal.sandbox.sandbox import Denial

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_api.terminal.sandbox.policy import Policy

_LONGEST = 64 * 1024  # of the output, from its end, where failures are
_MOST = 8

_READ_ONLY = re.compile(r"Read-only file system|EROFS", re.IGNORECASE)
_NO_RIGHT = re.compile(r"Permission denied|Operation not permitted|EACCES|EPERM", re.IGNORECASE)
_BUSY = re.compile(
    r"Device or resource busy|EBUSY", re.IGNORECASE
)  # what replaces a file that stays as it is
_NOT_THERE = re.compile(r"No such file or directory|ENOENT", re.IGNORECASE)
_QUOTED = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"|\u2018([^\u2019\n]+)\u2019")
_BEFORE_REASON = re.compile(
    r"(\S+):\s+(?:Read-only file system|Permission denied|Operation not permitted|No such file or directory"
    r"|Device or resource busy)"
)
_PROGRAM_WITHOUT_RIGHT = re.compile(
    r"^([\w.+-]+): .*(?:Operation not permitted|no new privileges|must be superuser)", re.IGNORECASE
)

_MARKS = re.compile("['\"\u2018\u2019`()\\[\\]{}\0]")

_HOST = r"([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)"
_HOSTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf'The host "{_HOST}(?::\d+)?" is not allowed by the sandbox',
        rf"Could not resolve (?:host(?:name)?[: ] ?)?'?{_HOST}",
        rf"unable to resolve host(?: address)? \W?{_HOST}",
        rf"Temporary failure resolving '{_HOST}'",
        rf"getaddrinfo (?:ENOTFOUND|EAI_AGAIN) {_HOST}",
        rf"(?:^|\s){_HOST}: (?:Name or service not known|Temporary failure in name resolution|No address associated)",
        rf"Failed to connect to {_HOST}",
        rf"connect (?:ENETUNREACH|EACCES|EPERM) {_HOST}",
        rf"connect to (?:host )?{_HOST} port \d+: Network is unreachable",
    )
)
_NO_NETWORK = re.compile(
    r"Network is unreachable|Temporary failure in name resolution|Name or service not known|NameResolutionError"
    r"|ENETUNREACH|EAI_AGAIN",
    re.IGNORECASE,
)
_POOL = re.compile(rf"host='{_HOST}'")
_ADDRESS = re.compile(r"\bhttps?://[^\s'\"<>)\]]+")
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def found(output: str, policy: Policy, *, homes: tuple[Path, ...] = ()) -> tuple[Denial, ...]:
    """What the output of a failed block names that the policy denies, each once, in the order of the output.

    ``homes`` are the folders that are closed. The ``what`` of a file that does not exist yet is the folder it would
    be in, since that is what could be added to the policy.
    """
    if policy.access == "full":
        return ()
    output = output[-_LONGEST:]
    named = [
        denial for line in output.splitlines() for denial in (*_paths(line, policy, homes), *_rights(line))
    ]
    named += _hosts(output, policy)
    return tuple({(denial.kind, denial.what): denial for denial in named}.values())[:_MOST]


def _paths(line: str, policy: Policy, homes: tuple[Path, ...]) -> Iterator[Denial]:
    """The paths that a line says could not be written or read."""
    if not any(reason.search(line) for reason in (_READ_ONLY, _NO_RIGHT, _BUSY, _NOT_THERE)):
        return
    for name in _names(line):
        path = Path(os.path.normpath(policy.workspace / os.path.expanduser(name)))  # noqa: PTH111 - that may be no user
        if _is_hidden(path, homes) and os.path.exists(path):  # noqa: PTH110 - its name may be none
            yield Denial("read", str(path), f'reading "{path}" is not allowed: it may hold secrets.')
        elif not _NOT_THERE.search(line) and _is_denied(path, line, policy, homes):
            yield Denial("write", str(_existing(path)), f'writing "{path}" is not allowed.')


def _is_denied(path: Path, line: str, policy: Policy, homes: tuple[Path, ...]) -> bool:
    """Whether the sandbox keeps code from writing there, and not the system the person too."""
    may_write = _may_write(path, policy, homes)
    if _READ_ONLY.search(line):
        return not may_write or is_trusted(path)
    if _BUSY.search(line):
        return may_write and is_trusted(path)
    return not may_write and os.access(_existing(path), os.W_OK)


def _names(line: str) -> list[str]:
    """What may be a path in a line: what is quoted, and what comes just before the reason."""
    quoted = [next(filter(None, groups)) for groups in _QUOTED.findall(line)]
    bare = [match[1] for match in _BEFORE_REASON.finditer(line)]
    names = dict.fromkeys(name for name in (*quoted, *bare) if not _MARKS.search(name))
    return [name for name in names if "://" not in name and ("/" in name or _READ_ONLY.search(line))]


def _is_hidden(path: Path, homes: tuple[Path, ...]) -> bool:
    """Whether it lies in a home and is not shown."""
    home = next((home for home in homes if path.is_relative_to(home)), None)
    return home is not None and not any(path.is_relative_to(shown) for shown in secrets.shown(home))


def _may_write(path: Path, policy: Policy, homes: tuple[Path, ...]) -> bool:
    roots = (policy.workspace, *policy.writable) if policy.access == "workspace-write" else ()
    if any(path.is_relative_to(root) for root in roots if root not in homes):
        return True
    temporary = any(path.is_relative_to(folder) for folder in ("/tmp", "/var/tmp", "/dev"))  # noqa: S108 - its own
    return temporary and not any(path.is_relative_to(home) for home in homes)


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next((place for place in (path, *path.parents) if os.path.lexists(place)), path)


def _rights(line: str) -> Iterator[Denial]:
    """A program that may not do what it is for."""
    match = _PROGRAM_WITHOUT_RIGHT.search(line)
    if match and not any(name.startswith("/") for name in _names(line)):
        yield Denial("right", match[1], f"{match[1]} needs a right that code does not have here.")


def _hosts(output: str, policy: Policy) -> list[Denial]:
    """The hosts that were not reached, where they are not to be."""
    if policy.network.mode == "on":
        return []
    hosts = [match[1] for pattern in _HOSTS for match in pattern.finditer(output)]
    if _NO_NETWORK.search(output) and not hosts:
        hosts = [match[1] for match in _POOL.finditer(output)]
        hosts = hosts or [urlsplit(match[0]).hostname or "" for match in _ADDRESS.finditer(output)]
        if not hosts:
            return [Denial("right", "network", "the network cannot be reached from here.")]
    lowered = dict.fromkeys(host.lower().rstrip(".") for host in hosts)
    return [
        Denial("network", host, f'reaching the host "{host}" is not allowed.')
        for host in lowered
        if host and host not in _HERE and not _is_allowed(host, policy)
    ]


def _is_allowed(host: str, policy: Policy) -> bool:
    allowed = policy.network.hosts if policy.network.mode == "hosts" else ()
    return any(host == name or (name.startswith(".") and host.endswith(name)) for name in allowed)
