"""Confining with bubblewrap: namespaces of its own, mounts that show what the policy does, refused system calls."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import select
import shutil
import sys
import tempfile
import time
import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from computer_api.errors import UnsupportedError
from computer_api.terminal.groups import processes, status
from computer_api.terminal.sandbox import denials, landlock, seccomp, secrets
from computer_api.terminal.sandbox.mounts import View, is_reached, is_socket, needed, roots, view
from computer_api.terminal.sandbox.sandbox import ChangedError, Command, Denial, Enclosed
from computer_api.terminal.sandbox.starting import Starter

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping

    from computer_api.terminal.sandbox.policy import Network, Policy
    from computer_api.terminal.sandbox.proxy import Proxy

assert sys.platform == "linux"  # noqa: S101 - for the type checker; nobody else comes here

_ALONE = """
--unshare-user-try --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent
--cap-drop ALL --ro-bind / / --dev /dev --proc /proc
"""
_TERMINAL = "/dev/tty-sandbox"  # the real one's folder is not shown, for the others in it
_PROGRAMS = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin"
_SETSID = "import os, sys; os.setsid(); os.execv(sys.argv[1], sys.argv[1:])"
_ERRORS_TOO = 'exec "$@" 2>&1'
_SOCKETS = Path("/proc/net/unix")
_NAMES = Path("/etc/resolv.conf")
_PATIENCE = 10.0  # seconds until the program must run, on a machine that does much else
_LOOK = 0.0005
_MOST_PROCESSES = 1024


class Bwrap:
    """Confines with the program ``bwrap``; ``environment`` is the person's, for where their home is.

    Temporary files are kept from one worker to the next until ``close``, which kills what still runs.
    Raises ``UnsupportedError`` where bwrap or the processor cannot do it, or no sandbox should, as with a workspace
    that is the system itself.
    """

    name = "bwrap"

    def __init__(self, policy: Policy, *, environment: Mapping[str, str], bwrap: str | None = None) -> None:
        found = bwrap or shutil.which("bwrap", path=_PROGRAMS)
        if found is None:
            raise UnsupportedError(
                'The sandbox needs the program "bwrap", which is not there; install it: apt install bubblewrap.'
            )
        roots(policy)
        self._bwrap = found
        self._policy = policy
        self._homes = secrets.homes(environment)
        self._program = seccomp.program()
        self._starter = Starter()
        self._proxy = _proxy(policy.network)
        self._made: list[Path] = []
        self._kept: Path | None = None
        self._removed: weakref.finalize[..., Bwrap] | None = None

    @contextlib.contextmanager
    def enclose(self, command: Command) -> Iterator[Enclosed]:
        """The command as bwrap runs it, with the variables that the policy lets it have."""
        with contextlib.ExitStack() as open_until_started:
            command = self._named(replace(command, environment=secrets.environment(command.environment)))
            command = self._on_the_network(command, open_until_started)
            seen = self._view(command)
            program = open_until_started.enter_context(_in_a_file(self._program))
            complaints = open_until_started.enter_context(_in_a_file(b""))
            told, tells = os.pipe()
            open_until_started.callback(os.close, told)
            tells_once = open_until_started.enter_context(os.fdopen(tells, "wb", buffering=0))
            argv = (
                self._bwrap,
                *_ALONE.split(),
                *self._namespaces(),
                *seen.arguments(),
                *self._terminal(command),
                "--chdir",
                str(self._folder(command, seen)),
                *("--seccomp", str(program), "--info-fd", str(tells), "--"),
                *self._inside(command, seen),
            )

            def leader(process: subprocess.Popen[bytes]) -> int:
                tells_once.close()
                try:
                    return self._leader(process, told, complaints)
                except UnsupportedError as error:
                    if seen.is_outdated():
                        raise ChangedError(str(error)) from error
                    raise

            yield Enclosed(
                argv=argv,
                environment={**command.environment, "TMPDIR": "/tmp"},  # noqa: S108 - its own
                inherited=(*command.inherited, program, tells),
                leader=leader,
                spawn=self._starter,
                complaints=complaints,
            )

    def denials(self, output: str) -> tuple[Denial, ...]:
        """What the policy denied: what the proxy refused, and what the output of a failed block names."""
        refused = self._proxy.refusals() if self._proxy is not None else ()
        named = (*denials.found(output, self._policy, homes=self._homes), *refused)
        return tuple({(denial.kind, denial.what): denial for denial in named}.values())

    def close(self) -> None:
        """Kill what still runs, and remove the temporary files. Safe to call twice."""
        self._starter.close()
        if self._proxy is not None:
            self._proxy.close()
        if self._removed is not None:
            self._removed()
            self._kept = None

    def _named(self, command: Command) -> Command:
        """The command with the path of its program, which what shows it must see too."""
        program = shutil.which(command.argv[0], path=command.environment.get("PATH", os.defpath))
        if program is None:
            raise UnsupportedError(f'"{command.argv[0]}" could not be started: there is no such program.')
        program = os.path.abspath(program)  # noqa: PTH100 - a venv's interpreter is a link that must stay one
        return replace(
            command,
            argv=(program, *command.argv[1:]),
            shared=(*command.shared, *needed(program, self._homes)),
        )

    def _on_the_network(self, command: Command, open_until_started: contextlib.ExitStack) -> Command:
        """The command as it reaches what the policy lets it reach, and the desktop never."""
        if self._policy.network.mode == "on":
            return _away_from_the_desktop(command)
        if self._proxy is not None:
            return open_until_started.enter_context(self._proxy.reached_from(command))
        return command

    def _namespaces(self) -> list[str]:
        return [] if self._policy.network.mode == "on" else ["--unshare-net"]

    def _view(self, command: Command) -> View:
        """What this command sees."""
        seen = view(self._policy, self._homes, self._temporary())
        for path in seen.missing:
            with contextlib.suppress(OSError):
                path.mkdir()
                self._made.append(path)
        for path in secrets.sockets(_SOCKETS.read_text(errors="surrogateescape").splitlines()):
            if is_socket(path) and seen.sees(path) and is_reached(path):
                seen.add(path, "covered")
        launcher = needed(sys.executable, self._homes) if self._policy.network.mode != "off" else ()
        for path in (*command.shared, *launcher):
            if not seen.sees(path):
                seen.add(path, "read")
        if self._policy.network.mode == "on" and not seen.sees(_NAMES.resolve()) and _NAMES.exists():
            seen.add(_NAMES.resolve(), "read")
        for path in command.written:
            seen.add(path, "written")
        return seen

    def _temporary(self) -> Path:
        """The folder on the host that keeps what code puts into its temporary folders."""
        if self._kept is None:
            kept = Path(tempfile.mkdtemp(prefix="oi-sandbox-"))
            for name in ("tmp", "var-tmp", "cache"):
                (kept / name).mkdir(mode=0o700)
            self._removed = weakref.finalize(self, _remove, kept, self._made)
            self._kept = kept
        return self._kept

    def _folder(self, command: Command, seen: View) -> Path:
        """Where it starts: its directory, if that is seen, or the workspace."""
        wanted = command.cwd if command.cwd is not None else Path.cwd()
        return wanted if seen.has(wanted.resolve()) else self._policy.workspace

    def _terminal(self, command: Command) -> list[str]:
        return [] if command.terminal is None else ["--dev-bind", command.terminal, _TERMINAL]

    def _inside(self, command: Command, seen: View) -> list[str]:
        """What bwrap starts: the program as the leader of a session, which is how it comes to own a terminal."""
        argv = [*command.argv]
        if command.terminal is not None:  # which a program may be told in the middle of a script
            named = re.compile(re.escape(command.terminal) + r"(?!\d)")
            argv = [named.sub(_TERMINAL, word) for word in argv]
        if not seen.sees(Path(argv[0])):
            raise UnsupportedError(
                f'"{argv[0]}" could not be started: the sandbox hides the folder that it is in.'
            )
        setsid = shutil.which("setsid", path=_PROGRAMS)
        lead = [setsid] if setsid else [sys.executable, "-I", "-S", "-c", _SETSID]
        return ["/bin/sh", "-c", _ERRORS_TOO, "sh", *lead, *argv]

    def _leader(self, process: subprocess.Popen[bytes], told: int, complaints: int) -> int:
        """The program's number, once it leads its session.

        Raises ``UnsupportedError`` when bwrap ended before.
        """
        deadline = time.monotonic() + _PATIENCE
        first = _first_process(told, deadline)
        while first and time.monotonic() < deadline:
            for child in _children(first):
                with contextlib.suppress(OSError):
                    if os.getsid(child) == child:
                        _limit(child)
                        return child
            if process.poll() is not None:
                break
            time.sleep(_LOOK)
        ended = process.poll() is not None
        process.kill()
        process.wait()
        reason = _said(complaints) or ("" if ended else f"it did not begin within {_PATIENCE:g} s.")
        if not reason:  # the program has come to its end already
            return process.pid
        raise UnsupportedError(f"bwrap could not confine it: {reason}")


def _proxy(network: Network) -> Proxy | None:
    """What leads to the allowed hosts, where there are such."""
    if network.mode != "hosts":
        return None
    from computer_api.terminal.sandbox.hosts import Rules
    from computer_api.terminal.sandbox.proxy import Proxy

    return Proxy(Rules.written(network.hosts))


def _away_from_the_desktop(command: Command) -> Command:
    """The command on the network of the machine, which also leads to abstract sockets: the desktop has some."""
    try:
        return landlock.scoped(command)
    except UnsupportedError:
        if secrets.abstract_sockets(_SOCKETS.read_text(errors="surrogateescape").splitlines()):
            raise
        return command


def _remove(kept: Path, made: list[Path]) -> None:
    """Remove what the host had to have for a sandbox: temporary files, and folders that are still empty."""
    shutil.rmtree(kept, ignore_errors=True)
    for path in made:
        with contextlib.suppress(OSError):
            path.rmdir()


@contextlib.contextmanager
def _in_a_file(program: bytes) -> Iterator[int]:
    """A descriptor to read the program from."""
    descriptor = os.memfd_create("seccomp", os.MFD_CLOEXEC)
    try:
        os.write(descriptor, program)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _first_process(told: int, deadline: float) -> int:
    """The host's number of the first process in the namespace, which is bwrap's own; 0 if it never came to that."""
    said = b""
    while select.select([told], [], [], max(0.0, deadline - time.monotonic()))[0]:
        data = os.read(told, 4096)
        said += data
        with contextlib.suppress(ValueError, KeyError):
            return int(json.loads(said)["child-pid"])
        if not data:
            return 0
    return 0


def _children(process: int) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except FileNotFoundError:  # it has ended, or the kernel has no such list
        return [int(entry.name) for entry in processes() if status(entry)[1:2] == [str(process)]]
    except OSError:
        return []


def _limit(leader: int) -> None:
    """Let a fork bomb end at a number: counted in its own user namespace, and not for the administrator."""
    with contextlib.suppress(OSError, ValueError):
        resource.prlimit(leader, resource.RLIMIT_NPROC, (_MOST_PROCESSES, _MOST_PROCESSES))


def _said(complaints: int) -> str:
    """What bwrap complained of."""
    os.lseek(complaints, 0, os.SEEK_SET)
    return os.read(complaints, 4096).decode(errors="replace").strip().removeprefix("bwrap: ")
