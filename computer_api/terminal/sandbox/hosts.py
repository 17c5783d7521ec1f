"""Which hosts code may reach: names as people write them, matched however a program writes them."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    Address = ipaddress.IPv4Address | ipaddress.IPv6Address
    AddressRange = ipaddress.IPv4Network | ipaddress.IPv6Network

_USUAL_PORTS = frozenset({80, 443})
_MOST_OF_A_NAME = 253
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # in any writing that some program takes for a part of an address
_PORT = re.compile(r"[0-9]{1,5}")
# The older standard of international names, which is Python's, turns these into others; today's keeps them.
_DIFFERING = frozenset("ßς\u200c\u200d")
_NOT_BY_ADDRESS = "hosts are allowed by name, not by address"
# IPv6 addresses that stand for an IPv4 one behind a translator of the provider's, and those that are given out.
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_GIVEN_OUT = ipaddress.IPv6Network("2000::/3")
# Of special use, which Pythons do not agree on: protocols' own, tunnels and their relays, examples.
_SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20"),
    )
)


def host_name(text: str) -> str:
    """A host's name in the one form that is compared and looked up: ASCII, small letters, no dot at its end.

    Raises ``ValueError`` for what is no name, addresses included.
    """
    if text.startswith("["):
        raise ValueError(_NOT_BY_ADDRESS)
    if _DIFFERING & set(text):
        raise ValueError("it can be read as two names: write the form that begins with xn--")
    try:
        name = text.encode("idna").decode("ascii").lower().removesuffix(".")
    except UnicodeError as error:
        raise ValueError("it is not a name") from error
    labels = name.split(".")
    if len(name) > _MOST_OF_A_NAME or not all(map(_LABEL.fullmatch, labels)):
        raise ValueError("it is not a name")
    if _NUMBER.fullmatch(labels[-1]):
        raise ValueError(_NOT_BY_ADDRESS)
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host, or with ``below`` also every name that ends with a dot and its; at one port, or at the usual two."""

    name: str
    below: bool = False
    port: int | None = None

    @classmethod
    def written(cls, text: str) -> Host:
        """Read ``example.org``, ``.example.org`` or either with ``:8443``.

        Raises ``UnsupportedError`` for anything else.
        """
        try:
            return cls._read(text)
        except ValueError as error:
            raise UnsupportedError(
                f'"{text}" is not a host that can be allowed: {error}. '
                'Write "example.org", ".example.org" for all below it too, or "example.org:8443".'
            ) from error

    @classmethod
    def _read(cls, text: str) -> Host:
        rest, colon, port = text.partition(":")
        if colon and not (_PORT.fullmatch(port) and 0 < int(port) < 2**16):
            raise ValueError("what follows the colon is not a port")
        name, below = host_name(rest.removeprefix(".")), rest.startswith(".")
        if below and "." not in name:
            raise ValueError("it would allow too much")
        return cls(name=name, below=below, port=int(port) if colon else None)

    def is_at(self, name: str) -> bool:
        """Whether it is meant by that name, at some port."""
        return name == self.name or (self.below and name.endswith(f".{self.name}"))

    def is_reached(self, name: str, port: int) -> bool:
        """Whether it is meant by that name and port."""
        return self.is_at(name) and (port in _USUAL_PORTS if self.port is None else port == self.port)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The hosts that may be reached, where they are at a public address or in one of ``ranges``."""

    hosts: tuple[Host, ...]
    ranges: tuple[AddressRange, ...] = ()

    @classmethod
    def written(cls, hosts: Iterable[str], *, ranges: Iterable[str] = ()) -> Rules:
        """Read a policy's hosts, and ranges as ``10.1.0.0/16``. Raises ``UnsupportedError`` for what is neither."""
        try:
            read = tuple(map(ipaddress.ip_network, ranges))
        except ValueError as error:
            raise UnsupportedError(f'A range of addresses is written "10.1.0.0/16": {error}.') from error
        return cls(hosts=tuple(map(Host.written, hosts)), ranges=read)

    def refusal(self, name: str, port: int) -> str | None:
        """Why that host is not reached at that port, in a sentence; None if it is."""
        if any(host.is_reached(name, port) for host in self.hosts):
            return None
        if any(host.is_at(name) for host in self.hosts):
            return (
                f'The host "{name}:{port}" is not allowed by the sandbox, "{name}" at other ports is: '
                f'add "{name}:{port}" to the allowed hosts, or run this once outside.'
            )
        return (
            f'The host "{name}" is not allowed by the sandbox: '
            "add it to the allowed hosts, or run this once outside."
        )

    def allow_address(self, address: str) -> bool:
        """Whether a host may be there."""
        read = ipaddress.ip_address(address)
        return is_public(read) or any(read in addresses for addresses in self.ranges)


def is_public(address: Address) -> bool:
    """Whether it is somewhere on the Internet, and not here, in a network of ours, or of a special kind."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _TRANSLATED:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in _GIVEN_OUT:
            return False
    return (
        address.is_global
        and not (address.is_multicast or address.is_reserved)
        and not any(address in special for special in _SPECIAL)
    )
