"""What macOS's sandbox is told. Only the text is tested: none of it was ever run on a Mac."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computer_api.errors import UnsupportedError
from computer_api.terminal.sandbox import Access, Command, Network, Policy
from computer_api.terminal.sandbox.seatbelt import Seatbelt, profile

TOKEN = re.compile(r'\s*(\(|\)|"(?:[^"\\]|\\.)*"|[^\s()"]+)')


def parsed(text: str) -> list[list[object]]:
    """The profile as lists: a string is a pair of "string" and what it holds."""
    open_lists: list[list[object]] = [[]]
    position = 0
    while text[position:].strip():
        match = TOKEN.match(text, position)
        assert match is not None, text[position:]
        position = match.end()
        word = match[1]
        if word == "(":
            open_lists.append([])
        elif word == ")":
            closed = open_lists.pop()
            open_lists[-1].append(closed)
        elif word.startswith('"'):
            open_lists[-1].append(("string", re.sub(r"\\(.)", r"\1", word[1:-1])))
        else:
            open_lists[-1].append(word)
    assert len(open_lists) == 1
    rules = open_lists[0]
    assert all(isinstance(rule, list) for rule in rules)
    return [rule for rule in rules if isinstance(rule, list)]


def verdict(text: str, operation: str, path: str) -> str:
    """What the last rule says that fits the operation and the path."""
    found = "deny"
    for word, *rest in parsed(text):
        operations = [name for name in rest if isinstance(name, str)]
        fits = any(
            name == operation or (name.endswith("*") and operation.startswith(name[:-1]))
            for name in operations
        )
        places = [one[1][1] for one in rest if isinstance(one, list) and one[0] == "subpath"]
        others = [one for one in rest if isinstance(one, list) and one[0] != "subpath"]
        inside = any(Path(path).is_relative_to(place) for place in places)
        if fits and (inside or not (places or others)):
            found = str(word)
    return found


def told(
    tmp_path: Path,
    *,
    access: Access = "workspace-write",
    network: Network | None = None,
    workspace: str = "home/work",
    terminal: str | None = None,
    port: int | None = None,
) -> str:
    (tmp_path / "home/work").mkdir(parents=True, exist_ok=True)
    (tmp_path / "home/notes").mkdir(exist_ok=True)
    policy = Policy(access=access, workspace=tmp_path / workspace, network=network or Network())
    command = Command(argv=("true",), environment={}, cwd=None, terminal=terminal)
    return profile(
        policy, command, homes=(tmp_path / "home",), temporary=tmp_path / "temporary", proxy_port=port
    )


def test_everything_is_refused_that_is_not_allowed(tmp_path: Path) -> None:
    assert parsed(told(tmp_path))[:2] == [["version", "1"], ["deny", "default"]]


@pytest.mark.parametrize(
    ("operation", "path", "expected"),
    [
        ("file-read-data", "/usr/bin/env", "allow"),
        ("file-read-data", "HOME/notes/x", "allow"),
        ("file-read-data", "HOME/.ssh/id_ed25519", "deny"),
        ("file-read-data", "HOME/.netrc", "deny"),
        ("file-read-data", "/etc/sudoers", "deny"),
        ("file-read-data", "/private/tmp/other", "deny"),
        ("file-write-data", "/etc/hosts", "deny"),
        ("file-write-data", "HOME/notes/x", "deny"),
        ("file-write-data", "HOME/work/x", "allow"),
        ("file-read-data", "HOME/work/x", "allow"),
        ("file-write-data", "HOME/work/.git/hooks/pre-commit", "deny"),
        ("file-write-create", "HOME/work/.vscode/tasks.json", "deny"),
        ("file-read-data", "HOME/work/.git/config", "allow"),
        ("file-write-data", "HOME/../temporary/x", "allow"),
        ("file-write-data", "/dev/null", "allow"),
        ("file-write-data", "/dev/ttys001", "deny"),
        ("network-outbound", "/private/tmp/.X11-unix/X0", "deny"),
        ("mach-register", "/", "deny"),
    ],
)
def test_what_may_be_read_and_written(tmp_path: Path, operation: str, path: str, expected: str) -> None:
    place = str(Path(path.replace("HOME/..", str(tmp_path)).replace("HOME", str(tmp_path / "home"))))
    assert verdict(told(tmp_path), operation, place) == expected


def test_a_read_only_policy_writes_temporary_files_only(tmp_path: Path) -> None:
    text = told(tmp_path, access="read-only")
    assert verdict(text, "file-write-data", str(tmp_path / "home/work/x")) == "deny"
    assert verdict(text, "file-read-data", str(tmp_path / "home/work/x")) == "allow"
    assert verdict(text, "file-write-data", str(tmp_path / "temporary/x")) == "allow"


def test_a_shell_has_its_terminal(tmp_path: Path) -> None:
    assert verdict(told(tmp_path, terminal="/dev/ttys004"), "file-ioctl", "/dev/ttys004") == "allow"


def test_a_home_is_never_the_workspace(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="holds a home"):
        told(tmp_path, workspace="home")
    text = told(tmp_path, workspace="home", access="read-only")
    assert verdict(text, "file-read-data", str(tmp_path / "home/.netrc")) == "deny"


def test_the_network_is_off_on_or_leads_to_the_proxy(tmp_path: Path) -> None:
    def rules(text: str) -> list[list[object]]:
        return [rule for rule in parsed(text) if any(str(word).startswith("network") for word in rule)]

    assert rules(told(tmp_path)) == []
    hosts = told(tmp_path, network=Network(mode="hosts", hosts=("example.org",)), port=4711)
    assert rules(hosts) == [["allow", "network-outbound", ["remote", "ip", ("string", "localhost:4711")]]]
    assert len(rules(told(tmp_path, network=Network(mode="on")))) == 2


def test_neither_windows_nor_the_pasteboard_are_looked_up(tmp_path: Path) -> None:
    text = told(tmp_path, network=Network(mode="on"))
    assert not re.search("windowserver|pasteboard|pboard|appleevents|launchservicesd", text, re.IGNORECASE)
    assert not any("mach-lookup" in rule and len(rule) <= 2 for rule in parsed(text))


@given(
    st.text(st.characters(blacklist_categories=("C", "Z"), blacklist_characters="/"), min_size=1, max_size=20)
)
def test_any_name_that_can_be_printed_is_quoted(name: str) -> None:
    if name in {".", ".."}:
        return
    policy = Policy(access="workspace-write", workspace=Path("/work") / name)
    text = profile(
        policy, Command(argv=("true",), environment={}, cwd=None), homes=(), temporary=Path("/private/t")
    )
    assert verdict(text, "file-write-data", f"/work/{name}/x") == "allow"
    assert verdict(text, "file-write-data", "/etc/x") == "deny"


@pytest.mark.parametrize("name", ["a\nb", "a\0b", "a\x1bb", "a\udcffb"])
def test_a_path_that_cannot_be_written_down_is_refused(name: str) -> None:
    policy = Policy(access="workspace-write", workspace=Path("/work"), writable=())
    command = Command(argv=("true",), environment={}, cwd=None)
    with pytest.raises(UnsupportedError, match="cannot be told of the path"):
        profile(policy, command, homes=(), temporary=Path("/private") / name)


@pytest.mark.skipif(sys.platform == "darwin", reason="it is there")
def test_elsewhere_it_says_that_it_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="sandbox-exec"):
        Seatbelt(Policy(access="workspace-write", workspace=tmp_path), environment={})
