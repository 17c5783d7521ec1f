"""Landlock: real attempts to get out, each of which succeeds without it; as root and as an ordinary user."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import alive

from computer_api.errors import UnsupportedError
from computer_api.terminal import Terminal
from computer_api.terminal.sandbox import Command, Network, Policy, Unconfined
from computer_api.terminal.sandbox.landlock import Landlock, abi, largest_without, scoped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from computer_api.terminal.sandbox.sandbox import Sandbox

pytestmark = [
    pytest.mark.skipif(abi() < 6, reason="this kernel has no Landlock 6"),
    pytest.mark.skipif(
        platform.machine() != "x86_64", reason="the attempts have the numbers of x86_64's calls"
    ),
]

SECONDS = 60
ROOT = "as root"
USER = "as an ordinary user"
NOBODY = 65534
# What cannot work even without a sandbox on machines that forbid it to everybody.
DEPENDS_ON_THE_MACHINE = {
    "make a user namespace",
    "trace another process",
    "set up io_uring",
    "type into its terminal",
}

# Each is code; one that ends without an exception got what it must not get.
ATTEMPTS = {
    "make a file outside": "open(OUT + '/new', 'w')",
    "append to a file outside": "open(OUT + '/kept', 'a').write('x')",
    "empty a file outside": "os.truncate(OUT + '/kept', 0)",
    "empty a file outside by opening it": "os.open(OUT + '/kept', os.O_RDONLY | os.O_TRUNC)",
    "write outside through a link": "os.symlink(OUT + '/kept', 'link'); open('link', 'a').write('x')",
    "delete a file outside": "os.unlink(OUT + '/deleted')",
    "rename a file outside into the workspace": "os.rename(OUT + '/renamed', 'renamed')",
    "put a file of ours outside": "open('mine', 'w').close(); os.rename('mine', OUT + '/mine')",
    "make a folder outside": "os.mkdir(OUT + '/folder')",
    "make a link outside": "os.symlink('/etc/passwd', OUT + '/linked')",
    "remove a folder outside": "os.rmdir(OUT + '/empty')",
    "write to the home": "open(HOME + '/.bashrc', 'a').write('evil')",
    "read a key": "open(HOME + '/.ssh/id_ed25519').read()",
    "read a password file": "open(HOME + '/.netrc').read()",
    "read a start-up file": "open(HOME + '/.bashrc').read()",
    "read a key through a link": "os.symlink(HOME + '/.ssh', 'keys'); open('keys/id_ed25519').read()",
    "read a key through a new name": "os.link(HOME + '/.netrc', 'netrc'); open('netrc').read()",
    "read a key through the root of a process": "open(f'/proc/{OTHER}/root{HOME}/.netrc').read()",
    "read another's temporary file": "open(OUT + '/kept').read()",
    "run a program of the home's hidden part": "subprocess.run([HOME + '/.tools/true'], check=True)",
    "read the environment of another process": "open(f'/proc/{OTHER}/environ').read()",
    "read the memory of another process": "open(f'/proc/{OTHER}/mem', 'rb')",
    "read the memory of another process by a call": "called(310, OTHER, vector(buffer), 1, vector(ADDRESS), 1, 0)",
    "see what another process has open": "os.readlink(f'/proc/{OTHER}/fd/0')",
    "open the program that another process runs": "os.open(f'/proc/{OTHER}/exe', os.O_RDONLY)",
    "trace another process": "called(101, 16, OTHER, 0, 0)",
    "signal another process": "os.kill(OTHER, signal.SIGCONT)",
    "signal another process's group": "os.killpg(OTHER, signal.SIGCONT)",
    "signal another process by descriptor": "signal.pidfd_send_signal(os.pidfd_open(OTHER), signal.SIGCONT)",
    "connect by TCP": "socket.create_connection(('127.0.0.1', PORT), 5)",
    "serve by TCP": "socket.create_server(('127.0.0.1', 0))",
    "send by UDP": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))",
    "ask the kernel for routes": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)",
    "connect to a socket with a path": "socket.socket(socket.AF_UNIX).connect(OUT + '/socket')",
    "connect to an abstract socket": "socket.socket(socket.AF_UNIX).connect(chr(0) + ABSTRACT)",
    "send to a socket with a path from a pair": (
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', OUT + '/datagrams')"
    ),
    "open another's terminal": "os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY)",
    "make a terminal": "os.openpty()",
    "type into its terminal": "fcntl.ioctl(os.open('/dev/tty', os.O_RDWR), termios.TIOCSTI, b'x')",
    "make a user namespace": "called(272, 0x10000000)",
    "share memory with others": "called(31, libc.syscall(29, 0, 4096, 0o600), 0, 0)",
    "share memory with others by name": "n = f'/dev/shm/oi-{os.getpid()}'; open(n, 'x'); os.unlink(n)",
    "set up io_uring": "called(425, 4, ctypes.create_string_buffer(120))",
    "leave a program that runs as us": "open('left', 'w').close(); os.chmod('left', 0o4755)",
    "read variables with keys": "os.environ['OPENAI_API_KEY']",
}
ATTEMPTS_OF_ROOT = {
    "make a device": "os.mknod('device', 0o60600, os.makedev(1, 3))",
    "mount": "os.mkdir('m'); called(165, b'none', b'm', b'tmpfs', 0, 0); called(166, b'm', 2)",
    "change the root": "os.chroot('.')",
    "read the passwords of the system": "open('/etc/shadow').read()",
    "write to a setting of the kernel": "open('/proc/sys/kernel/core_pattern', 'a')",
    "become somebody else": "os.setuid(1)",
}
ERRANDS = {
    "read the system": "open('/etc/passwd').read(); open('/usr/bin/env', 'rb').read(1); os.listdir('/usr')",
    "list the home": "assert 'notes.txt' in os.listdir(HOME)",
    "read what is not hidden": "open(HOME + '/notes.txt').read()",
    "write and read in the workspace": "os.makedirs('a/b'); open('a/b/c', 'w').write('x'); open('a/b/c').read()",
    "move between its folders": "os.makedirs('d'); open('e', 'w').close(); os.rename('e', 'd/e')",
    "remove there": "open('f', 'w').close(); os.unlink('f'); os.mkdir('g'); os.rmdir('g')",
    "write to a temporary file": "import tempfile; tempfile.NamedTemporaryFile().write(b'x')",
    "throw away": "open('/dev/null', 'w').write('x'); os.urandom(1); open('/dev/urandom', 'rb').read(1)",
    "run threads and programs": (
        "import threading; t = threading.Thread(target=subprocess.run, args=(['true'],)); t.start(); t.join()"
    ),
    "speak through a pair of sockets": "a, b = socket.socketpair(); a.send(b'x'); b.recv(1)",
    "keep a repository": (
        "subprocess.run('git init -q . && git add -A . && git -c user.name=a -c user.email=a@b commit -qm x',"
        " shell=True, check=True)"
    ),
    "run bash with a document": (
        "subprocess.run(['bash', '-c', 'cat <<X | grep -q word\\nword\\nX'], check=True)"
    ),
    "signal what it started": "p = subprocess.Popen(['sleep', '100']); p.terminate(); assert p.wait() == -15",
    "have modes and times": "open('h', 'w').close(); os.chmod('h', 0o755); os.utime('h')",
}
LEAVES = """
import subprocess
with open("pid", "w") as file:
    file.write(str(subprocess.Popen(["sleep", "1000"], start_new_session=True).pid))
"""
TRY = """
import ctypes, fcntl, json, os, resource, signal, socket, subprocess, sys, termios
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
buffer = ctypes.create_string_buffer(1)
def vector(at):
    return (ctypes.c_uint64 * 2)(at if isinstance(at, int) else ctypes.addressof(at), 1)
def called(number, *arguments):
    arguments = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    if libc.syscall(ctypes.c_long(number), *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
given = json.load(sys.stdin)
def tried(code):
    try:
        exec(code, {**globals(), **given["names"]})
        return ""
    except (OSError, AssertionError, KeyError, subprocess.CalledProcessError) as error:
        return repr(error)
def apart(code):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, tried(code).encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as told:
        said = told.read()
    return said if os.waitpid(child, 0)[1] == 0 else "it ended"
print(json.dumps({name: apart(code) for name, code in given["attempts"].items()}))
"""


@dataclass(frozen=True, kw_only=True)
class World:
    """A person's machine in small: a home with secrets, a workspace, and a folder of others."""

    folder: Path
    names: dict[str, object]
    user: int

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def workspace(self) -> Path:
        return self.folder / "home" / "work"

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": os.defpath, "HOME": str(self.home), "OPENAI_API_KEY": "secret"}

    def sandbox(self, network: Network | None = None, access: str = "workspace-write") -> Landlock:
        policy = Policy(
            access="read-only" if access == "read-only" else "workspace-write",
            workspace=self.workspace,
            network=network or Network(),
        )
        sandbox = Landlock(policy, environment=self.environment)
        os.chown(sandbox._temporary, self.user, -1)
        return sandbox

    def run(self, sandbox: Sandbox, *argv: str, given: str = "", check: bool = True) -> str:
        """Run it to its end, as the world's user."""
        command = Command(argv=argv, environment=self.environment, cwd=self.workspace)
        with sandbox.enclose(command) as enclosed:
            done = subprocess.run(
                self.as_user(enclosed.argv),
                input=given,
                capture_output=True,
                text=True,
                cwd=self.workspace,
                env=dict(enclosed.environment),
                pass_fds=enclosed.inherited,
                timeout=SECONDS,
                check=False,
                start_new_session=True,
            )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def as_user(self, argv: tuple[str, ...]) -> list[str]:
        if self.user == os.getuid():
            return list(argv)
        own = [python_of_everybody() if word == sys.executable else word for word in argv]
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--", *own]

    def tried(self, sandbox: Sandbox, attempts: dict[str, str]) -> dict[str, str]:
        """What became of each: nothing to say of those that succeeded."""
        given = json.dumps({"attempts": attempts, "names": self.names})
        result: dict[str, str] = json.loads(self.run(sandbox, python_of_everybody(), "-c", TRY, given=given))
        return result


def python_of_everybody() -> str:
    """An interpreter that any user can start."""
    return "/usr/bin/python3" if os.getuid() == 0 and Path("/usr/bin/python3").exists() else sys.executable


@pytest.fixture(params=[ROOT, USER])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == ROOT and os.getuid() != 0:
        pytest.skip("only root can try what root could do")
    user = NOBODY if request.param == USER and os.getuid() == 0 else os.getuid()
    if user != os.getuid() and not (shutil.which("setpriv") and Path("/usr/bin/python3").exists()):
        pytest.skip("becoming an ordinary user needs setpriv and the system's Python")
    with contextlib.ExitStack() as held:
        yield made(held, user)


def made(held: contextlib.ExitStack, user: int) -> World:
    folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="oi-world-")))
    folder.chmod(0o755)
    out = folder / "out"
    for path in ("home/work", "home/.ssh", "home/.tools", "out/empty"):
        (folder / path).mkdir(parents=True)
    for path in ("home/.ssh/id_ed25519", "home/.netrc", "home/.bashrc", "home/notes.txt"):
        (folder / path).write_text("secret")
    for name in ("kept", "deleted", "renamed"):
        (out / name).write_text("theirs")
    shutil.copy2("/bin/true", folder / "home/.tools/true")
    listening = held.enter_context(socket.create_server(("127.0.0.1", 0)))
    served = held.enter_context(socket.socket(socket.AF_UNIX))
    served.bind(str(out / "socket"))
    served.listen()
    datagrams = held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    datagrams.bind(str(out / "datagrams"))
    abstract = held.enter_context(socket.socket(socket.AF_UNIX))
    abstract.bind("\0" + folder.name)
    abstract.listen()
    master, slave = os.openpty()
    for descriptor in (master, slave):
        held.callback(os.close, descriptor)
    os.chown(os.ttyname(slave), user, -1)
    for entry in folder.rglob("*"):
        os.chown(entry, user, user if user == NOBODY else -1)
    other = held.enter_context(somebody_else(user))
    names: dict[str, object] = {
        "HOME": str(folder / "home"),
        "OUT": str(out),
        "PORT": listening.getsockname()[1],
        "ABSTRACT": folder.name,
        "TERMINAL": os.ttyname(slave),
        "OTHER": other,
        "ADDRESS": mapped_address(other),
    }
    return World(folder=folder, names=names, user=user)


@contextlib.contextmanager
def somebody_else(user: int) -> Iterator[int]:
    """A process of the same user outside the sandbox."""
    ids: dict[str, Any] = {} if user == os.getuid() else {"user": user, "group": user, "extra_groups": []}
    process = subprocess.Popen(
        ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, **ids
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"up\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"up\n"
        try:
            yield process.pid
        finally:
            process.kill()


def mapped_address(pid: int) -> int:
    return int(Path(f"/proc/{pid}/maps").read_text().partition("-")[0], 16)


@pytest.fixture
def confined(world: World) -> Iterator[Landlock]:
    sandbox = world.sandbox()
    try:
        yield sandbox
    finally:
        sandbox.close()


def attempts_of(world: World) -> dict[str, str]:
    return {**ATTEMPTS, **(ATTEMPTS_OF_ROOT if world.user == 0 else {})}


def test_no_attempt_to_get_out_succeeds(world: World, confined: Landlock) -> None:
    results = world.tried(confined, attempts_of(world))
    assert len(results) >= 40
    assert {name for name, error in results.items() if not error} == set()
    assert (world.folder / "out/kept").read_text() == "theirs"


def test_each_attempt_succeeds_without_a_sandbox(world: World) -> None:
    results = world.tried(Unconfined(), attempts_of(world))
    failed = {name: error for name, error in results.items() if error and name not in DEPENDS_ON_THE_MACHINE}
    assert failed == {}


def test_work_goes_on_inside(world: World, confined: Landlock) -> None:
    assert {name: error for name, error in world.tried(confined, ERRANDS).items() if error} == {}


def test_what_appears_in_the_hidden_part_of_the_home_later_cannot_be_read(
    world: World, confined: Landlock
) -> None:
    command = Command(
        argv=("sh", "-c", "read go; cat ~/.pypirc"), environment=world.environment, cwd=world.workspace
    )
    with confined.enclose(command) as enclosed:
        process = subprocess.Popen(
            world.as_user(enclosed.argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(enclosed.environment),
            pass_fds=enclosed.inherited,
            cwd=world.workspace,
        )
    (world.home / ".pypirc").write_text("token")
    printed, error = process.communicate(b"go\n", timeout=SECONDS)
    assert printed == b""
    assert b"Permission denied" in error


def test_a_read_only_policy_lets_nothing_be_written_but_temporary_files(world: World) -> None:
    sandbox = world.sandbox(access="read-only")
    try:
        results = world.tried(
            sandbox,
            {
                "read": "os.listdir('.'); open(HOME + '/notes.txt').read()",
                "write": "open('new', 'w')",
                "temporary": "open(os.environ['TMPDIR'] + '/x', 'w')",
            },
        )
    finally:
        sandbox.close()
    assert {name for name, error in results.items() if not error} == {"read", "temporary"}


def test_with_the_network_on_hosts_are_reached_and_the_desktop_is_not(world: World) -> None:
    sandbox = world.sandbox(Network(mode="on"))
    names = ("connect by TCP", "serve by TCP", "send by UDP", "ask the kernel for routes")
    closed = ("connect to a socket with a path", "connect to an abstract socket", "signal another process")
    try:
        results = world.tried(sandbox, {name: ATTEMPTS[name] for name in (*names, *closed)})
    finally:
        sandbox.close()
    assert {name for name, error in results.items() if not error} == set(names)


def test_a_shell_owns_its_terminal(world: World, confined: Landlock) -> None:
    master, slave = os.openpty()
    terminal = os.ttyname(slave)
    os.chown(terminal, world.user, -1)
    command = Command(
        argv=(
            "bash",
            "--norc",
            "-c",
            'exec <>"$1" >&0 2>&0; tty; stty size; read -r x; echo "got $x" >/dev/tty',
            "bash",
            terminal,
        ),
        environment=world.environment,
        cwd=world.workspace,
        terminal=terminal,
    )
    with confined.enclose(command) as enclosed:
        process = subprocess.Popen(
            world.as_user(enclosed.argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(enclosed.environment),
            pass_fds=enclosed.inherited,
            cwd=world.workspace,
            start_new_session=True,
        )
        assert enclosed.leader(process) == process.pid
    os.write(master, b"something\n")
    printed, _ = process.communicate(timeout=SECONDS)
    assert (process.returncode, printed) == (0, b"")
    seen = os.read(master, 4096).decode()
    os.close(slave)
    os.close(master)
    assert terminal in seen
    assert "0 0" in seen
    assert "got something" in seen


def test_it_is_the_process_that_was_started_and_inherits_what_it_was_given(
    world: World, confined: Landlock
) -> None:
    reading, writing = os.pipe()
    command = Command(
        argv=("bash", "-c", f"echo $$ >&{writing}"),
        environment=world.environment,
        cwd=None,
        inherited=(writing,),
    )
    with confined.enclose(command) as enclosed:
        process = subprocess.Popen(
            world.as_user(enclosed.argv), env=dict(enclosed.environment), pass_fds=enclosed.inherited
        )
    os.close(writing)
    with os.fdopen(reading) as told:
        assert int(told.read()) == process.pid == enclosed.leader(process)
    assert process.wait(SECONDS) == 0


def test_the_command_has_the_variables_and_signals_that_it_would_have_without(
    world: World, confined: Landlock
) -> None:
    printed = world.run(confined, "sh", "-c", "env; yes | head -1; grep SigIgn /proc/self/status")
    variables = dict(line.split("=", 1) for line in printed.splitlines() if "=" in line)
    temporary = str(confined._temporary)
    assert variables.pop("PWD") == str(world.workspace)
    assert variables == {
        "PATH": os.defpath,
        "HOME": str(world.home),
        **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), temporary),
    }
    bare = subprocess.run(["grep", "SigIgn", "/proc/self/status"], capture_output=True, text=True, check=True)
    assert bare.stdout in printed  # what ignores a signal here, such as nohup, is no matter of ours


def test_a_program_that_is_not_there_is_named(world: World, confined: Landlock) -> None:
    assert world.run(confined, "no-such-program", check=False) == (
        '"no-such-program" could not be started: No such file or directory.\n'
    )


def test_what_shares_the_network_is_kept_from_abstract_sockets_and_signals(world: World) -> None:
    names = (
        "connect to an abstract socket",
        "signal another process",
        "connect by TCP",
        "make a file outside",
    )
    given = json.dumps({"attempts": {name: ATTEMPTS[name] for name in names}, "names": world.names})
    command = Command(argv=(python_of_everybody(), "-c", TRY), environment=world.environment, cwd=None)
    results = json.loads(world.run(Unconfined(), *scoped(command).argv, given=given))
    assert {name for name, error in results.items() if not error} == {"connect by TCP", "make a file outside"}


def test_its_temporary_folder_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    policy = Policy(access="workspace-write", workspace=tmp_path / "work")
    sandbox = Landlock(policy, environment={"HOME": str(tmp_path / "home")})
    folder = sandbox._temporary
    assert folder.is_dir()
    sandbox.close()
    sandbox.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ({"network": Network(mode="hosts", hosts=("example.org",))}, "An allow-list of hosts needs bwrap"),
        ({"workspace": "."}, 'holds the home "'),
        ({"writable": "."}, 'holds the home "'),
    ],
)
def test_what_it_cannot_hold_is_refused_in_a_sentence(
    tmp_path: Path, policy: dict[str, Any], reason: str
) -> None:
    (tmp_path / "home/work").mkdir(parents=True)
    given = {
        "access": "workspace-write",
        "workspace": tmp_path / "home/work",
        **{name: tmp_path / value if value == "." else value for name, value in policy.items()},
    }
    if "writable" in given:
        given["writable"] = (given["writable"],)
    with pytest.raises(UnsupportedError, match=reason):
        Landlock(Policy(**given), environment={"HOME": str(tmp_path / "home")})


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


@given(made=st.sets(PATHS, max_size=8), hidden=st.sets(PATHS, max_size=4))
def test_what_is_shown_is_all_but_the_hidden(made: set[str], hidden: set[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in made:
            (root / name).mkdir(parents=True, exist_ok=True)
        out = {root / name for name in hidden}
        shown = set(largest_without(root, frozenset(out)))
        for path in (root, *root.rglob("*")):
            is_shown = any(path.is_relative_to(one) for one in shown)
            is_hidden = any(path.is_relative_to(one) for one in out)
            holds_hidden = any(one.is_relative_to(path) for one in out)
            assert is_shown == (not is_hidden and not holds_hidden)


def test_a_link_shows_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "keys").mkdir(parents=True)
    (folder / "link").symlink_to("keys")
    (folder / "file").touch()
    assert list(largest_without(folder, frozenset({folder / "keys"}))) == [folder / "file"]


def test_a_program_in_the_hidden_part_of_the_home_runs_when_it_was_chosen(
    world: World, confined: Landlock
) -> None:
    program = str(world.home / ".tools/true")
    assert world.run(confined, program) == ""
    assert "Permission denied" in world.run(confined, "sh", "-c", f"{program}; true")


def test_what_was_denied_is_named(world: World, confined: Landlock) -> None:
    printed = world.run(confined, "cat", str(world.home / ".netrc"), check=False)
    assert [(denial.kind, denial.what) for denial in confined.denials(printed)] == [
        ("read", str(world.home / ".netrc"))
    ]


def test_the_terminal_works_in_it_and_ends_what_it_started(tmp_path: Path) -> None:
    (tmp_path / "home/.ssh").mkdir(parents=True)
    (tmp_path / "home/.ssh/key").write_text("secret")
    (tmp_path / "work").mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    policy = Policy(access="workspace-write", workspace=tmp_path / "work")
    with contextlib.closing(Landlock(policy, environment=environment)) as sandbox:
        with Terminal(cwd=policy.workspace, environment=environment, sandbox=sandbox) as terminal:
            read = terminal.run("shell", "cat ~/.ssh/key", seconds=SECONDS)
            assert not read.ok
            assert "secret" not in read.text
            left = terminal.run("python", LEAVES, seconds=SECONDS)
            assert left.ok, left.text
            pid = int((policy.workspace / "pid").read_text())
            assert alive(pid)
        deadline = time.monotonic() + SECONDS
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not alive(pid)
