"""``--offline``: this process reaches the model's server and the screen, and nothing else over the network.

Python's own sockets are watched. What other programs do is theirs: code steps are cut off by their sandbox.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from computer_agent.hosts import is_here
from computer_agent.models.model import ModelError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

_PORTS = {"http": 80, "https": 443}
_X11_PORT = 6000
_LOOKUPS = 3  # of a name whose addresses take turns
_INTERNET = frozenset({socket.AF_INET, socket.AF_INET6})
_INSIDE = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK") if hasattr(socket, name)
)  # never leave the machine


class OfflineError(ModelError):
    """Something but the model's server was to be reached; the message names it."""


@contextmanager
def offline(servers: Collection[str], environment: Mapping[str, str]) -> Iterator[None]:
    """Meanwhile any use of the network raises ``OfflineError`` where it is tried, but for ``servers``.

    They are addresses such as ``http://127.0.0.1:11434``. Nothing is sent to others, not even the question for a name.
    Sockets inside the machine stay open: those of files, and the display that ``DISPLAY`` names, wherever it is.
    Raises ``ModelError`` for an address that is none.
    """
    guard = _Guard([_reachable(server) for server in servers], _display(environment.get("DISPLAY", "")))
    _hooked()
    _GUARDS.append(guard)
    try:
        yield
    finally:
        _GUARDS.remove(guard)


class _Reachable:
    """A host and port that may be connected to."""

    def __init__(self, host: str, port: int) -> None:
        self.host = _plain(host)
        self.port = port
        self._known: set[str] = set()

    def __str__(self) -> str:
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def is_at(self, address: str, port: int) -> bool:
        """Whether that address is one of its own; on this machine they all are the same."""
        if port != self.port:
            return False
        if address == self.host or (is_here(address) and is_here(self.host)):
            return True
        return not _is_numeric(self.host) and self._has(address)

    def _has(self, address: str) -> bool:
        """Whether its name leads there, which is found out now: what a client found before is not told to a hook."""
        for _ in range(_LOOKUPS):
            if address in self._known:
                return True
            with suppress(OSError):
                found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
                self._known |= {_plain(str(each[4][0])) for each in found}
        return address in self._known


class _Guard:
    """What may be reached while it stands."""

    def __init__(self, servers: list[_Reachable], display: _Reachable | None) -> None:
        self._servers = servers
        self._all = servers if display is None else [*servers, display]

    def check(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise ``OfflineError`` for what may not be."""
        match event:
            case "socket.getaddrinfo" | "socket.gethostbyname" | "socket.gethostbyaddr":
                self._check_name(arguments[0])
            case "socket.getnameinfo":
                self._check_name(arguments[0][0])
            case "socket.connect" | "socket.sendto" | "socket.sendmsg":
                self._check_address(arguments[0], arguments[1])
            case _:
                pass

    def _check_name(self, name: object) -> None:
        """Numbers and this machine are looked up without asking anybody."""
        host = _plain(name.decode("ascii", "replace") if isinstance(name, bytes) else str(name or ""))
        if not host or _is_numeric(host) or is_here(host):
            return
        if all(host != each.host for each in self._all):
            raise self._refusal(host)

    def _check_address(self, connecting: socket.socket, address: object) -> None:
        if address is None or connecting.family in _INSIDE:  # connected before, and checked then
            return
        if connecting.family not in _INTERNET or not isinstance(address, tuple):
            raise self._refusal(str(address))
        host, port = _plain(str(address[0])), address[1]
        if sys.platform == "win32" and is_here(host) and connecting.type == socket.SOCK_STREAM:
            return  # there each event loop talks to itself like this
        if not any(each.is_at(host, port) for each in self._all):
            raise self._refusal(f"{f'[{host}]' if ':' in host else host}:{port}")

    def _refusal(self, what: str) -> OfflineError:
        allowed = " and ".join(map(str, self._servers)) or "nothing"
        return OfflineError(
            f'"{what}" was to be reached, but with --offline only {allowed} may be. '
            "Leave --offline out to allow the network."
        )


_GUARDS: list[_Guard] = []


@cache
def _hooked() -> None:
    """Put the one hook in place, which stays for good, as they do."""
    sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if _GUARDS and event.startswith("socket."):
        for guard in tuple(_GUARDS):
            guard.check(event, arguments)


def _reachable(address: str) -> _Reachable:
    try:
        parts = urlsplit(address)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        parts, port = urlsplit(""), None
    if not parts.hostname or port is None:
        raise ModelError(
            f'A server is named by its address, such as http://127.0.0.1:11434, not "{address}".'
        )
    return _Reachable(parts.hostname, port)


def _display(name: str) -> _Reachable | None:
    """Where an X server is that is reached over TCP, as through ssh."""
    host, colon, screen = name.removeprefix("tcp/").rpartition(":")
    number = screen.partition(".")[0]
    if not (colon and number.isdecimal() and host and host != "unix" and "/" not in host):
        return None
    return _Reachable(host.strip("[]"), _X11_PORT + int(number[:5]))


def _plain(host: str) -> str:
    """As it is compared: without the zone of an address, a dot at the end, and IPv4 in IPv6's clothes."""
    bare = host.strip("[]").partition("%")[0].rstrip(".").lower()
    with suppress(ValueError):
        address = ipaddress.ip_address(bare)
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        return str(mapped or address)
    return bare


def _is_numeric(host: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(host)
        return True
    return False
