"""Which addresses a browser may load.

A page must be of http or https. With ``--offline`` only those of this machine are loaded; with ``--network`` what that
flag says (``off``: this machine; hosts: those and this machine; ``on``: all); where it is not said, all, and a
person is asked about every host but this machine. The agent's own browser is started so that whatever a page itself
loads, and every redirect, keeps to the same; in the person's browser only what is asked for is held back.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from computer_api.errors import ComputerError, RefusedError

if TYPE_CHECKING:
    from computer_api.terminal.sandbox.policy import Network

_HERE = ("localhost", "127.0.0.1", "[::1]")
_SAFE = "%/:=&?~#+!$,;'@()*[]|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The hosts that may be reached: this machine always, all of them where ``network`` is None or ``on``."""

    network: Network | None = None

    @property
    def everything(self) -> bool:
        """Whether nothing is held back."""
        return self.network is None or self.network.mode == "on"

    def allows(self, host: str) -> bool:
        """Whether pages of that host may be loaded."""
        if self.everything or is_here(host):
            return True
        return self.network is not None and any(_is(host, one) for one in self.network.hosts)

    def address(self, given: str) -> str:
        """What a person calls an address as the whole one: ``example.org`` becomes ``https://example.org``.

        Raises ``ComputerError`` for what is none, and ``RefusedError`` for one that may not be reached.
        """
        url = whole_address(given)
        host = urlsplit(url).hostname or ""
        if not self.allows(host):
            allowed = ", ".join((*(self.network.hosts if self.network else ()), "this machine"))
            raise RefusedError(
                f'The host "{host}" may not be reached: --network or --offline allows only {allowed}. '
                "Start oi with another --network to allow it."
            )
        return url

    def rules(self) -> str:
        """The same as Chromium's rules for what names mean; ``""`` where nothing is held back."""
        if self.everything:
            return ""
        hosts = self.network.hosts if self.network else ()
        named = [f"*{host}, EXCLUDE {host[1:]}" if host.startswith(".") else host for host in hosts]
        return ", ".join(["MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in (*_HERE, *named))])


def is_here(host: str) -> bool:
    """Whether a host, by name or by number, is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is(host: str, allowed: str) -> bool:
    host, allowed = host.lower().rstrip("."), allowed.lower()
    return host == allowed.removeprefix(".") or (allowed.startswith(".") and host.endswith(allowed))


def whole_address(given: str) -> str:
    """What a person calls an address, as a whole one of http or https. Raises ``ComputerError``."""
    text = "".join(given.split())
    if not text:
        raise ComputerError('"" is no address. Give one such as "https://example.org".')
    try:
        if "://" not in text and not text.startswith(
            ("about:", "data:", "javascript:", "file:", "view-source:")
        ):
            host = urlsplit(f"//{text}").hostname or ""
            text = f"{'http' if is_here(host) else 'https'}://{text}"
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise ComputerError(f'"{given}" is no address. Give one such as "https://example.org".') from None
    if parts.scheme not in {"http", "https"}:
        raise ComputerError(
            f'"{given}" is not of http or https, and no others are opened. Read a file of this machine with code.'
        )
    host = parts.hostname or ""
    bare = "://" not in given and "." not in host and ":" not in host and not is_here(host)
    if not host or bare or " " in given.strip():
        raise ComputerError(
            f'"{given}" is no address. Give one such as "https://example.org", or search for it.'
        )
    return quote(text, safe=_SAFE)
