"""The parent of everything on a private desktop: starts programs, and ends them all with its owner.

Run as a script by ``private.py``, as ``python -I -S guardian.py OWNER_PID FOLDER``, with a socket as
standard input. Each line that comes in is a JSON request ``{"argv": [...], "environment": {...}}``,
with ``"service": true`` for what must outlive the programs, ``"log": PATH`` for its complaints, and
``"ready": PATH`` for a pipe to write to, whose number replaces ``READY`` in the arguments. Each is
answered by ``{"pid": N}`` or ``{"error": "...", "errno": N, "missing": true}``. Of a program started
with ``"kept": true``, ``{"ended": PID}`` asks how it has ended: ``{"code": N, "complaints": "..."}``
with the last that it wrote to standard error, or ``{}`` while it runs.

It runs in a process of its own because a process that is killed cannot clean up after itself.
When the socket closes or the owner dies it ends every descendant - it is their subreaper, so a
program that starts a session of its own does not get away - and removes the folder. Standard
library only: it starts in 20 ms and must not depend on an environment that may be half removed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # by hand: importing typing would double the time this takes to start
    from collections.abc import Callable

assert sys.platform == "linux"  # noqa: S101 - tells the type checker

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PROGRAM_GRACE = 0.15  # seconds a program gets to save its profile after SIGTERM
COMPLAINT = 2000  # bytes of a program's complaints that are kept
SERVICE_GRACE = 0.3  # the X server removes its socket and lock file in this time


def main(owner: int, folder: str) -> None:
    """Serve the owner until it hangs up or dies, then end everything."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    services: set[int] = set()
    try:
        serve(socket.socket(fileno=0), owner, services, libc)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        end_everything(services)
        shutil.rmtree(folder, ignore_errors=True)


def serve(requests: socket.socket, owner: int, services: set[int], libc: ctypes.CDLL) -> None:
    """Answer requests until the owner is gone."""
    owner_ends = os.pidfd_open(owner)
    if os.getppid() != owner:  # it died before we looked; the number may be another's by now
        return
    complaints = Complaints()
    child_ends, child_ended = socket.socketpair()
    os.set_blocking(child_ended.fileno(), False)
    signal.set_wakeup_fd(child_ended.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    buffered = b""
    while True:
        ready, _, _ = select.select(
            [requests.fileno(), owner_ends, child_ends.fileno(), *complaints.pipes], [], []
        )
        complaints.read(ready)
        if child_ends.fileno() in ready:
            child_ends.recv(4096)
            complaints.note(reap())
        if owner_ends in ready:
            return
        if requests.fileno() in ready:
            received = requests.recv(1 << 16)
            if not received:
                return
            *lines, buffered = (buffered + received).split(b"\n")
            for line in lines:
                request = json.loads(line)
                if "ended" in request:
                    reply = complaints.of(request["ended"])
                else:
                    reply = start(request, services, complaints, libc)
                requests.sendall(json.dumps(reply).encode() + b"\n")


class Complaints:
    """The end of what programs wrote to standard error, and their exit codes: kept in memory, a little of each."""

    def __init__(self) -> None:
        self._codes: dict[int, int] = {}
        self.pipes: dict[int, int] = {}  # our end of each, and whose it is
        self._written: dict[int, bytes] = {}

    def keep(self, pid: int, pipe: int) -> None:
        """From now on read what this program writes."""
        self._codes.pop(pid, None)  # of an earlier one with this number
        self._written[pid] = b""
        self.pipes[pipe] = pid

    def drop(self, pipe: int) -> None:
        """Close a pipe that no program came to write to."""
        if pipe not in self.pipes:
            os.close(pipe)

    def read(self, ready: list[int]) -> None:
        """Take in what has been written."""
        for pipe in [one for one in ready if one in self.pipes]:
            written = os.read(pipe, 1 << 16)
            pid = self.pipes[pipe]
            self._written[pid] = (self._written[pid] + written)[-COMPLAINT:]
            if not written:
                del self.pipes[pipe]
                os.close(pipe)

    def note(self, codes: dict[int, int]) -> None:
        """Some children have ended; remember it of those whose complaints are kept."""
        self._codes.update({pid: code for pid, code in codes.items() if pid in self._written})

    def of(self, pid: int) -> dict:  # type: ignore[type-arg]  # JSON
        """How a program has ended; nothing while it runs, or when its number was never kept."""
        if pid not in self._codes:
            return {}
        self.read(select.select(list(self.pipes), [], [], 0)[0])
        return {"code": self._codes[pid], "complaints": self._written[pid].decode("utf-8", "replace")}


def start(request: dict, services: set[int], complaints: Complaints, libc: ctypes.CDLL) -> dict:  # type: ignore[type-arg]  # JSON
    """Start one program in a session of its own; it dies with this process whatever happens."""
    guardian = os.getpid()

    def die_with_guardian() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != guardian:
            os._exit(1)

    try:
        with contextlib.ExitStack() as files:
            log = files.enter_context(open(request.get("log", os.devnull), "wb"))  # noqa: PTH123 - quick start
            ready = files.enter_context(open(request.get("ready", os.devnull), "wb"))  # noqa: PTH123 - quick start
            pipe = os.pipe() if request.get("kept") else None
            if pipe is not None:
                files.callback(os.close, pipe[1])
                files.callback(complaints.drop, pipe[0])
            process = subprocess.Popen(
                argv(request, ready.fileno()),
                env=request["environment"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log if pipe is None else pipe[1],
                pass_fds=[ready.fileno()] if "ready" in request else [],
                start_new_session=True,
                preexec_fn=die_with_guardian,  # noqa: PLW1509 - this process has one thread
            )
            if pipe is not None:
                complaints.keep(process.pid, pipe[0])
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        number = getattr(error, "errno", None) or 0
        return {"error": why, "errno": number, "missing": isinstance(error, FileNotFoundError)}
    process.returncode = 0  # reaped below with all others, adopted ones included
    if request.get("service"):
        services.add(process.pid)
    return {"pid": process.pid}


def argv(request: dict, ready: int) -> list[str]:  # type: ignore[type-arg]  # JSON
    """The program and its arguments, told which file to write to when it is ready."""
    if "ready" not in request:
        return list(request["argv"])
    return [part.replace("READY", str(ready)) for part in request["argv"]]


def reap() -> dict[int, int]:
    """Collect every child that has ended: their exit codes."""
    codes: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0] != 0:
            codes[ended[0]] = os.waitstatus_to_exitcode(ended[1])
    return codes


def end_everything(services: set[int]) -> None:
    """Programs first, while the X server and the bus still answer them; then the services."""
    end(lambda: descendants() - services, PROGRAM_GRACE)
    end(descendants, SERVICE_GRACE)
    reap()


def end(find: Callable[[], set[int]], grace: float) -> None:
    """SIGTERM, and SIGKILL for what is still there after the grace; until none is left."""
    deadline = time.monotonic() + grace
    asked: set[int] = set()
    while alive := find():
        late = time.monotonic() > deadline
        for pid in alive if late else alive - asked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL if late else signal.SIGTERM)
        asked |= alive
        reap()
        if late and time.monotonic() > deadline + 2:
            return  # one that cannot be killed: it waits in the kernel, or is another user's
        time.sleep(0.005)


def descendants() -> set[int]:
    """All processes below this one, ended ones not yet collected excepted."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib is a slow import
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - see above
                state, parent = file.read().rpartition(b")")[2].split()[:2]  # the name may hold anything
                if state != b"Z":
                    children.setdefault(int(parent), []).append(int(name))
    found: set[int] = set()
    level = [os.getpid()]
    while level:
        level = [child for parent in level for child in children.get(parent, [])]
        found.update(level)
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
