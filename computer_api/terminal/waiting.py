"""Whether a program waits for somebody to type, as far as the system tells."""

from __future__ import annotations

import platform
import re
import struct
import sys
from typing import TYPE_CHECKING

from computer_api.terminal.groups import processes, status

if TYPE_CHECKING:
    from pathlib import Path

# Which system calls wait for input, by their numbers: Linux numbers them anew for each processor.
_CALLS = {
    "x86_64": {
        0: "read",
        19: "read",
        7: "poll",
        271: "poll",
        23: "select",
        270: "select",
        232: "epoll",
        281: "epoll",
    },
    "aarch64": {63: "read", 65: "read", 73: "poll", 72: "select", 22: "epoll"},
}
_POLLFD = struct.Struct("ihh")
_MOST = 1024


def waits_for_input(group: int) -> bool | None:
    """Whether a process of that process group sleeps until something is typed on its terminal.

    None where that cannot be known: on other systems, and of programs that run as somebody else, such as sudo.
    """
    calls = _CALLS.get(platform.machine())
    if sys.platform != "linux" or calls is None:
        return None
    found = [_waits(process, calls) for process in processes() if status(process)[2:3] == [str(group)]]
    if True in found:
        return True
    return None if None in found else False


def _waits(process: Path, calls: dict[int, str]) -> bool | None:
    """Whether it is inside a call that waits for its terminal."""
    try:
        number, *arguments = (process / "syscall").read_text().split()
        values = [int(argument, 16) for argument in arguments]
        descriptors = _waited_for(process, calls.get(int(number), ""), values)
        return any(_is_terminal(process, descriptor) for descriptor in descriptors)
    except PermissionError:  # it is not ours to look at
        return None
    except (OSError, ValueError):  # it runs, or it ended
        return False


def _waited_for(process: Path, call: str, arguments: list[int]) -> list[int]:
    """The descriptors that a sleeping call waits to read from."""
    if call == "read":
        return arguments[:1]
    if call == "poll":
        entries = _memory(process, arguments[0], min(arguments[1], _MOST) * _POLLFD.size)
        return [descriptor for descriptor, events, _ in _POLLFD.iter_unpack(entries) if events & 1]
    if call == "select":
        count = min(arguments[0], _MOST)
        bits = (
            int.from_bytes(_memory(process, arguments[1], (count + 7) // 8), "little") if arguments[1] else 0
        )
        return [descriptor for descriptor in range(count) if bits >> descriptor & 1]
    if call == "epoll":
        watched = (process / "fdinfo" / str(arguments[0])).read_text()
        return [int(found) for found in re.findall(r"^tfd:\s*(\d+)", watched, re.MULTILINE)]
    return []


def _memory(process: Path, address: int, size: int) -> bytes:
    with (process / "mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        return memory.read(size)


def _is_terminal(process: Path, descriptor: int) -> bool:
    return (process / "fd" / str(descriptor)).readlink().as_posix().startswith(("/dev/pts/", "/dev/tty"))
