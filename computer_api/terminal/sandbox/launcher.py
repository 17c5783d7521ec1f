"""Stands before a command inside its sandbox: confines this process, then becomes the command.

Run as ``python -I -S launcher.py WHAT -- command argument ...``. ``WHAT`` is ``=`` and the hexadecimal form, or the
number of a descriptor to read it from, of a marshalled dictionary (the Python that reads it is the one that wrote it)
with any of these, which are acted on in this order:

- ``listen``: ``{"descriptor": n, "port": n}``: listen on 127.0.0.1, send the listening socket to who holds the other
  end of the descriptor, wait for the answer, and close both: connections are accepted outside.
- ``powerless``: true: give up the capabilities that root has.
- ``landlock``: ``{"files": bits, "network": bits, "scoped": bits, "rules": [[path, bits], ...], "of_files": bits}``:
  the rights that are taken away, where which of them are given back, and those that a single file can have.
- ``filter``: a seccomp program.

It has the process number that the command will have. Standard library only, and of that the parts in C: with json,
signal, socket and ctypes for those who need none, each start would take 20 ms longer.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found, unused-ignore] # not in every typeshed
import _socket
import marshal
import os
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
_KIND_OF_FILE, _FOLDER = 0o170000, 0o040000
_COULD_NOT, _NOT_FOUND = 125, 127  # what env and timeout exit with when they, or the command, failed


def _main() -> None:
    what, separator, *command = sys.argv[1:]
    if separator != "--" or not command:
        sys.exit("launcher: give it what to do, --, and a command.")
    try:
        _confine(marshal.loads(_read(what)))  # noqa: S302 - written by who started this
        _undo_what_python_did()
    except OSError as error:
        why = error.strerror or error
        sys.stderr.write(f'"{command[0]}" was not started, for it could not be confined: {why}.\n')
        sys.exit(_COULD_NOT)
    try:
        os.execvp(command[0], command)  # noqa: S606 - that is what it is for
    except OSError as error:
        sys.stderr.write(f'"{command[0]}" could not be started: {error.strerror}.\n')
        sys.exit(_NOT_FOUND)


def _read(what: str) -> bytes:
    if what.startswith("="):
        return bytes.fromhex(what[1:])
    with open(int(what), "rb") as file:  # noqa: PTH123 - it has no path
        return file.read()


def _undo_what_python_did() -> None:
    """What it ignores or sets for itself would stay so for the command."""
    _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)
    with open("/proc/self/environ", "rb") as environment:  # noqa: PTH123 - pathlib takes long to import
        if not any(pair.startswith(b"LC_CTYPE=") for pair in environment.read().split(b"\0")):
            os.environ.pop("LC_CTYPE", None)


def _confine(what: dict[str, Any]) -> None:
    if "listen" in what:
        _listen(**what["listen"])
    if len(what) > ("listen" in what):
        kernel = _Kernel()
        if what.get("powerless"):
            _give_up_capabilities(kernel)
        kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1)
        if "landlock" in what:
            _restrict(kernel, **what["landlock"])
        if "filter" in what:
            kernel.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, kernel.program(what["filter"]))


def _listen(descriptor: int, port: int) -> None:
    control = _socket.socket(fileno=descriptor)
    listening = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listening.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(128)
    sent = listening.fileno().to_bytes(4, sys.byteorder)
    try:
        control.sendmsg([b"l"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, sent)])
        answer = control.recv(1)
    except ConnectionError:
        answer = b""
    if not answer:
        raise OSError("the proxy that it would reach the network through is gone")
    listening.close()
    control.close()


class _Kernel:
    """What Python has no function for."""

    def __init__(self) -> None:
        import ctypes
        from struct import pack

        self._types = ctypes
        self.pack = pack
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.syscall.restype = ctypes.c_long

    def call(self, number: int, *arguments: int | bytes) -> int:
        """Call it. Raises ``OSError`` when it fails."""
        return self._checked(self._libc.syscall(*self._wide(number, *arguments)))

    def prctl(self, option: int, *arguments: int | bytes) -> None:
        """Have the process that way. Raises ``OSError`` when that fails."""
        missing = 4 - len(arguments)
        self._checked(self._libc.prctl(option, *self._wide(*arguments, *[0] * missing)))

    def capset(self, header: bytes, sets: bytes) -> None:
        """Have these capabilities. Raises ``OSError`` when that fails."""
        self._checked(self._libc.capset(header, sets))

    def program(self, instructions: bytes) -> bytes:
        """What seccomp wants: how many instructions there are, and where."""
        self._kept = self._types.create_string_buffer(instructions, len(instructions))
        count = len(instructions) // _BYTES_OF_AN_INSTRUCTION
        return self.pack("@HP", count, self._types.addressof(self._kept))

    def _wide(self, *arguments: int | bytes) -> list[object]:
        """Numbers as wide as a register: to what is variadic, no type is told."""
        return [self._types.c_long(one) if isinstance(one, int) else one for one in arguments]

    def _checked(self, result: int) -> int:
        if result < 0:
            number = self._types.get_errno()
            raise OSError(number, os.strerror(number))
        return result


def _give_up_capabilities(kernel: _Kernel) -> None:
    kernel.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(_MOST_CAPABILITIES):
        try:
            kernel.prctl(_PR_CAPBSET_DROP, capability)
        except OSError:  # this process has none to give up, or there are no more
            break
    kernel.capset(kernel.pack("=Ii", _CAPABILITY_VERSION_3, 0), bytes(24))


def _restrict(
    kernel: _Kernel, *, files: int, network: int, scoped: int, rules: list[tuple[str, int]], of_files: int
) -> None:
    asked = kernel.pack("=QQQ", files, network, scoped)
    ruleset = kernel.call(_CREATE_RULESET, asked, len(asked), 0)
    for path, allowed in rules:
        _allow(kernel, ruleset, path, allowed, of_files)
    kernel.call(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(kernel: _Kernel, ruleset: int, path: str, allowed: int, of_files: int) -> None:
    how = kernel.pack("=QQQ", os.O_PATH | os.O_CLOEXEC, 0, _RESOLVE_NO_SYMLINKS)
    try:
        descriptor = kernel.call(_OPENAT2, _AT_FDCWD, os.fsencode(path), how, len(how))
    except OSError:
        return  # it is not there any more, or a link by now: it stays out of reach
    if os.fstat(descriptor).st_mode & _KIND_OF_FILE != _FOLDER:
        allowed &= of_files
    kernel.call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, kernel.pack("=Qi", allowed, descriptor), 0)
    os.close(descriptor)


if __name__ == "__main__":
    _main()
