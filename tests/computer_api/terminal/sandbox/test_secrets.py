"""What of a home and of the environment code is shown, and what mounts make of it."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox import Policy, mounts, secrets

if sys.platform == "win32":
    pytest.skip("no code is confined on Windows", allow_module_level=True)


@pytest.mark.parametrize(
    ("name", "value", "passes"),
    [
        ("PATH", "/bin", True), ("LC_ALL", "C", True), ("VIRTUAL_ENV", "/v", True), ("PAGER", "cat", True),
        ("OPENAI_API_KEY", "k", False), ("GITHUB_TOKEN", "t", False), ("AWS_SECRET_ACCESS_KEY", "s", False),
        ("DB_PASS", "p", False), ("DISPLAY", ":0", False), ("WAYLAND_DISPLAY", "w", False), ("XAUTHORITY", "x", False),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:", False), ("SSH_AUTH_SOCK", "/s", False), ("XDG_RUNTIME_DIR", "/r", False),
        ("LD_PRELOAD", "/x.so", False), ("BASH_ENV", "/x", False), ("PYTHONSTARTUP", "/x", False),
        ("GOPATH", "https://me:word@host", False), ("HTTPS_PROXY", "http://me:word@host", False),
    ],
)  # fmt: skip
def test_variables_are_passed_by_name(name: str, value: str, passes: bool) -> None:  # noqa: FBT001 - a row of a table
    assert secrets.environment({name: value}) == ({name: value} if passes else {})


@given(st.dictionaries(st.text(min_size=1, max_size=9), st.text(max_size=9), max_size=5))
def test_nothing_is_added_to_the_environment(given_ones: dict[str, str]) -> None:
    assert secrets.environment(given_ones).items() <= given_ones.items()


def test_of_a_home_is_shown_what_is_not_hidden_and_what_tools_keep_there(tmp_path: Path) -> None:
    home = tmp_path / "person"
    for folder in (
        "Documents",
        ".ssh",
        ".pyenv/versions",
        ".cargo/bin",
        ".config/gh",
        ".config/git",
        ".local/bin",
    ):
        (home / folder).mkdir(parents=True)
    for file in (
        "notes.txt",
        ".gitconfig",
        ".bashrc",
        ".netrc",
        ".cargo/credentials.toml",
        ".config/git/credentials",
    ):
        (home / file).write_text("x")
    (home / "link").symlink_to(home / ".ssh")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / "sock"))
    shown = {str(path.relative_to(home)) for path in secrets.shown(home)}
    assert shown == {"Documents", "notes.txt", ".gitconfig", ".pyenv", ".cargo/bin", ".local/bin"}


def test_with_sudo_the_person_s_home_is_one_too(tmp_path: Path) -> None:
    import pwd

    someone = next(entry for entry in pwd.getpwall() if entry.pw_uid == os.getuid())
    found = secrets.homes({"HOME": str(tmp_path), "SUDO_USER": someone.pw_name})
    assert found[0] == tmp_path
    if Path(someone.pw_dir).is_dir() and len(Path(someone.pw_dir).parts) > 2:
        assert Path(someone.pw_dir).resolve() in found
    assert not {Path("/"), Path("/usr/sbin"), Path("/nonexistent")} & set(found)


def test_sockets_are_read_from_what_the_kernel_lists() -> None:
    lines = [
        "Num       RefCount Protocol Flags    Type St Inode Path",
        "0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/a name with spaces",
        "0000000000000000: 00000002 00000000 00010000 0001 01 12346 @/tmp/.X11-unix/X0",
        "0000000000000000: 00000003 00000000 00000000 0001 03 12347",
        "0000000000000000: 00000002 00000000 00010000 0001 01 12348 relative",
    ]
    assert secrets.sockets(lines) == (Path("/run/a name with spaces"),)
    assert secrets.abstract_sockets(lines) == ("@/tmp/.X11-unix/X0",)


@pytest.fixture
def view(tmp_path: Path) -> mounts.View:
    home = tmp_path / "home"
    work = home / "projects" / "work"
    for folder in (work / ".vscode", home / ".ssh", tmp_path / "kept" / "tmp"):
        folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    (work / ".git" / "hooks").mkdir(exist_ok=True)
    return mounts.view(Policy(access="workspace-write", workspace=work), (home,), tmp_path / "kept")


def test_the_nearest_mount_decides(view: mounts.View) -> None:
    [home] = view.homes
    work = home / "projects" / "work"
    expected = {
        home: "closed", home / ".ssh" / "id": "closed", home / "projects": "read", work: "written",
        work / "src" / "a.py": "written", work / ".git": "written", work / ".git" / "HEAD": "written",
        work / ".git" / "hooks" / "pre-commit": "read", work / ".git" / "config": "read",
        work / ".vscode" / "x": "read",
        work / ".idea": "read", Path("/run/user/1/bus"): "closed",
    }  # fmt: skip
    found = {path: mount.kind for path in expected if (mount := view.around(path)) is not None}
    assert found == expected
    assert view.around(Path("/usr/bin/env")) is None
    assert view.missing == [work / ".idea"]


def test_mounts_are_made_from_the_outermost_inwards(view: mounts.View) -> None:
    depths = [len(mount.path.parts) for mount in view.in_order()]
    assert depths == sorted(depths)
    told = view.arguments()
    assert told[-2:] == ["--remount-ro", str(view.homes[0])]


def test_a_work_tree_keeps_where_its_repository_is(tmp_path: Path) -> None:
    (tmp_path / "work" / "tree").mkdir(parents=True)
    (tmp_path / "work" / "tree" / ".git").write_text("gitdir: elsewhere")
    seen = mounts.view(Policy(access="workspace-write", workspace=tmp_path / "work"), (), tmp_path)
    assert seen.mounts[tmp_path / "work" / "tree" / ".git"].kind == "read"


def test_a_workspace_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"missing.*make it first"):
        mounts.roots(Policy(access="workspace-write", workspace=tmp_path / "missing"))


def test_a_program_brings_the_folder_that_it_is_installed_in_and_never_a_home(tmp_path: Path) -> None:
    base = tmp_path / "base" / "bin" / "python3"
    venv = tmp_path / "venv" / "bin" / "python"
    for path in (base, venv):
        path.parent.mkdir(parents=True)
    base.touch()
    venv.symlink_to(base)
    assert mounts.needed(str(venv)) == (tmp_path / "venv", tmp_path / "base")
    assert mounts.needed(str(base), (tmp_path / "base",)) == (base,)
    assert mounts.needed("/usr/bin/sh")[0] == Path("/usr/bin/sh")
