"""Which sandbox is taken, what is said of it, and what when none holds."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from computer_api.errors import UnsupportedError
from computer_api.terminal import Terminal
from computer_api.terminal.sandbox import Command, Enclosed, Policy, Unconfined
from computer_api.terminal.sandbox.choosing import open_sandbox

if sys.platform != "linux":
    pytest.skip("bwrap and Landlock are for Linux", allow_module_level=True)

from computer_api.terminal.sandbox import self_test

ROOT = Path(__file__).parents[4]


def policy(folder: Path) -> Policy:
    return Policy(access="workspace-write", workspace=folder)


def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "person"
    home.mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home)}


@pytest.mark.parametrize("wanted", ["auto", "bwrap", "landlock"])
def test_what_is_taken_is_tried_out_and_says_in_a_sentence_what_it_protects_from(
    tmp_path: Path, wanted: str
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    try:
        sandbox, protection = open_sandbox(wanted, policy(work), environment(tmp_path))  # type: ignore[arg-type]  # of the list above
    except UnsupportedError as error:
        pytest.skip(str(error))
    sandbox.close()
    if not protection.confined:
        pytest.skip(protection.words)
    assert protection.name == sandbox.name
    assert wanted in {"auto", sandbox.name}
    assert f"confined by {sandbox.name}: it writes only to {work}" in protection.words
    assert "reaches no network" in protection.words


@pytest.mark.parametrize("access", ["full", "read-only"])
def test_no_sandbox_is_taken_only_when_it_is_asked_for(tmp_path: Path, access: str) -> None:
    asked = Policy(access=access, workspace=tmp_path)  # type: ignore[arg-type]  # of the list above
    sandbox, protection = open_sandbox("auto" if access == "full" else "none", asked, environment(tmp_path))
    assert isinstance(sandbox, Unconfined)
    assert (protection.confined, protection.words) == (False, "code runs without a sandbox, as you asked")


def test_a_sandbox_of_another_system_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r'seatbelt: it is not for "linux"'):
        open_sandbox("seatbelt", policy(tmp_path), environment(tmp_path))


def test_a_bad_workspace_is_told_where_a_sandbox_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r'"/usr"'):
        open_sandbox("bwrap", policy(Path("/usr")), environment(tmp_path))


class Sieve:
    """A sandbox that says it confines and does not."""

    name = "sieve"

    @contextmanager
    def enclose(self, command: Command) -> Iterator[Enclosed]:
        with Unconfined().enclose(command) as enclosed:
            yield enclosed

    def denials(self, output: str) -> tuple[()]:
        return ()

    def close(self) -> None:
        pass


def test_the_self_test_finds_a_sandbox_that_does_not_hold(tmp_path: Path) -> None:
    found = " ".join(self_test.leaks(Sieve(), policy(tmp_path), environment(tmp_path)))
    for leak in (
        "write to",
        "read a file",
        "system calls",
        "connect to this machine",
        "as the desktop has one",
        "variables",
    ):
        assert leak in found
    assert list((tmp_path / "person").iterdir()) == []


INSIDE = """
import json, os, sys
sys.path[:0] = {paths!r}
from pathlib import Path
from computer_api.terminal.sandbox import Policy
from computer_api.terminal.sandbox.choosing import open_sandbox
folder = Path({folder!r})
for name in ("bwrap", "auto"):
    try:
        sandbox, protection = open_sandbox(name, Policy(access="workspace-write", workspace=folder),
                                           {{"PATH": os.environ["PATH"], "HOME": "/nonexistent"}})
        print(name, protection.confined, protection.words)
        sandbox.close()
    except Exception as error:
        print(name, type(error).__name__, error)
"""


def test_where_no_namespace_can_be_made_the_reason_is_said_and_another_one_is_taken(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    given = environment(tmp_path)
    try:
        # Inside, this project is used, wherever it lies: the sandbox hides most temporary folders.
        sandbox, _ = open_sandbox("bwrap", replace(policy(work), writable=(ROOT,)), given)
    except UnsupportedError as error:
        pytest.skip(str(error))
    with Terminal(cwd=work, environment=given, sandbox=sandbox) as terminal:
        code = INSIDE.format(paths=[path for path in sys.path if path], folder=str(work))
        by_name, automatic = terminal.run("python", code, seconds=60).text.strip().splitlines()
    assert by_name.startswith("bwrap UnsupportedError The sandbox does not work here. bwrap: ")
    assert "perm" in by_name.lower()
    assert automatic.startswith(
        ("auto True code is confined by landlock", "auto False code runs without a sandbox")
    )
