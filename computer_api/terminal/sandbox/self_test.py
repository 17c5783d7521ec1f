"""Trying a sandbox out before it is trusted: a program in it does what it must not be able to."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.place import Place, start
from computer_api.terminal.sandbox.sandbox import Command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from computer_api.terminal.sandbox.policy import Policy
    from computer_api.terminal.sandbox.sandbox import Sandbox

assert sys.platform != "win32"  # noqa: S101 - for the type checker; Windows never comes here

# Only what is built into the interpreter: it is started for this alone.
_PROGRAM = """
import os, sys, fcntl, _socket
marker, secret, port, abstract, *outside = sys.argv[1:]
def leaks(what, attempt):
    try:
        attempt()
    except OSError:
        return
    print(what, flush=True)
def connect(family, address):
    _socket.socket(family).connect(address)
def type_in():
    try:
        fcntl.ioctl(0, 0x5412, b"x")
    except OSError as error:
        if error.errno == 1:
            raise
for path in outside:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
    except OSError:
        pass
leaks("it could read a file in another program's folder", lambda: os.open(secret, os.O_RDONLY))
leaks("it could make system calls that type into terminals", type_in)
if port:
    leaks("it could connect to this machine", lambda: connect(2, ("127.0.0.1", int(port))))
if abstract:
    leaks("it could connect to a socket as the desktop has one", lambda: connect(1, "\\0" + abstract))
if marker in os.environ.values():
    print("it has variables that it should not have", flush=True)
print("done", flush=True)
"""
_PATIENCE = 20.0


def leaks(sandbox: Sandbox, policy: Policy, environment: Mapping[str, str]) -> tuple[str, ...]:
    """What the sandbox let through, each in a few words: nothing, if it holds.

    Raises ``UnsupportedError`` with the reason when nothing can be run in it at all.
    """
    with contextlib.ExitStack() as targets:
        marker = secrets.token_hex(8)
        outside = [folder / f".oi-self-test-{marker}" for folder in (_home(environment), Path("/dev/shm"))]  # noqa: S108
        for path in outside:
            targets.callback(_remove, path)
        folder = Path(targets.enter_context(tempfile.TemporaryDirectory(prefix="oi-self-test-")))
        secret = folder / "secret"
        secret.write_text(marker)
        port = (
            "" if policy.network.mode == "on" else str(targets.enter_context(_listening()).getsockname()[1])
        )
        abstract = targets.enter_context(_abstract(marker)) if sys.platform == "linux" else ""
        given = {**environment, "OI_SELF_TEST_TOKEN": marker}
        argv = (sys.executable, "-I", "-S", "-c", _PROGRAM, marker, str(secret), port, abstract)
        said = _said(sandbox, policy, given, (*argv, *map(str, outside)))
        found = [f"it could write to {path}" for path in outside if path.exists()]
    if said[-1:] != ["done"]:
        raise UnsupportedError(
            f"a program in it did not come to its end: {' '.join(said)[-300:] or 'it said nothing'}."
        )
    return (*said[:-1], *found)


def _said(
    sandbox: Sandbox, policy: Policy, environment: Mapping[str, str], argv: tuple[str, ...]
) -> list[str]:
    """The lines that it prints in the sandbox."""
    place = Place(cwd=policy.workspace, environment=environment, sandbox=sandbox)
    reads, writes = os.pipe()
    with os.fdopen(reads, errors="replace") as output:
        try:
            command = Command(argv=argv, environment=environment, cwd=policy.workspace)
            started = start(place, command, output=writes)
        finally:
            os.close(writes)
        lines = output.read().splitlines()
        started.process.wait(_PATIENCE)
    return lines


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())


def _listening() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


@contextlib.contextmanager
def _abstract(name: str) -> Iterator[str]:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0oi-self-test-{name}")
        listening.listen()
        yield f"oi-self-test-{name}"
