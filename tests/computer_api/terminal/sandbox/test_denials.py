"""What a failed block was denied, out of what real programs print in the sandbox."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.errors import UnsupportedError
from computer_api.terminal import Terminal
from computer_api.terminal.sandbox import Denial, Network, Policy, Sandbox
from computer_api.terminal.sandbox.choosing import open_sandbox
from computer_api.terminal.sandbox.denials import found

WORKSPACE = Path("/somewhere/work")
POLICY = Policy(access="workspace-write", workspace=WORKSPACE)


def kinds(denials: tuple[Denial, ...]) -> list[tuple[str, str]]:
    return [(denial.kind, denial.what) for denial in denials]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Terminal, Sandbox, Path]]:
    """A confined terminal, its sandbox, and the folder with ``home``, ``outside`` and ``work``."""
    base = tmp_path_factory.mktemp("denied")
    for name in ("home/.ssh", "outside", "work/.git"):
        (base / name).mkdir(parents=True)
    (base / "outside" / "file").write_text("x")
    (base / "home" / ".ssh" / "id").write_text("x")
    (base / "work" / ".git" / "config").write_text("[core]\n")
    (base / "work" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ("objects", "refs"):
        (base / "work" / ".git" / name).mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(base / "home")}
    policy = Policy(access="workspace-write", workspace=base / "work")
    try:
        sandbox, _ = open_sandbox("bwrap", policy, environment)
    except UnsupportedError as error:
        pytest.skip(str(error))
    with Terminal(cwd=base / "work", environment=environment, sandbox=sandbox) as terminal:
        yield terminal, sandbox, base


# The path that is named lies in the home, which is seen from inside; below /tmp there would be nothing to deny.
WRITES = [
    ("shell", "touch '{home}/new'", "touch"),
    ("shell", "echo x > {home}/new", "bash"),
    ("shell", "echo x | tee {home}/new", "tee"),
    ("shell", "cp /etc/hosts {home}/new", "cp"),
    ("shell", "mkdir {home}/new", "mkdir"),
    ("shell", "mkdir -p {home}/new/deep/er", "mkdir"),
    ("shell", "dd if=/dev/zero of={home}/new count=1", "dd"),
    ("shell", "git init -q {home}/new", "git"),
    ("shell", "node -e \"require('fs').writeFileSync('{home}/new', 'x')\"", "node"),
    ("shell", "python3 -c \"open('{home}/new', 'w')\"", "python3"),
    ("python", "open('{home}/new', 'w')", "python3"),
    ("python", "from pathlib import Path; Path('{home}/new').mkdir()", "python3"),
    ("python", "import shutil; shutil.copy('/etc/hosts', '{home}/new')", "python3"),
]


@pytest.mark.parametrize(("language", "code", "program"), WRITES, ids=lambda value: str(value)[:40])
def test_the_folder_of_a_file_that_could_not_be_made_is_named(
    place: tuple[Terminal, Sandbox, Path], language: str, code: str, program: str
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    terminal, sandbox, base = place
    text = terminal.run(language, code.format(home=base / "home")).text
    assert ("write", str(base / "home")) in kinds(sandbox.denials(text)), text


@pytest.mark.parametrize(
    "code",
    ["echo x >> /etc/hosts", "sed -i s/a/b/ /etc/hosts", "rm -f /etc/hosts", "mv /etc/hosts /etc/old",
      "chmod 600 /etc/hosts"]
)  # fmt: skip
def test_a_file_of_the_system_is_named(place: tuple[Terminal, Sandbox, Path], code: str) -> None:
    terminal, sandbox, _ = place
    text = terminal.run("shell", code).text
    assert any(kind == "write" and what.startswith("/etc") for kind, what in kinds(sandbox.denials(text))), (
        text
    )


@pytest.mark.parametrize(
    "code", ["git config core.editor vi", "echo x >> .git/config", "touch .vscode/tasks.json"]
)
def test_what_is_protected_in_the_workspace_is_named(
    place: tuple[Terminal, Sandbox, Path], code: str
) -> None:
    terminal, sandbox, base = place
    denials = sandbox.denials(terminal.run("shell", code).text)
    assert any(denial.kind == "write" and denial.what.startswith(f"{base}/work/.") for denial in denials), (
        denials
    )


@pytest.mark.parametrize(
    "code", ["cat {home}/.ssh/id", "python3 -c \"open('{home}/.ssh/id')\"", "ls {home}/.ssh/"]
)
def test_a_secret_that_was_asked_for_is_named_as_one(
    place: tuple[Terminal, Sandbox, Path], code: str
) -> None:
    terminal, sandbox, base = place
    text = terminal.run("shell", code.format(home=base / "home")).text
    named = kinds(sandbox.denials(text))
    assert named, text
    assert all(kind == "read" and what.startswith(f"{base}/home/.ssh") for kind, what in named)


HOSTS = [
    ("curl", "curl -sS --max-time 5 https://example.org/x"),
    ("git", "git ls-remote https://example.org/x.git"),
    ("wget", "wget -T 5 -t 1 https://example.org/"),
    (
        "python3",
        "python3 -m pip download --retries 1 --timeout 3 --no-deps -i https://example.org/simple six",
    ),
    (
        "node",
        "node -e \"fetch('https://example.org').catch(e => {{ console.error(e.cause); process.exit(1) }})\"",
    ),
    ("ssh", "ssh -o ConnectTimeout=3 example.org true"),
]


@pytest.mark.parametrize(("program", "code"), HOSTS, ids=lambda value: value[:30])
def test_the_host_that_could_not_be_reached_is_named(
    place: tuple[Terminal, Sandbox, Path], program: str, code: str
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    terminal, sandbox, _ = place
    text = terminal.run("shell", code.replace("{{", "{").replace("}}", "}"), seconds=60).text
    if "No module named pip" in text:
        pytest.skip("needs pip")
    assert ("network", "example.org") in kinds(sandbox.denials(text)), text


def test_the_address_in_a_cell_names_the_host_that_python_does_not(
    place: tuple[Terminal, Sandbox, Path],
) -> None:
    terminal, sandbox, _ = place
    text = terminal.run("python", "import urllib.request as u\nu.urlopen('https://example.org/x')").text
    assert kinds(sandbox.denials(text)) == [("network", "example.org")]
    text = terminal.run("python", "import socket\nsocket.create_connection(('192.0.2.1', 80), 5)").text
    assert kinds(sandbox.denials(text)) == [("right", "network")]


@pytest.mark.parametrize("code", ["unshare --user true", "strace -o /dev/null true"])
def test_a_program_without_the_right_that_it_needs_is_named(
    place: tuple[Terminal, Sandbox, Path], code: str
) -> None:
    program = code.partition(" ")[0]
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    terminal, sandbox, _ = place
    text = terminal.run("shell", code).text
    assert ("right", program) in kinds(sandbox.denials(text)), text


@pytest.mark.parametrize(
    ("language", "code"),
    [("shell", "cat missing"), ("shell", "cat /nowhere/at/all"), ("shell", "ls work/none; false"),
     ("python", "open('missing.txt')"), ("python", "raise PermissionError('no')"), ("shell", "no-such-program")],
)  # fmt: skip
def test_what_fails_for_another_reason_was_not_denied(
    place: tuple[Terminal, Sandbox, Path], language: str, code: str
) -> None:
    terminal, sandbox, _ = place
    assert sandbox.denials(terminal.run(language, code).text) == ()


@pytest.mark.parametrize(
    ("output", "kind", "what"),
    [
        ("rm: cannot remove \u2018/etc/x\u2019: Read-only file system", "write", "/etc"),
        ("Error: EROFS: read-only file system, open '/etc/x'", "write", "/etc"),
        ("bash: line 3: made: Read-only file system", "write", None),
        ("W: Failed to fetch http://mirror.example/x  Temporary failure resolving 'mirror.example'", "network",
         "mirror.example"),
        ("ping: example.org: Temporary failure in name resolution", "network", "example.org"),
        ("curl: (7) Failed to connect to 10.1.2.3 port 80 after 0 ms: Couldn't connect", "network", "10.1.2.3"),
        ("OSError: [Errno 101] Network is unreachable", "right", "network"),
        ('The host "x.org" is not allowed by the sandbox: add it', "network", "x.org"),
        ('sudo: The "no new privileges" flag is set, which prevents sudo from running as root.', "right", "sudo"),
    ],
)  # fmt: skip
def test_a_line_is_read_as_what_it_says(output: str, kind: str, what: str | None) -> None:
    policy = POLICY if what is not None else Policy(access="read-only", workspace=WORKSPACE)
    [denial] = found(output, policy)
    assert denial.kind == kind
    assert what is None or denial.what == what


def test_hosts_that_are_allowed_and_a_network_that_is_on_are_not_denied() -> None:
    output = "curl: (6) Could not resolve host: a.example.org"
    for network in (Network(mode="on"), Network(mode="hosts", hosts=(".example.org",))):
        assert found(output, Policy(access="read-only", workspace=WORKSPACE, network=network)) == ()
    assert found(output, Policy(access="full", workspace=WORKSPACE)) == ()


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400))
def test_any_output_is_read_without_an_error(text: str) -> None:
    for reason in (
        "Read-only file system",
        "Permission denied",
        "Could not resolve host: ",
        "No such file or directory",
    ):
        found(f"{text}: {reason}{text}", POLICY, homes=(Path("/root"),))


def test_a_flood_of_denials_is_told_in_few() -> None:
    output = "\n".join(
        f"touch: cannot touch '/etc/{number}/x': Read-only file system" for number in range(10_000)
    )
    assert len(found(output, POLICY)) <= 8


if sys.platform != "linux":
    pytest.skip("tried on Linux", allow_module_level=True)
