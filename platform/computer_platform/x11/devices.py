"""The mice and keyboards of an X server, and which of them are no person's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from Xlib.ext import xinput

if TYPE_CHECKING:
    from computer_platform.x11.connection import Connection

EXTENSION = "XInputExtension"
_FAKE = "XTEST"  # in the name of the devices that the server itself makes for programs that send input
_NEWEST = (2, 2)  # from 2.1 on, menus that have grabbed the mouse do not keep events from us


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """What is plugged in now, by the numbers that events name their source with.

    ``fake`` are the devices that programs send through, of whatever program; ``mice`` and ``keyboards`` are the
    others, which people use: real ones, and those of a viewer's server.
    """

    fake: frozenset[int]
    mice: tuple[int, ...]
    keyboards: tuple[int, ...]


def present(connection: Connection) -> bool:
    """Whether the server tells devices apart."""
    return bool(connection.server.has_extension(EXTENSION))


def announce(connection: Connection) -> None:
    """Say which version of the extension we speak, as each connection must before it asks for anything."""
    # not python-xlib's own verb for it, which says 2.0
    xinput.XIQueryVersion(
        display=connection.server.display,
        opcode=connection.server.display.get_extension_major(EXTENSION),
        major_version=_NEWEST[0],
        minor_version=_NEWEST[1],
    )


def plugged_in(connection: Connection) -> Devices:
    """The devices as they are now."""
    found = connection.server.xinput_query_device(xinput.AllDevices).devices
    fake = frozenset(int(device.deviceid) for device in found if _FAKE in _name(device))
    return Devices(
        fake=fake,
        mice=_of_use(found, xinput.SlavePointer, fake),
        keyboards=_of_use(found, xinput.SlaveKeyboard, fake),
    )


def _of_use(found: list[Any], use: int, fake: frozenset[int]) -> tuple[int, ...]:
    return tuple(
        int(device.deviceid) for device in found if device.use == use and int(device.deviceid) not in fake
    )


def _name(device: Any) -> str:  # noqa: ANN401 - python-xlib has no types
    name = device.name
    return name if isinstance(name, str) else bytes(name).decode("utf-8", "replace")
