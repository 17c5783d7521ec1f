"""Confining with macOS's sandbox-exec. It was written from its documentation and never run: no Mac was at hand.

Everything is refused but what the profile allows; of rules that fit, the last one holds. The command's own process is
confined and becomes the command. Windows, the pasteboard, AppleScript and launchd are reached through Mach services,
which are refused but for the few without which programs do not start.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox import denials, secrets
from computer_api.terminal.sandbox.hosts import Rules
from computer_api.terminal.sandbox.mounts import needed
from computer_api.terminal.sandbox.proxy import Proxy, variables
from computer_api.terminal.sandbox.sandbox import Command, Denial, Enclosed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from computer_api.terminal.sandbox.policy import Policy

_PROGRAM = "/usr/bin/sandbox-exec"
_ALWAYS = """\
(version 1)
(deny default)
(allow process-fork process-exec)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))
(allow file-read* (subpath "/"))"""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty")
# Other programs' temporary files and sockets. What /tmp and /var lead to is in /private.
_OTHERS = ("/private/tmp", "/private/var/tmp", "/private/var/folders", "/private/var/run", "/dev", "/Users")
_NOT_WRITTEN = (".git/hooks", ".git/config", ".vscode", ".idea")
_NAME_SERVICES = ("com.apple.SystemConfiguration.configd", "com.apple.networkd", "com.apple.dnssd.service",
                  "com.apple.SystemConfiguration.DNSConfiguration", "com.apple.trustd.agent")  # fmt: skip


class Seatbelt:
    """The Sandbox of macOS; ``environment`` is the person's, for where their home is."""

    name = "seatbelt"

    def __init__(self, policy: Policy, *, environment: Mapping[str, str]) -> None:
        """Raises ``UnsupportedError`` when it is not there, or for a host that cannot be allowed."""
        if not Path(_PROGRAM).exists():
            raise UnsupportedError(f'The sandbox needs "{_PROGRAM}", which is not there.')
        self._policy = policy
        self._homes = secrets.homes(environment)
        network = policy.network
        self._proxy = Proxy(Rules.written(network.hosts)) if network.mode == "hosts" else None
        self._port = self._proxy.listen() if self._proxy is not None else None
        self._temporary = Path(tempfile.mkdtemp(prefix="oi-temporary-")).resolve()
        self._removed = weakref.finalize(self, shutil.rmtree, self._temporary, ignore_errors=True)

    @contextmanager
    def enclose(self, command: Command) -> Iterator[Enclosed]:
        """The command as sandbox-exec runs it, with the variables that the policy lets it have."""
        text = profile(
            self._policy, command, homes=self._homes, temporary=self._temporary, proxy_port=self._port
        )
        environment = secrets.environment(command.environment) | dict.fromkeys(
            ("TMPDIR", "TMP", "TEMP"), str(self._temporary)
        )
        if self._port is not None:
            environment |= variables(self._port)
        yield Enclosed(
            argv=(_PROGRAM, "-p", text, *command.argv),
            environment=environment,
            inherited=command.inherited,
            leader=lambda process: process.pid,
        )

    def denials(self, output: str) -> tuple[Denial, ...]:
        """What the policy denied: what the proxy refused, and what the output of a failed block names."""
        refused = self._proxy.refusals() if self._proxy is not None else ()
        return (*refused, *denials.found(output, self._policy, homes=self._homes))

    def close(self) -> None:
        """End the proxy and remove the temporary folder. Safe to call twice."""
        if self._proxy is not None:
            self._proxy.close()
        self._removed()


def profile(
    policy: Policy,
    command: Command,
    *,
    homes: tuple[Path, ...],
    temporary: Path,
    proxy_port: int | None = None,
) -> str:
    """What sandbox-exec is told: the policy for that command, in its own language."""
    program = shutil.which(command.argv[0], path=command.environment.get("PATH", os.defpath))
    written = [temporary, *(path.resolve() for path in command.written)]
    if policy.access == "workspace-write":
        written += [_without_home(path.resolve(), homes) for path in (policy.workspace, *policy.writable)]
    shown = [path.resolve() for home in homes for path in secrets.shown(home)]
    hidden = [*map(Path, _OTHERS), *homes, *secrets.SYSTEM]
    named = [policy.workspace, *command.shared, *(needed(program) if program else ())]
    read = [path for path in map(Path.resolve, named) if not _holds_home(path, homes)]
    devices = [Path(path) for path in (*_DEVICES, *([command.terminal] if command.terminal else []))]
    kept = [folder / name for folder in written for name in _NOT_WRITTEN]
    return "\n".join(
        [
            _ALWAYS,
            _rule("deny", "file-read-data", hidden),
            _rule("allow", "file-read*", [*shown, *read]),
            _rule("allow", "file-read* file-write*", written),
            _rule("deny", "file-write*", kept),
            _rule("allow", "file-read* file-write-data file-ioctl", devices),
            *_network(policy, proxy_port),
        ]
    )


def _holds_home(folder: Path, homes: tuple[Path, ...]) -> bool:
    return any(home.is_relative_to(folder) for home in homes)


def _without_home(folder: Path, homes: tuple[Path, ...]) -> Path:
    if _holds_home(folder, homes):
        raise UnsupportedError(f'"{folder}" holds a home, with its secrets. Choose a folder in it.')
    return folder


def _network(policy: Policy, proxy_port: int | None) -> Iterator[str]:
    """Addresses of the Internet; never a socket with a path, since programs of the desktop listen there."""
    if policy.network.mode == "on":
        yield '(allow network-outbound (remote ip "*:*") (literal "/private/var/run/mDNSResponder"))'
        yield '(allow network-bind network-inbound (local ip "*:*"))'
        yield f"(allow mach-lookup {' '.join(f'(global-name {_quoted(name)})' for name in _NAME_SERVICES)})"
    elif proxy_port is not None:
        yield f'(allow network-outbound (remote ip "localhost:{proxy_port}"))'


def _rule(verdict: str, operations: str, paths: Iterable[Path]) -> str:
    filters = " ".join(f"(subpath {_quoted(str(path))})" for path in dict.fromkeys(paths))
    return f"({verdict} {operations} {filters})"


def _quoted(text: str) -> str:
    """A string of the profile's language. Raises ``UnsupportedError`` for what it cannot hold."""
    if not text.isprintable():
        raise UnsupportedError(
            f"The sandbox cannot be told of the path {text!r}: rename it to what can be printed."
        )
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
