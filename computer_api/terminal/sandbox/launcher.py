"""Stands before a command inside its sandbox: confines this process, then becomes the command.

Run as ``python -I -S launcher.py WHAT -- command argument ...``. ``WHAT`` is JSON, or the number of a descriptor to
read it from, of an object with any of these members, which are acted on in this order:

- ``listen``: ``{"descriptor": n, "port": n}``: listen on 127.0.0.1, send the listening socket to who holds the other
  end of the descriptor, wait for the answer, and close both: connections are accepted outside.
- ``powerless``: true: give up the capabilities that root has.
- ``landlock``: ``{"files": bits, "network": bits, "scoped": bits, "rules": [[path, bits], ...], "of_files": bits}``:
  the rights that are taken away, where which of them are given back, and those that a single file can have.
- ``filter``: a seccomp program, in base 64.

It has the process number that the command will have. Standard library only; what it imports, it pays for at each start.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import stat
import sys

assert sys.platform == "linux"  # noqa: S101 - for the type checker; it runs nowhere else

TYPE_CHECKING = False  # importing typing takes longer than all that is done here
if TYPE_CHECKING:
    from typing import Any

# The same on every machine that Linux runs on today.
_OPENAT2 = 437
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_RESOLVE_NO_SYMLINKS = 4
_AT_FDCWD = -100
_PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 22, 24, 38, 47
_SECCOMP_MODE_FILTER = 2
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64
_BYTES_OF_AN_INSTRUCTION = 8
_COULD_NOT, _NOT_FOUND = 125, 127  # what env and timeout exit with when they, or the command, failed

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


class _HowToOpen(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


def _main() -> None:
    what, separator, *command = sys.argv[1:]
    if separator != "--" or not command:
        sys.exit("launcher: give it what to do, --, and a command.")
    try:
        _confine(json.loads(_read(int(what)) if what.isdigit() else what))
        _undo_what_python_did()
    except OSError as error:
        sys.stderr.write(
            f'"{command[0]}" was not started, for it could not be confined: {error.strerror or error}.\n'
        )
        sys.exit(_COULD_NOT)
    try:
        os.execvp(command[0], command)  # noqa: S606 - that is what it is for
    except OSError as error:
        sys.stderr.write(f'"{command[0]}" could not be started: {error.strerror}.\n')
        sys.exit(_NOT_FOUND)


def _undo_what_python_did() -> None:
    """What it ignores or sets for itself would stay so for the command."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    with open("/proc/self/environ", "rb") as environment:  # noqa: PTH123 - pathlib takes long to import
        if not any(pair.startswith(b"LC_CTYPE=") for pair in environment.read().split(b"\0")):
            os.environ.pop("LC_CTYPE", None)


def _read(descriptor: int) -> bytes:
    with open(descriptor, "rb") as file:
        return file.read()


def _confine(what: dict[str, Any]) -> None:
    if "listen" in what:
        _listen(**what["listen"])
    if what.get("powerless"):
        _give_up_capabilities()
    if "landlock" in what or "filter" in what:
        _checked(_prctl(_PR_SET_NO_NEW_PRIVS, 1))
    if "landlock" in what:
        _restrict(**what["landlock"])
    if "filter" in what:
        _filter(what["filter"])


def _listen(descriptor: int, port: int) -> None:
    import socket

    with socket.socket(fileno=descriptor) as control, socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(128)
        socket.send_fds(control, [b"l"], [listening.fileno()])
        if not control.recv(1):
            raise OSError("the proxy that it would reach the network through is gone")


def _give_up_capabilities() -> None:
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(_MOST_CAPABILITIES):
        _prctl(_PR_CAPBSET_DROP, capability)  # refused to who has none, and for numbers that there are not
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _checked(_libc.capset(header, (ctypes.c_uint32 * 6)()))


def _restrict(*, files: int, network: int, scoped: int, rules: list[tuple[str, int]], of_files: int) -> None:
    asked = _Ruleset(files, network, scoped)
    ruleset = _syscall(_CREATE_RULESET, ctypes.byref(asked), ctypes.sizeof(asked), 0)
    for path, allowed in rules:
        _allow(ruleset, path, allowed, of_files)
    _syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, allowed: int, of_files: int) -> None:
    how = _HowToOpen(os.O_PATH | os.O_CLOEXEC, 0, _RESOLVE_NO_SYMLINKS)
    try:
        descriptor = _syscall(_OPENAT2, _AT_FDCWD, os.fsencode(path), ctypes.byref(how), ctypes.sizeof(how))
    except OSError:
        return  # it is not there any more, or a link by now: it stays out of reach
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        allowed &= of_files
    rule = _PathBeneath(allowed, descriptor)
    _syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(descriptor)


def _filter(encoded: str) -> None:
    import binascii

    program = binascii.a2b_base64(encoded)
    given = _Filter(len(program) // _BYTES_OF_AN_INSTRUCTION, program)
    _checked(_prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(given)))


def _prctl(option: int, *arguments: object) -> int:
    given = (*map(_wide, arguments), *[ctypes.c_long(0)] * (4 - len(arguments)))
    return int(_libc.prctl(option, *given))


def _syscall(number: int, *arguments: object) -> int:
    return _checked(int(_libc.syscall(_wide(number), *map(_wide, arguments))))


def _wide(argument: object) -> object:
    """A number as wide as a register: what is variadic is not told its type."""
    return ctypes.c_long(argument) if isinstance(argument, int) else argument


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    _main()
