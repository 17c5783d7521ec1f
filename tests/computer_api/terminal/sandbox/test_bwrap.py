"""Workers in bwrap do what workers do, and the sandbox leaves nothing behind."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from computer_api.errors import UnsupportedError
from computer_api.terminal import Chunk, Terminal
from computer_api.terminal.groups import processes, status
from computer_api.terminal.sandbox import Command, Network, Policy
from computer_api.terminal.sandbox.sandbox import ChangedError

if sys.platform != "linux":
    pytest.skip("bwrap is for Linux", allow_module_level=True)

from computer_api.terminal.place import Place, Started, start
from computer_api.terminal.sandbox.bwrap import Bwrap
from computer_api.terminal.sandbox.choosing import open_sandbox

PATIENCE = 20.0
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env")


@pytest.fixture(scope="module")
def works() -> None:
    try:
        with tempfile.TemporaryDirectory() as folder:
            open_sandbox("bwrap", Policy(access="read-only", workspace=Path(folder)), {"HOME": folder})[
                0
            ].close()
    except UnsupportedError as error:
        pytest.skip(str(error))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "person"
    home.mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(home)}


@pytest.fixture
def sandbox(works: None, workspace: Path, environment: dict[str, str]) -> Iterator[Bwrap]:
    box = Bwrap(Policy(access="workspace-write", workspace=workspace), environment=environment)
    yield box
    box.close()


@pytest.fixture
def terminal(sandbox: Bwrap, workspace: Path, environment: dict[str, str]) -> Iterator[Terminal]:
    with Terminal(cwd=workspace, environment=environment, sandbox=sandbox) as started:
        yield started


def children(process: int) -> set[int]:
    """All that this process started, and those, and so on, as the host counts them."""
    parents = {int(entry.name): int(found[1]) for entry in processes() if (found := status(entry))}
    below = {process}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {process}


def in_sandboxes() -> set[int]:
    return {child for child in children(os.getpid()) if "bwrap" in name_of(child)}


def name_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def eventually(fact: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not fact():
        if time.monotonic() > end:
            return False
        threading.Event().wait(0.01)
    return True


def interrupt_when_on(terminal: Terminal) -> Callable[[Chunk], None]:
    seen: list[str] = []

    def look(chunk: Chunk) -> None:
        if "on" in chunk.text and not seen:
            seen.append(chunk.text)
            terminal.interrupt()

    return look


FOREVER = {
    "python": ["print('on')\nwhile True: pass", "import time; print('on'); time.sleep(60)",
               "import subprocess; print('on'); subprocess.run(['sleep', '60'])"],
    "shell": ["echo on; sleep 60", "echo on; while :; do :; done", "echo on; for i in 1 2 3; do sleep 60; done"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "code"), [(name, code) for name, codes in FOREVER.items() for code in codes]
)
def test_an_interrupt_ends_the_block_and_not_the_sandbox(
    terminal: Terminal, language: str, code: str
) -> None:
    remember, recall = {"python": ("x = 'kept'", "print(x)"), "shell": ("x=kept", "echo $x")}[language]
    terminal.run(language, remember)
    before = in_sandboxes()
    stopped = terminal.run(language, code, on_output=interrupt_when_on(terminal))
    assert "interrupted" in stopped.text
    assert not stopped.lost_state
    assert terminal.run(language, recall).text == "kept\n"
    assert in_sandboxes() == before


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (
            "python",
            "import signal, time\nsignal.signal(2, signal.SIG_IGN)\nprint('on')\nwhile True: time.sleep(1)",
        ),
        ("shell", "trap '' INT TERM HUP; echo on; while :; do :; done"),
    ],
)
def test_a_block_that_ignores_it_is_killed_with_all_it_started(
    terminal: Terminal, language: str, code: str
) -> None:
    stopped = terminal.run(language, code, on_output=interrupt_when_on(terminal))
    assert stopped.lost_state
    assert eventually(lambda: not in_sandboxes())
    assert terminal.run(language, "echo new" if language == "shell" else "print('new')").text == "new\n"


@pytest.mark.parametrize(
    "daemon",
    [
        "sleep 600 &",
        "setsid sleep 600 >/dev/null 2>&1 & disown",
        "nohup setsid sh -c 'sleep 600 & wait' >/dev/null 2>&1 &",
    ],
)
def test_what_runs_in_the_background_stays_until_the_terminal_is_closed(
    terminal: Terminal, daemon: str
) -> None:
    def running() -> bool:
        return any(name_of(child) == "sleep" for child in children(os.getpid()))

    terminal.run("shell", daemon)
    assert eventually(running)
    assert terminal.run("shell", "echo next").text.endswith("next\n")
    assert running()
    terminal.close()
    assert eventually(lambda: not running())


def test_a_shell_that_exits_keeps_its_state(terminal: Terminal) -> None:
    terminal.run("shell", "x=kept; cd /tmp; f() { echo called; }")
    assert terminal.run("shell", "exit 3").exit_code == 3
    assert terminal.run("shell", "echo $x; f; pwd").text == "kept\ncalled\n/tmp\n"


def test_a_program_that_waits_for_input_is_noticed_from_outside(terminal: Terminal) -> None:
    before = time.monotonic()
    waits = terminal.run("shell", 'read -r line; echo "got $line"', seconds=PATIENCE)
    assert "waited for input" in waits.text or getattr(waits, "waiting", None) is not None
    assert time.monotonic() - before < PATIENCE / 2


@pytest.mark.parametrize("language", ["python", "shell"])
def test_100_megabytes_come_through(terminal: Terminal, language: str) -> None:
    code = "yes 0123456789abcdef | head -c 100000000; echo end"
    if language == "python":
        code = "for _ in range(100): print('x' * 1_000_000)\nprint('end')"
    output = terminal.run(language, code, seconds=100)
    assert output.truncated
    assert "end\n[the beginning of the output, " in output.text


def test_blocks_start_in_the_workspace_and_on_a_terminal_of_their_own(
    terminal: Terminal, workspace: Path
) -> None:
    assert terminal.run("python", "import os; print(os.getcwd())").text == f"{workspace}\n"
    assert (
        terminal.run("shell", "pwd; [ -t 0 ] && stty size && echo yes > /dev/tty").text
        == f"{workspace}\n40 120\nyes\n"
    )


def test_a_worker_that_vanishes_is_noticed_with_its_code(terminal: Terminal) -> None:
    output = terminal.run("python", "import os; os._exit(7)")
    assert (output.exit_code, output.lost_state) == (7, True)


def test_temporary_files_are_shared_by_all_workers_and_go_with_the_sandbox(
    terminal: Terminal, sandbox: Bwrap
) -> None:
    mark = f"oi-{os.urandom(6).hex()}"
    terminal.run("python", f"open('/tmp/{mark}', 'w').write('here')")
    assert terminal.run("shell", f"cat /tmp/{mark}").text == "here"
    terminal.run("python", "import os; os._exit(0)")
    assert terminal.run("python", f"open('/tmp/{mark}').read()").text == "'here'\n"
    assert not Path("/tmp", mark).exists()
    kept = sandbox._kept
    assert kept is not None
    assert (kept / "tmp" / mark).exists()
    terminal.close()
    sandbox.close()
    assert not kept.exists()


def test_the_worker_outlives_the_thread_that_ran_its_first_block(terminal: Terminal) -> None:
    first = threading.Thread(target=lambda: terminal.run("python", "x = 'kept'"))
    first.start()
    first.join()
    assert terminal.run("python", "print(x)").text == "kept\n"


def test_everything_ends_when_the_agent_is_killed(works: None, tmp_path: Path, workspace: Path) -> None:
    agent = f"""
import os, signal, sys
from pathlib import Path
from computer_api.terminal import Terminal
from computer_api.terminal.sandbox import Policy
from computer_api.terminal.sandbox.bwrap import Bwrap
environment = {{"PATH": os.environ["PATH"], "HOME": {str(tmp_path)!r}}}
workspace = Path({str(workspace)!r})
box = Bwrap(Policy(access="workspace-write", workspace=workspace), environment=environment)
terminal = Terminal(cwd=workspace, environment=environment, sandbox=box)
# Code that lets go of everything by which a worker hears of the end of the agent.
terminal.run("shell", "setsid sh -c 'exec 3>&- 4>&- 8>&- 20>&- 21>&-; sleep 600' >/dev/null 2>&1 </dev/null &")
from computer_api.terminal.groups import processes, status
parents = {{int(entry.name): int(found[1]) for entry in processes() if (found := status(entry))}}
below = {{os.getpid()}}
while more := {{child for child, parent in parents.items() if parent in below}} - below:
    below |= more
print(*(below - {{os.getpid()}}), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", agent],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": paths},
    )
    started = [int(word) for word in done.stdout.split()]
    assert len(started) >= 4, done.stderr
    assert eventually(lambda: not any(is_running(process) for process in started))


def is_running(process: int) -> bool:
    found = status(Path("/proc", str(process)))
    return bool(found) and found[0] != "Z" and name_of(process) in {"bwrap", "bash", "sh", "sleep"}


def test_the_leader_is_the_host_s_number_of_the_session_s_first_process(
    sandbox: Bwrap, workspace: Path, environment: dict[str, str]
) -> None:
    started = run(sandbox, workspace, environment, "sleep", "60")
    try:
        assert os.getsid(started.leader) == os.getpgid(started.leader) == started.leader
        assert started.leader != started.process.pid
        assert eventually(lambda: name_of(started.leader) == "sleep")
    finally:
        os.killpg(started.leader, 9)
        assert started.process.wait(PATIENCE) != 0


def run(sandbox: Bwrap, workspace: Path, environment: dict[str, str], *argv: str) -> Started:
    place = Place(cwd=workspace, environment=environment, sandbox=sandbox)
    return start(place, Command(argv=argv, environment=environment, cwd=workspace))


def test_a_program_that_is_not_there_is_named(
    sandbox: Bwrap, workspace: Path, environment: dict[str, str]
) -> None:
    with pytest.raises(UnsupportedError, match='"no-such-program"'):
        run(sandbox, workspace, environment, "no-such-program")


def test_a_program_in_a_hidden_folder_is_shown_alone(
    sandbox: Bwrap, workspace: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    program = tmp_path / "person" / ".hidden" / "program"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nls -A "$(dirname "$0")" > seen\n')
    program.chmod(0o755)
    (program.parent / "secret").write_text("s")
    assert run(sandbox, workspace, environment, str(program)).process.wait(PATIENCE) == 0
    assert (workspace / "seen").read_text() == "program\n"


def test_what_keeps_bwrap_from_working_is_said_in_its_own_words(
    works: None, workspace: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    box = Bwrap(
        Policy(access="workspace-write", workspace=workspace), environment=environment, bwrap=str(broken)
    )
    with pytest.raises(UnsupportedError, match="setting up uid map: Permission denied"):
        run(box, workspace, environment, "true")
    box.close()


def test_a_folder_that_is_gone_when_it_is_to_be_shown_is_no_hindrance(
    sandbox: Bwrap, workspace: Path, environment: dict[str, str]
) -> None:
    home = Path(environment["HOME"])
    (home / "comes-and-goes").mkdir()
    command = Command(argv=("true",), environment=environment, cwd=workspace)
    with sandbox.enclose(command) as enclosed:
        (home / "comes-and-goes").rmdir()
        process = subprocess.Popen(
            enclosed.argv, pass_fds=enclosed.inherited, stderr=enclosed.complaints, start_new_session=True
        )
        with pytest.raises(ChangedError, match="comes-and-goes"):
            enclosed.leader(process)
    assert run(sandbox, workspace, environment, "true").process.wait(PATIENCE) == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root sees into what is closed to it inside")
def test_folders_of_others_that_are_closed_to_root_inside_are_no_hindrance(
    works: None, workspace: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    base = Path(tempfile.mkdtemp(prefix=".oi-other-", dir="/opt"))
    try:
        home = base / "home"
        (home / "Documents").mkdir(parents=True)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(home / "service.sock"))
            listening.listen()
            for path in (base, home, home / "Documents"):
                os.chown(path, NOBODY, NOBODY)
                path.chmod(0o700)
            for given in ({**environment, "HOME": str(home)}, environment):
                box = Bwrap(Policy(access="workspace-write", workspace=workspace), environment=given)
                assert run(box, workspace, given, "true").process.wait(PATIENCE) == 0
                box.close()
    finally:
        shutil.rmtree(base, ignore_errors=True)


@pytest.mark.parametrize("path", ["/", "/usr", "/etc"])
def test_a_workspace_that_is_the_system_is_refused(
    works: None, path: str, environment: dict[str, str]
) -> None:
    with pytest.raises(UnsupportedError, match=f'"{path}"'):
        Bwrap(Policy(access="workspace-write", workspace=Path(path)), environment=environment)


def test_of_a_workspace_that_is_a_home_the_visible_folders_can_be_written(
    works: None, environment: dict[str, str]
) -> None:
    home = Path(environment["HOME"])
    (home / "Documents").mkdir()
    (home / ".ssh").mkdir()
    box = Bwrap(Policy(access="workspace-write", workspace=home), environment=environment)
    with Terminal(cwd=home, environment=environment, sandbox=box) as terminal:
        said = terminal.run(
            "shell", "pwd; ls -A; echo x > Documents/new; echo x > .bashrc; echo x > loose"
        ).text
    assert said.split()[:3] == [str(home), ".cache", "Documents"]
    assert (home / "Documents" / "new").exists()
    assert sorted(path.name for path in home.iterdir()) == [".ssh", "Documents"]


def test_folders_that_had_to_be_made_are_removed_when_they_are_still_empty(
    terminal: Terminal, sandbox: Bwrap, workspace: Path
) -> None:
    terminal.run("shell", "mkdir -p .vscode && echo x > .vscode/tasks.json")
    assert (workspace / ".vscode").is_dir()
    terminal.close()
    sandbox.close()
    assert list(workspace.iterdir()) == []


def test_a_link_in_the_temporary_folder_does_not_lead_a_mount_astray(
    terminal: Terminal, workspace: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    first = Path("/tmp").joinpath(workspace.relative_to("/tmp").parts[0])
    terminal.run("python", "1")
    terminal.run(
        "python",
        f"import os; os.rename({str(first)!r}, '/tmp/away'); "
        f"os.symlink('/oldroot{victim}', {str(first)!r}); os.symlink('/newroot{victim}', '/tmp/x')",
    )
    assert terminal.run("shell", "pwd").text == f"{workspace}\n"
    assert list(victim.iterdir()) == []


def test_with_the_network_on_names_can_be_looked_up_and_the_desktop_is_closed(
    works: None, workspace: Path, environment: dict[str, str]
) -> None:
    box = Bwrap(
        Policy(access="workspace-write", workspace=workspace, network=Network(mode="on")),
        environment=environment,
    )
    with Terminal(cwd=workspace, environment=environment, sandbox=box) as terminal:
        said = terminal.run(
            "shell", "cat /etc/resolv.conf >/dev/null && echo names; cat /proc/net/dev | wc -l"
        ).text
    names, devices = said.split()
    assert names == "names"
    assert int(devices) == len(Path("/proc/net/dev").read_text().splitlines())


BOMB = """
import os, time
made = 0
try:
    while made < 5000:
        if os.fork() == 0:
            time.sleep(600)
        made += 1
except OSError as error:
    print(made, error, file=open("ended", "w"))
"""
AGENT = """
import os, sys
from pathlib import Path
from computer_api.terminal.place import Place, start
from computer_api.terminal.sandbox import Command, Policy
from computer_api.terminal.sandbox.bwrap import Bwrap
folder = Path(sys.argv[1])
environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
box = Bwrap(Policy(access="workspace-write", workspace=folder), environment=environment)
place = Place(cwd=folder, environment=environment, sandbox=box)
command = Command(argv=("/usr/bin/python3", "-c", sys.argv[2]), environment=environment, cwd=folder)
start(place, command).process.wait(60)
box.close()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become an ordinary user")
def test_a_fork_bomb_of_an_ordinary_user_ends_at_a_number(works: None) -> None:
    python = next((python for python in (sys.executable, "/usr/bin/python3") if runs_as_nobody(python)), None)
    if python is None:
        pytest.skip("an ordinary user can run no Python here")
    folder = Path(tempfile.mkdtemp(prefix="oi-bomb-"))
    try:
        os.chown(folder, NOBODY, NOBODY)
        paths = os.pathsep.join(path for path in sys.path if path)
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        argv = [*AS_NOBODY, python, "-c", AGENT, str(folder), BOMB]
        done = subprocess.run(
            argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert (folder / "ended").exists(), done.stderr
        made, said = (folder / "ended").read_text().split(maxsplit=1)
        assert 100 < int(made) < 1100
        assert "unavailable" in said
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def runs_as_nobody(python: str) -> bool:
    check = f"import sys; assert sys.version_info[:2] == {sys.version_info[:2]}"
    return subprocess.run([*AS_NOBODY, python, "-c", check], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("language", ["python", "shell"])
def test_with_an_allow_list_a_host_that_is_not_on_it_is_refused_and_named(
    works: None, workspace: Path, environment: dict[str, str], language: str
) -> None:
    network = Network(mode="hosts", hosts=("allowed.example",))
    box = Bwrap(
        Policy(access="workspace-write", workspace=workspace, network=network), environment=environment
    )
    code = "from urllib.request import urlopen; urlopen('http://other.example/')"
    if language == "shell":
        code = f'{sys.executable} -c "{code}"'
    with Terminal(cwd=workspace, environment=environment, sandbox=box) as terminal:
        output = terminal.run(language, code)
        assert not output.ok
        assert [(denial.kind, denial.what) for denial in output.denied] == [("network", "other.example")]
        direct = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"
        assert "unreachable" in terminal.run("python", direct).text
