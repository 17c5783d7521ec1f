"""Which hosts are this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_here(host: str) -> bool:
    """Whether a host, by name or by number, is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def served_here(address: str | None) -> bool:
    """Whether a server at that address, such as ``http://127.0.0.1:1234/v1``, is on this machine."""
    try:
        return address is not None and is_here(urlsplit(address).hostname or "")
    except ValueError:  # no address at all
        return False
