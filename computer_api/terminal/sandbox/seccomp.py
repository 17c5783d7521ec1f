"""Which system calls confined code may make: a seccomp program, assembled here for the processor at hand.

A file system that is closed is not enough: code could trace another process, make namespaces in which it mounts what
it likes, type into the terminal of somebody else, or leave a program behind that runs as root.
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass
from typing import Literal

from computer_api.errors import UnsupportedError

Sockets = Literal["any", "internet", "none"]

# The instructions of classic BPF that are needed here: their codes, and offsets in what they look at.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_REFUSE = (_RETURN, 0, 0, _ERROR | errno.EPERM)
_PASS = (_RETURN, 0, 0, _ALLOW)
_UNKNOWN = (_RETURN, 0, 0, _ERROR | errno.ENOSYS)

Instruction = tuple[int, int, int, int]

# Other processes, and the keys of the kernel; namespaces and mounts; much of the kernel for little use, where holes
# are found; and the machine itself.
_REFUSED = """
ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd add_key request_key keyctl
mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick mount_setattr
unshare setns
bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register open_by_handle_at fanotify_init
modify_ldt uselib lookup_dcookie nfsservctl
kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff reboot acct quotactl quotactl_fd
settimeofday clock_settime syslog sethostname setdomainname iopl ioperm vhangup
"""
_SHARED_MEMORY = """
shmget shmat shmctl msgget msgsnd msgrcv semget mq_open
"""

# Calls of the same number on every processor; those below came before that was so.
_EVERYWHERE = {
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "clone3": 435, "openat2": 437, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442,
    "quotactl_fd": 443, "fchmodat2": 452, "open_tree_attr": 467,
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
}  # fmt: skip
_X86_64 = {
    "open": 2, "ioctl": 16, "shmget": 29, "shmat": 30, "shmctl": 31, "socket": 41, "socketpair": 53, "clone": 56,
    "semget": 64, "msgget": 68, "msgsnd": 69, "msgrcv": 70, "creat": 85, "chmod": 90, "fchmod": 91, "ptrace": 101,
    "syslog": 103, "mknod": 133, "uselib": 134, "vhangup": 153, "modify_ldt": 154, "pivot_root": 155, "chroot": 161,
    "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169,
    "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176,
    "quotactl": 179, "nfsservctl": 180, "lookup_dcookie": 212, "clock_settime": 227, "mq_open": 240,
    "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "openat": 257, "mknodat": 259,
    "fchmodat": 268, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300, "open_by_handle_at": 304,
    "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313,
    "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
_AARCH64 = {
    "lookup_dcookie": 18, "ioctl": 29, "mknodat": 33, "umount2": 39, "mount": 40, "pivot_root": 41, "nfsservctl": 42,
    "chroot": 51, "fchmod": 52, "fchmodat": 53, "openat": 56, "vhangup": 58, "quotactl": 60, "acct": 89, "unshare": 97,
    "kexec_load": 104, "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117,
    "reboot": 142, "sethostname": 161, "setdomainname": 162, "settimeofday": 170, "mq_open": 180, "msgget": 186,
    "msgrcv": 188, "msgsnd": 189, "semget": 190, "shmget": 194, "shmctl": 195, "shmat": 196, "socket": 198,
    "socketpair": 199, "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225,
    "perf_event_open": 241, "fanotify_init": 262, "open_by_handle_at": 265, "setns": 268, "process_vm_readv": 270,
    "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    """How the kernel names a processor, the numbers of its calls, and from where on they are of another kind."""

    architecture: int
    numbers: dict[str, int]
    foreign: int | None = None


_MACHINES = {
    # From there on x86_64 has the numbers of x32 programs: the same calls once more, which no rule below would meet.
    "x86_64": _Machine(architecture=0xC000003E, numbers=_EVERYWHERE | _X86_64, foreign=0x40000000),
    "aarch64": _Machine(architecture=0xC00000B7, numbers=_EVERYWHERE | _AARCH64),
}

_NAMESPACES = 0x7E020000  # the flags of clone that make one
_TYPE_INTO, _TYPE_INTO_CONSOLE = 0x5412, 0x541C  # TIOCSTI and TIOCLINUX
_SETUID_OR_SETGID = 0o6000
_CREATE = 0o100 | 0o20000000  # O_CREAT, and what O_TMPFILE adds to O_DIRECTORY
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_DATAGRAM = 2


def program(
    *, sockets: Sockets = "any", shared_memory: bool = True, machine: str = platform.machine()
) -> bytes:
    """The program, as an array of ``struct sock_filter``. What it refuses fails with EPERM.

    ``sockets`` says which may be made: "any" of Unix, Internet and routing ones, those of the "internet" only, or
    "none". Without ``shared_memory`` System V's and POSIX's queues and segments are refused too, for use without
    an ipc namespace. Raises ``UnsupportedError`` for a processor whose calls are not known.
    """
    known = _MACHINES.get(machine)
    if known is None:
        raise UnsupportedError(
            f'System calls cannot be confined on the processor "{machine}"; known are {", ".join(_MACHINES)}.'
        )
    rules: dict[str, list[Instruction]] = {name: [_REFUSE] for name in _REFUSED.split()}
    rules |= {name: [_REFUSE] for name in _SHARED_MEMORY.split() if not shared_memory}
    rules |= _rules_by_argument()
    rules |= {"socket": _families(sockets)}
    if sockets != "any":
        rules |= {"socketpair": _pairs()}
    # What a rule would have to look at lies in memory, where it may change meanwhile: libraries know what to do.
    rules |= {"clone3": [_UNKNOWN], "openat2": [_UNKNOWN]}
    instructions = _head(known)
    for name, rule in rules.items():
        if name in known.numbers:
            instructions += [(_EQUAL, 0, len(rule), known.numbers[name]), *rule]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in [*instructions, _PASS])


def _head(machine: _Machine) -> list[Instruction]:
    """Kill what is of another processor, refuse foreign numbers, and load the number."""
    head = [
        _load(_ARCHITECTURE),
        (_EQUAL, 1, 0, machine.architecture),
        (_RETURN, 0, 0, _KILL),
        _load(_NUMBER),
    ]
    if machine.foreign is not None:
        head += [(_AT_LEAST, 0, 1, machine.foreign), _REFUSE]
    return head


def _rules_by_argument() -> dict[str, list[Instruction]]:
    """Calls that are refused with some arguments only."""
    modes = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mknod": 1, "mknodat": 2}
    return {
        "clone": _unless_bits(0, _NAMESPACES),
        "ioctl": [
            _load(_argument(1)),
            (_EQUAL, 1, 0, _TYPE_INTO),
            (_EQUAL, 0, 1, _TYPE_INTO_CONSOLE),
            _REFUSE,
            _PASS,
        ],
        **{name: _unless_bits(number, _SETUID_OR_SETGID) for name, number in modes.items()},
        "open": _opening(flags=1),
        "openat": _opening(flags=2),
    }


def _opening(*, flags: int) -> list[Instruction]:
    """A file may not be made as one that runs as its owner; the mode counts only where one is made."""
    return [
        _load(_argument(flags)),
        (_ANY_BIT, 1, 0, _CREATE),
        _PASS,
        *_unless_bits(flags + 1, _SETUID_OR_SETGID),
    ]


def _families(sockets: Sockets) -> list[Instruction]:
    """Sockets of the allowed families; of netlink only what tells addresses and routes.

    All others lead out of the namespaces (to the host of a virtual machine), or to parts of the kernel that few use.
    """
    families = {"any": (_UNIX, _INET, _INET6), "internet": (_INET, _INET6), "none": ()}[sockets]
    netlink = (
        [] if sockets == "none" else [(_EQUAL, 0, 3, _NETLINK), _load(_argument(2)), (_EQUAL, 0, 1, 0), _PASS]
    )
    checks: list[Instruction] = [_load(_argument(0))]
    for family in families:
        checks += [(_EQUAL, 0, 1, family), _PASS]
    return [*checks, *netlink, _REFUSE]


def _pairs() -> list[Instruction]:
    """Pairs of Unix sockets, but of datagrams, which could be sent to any path."""
    return [_load(_argument(1)), (_AND, 0, 0, 0xF), (_EQUAL, 0, 1, _DATAGRAM), _REFUSE, _PASS]


def _unless_bits(argument: int, bits: int) -> list[Instruction]:
    return [_load(_argument(argument)), (_ANY_BIT, 0, 1, bits), _REFUSE, _PASS]


def _argument(number: int) -> int:
    """Where the lower half of an argument is, on processors that put it first."""
    return 16 + 8 * number


def _load(offset: int) -> Instruction:
    return (_LOAD, 0, 0, offset)
