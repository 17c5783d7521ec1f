"""Code in a run: judged, confined, answered, allowed out by a person only, and taken back."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from oi_process import oi
from pseudo_terminal import Terminal

from computer_agent.trace.reader import read

if TYPE_CHECKING:
    from pathlib import Path

    from oi_process import Ran

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox of other systems was never run")
confined = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is not installed")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder of the task, beside a home that is not in it."""
    folder = tmp_path / "home" / "work"
    folder.mkdir(parents=True)
    return folder


def environment(work: Path) -> dict[str, str]:
    home = work.parent
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OI_", "XDG_"))}
    return kept | {"HOME": str(home), "XDG_STATE_HOME": str(home.parent / "state")}


def steps(work: Path, task: str, *flags: str) -> Ran:
    words = (
        "--os",
        "--desktop",
        "memory",
        "--model",
        "steps",
        "--trace",
        str(work.parent / "trace"),
        *flags,
        task,
    )
    return oi(*words, cwd=work, environment=environment(work))


def person(work: Path, task: str, *flags: str) -> Terminal:
    words = (
        "--os",
        "--desktop",
        "memory",
        "--model",
        "steps",
        "--trace",
        str(work.parent / "trace"),
        *flags,
        task,
    )
    return Terminal(*words, cwd=work, environment=environment(work))


def test_harmless_code_runs_unasked_and_what_writes_is_not_run_where_nobody_can_be_asked(work: Path) -> None:
    (work / "a.txt").write_text("what it holds\n")
    ran = steps(work, 'run shell "cat a.txt"; run shell "touch made"')
    assert ran.code == 1
    assert "what it holds" in ran.out
    assert "nobody can be asked here" in ran.out
    assert not (work / "made").exists()


def test_a_plan_only_looks(work: Path) -> None:
    ran = steps(work, 'run shell "ls"; run shell "touch made"', "--approve", "plan")
    assert "--approve plan" in ran.out
    assert not (work / "made").exists()


@confined
def test_auto_writes_in_the_workspace_and_nowhere_else(work: Path) -> None:
    ran = steps(work, 'run shell "touch made"; run shell "touch ../outside"', "--approve", "auto")
    assert (work / "made").exists(), ran
    assert not (work.parent / "outside").exists()
    assert ran.code == 1


@confined
def test_code_sees_neither_secrets_nor_the_display_nor_the_keys_of_providers(work: Path) -> None:
    (work.parent / ".ssh").mkdir()
    (work.parent / ".ssh" / "id_rsa").write_text("PRIVATE")
    code = "cat ~/.ssh/id_rsa; env; ls /tmp/.X11-unix"
    words = ("--os", "--desktop", "memory", "--model", "steps", "-y", f"run shell {code!r}")
    secrets = {"OPENAI_API_KEY": "sk-secret", "DISPLAY": ":77", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}
    ran = oi(*words, cwd=work, environment=environment(work) | secrets)
    for secret in ("PRIVATE", "sk-secret", ":77", "unix:path"):
        assert secret not in ran.out


def test_yes_to_all_does_not_hold_for_the_hard_list(work: Path) -> None:
    ran = steps(work, 'run shell "rm -rf ~"', "-y")
    assert ran.code == 1
    assert "nobody can be asked here" in ran.out
    assert work.exists()


@confined
def test_what_the_sandbox_denied_runs_outside_only_when_the_person_says_so(work: Path) -> None:
    outside = work.parent / "outside"
    terminal = person(work, f'run shell "touch {outside}"', "-y")
    terminal.shows("Instead?")
    assert str(outside) in terminal.text or str(work.parent) in terminal.text
    assert not outside.exists()
    terminal.types("o\n")
    assert terminal.ends() == 0, terminal.text
    assert outside.exists()
    first, second = [attempt for step in read(work.parent / "trace").steps for attempt in step.attempts]
    assert first.approval.startswith("-y (sha256 ")
    assert "once outside the sandbox" in second.approval


@confined
def test_what_the_sandbox_denied_stays_undone_when_the_person_says_no(work: Path) -> None:
    outside = work.parent / "outside"
    terminal = person(work, f'run shell "touch {outside}"', "-y")
    terminal.shows("Instead?")
    terminal.types("n\n")
    assert terminal.ends() == 1
    assert not outside.exists()


@confined
def test_a_folder_that_the_person_adds_is_written_from_then_on(work: Path) -> None:
    other = work.parent / "other"
    other.mkdir()
    terminal = person(work, f'run shell "touch {other}/a"; run shell "touch {other}/b"', "-y")
    terminal.shows("Instead?")
    terminal.types("a\n")
    assert terminal.ends() == 0, terminal.text
    assert sorted(path.name for path in other.iterdir()) == ["a", "b"]


def test_a_program_that_waits_is_answered_by_the_next_step(work: Path) -> None:
    ran = steps(work, 'run shell "read -p Name: x; echo hello $x"; answer "Ada"', "-y")
    assert "hello Ada" in ran.out, ran
    assert ran.code == 0


def test_a_person_at_the_terminal_answers_a_program(work: Path) -> None:
    terminal = person(work, 'run shell "read -p Name: x; echo hello $x"', "-y")
    terminal.shows("Line:")
    terminal.types("Ada\n")
    assert terminal.ends() == 0, terminal.text
    assert "hello Ada" in terminal.text


def test_a_password_that_a_person_types_for_a_program_is_shown_and_kept_nowhere(work: Path) -> None:
    code = 'import getpass; print(len(getpass.getpass("Password: ")))'
    terminal = person(work, f"run python {code!r}", "-y")
    terminal.shows("Line:")
    terminal.types("hunter2\n")
    assert terminal.ends() == 0, terminal.text
    assert "hunter2" not in terminal.text
    kept = b"".join(path.read_bytes() for path in (work.parent / "trace").rglob("*") if path.is_file())
    assert b"hunter2" not in kept


def test_what_code_changed_is_taken_back(work: Path) -> None:
    (work / "a.txt").write_text("old\n")
    ran = steps(work, 'run shell "echo new > a.txt; touch made"', "-y")
    assert ran.code == 0, ran
    assert (work / "a.txt").read_text() == "new\n"
    place = ("--workspace", str(work))
    elsewhere = work.parent  # the test keeps what oi prints where that runs
    assert "-old" in oi("diff", *place, cwd=elsewhere, environment=environment(work)).out
    assert oi("undo", "-y", *place, cwd=elsewhere, environment=environment(work)).code == 0
    assert (work / "a.txt").read_text() == "old\n"
    assert not (work / "made").exists()
    assert oi("redo", "-y", *place, cwd=elsewhere, environment=environment(work)).code == 0
    assert (work / "a.txt").read_text() == "new\n"


def test_code_is_changed_in_the_editor_before_it_runs(work: Path) -> None:
    editor = work.parent / "editor"
    editor.write_text('#!/bin/sh\necho "echo edited" > "$1"\n')
    editor.chmod(0o755)
    words = ("--os", "--desktop", "memory", "--model", "steps", 'run shell "touch made"')
    terminal = Terminal(*words, cwd=work, environment=environment(work) | {"EDITOR": str(editor)})
    terminal.shows("Allow?")
    terminal.types("e\n")
    assert terminal.ends() == 0, terminal.text
    assert "edited" in terminal.text
    assert not (work / "made").exists()


def test_a_long_output_is_kept_whole_beside_the_trace_and_the_model_is_told_where(work: Path) -> None:
    ran = steps(work, 'run python "for number in range(1, 100001): print(number)"', "-y")
    assert ran.code == 0, ran
    (kept,) = (work.parent / "trace" / "output").iterdir()
    assert kept.read_bytes() == b"".join(b"%d\n" % number for number in range(1, 100001))
    (attempt,) = [attempt for step in read(work.parent / "trace").steps for attempt in step.attempts]
    assert attempt.receipt is not None
    assert str(kept) in attempt.receipt.output
    assert len(attempt.receipt.output) < 200_000


@confined
def test_in_the_folder_that_holds_everything_code_only_reads(work: Path) -> None:
    words = ("--os", "--desktop", "memory", "--model", "steps", "-y", "--workspace", "/")
    ran = oi(*words, 'run shell "pwd; touch /made"', cwd=work, environment=environment(work))
    assert ran.code == 1
    assert "Read-only file system" in ran.out, ran
